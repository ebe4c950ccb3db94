"""What is answered over WebSocket: the one consumer of all live pages, for our own pages and those logged in."""

from channels.auth import AuthMiddlewareStack
from channels.routing import URLRouter
from django.urls import path, re_path

from campaigns.consumers import LiveConsumer
from config.origins import Refusal, SameOrigin

live_pages = SameOrigin(
    AuthMiddlewareStack(URLRouter([path("live/", LiveConsumer.as_asgi()), re_path("", Refusal.as_asgi())]))
)
