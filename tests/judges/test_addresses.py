import socket
from typing import Any

import pytest

from judges.backends.addresses import RefusedAddress, check_host, check_url
from judges.backends.contract import JudgeError


def resolves_to(monkeypatch: pytest.MonkeyPatch, *ips: str) -> None:
    def found(*_args: Any, **_options: Any) -> list[Any]:
        return [(socket.AF_INET, socket.SOCK_STREAM, 0, "", (ip, 443)) for ip in ips]

    monkeypatch.setattr(socket, "getaddrinfo", found)


@pytest.mark.parametrize(
    "url",
    ["", "api.example", "ftp://api.example/v1", "file:///etc/passwd", "http://", "http://a:b@api.example/v1",
     "http://api.example/v1?key=1", "http://api.example/v1#x", "http://api.example:99999/v1", "http://[::1/v1"],
)  # fmt: skip
def test_what_is_no_plain_address_is_refused(url: str) -> None:
    with pytest.raises(RefusedAddress):
        check_url(url)


@pytest.mark.parametrize(
    "ip", ["127.0.0.1", "10.1.2.3", "192.168.0.9", "172.16.0.1", "::1", "fd00::1", "::ffff:127.0.0.1", "100.64.0.1"]
)
def test_private_addresses_want_an_allowance(ip: str, monkeypatch: pytest.MonkeyPatch) -> None:
    resolves_to(monkeypatch, ip)

    check_host("https://models.example/v1", private_allowed=True)
    with pytest.raises(RefusedAddress, match="private network"):
        check_host("https://models.example/v1", private_allowed=False)


@pytest.mark.parametrize("ip", ["169.254.169.254", "fe80::1%eth0", "::", "224.0.0.1", "::ffff:169.254.169.254"])
def test_addresses_of_the_network_itself_are_never_asked(ip: str, monkeypatch: pytest.MonkeyPatch) -> None:
    resolves_to(monkeypatch, ip)

    with pytest.raises(RefusedAddress):
        check_host("https://models.example/v1", private_allowed=True)


def test_one_private_address_among_public_ones_is_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    resolves_to(monkeypatch, "93.184.216.34", "127.0.0.1")

    with pytest.raises(RefusedAddress):
        check_host("https://models.example/v1", private_allowed=False)


def test_public_address_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    resolves_to(monkeypatch, "93.184.216.34")

    check_host("https://models.example/v1", private_allowed=False)


def test_server_that_is_not_found_may_be_there_later(monkeypatch: pytest.MonkeyPatch) -> None:
    def nothing(*_args: Any, **_options: Any) -> None:
        raise socket.gaierror("no such name")

    monkeypatch.setattr(socket, "getaddrinfo", nothing)

    with pytest.raises(JudgeError, match="cannot be found") as caught:
        check_host("https://models.example/v1", private_allowed=False)
    assert caught.value.permanent is False
