"""Addresses of this installation, as they are printed for whoever starts it."""

from urllib.parse import urlencode

from django.conf import settings
from django.urls import reverse

#: Listening at these is listening at every address; a browser on the same machine uses this name.
EVERYWHERE = {"0.0.0.0": "localhost", "::": "localhost"}  # noqa: S104 - compared with, not listened at
LOCAL_NAMES = {"localhost", "127.0.0.1", "[::1]"}


def local_address(host: str, port: int) -> str:
    """Where a browser finds a server that listens there: by its public name, if HTTPS is on and there is one."""
    public = [name for name in settings.ALLOWED_HOSTS if name not in LOCAL_NAMES and not name.startswith((".", "*"))]
    if settings.HTTPS and public:
        return f"https://{public[0]}"
    name = EVERYWHERE.get(host, f"[{host}]" if ":" in host else host)
    return f"http://{name}:{port}"


def setup_address(base: str, code: str) -> str:
    """Where the first administrator is made."""
    return f"{base.rstrip('/')}{reverse('setup')}?{urlencode({'code': code})}"
