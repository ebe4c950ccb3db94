"""Which addresses a server of models may have: HTTP(S), and no private ones unless the installation allows them."""

import socket
from ipaddress import IPv4Address, IPv6Address, ip_address
from urllib.parse import urlsplit

from campaigns.phrases import Phrase
from judges.backends.contract import JudgeError


class RefusedAddress(JudgeError):
    """An address that is not asked."""

    def __init__(self, message: str) -> None:
        super().__init__(message, permanent=True)


def check_url(url: str) -> None:
    """Raises RefusedAddress for what is no plain address of a server."""
    try:
        parts = urlsplit(url)
        port_is_fine = parts.port is None or parts.port > 0
    except ValueError as error:
        raise RefusedAddress(Phrase("This is no address of a server.")) from error
    if parts.scheme not in ("http", "https") or not parts.hostname or not port_is_fine:
        raise RefusedAddress(Phrase("The address has to begin with http:// or https:// and name a server."))
    if parts.username or parts.password or parts.query or parts.fragment:
        raise RefusedAddress(
            Phrase("The address has neither a password nor a question mark; keys go into their own field.")
        )


def check_host(url: str, *, private_allowed: bool) -> None:
    """Look the server up and refuse it if one of its addresses is not to be asked. Raises JudgeError."""
    check_url(url)
    parts = urlsplit(url)
    port = parts.port or (443 if parts.scheme == "https" else 80)
    try:
        found = socket.getaddrinfo(parts.hostname, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise JudgeError(f"The server {parts.hostname} cannot be found.", permanent=False) from error
    for *_, where in found:
        _check_ip(ip_address(str(where[0]).partition("%")[0]), private_allowed=private_allowed)


def _check_ip(found: IPv4Address | IPv6Address, *, private_allowed: bool) -> None:
    ip = getattr(found, "ipv4_mapped", None) or found
    if ip.is_link_local or ip.is_multicast or ip.is_unspecified:
        raise RefusedAddress(f"{ip} is not an address that is asked.")
    if not ip.is_global and not private_allowed:
        raise RefusedAddress(
            f"{ip} is in a private network. An administrator can allow this by MODELS_ON_PRIVATE_ADDRESSES."
        )
