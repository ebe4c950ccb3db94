"""Which addresses are asked: HTTP(S), and no private ones unless the installation allows them."""

import logging
import socket
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address
from urllib.parse import urlsplit

import httpx

from infrastructure.wording.reasons import ReasonCode, Reasoned

logger = logging.getLogger(__name__)
#: Where clouds tell their machines secrets, as far as it is not link-local: Amazon, Google, Azure, Alibaba, Oracle.
METADATA = frozenset(
    map(ip_address, ("fd00:ec2::254", "fd20:ce::254", "168.63.129.16", "100.100.100.200", "192.0.0.192"))
)
#: IPv6 networks that end in an IPv4 address: NAT64 (RFC 6052), IPv4-translated (RFC 2765), IPv4-compatible.
CARRIES_IPV4 = tuple(map(IPv6Network, ("64:ff9b::/96", "::ffff:0:0:0/96", "::/96")))
#: Local use of NAT64 (RFC 8215) and site-local addresses, which Python 3.11 takes for public ones.
PRIVATE = tuple(map(IPv6Network, ("64:ff9b:1::/48", "fec0::/10")))


NO_ADDRESS = ReasonCode("no_address", "This is no address of a server.")
NO_HTTP_ADDRESS = ReasonCode(
    "no_http_address", "The address has to begin with http:// or https:// and name a server."
)
ADDRESS_WITH_SECRETS = ReasonCode(
    "address_with_secrets",
    "The address has neither a password nor a question mark; keys go into their own field.",
)
ADDRESS_NOT_FOUND = ReasonCode("address_not_found", "The server %(host)s cannot be found.")
ADDRESS_NEVER_ASKED = ReasonCode("address_never_asked", "%(host)s is not an address that is asked.")
ADDRESS_PRIVATE = ReasonCode(
    "address_private",
    "%(host)s is in a private network. An administrator can allow this: %(setting)s=true in .env, then restart "
    "Earshot.",
)


class AddressRefused(Reasoned, ValueError):
    """An address that is not allowed. The reason is for the user who entered it."""


class NotFound(Reasoned, OSError):
    """The name has no address now; it may have one later."""


def check_url(url: str) -> None:
    """Raises AddressRefused for what is no plain address of a server."""
    try:
        parts = urlsplit(url)
        port_is_fine = parts.port is None or parts.port > 0
        httpx.URL(url)  # reads names of servers more strictly, and is who asks
    except (ValueError, httpx.InvalidURL) as error:
        raise AddressRefused(NO_ADDRESS()) from error
    if parts.scheme not in ("http", "https") or not parts.hostname or not port_is_fine:
        raise AddressRefused(NO_HTTP_ADDRESS())
    if parts.username or parts.password or parts.query or parts.fragment:
        raise AddressRefused(ADDRESS_WITH_SECRETS())


def checked_addresses(host: str, port: int, *, private_allowed: bool, allowed_by: str) -> list[str]:
    """Look the server up; its IP addresses, if every one of them may be asked.

    `allowed_by` names the setting that allows private ones. Raises AddressRefused, NotFound.
    """
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise NotFound(ADDRESS_NOT_FOUND(host=host)) from error
    ips = list(dict.fromkeys(str(where[0]) for *_, where in found))
    for ip in ips:
        _check_ip(host, ip_address(ip.partition("%")[0]), private_allowed=private_allowed, allowed_by=allowed_by)
    return ips


def _check_ip(host: str, found: IPv4Address | IPv6Address, *, private_allowed: bool, allowed_by: str) -> None:
    """The message names the server as entered; only the log says what a name inside the network resolves to."""
    ip = _within(found)
    if ip.is_link_local or ip.is_multicast or ip.is_unspecified or ip in METADATA:
        logger.warning("%s leads to %s, which is never asked", host, ip)
        raise AddressRefused(ADDRESS_NEVER_ASKED(host=host))
    is_public = ip.is_global and not any(ip in network for network in PRIVATE)
    if not is_public and not private_allowed:
        logger.warning("%s leads to %s, which only %s allows", host, ip, allowed_by)
        raise AddressRefused(ADDRESS_PRIVATE(host=host, setting=allowed_by))


def _within(ip: IPv4Address | IPv6Address) -> IPv4Address | IPv6Address:
    """The IPv4 address that an IPv6 one carries, in whichever way; else the address itself."""
    if isinstance(ip, IPv4Address):
        return ip
    if any(ip in network for network in CARRIES_IPV4) and ip not in (IPv6Address("::"), IPv6Address("::1")):
        return IPv4Address(ip.packed[12:])
    return ip.ipv4_mapped or ip.sixtofour or ip
