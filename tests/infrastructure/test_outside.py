import socket
from typing import Any

import httpx
import pytest

from infrastructure.outgoing.addresses import AddressRefused, NotFound, check_url, checked_addresses
from infrastructure.outgoing.pinned import PinnedTransport
from judges.backends.addresses import GuardedTransport, RefusedAddress
from judges.backends.contract import JudgeError
from tests.campaigns.webhooks.hooking import receiving
from tests.cases import each


def resolves_to(monkeypatch: pytest.MonkeyPatch, *ips: str) -> None:
    def found(*_args: Any, **_options: Any) -> list[Any]:
        return [(socket.AF_INET, socket.SOCK_STREAM, 0, "", (ip, 443)) for ip in ips]

    monkeypatch.setattr(socket, "getaddrinfo", found)


def look_up(*, private_allowed: bool) -> list[str]:
    return checked_addresses("models.example", 443, private_allowed=private_allowed, allowed_by="A_SETTING")


def ask(url: str, transport: httpx.BaseTransport) -> httpx.Response:
    with httpx.Client(transport=transport, trust_env=False, timeout=5) as client:
        return client.post(url, content=b"{}")


@each(
    "url",
    ["", "api.example", "ftp://api.example/v1", "file:///etc/passwd", "http://", "http://a:b@api.example/v1",
     "http://api.example/v1?key=1", "http://api.example/v1#x", "http://api.example:99999/v1", "http://[::1/v1"],
)  # fmt: skip
def test_what_is_no_plain_address_is_refused(url: str) -> None:
    with pytest.raises(AddressRefused):
        check_url(url)


@pytest.mark.parametrize(
    "ip",
    [
        "127.0.0.1",
        "10.1.2.3",
        "192.168.0.9",
        "172.16.0.1",
        "::1",
        "fd00::1",
        "::ffff:127.0.0.1",
        "100.64.0.1",
        "64:ff9b::a00:1",
        "2002:a00:1::",
    ],
)
def test_private_addresses_want_an_allowance(ip: str, monkeypatch: pytest.MonkeyPatch) -> None:
    resolves_to(monkeypatch, ip)

    look_up(private_allowed=True)
    with pytest.raises(AddressRefused, match="private network"):
        look_up(private_allowed=False)


@pytest.mark.parametrize("ip", ["169.254.169.254", "fe80::1%eth0", "::", "224.0.0.1", "::ffff:169.254.169.254"])
def test_addresses_of_the_network_itself_are_never_asked(ip: str, monkeypatch: pytest.MonkeyPatch) -> None:
    resolves_to(monkeypatch, ip)

    with pytest.raises(AddressRefused):
        look_up(private_allowed=True)


def test_one_private_address_among_public_ones_is_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    resolves_to(monkeypatch, "93.184.216.34", "127.0.0.1")

    with pytest.raises(AddressRefused):
        look_up(private_allowed=False)


def test_public_address_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    resolves_to(monkeypatch, "93.184.216.34")

    look_up(private_allowed=False)


def test_server_that_is_not_found_may_be_there_later(monkeypatch: pytest.MonkeyPatch) -> None:
    def nothing(*_args: Any, **_options: Any) -> None:
        raise socket.gaierror("no such name")

    monkeypatch.setattr(socket, "getaddrinfo", nothing)

    with pytest.raises(NotFound, match="cannot be found"):
        look_up(private_allowed=False)
    with pytest.raises(JudgeError, match="cannot be found") as caught:
        ask("http://models.example/v1", GuardedTransport(private_allowed=False))
    assert caught.value.permanent is False


def test_name_that_points_elsewhere_after_the_check_leads_to_what_was_checked(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """DNS rebinding: the name is looked up once, and the connection goes to what was found then."""
    with receiving() as server:
        answers = [["127.0.0.1"], ["127.0.0.9"]]
        looked_up = []

        def found(host: str, *_args: Any, **_options: Any) -> list[Any]:
            if host != "hooks.example":  # the connection itself asks for the address by number
                return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (host, server.port))]
            looked_up.append(host)
            return [
                (socket.AF_INET, socket.SOCK_STREAM, 6, "", (ip, server.port)) for ip in answers[len(looked_up) - 1]
            ]

        monkeypatch.setattr(socket, "getaddrinfo", found)
        said = ask(f"http://hooks.example:{server.port}/x", PinnedTransport(private_allowed=True, allowed_by="A"))

    assert (said.status_code, looked_up) == (200, ["hooks.example"])
    assert server.got[0].headers["Host"] == f"hooks.example:{server.port}"


def test_next_address_is_asked_where_the_first_is_dead(monkeypatch: pytest.MonkeyPatch) -> None:
    with receiving() as server:

        def found(host: str, *_args: Any, **_options: Any) -> list[Any]:
            ips = ["127.0.0.77", "127.0.0.1"] if host == "hooks.example" else [host]
            return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (ip, server.port)) for ip in ips]

        monkeypatch.setattr(socket, "getaddrinfo", found)

        said = ask(f"http://hooks.example:{server.port}/x", PinnedTransport(private_allowed=True, allowed_by="A"))

    assert (said.status_code, len(server.got)) == (200, 1)


def test_judges_are_kept_from_private_addresses_by_the_same_guard() -> None:
    with pytest.raises(RefusedAddress, match="MODELS_ON_PRIVATE_ADDRESSES"):
        ask("http://127.0.0.1:9/v1", GuardedTransport(private_allowed=False))
