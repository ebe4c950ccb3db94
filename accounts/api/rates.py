"""How often one may ask: by token, and by person for browsers. Counted where all web processes count together."""

import logging
import time
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.core.cache import caches
from redis.exceptions import RedisError
from rest_framework.request import Request
from rest_framework.throttling import SimpleRateThrottle

from accounts.models import ApiToken

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Rate:
    """How much of `most` requests in `window_s` seconds is left, for the next `resets_s` seconds."""

    most: int
    window_s: int
    left: int
    resets_s: int

    @property
    def headers(self) -> dict[str, str]:
        """As draft-ietf-httpapi-ratelimit-headers-10 has them."""
        return {
            "RateLimit-Policy": f'"api";q={self.most};w={self.window_s}',
            "RateLimit": f'"api";r={self.left};t={self.resets_s}',
        }


class PerToken(SimpleRateThrottle):
    """`API_RATE`, restarted with every minute (hour, …) of the clock. `view.rate` gets the remaining number."""

    scope = "api"

    def get_rate(self) -> str:
        return str(settings.API_RATE)

    def get_cache_key(self, request: Request, _view: Any) -> str | None:
        if not request.user.is_authenticated:
            return None
        who = f"token-{request.auth.pk}" if isinstance(request.auth, ApiToken) else f"user-{request.user.pk}"
        return f"api-rate-{who}"

    def allow_request(self, request: Request, view: Any) -> bool:
        if (who := self.get_cache_key(request, view)) is None:
            return True
        window, since_s = divmod(time.time(), self.duration)
        self._resets_s = max(1, round(self.duration - since_s))
        asked = _counted(f"{who}-{window:.0f}", keep_s=self.duration)
        view.rate = Rate(self.num_requests, self.duration, max(0, self.num_requests - asked), self._resets_s)
        return bool(asked <= self.num_requests)

    def wait(self) -> float:
        return float(self._resets_s)


def _counted(key: str, *, keep_s: int) -> int:
    """The number of requests under this key, including this one. While Redis is down no request is refused."""
    counts = caches["rates"]
    try:
        counts.add(key, 0, timeout=keep_s)
        return counts.incr(key)
    except ValueError:  # it expired in between
        return 1
    except RedisError as error:
        logger.warning("Requests to the API are not counted: %s", error)
        return 0
