"""The ASGI application: static files, pages and, over WebSocket, live updates."""

import os
import sys

import django
from channels.routing import ProtocolTypeRouter
from django.conf import settings
from servestatic import ServeStaticASGI
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

#: After every query a thread waits for the interpreter until whoever has it was there so long (s): a vote has thirty
#: queries, so that Python's 5 ms add up while others compute.
TURN_S = 0.0005
sys.setswitchinterval(TURN_S)
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
django.setup(set_prefix=False)

from config.operations.private_files import write_privately  # noqa: E402
from config.serving.asgi_handler import Pages  # noqa: E402 - these need the apps, which are there by now
from config.serving.gc_tuning import freeze_objects  # noqa: E402
from config.serving.routing import live_pages  # noqa: E402


def is_hashed(_path: str, url: str) -> bool:
    """Whether a static file's name carries its content hash, so that a browser may keep it for ever."""
    stem_and_hash = url.rsplit("/", 1)[-1].split(".")
    return len(stem_and_hash) >= 3 and len(stem_and_hash[-2]) == 12


routed = ProtocolTypeRouter(
    {
        "http": ServeStaticASGI(
            Pages(),
            root=settings.STATIC_ROOT,
            prefix=settings.STATIC_URL,
            allow_all_origins=False,
            immutable_file_test=is_hashed,
        ),
        "websocket": live_pages,
    }
)
#: The client's address is the last one that no trusted proxy wrote, and the scheme is the one that the proxy names.
#: Whoever is no trusted proxy is believed neither.
application = ProxyHeadersMiddleware(routed, trusted_hosts=settings.TRUSTED_PROXIES)
write_privately()
freeze_objects()
