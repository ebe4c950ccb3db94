"""What is answered over WebSocket: the one consumer of all live pages, for our own pages and those logged in."""

from channels.auth import AuthMiddlewareStack
from channels.routing import URLRouter
from django.urls import path, re_path

from config.operations.metrics import CountedSockets
from config.serving.requests.origins import Refusal, SameOrigin
from infrastructure.live.consumer import LiveConsumer
from infrastructure.live.topics import TOPICS

live_pages = CountedSockets(
    SameOrigin(
        AuthMiddlewareStack(
            URLRouter([path("live/", LiveConsumer.as_asgi(guards=TOPICS)), re_path("", Refusal.as_asgi())])
        )
    )
)
