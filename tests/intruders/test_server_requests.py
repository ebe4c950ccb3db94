"""Addresses by which people would have the server ask machines that it alone can reach."""

import random
import socket
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from campaigns.models import Campaign, Webhook
from infrastructure.outgoing.addresses import AddressRefused, NotFound, check_url, checked_addresses
from infrastructure.outgoing.pinned import PinnedTransport
from judges.backends.contract import JudgeError, JudgeInput
from judges.backends.openai_chat import ChatServer, OpenAIChat
from tests.campaigns.webhooks.hooking import receiving
from tests.cases import each
from tests.infrastructure.test_outside import ask, resolves_to


def looked_up(host: str, *, private_allowed: bool = False) -> list[str]:
    return checked_addresses(host, 443, private_allowed=private_allowed, allowed_by="A_SETTING")


@each(
    "host",
    ["2130706433", "0x7f000001", "017700000001", "0177.0.0.1", "127.1", "127.0.0.1.", "0x7f.1", "localhost", "::1",
     "::ffff:127.0.0.1", "::ffff:7f00:1", "0:0:0:0:0:ffff:7f00:0001", "0", "0.0.0.0", "3232235521", "10.1", "::"],
)  # fmt: skip
def test_private_address_is_refused_in_every_spelling(host: str) -> None:
    """Looked up as the connection would be, by the system's own resolver."""
    with pytest.raises((AddressRefused, NotFound)):
        looked_up(host)


@pytest.mark.parametrize(
    "ip",
    ["::7f00:1", "::ffff:0:7f00:1", "64:ff9b::7f00:1", "64:ff9b:1::7f00:1", "2002:7f00:1::", "2002:c0a8:1::",
     "fec0::1",
     "2001:0:7f00:1::", "2001:db8::1", "fc00::1", "255.255.255.255", "240.0.0.1", "198.18.0.1",
     "192.0.2.1", "203.0.113.1", "100.64.0.1", "0.1.2.3"],
)  # fmt: skip
def test_what_is_no_public_address_is_refused_in_every_wrapping(ip: str, monkeypatch: pytest.MonkeyPatch) -> None:
    resolves_to(monkeypatch, ip)

    with pytest.raises(AddressRefused):
        looked_up("models.example")


@pytest.mark.parametrize(
    "ip",
    ["169.254.169.254", "169.254.170.2", "::ffff:169.254.169.254", "64:ff9b::a9fe:a9fe", "2002:a9fe:a9fe::",
     "::a9fe:a9fe", "fe80::a9fe:a9fe%eth0", "fd00:ec2::254", "fd20:ce::254", "168.63.129.16", "100.100.100.200",
     "192.0.0.192", "::ffff:100.100.100.200"],
)  # fmt: skip
def test_secrets_of_clouds_are_asked_for_under_no_setting(ip: str, monkeypatch: pytest.MonkeyPatch) -> None:
    resolves_to(monkeypatch, ip)

    with pytest.raises(AddressRefused):
        looked_up("metadata.example", private_allowed=True)


@pytest.mark.parametrize("ip", ["93.184.216.34", "2606:2800:220:1::1", "::ffff:93.184.216.34", "64:ff9b::5db8:d822"])
def test_public_address_is_still_asked(ip: str, monkeypatch: pytest.MonkeyPatch) -> None:
    resolves_to(monkeypatch, ip)

    assert looked_up("models.example") == [ip]


@each(
    "url",
    ["http://good.example@127.0.0.1/", "http://good.example:80@127.0.0.1/", "http://127.0.0.1\\@good.example/",
     "http://good.example#@127.0.0.1/", "http://good.example?@127.0.0.1/", "http:///127.0.0.1/", "gopher://127.0.0.1/",
     "http://[::1]@good.example/", "file://good.example/etc/passwd", "http://good.example:-1/", "HTTP:127.0.0.1",
     "//127.0.0.1/", "http://\t127.0.0.1@good.example/"],
)  # fmt: skip
def test_address_that_two_readers_read_differently_is_refused(url: str) -> None:
    with pytest.raises(AddressRefused):
        check_url(url)


@each("url", ["http://①②⑦.⓪.⓪.①:9/", "http://ⓛocalhost:9/"])
def test_name_that_only_some_readers_can_read_is_refused(url: str) -> None:
    with pytest.raises(AddressRefused):
        check_url(url)


@each("url", ["http://127。0。0。1:9/", "http://[::ffff:127.0.0.1]:9/", "http://2130706433:9/"])
def test_host_is_checked_as_it_is_connected_to(url: str) -> None:
    """Full stops of other scripts become plain ones on the way (IDNA), and numbers become addresses."""
    with pytest.raises((AddressRefused, NotFound)):
        ask(url, PinnedTransport(private_allowed=False, allowed_by="A_SETTING"))


def test_judge_does_not_follow_where_a_server_sends_it() -> None:
    with receiving(302) as server:
        backend = OpenAIChat(
            ChatServer(base_url=f"http://127.0.0.1:{server.port}", model="m", private_allowed=True, attempts=1),
            rng=random.Random(1),
        )
        with pytest.raises(JudgeError):
            backend.ask(JudgeInput(messages=({"role": "user", "content": "Which?"},), schema={"type": "object"}))
        backend.close()

    assert [got.path for got in server.got] == ["/chat/completions"]


def test_judge_is_kept_from_a_name_that_points_elsewhere_at_the_second_look(monkeypatch: pytest.MonkeyPatch) -> None:
    """DNS rebinding between the form and the run, and between two requests of one client."""
    answers: list[Any] = ["93.184.216.34", "127.0.0.1"]

    def found(*_args: Any, **_options: Any) -> list[Any]:
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (answers.pop(0), 80))]

    monkeypatch.setattr(socket, "getaddrinfo", found)
    assert looked_up("models.example") == ["93.184.216.34"]
    with pytest.raises(AddressRefused):
        looked_up("models.example")


@pytest.mark.django_db
@pytest.mark.parametrize(
    "url",
    ["http://hooks.example/", "https://u:p@hooks.example/", "https://hooks.example/?a=1", "ftp://hooks.example/",
     "https://", "javascript:alert(1)", "https://[::1"],
)  # fmt: skip
def test_page_takes_no_webhook_to_what_is_no_plain_address(campaign: Campaign, url: str) -> None:
    client = Client()
    client.force_login(campaign.created_by)
    campaign.memberships.create(user=campaign.created_by, role="admin")
    before = Webhook.objects.count()

    response = client.post(reverse("webhooks", args=[campaign.slug]), {"url": url, "events": ["answer.recorded"]})

    assert response.status_code == 422
    assert Webhook.objects.count() == before
