"""A transport for httpx that connects to the very addresses it has checked.

The name is looked up once for each request: a name that points elsewhere a moment later (DNS rebinding) leads nowhere
else. The certificate is still checked against the name.
"""

import socket
import ssl
from collections import deque
from collections.abc import Mapping
from functools import cache, partial
from typing import Any

import httpx

from infrastructure.outgoing.addresses import checked_addresses
from infrastructure.outgoing.deadlines import EXTENSION, Deadline, shut_down

#: The steps of httpcore after which there is another socket.
MOST_SOCKETS = 200
CONNECTED = ("connection.connect_tcp.complete", "connection.start_tls.complete")


class PinnedTransport(httpx.BaseTransport):
    """For one server. Every request has a connection of its own, so that its deadline ends it and no other one."""

    def __init__(self, *, private_allowed: bool, allowed_by: str) -> None:
        self._private_allowed, self._allowed_by = private_allowed, allowed_by
        limits = httpx.Limits(max_connections=None, max_keepalive_connections=0)
        self._inner = httpx.HTTPTransport(verify=_tls(), trust_env=False, limits=limits)
        self._sockets: deque[socket.socket] = deque(maxlen=MOST_SOCKETS)

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """A `Deadline` may come as an extension of the request.

        Raises AddressRefused, NotFound, and what httpx raises.
        """
        url = request.url
        host = url.raw_host.decode("ascii")
        port = url.port or (443 if url.scheme == "https" else 80)
        *before, last = checked_addresses(
            host, port, private_allowed=self._private_allowed, allowed_by=self._allowed_by
        )
        deadline: Deadline | None = request.extensions.get(EXTENSION)
        trace = partial(self._note_socket, deadline)
        request.extensions = {**request.extensions, "sni_hostname": host, "trace": trace}
        for ip in before:
            try:
                return self._ask(request, url, ip)
            except (httpx.ConnectError, httpx.ConnectTimeout):
                if deadline and deadline.is_over:
                    raise
                continue  # nothing was sent; the next address may be reachable
        return self._ask(request, url, last)

    def cut(self) -> None:
        """From another thread: end what is under way, which no limit between two bytes can."""
        for it in tuple(self._sockets):
            shut_down(it)

    def close(self) -> None:
        self._inner.close()

    def _ask(self, request: httpx.Request, url: httpx.URL, ip: str) -> httpx.Response:
        request.url = url.copy_with(host=ip)
        return self._inner.handle_request(request)

    def _note_socket(self, deadline: Deadline | None, step: str, info: Mapping[str, Any]) -> None:
        if step in CONNECTED:
            it = info["return_value"].get_extra_info("socket")
            self._sockets.append(it)
            if deadline:
                deadline.watch(it)


@cache
def _tls() -> ssl.SSLContext:
    """Reading the certificates takes tens of milliseconds."""
    return httpx.create_ssl_context(trust_env=False)
