"""A transport for httpx that connects to the very addresses it has checked.

The name is looked up once for each request: a name that points elsewhere a moment later (DNS rebinding) leads nowhere
else. The certificate is still checked against the name.
"""

import socket
import ssl
from collections import deque
from collections.abc import Mapping
from contextlib import suppress
from functools import cache
from typing import Any

import httpx

from campaigns.outside.addresses import checked_addresses

#: The steps of httpcore after which there is another socket.
MOST_SOCKETS = 200
CONNECTED = ("connection.connect_tcp.complete", "connection.start_tls.complete")


class PinnedTransport(httpx.BaseTransport):
    """For one server: connections that are kept open are told apart by address alone."""

    def __init__(self, *, private_allowed: bool, allowed_by: str) -> None:
        self._private_allowed, self._allowed_by = private_allowed, allowed_by
        self._inner = httpx.HTTPTransport(verify=_tls(), trust_env=False)
        self._sockets: deque[socket.socket] = deque(maxlen=MOST_SOCKETS)

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Raises AddressRefused, NotFound, and what httpx raises."""
        url = request.url
        host = url.raw_host.decode("ascii")
        port = url.port or (443 if url.scheme == "https" else 80)
        *before, last = checked_addresses(
            host, port, private_allowed=self._private_allowed, allowed_by=self._allowed_by
        )
        request.extensions = {**request.extensions, "sni_hostname": host, "trace": self._note_socket}
        for ip in before:
            try:
                return self._ask(request, url, ip)
            except (httpx.ConnectError, httpx.ConnectTimeout):
                continue  # nothing was sent; the next address may be reachable
        return self._ask(request, url, last)

    def cut(self) -> None:
        """From another thread: end what is under way, which no limit between two bytes can."""
        for it in tuple(self._sockets):
            with suppress(OSError):
                it.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        self._inner.close()

    def _ask(self, request: httpx.Request, url: httpx.URL, ip: str) -> httpx.Response:
        request.url = url.copy_with(host=ip)
        return self._inner.handle_request(request)

    def _note_socket(self, step: str, info: Mapping[str, Any]) -> None:
        if step in CONNECTED:
            self._sockets.append(info["return_value"].get_extra_info("socket"))


@cache
def _tls() -> ssl.SSLContext:
    """Reading the certificates takes tens of milliseconds."""
    return httpx.create_ssl_context(trust_env=False)
