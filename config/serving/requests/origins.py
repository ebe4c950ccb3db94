"""WebSockets are opened by our own pages only: a browser lets any page try, and sends the cookies along."""

from typing import Any
from urllib.parse import urlsplit

from channels.generic.websocket import AsyncWebsocketConsumer
from django.conf import settings
from django.http.request import split_domain_port, validate_host


class SameOrigin:
    """Refuses a WebSocket whose Origin is not the host it was opened to, nor one of CSRF_TRUSTED_ORIGINS."""

    def __init__(self, application: Any) -> None:
        self.application = application

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        headers = {name: value.decode("latin1") for name, value in scope["headers"] if name in (b"origin", b"host")}
        if is_own(headers.get(b"origin", ""), host=headers.get(b"host", "")):
            await self.application(scope, receive, send)
        else:
            await Refusal()(scope, receive, send)


def is_own(origin: str, *, host: str) -> bool:
    if not validate_host(split_domain_port(host)[0], settings.ALLOWED_HOSTS):
        return False
    parts = urlsplit(origin)
    return (parts.scheme in {"http", "https"} and parts.netloc == host) or origin in settings.CSRF_TRUSTED_ORIGINS


class Refusal(AsyncWebsocketConsumer):
    """Lets nobody in."""

    async def connect(self) -> None:
        await self.close()
