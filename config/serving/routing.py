"""What is answered over WebSocket: the one consumer of all live pages, for our own pages and those logged in."""

from channels.auth import AuthMiddlewareStack
from channels.routing import URLRouter
from django.urls import path, re_path

from arena.board.subjects import watched_subject
from campaigns.background.consumers import GUARDS, LiveConsumer
from config.operations.metrics import CountedSockets
from config.serving.origins import Refusal, SameOrigin
from judges.runs.lifecycle import watched_run

#: Every topic by its kind, with who may watch it.
WATCHED = {**GUARDS, "standing": watched_subject, "run": watched_run}

live_pages = CountedSockets(
    SameOrigin(
        AuthMiddlewareStack(
            URLRouter([path("live/", LiveConsumer.as_asgi(guards=WATCHED)), re_path("", Refusal.as_asgi())])
        )
    )
)
