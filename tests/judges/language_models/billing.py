"""A server that keeps its own books: what it bills is counted on its side too."""

import json
import random
import threading
import time
from decimal import Decimal
from typing import Any

from campaigns.models import Campaign
from judges.language_models.prices import set_terms
from judges.models import LanguageModel
from tests.judges.drafting import make_model
from tests.judges.running import reply_for

#: US dollars for a million tokens of the question and of the reply.
USD_IN, USD_OUT = Decimal(10), Decimal(100)


class Books:
    """A step of the fake server: slow, and as dear as the request allows. `usd` is all that it billed."""

    def __init__(self, campaign: Campaign, *, seconds: float = 0.05, times: int = 1) -> None:
        self.usd, self.calls = Decimal(0), 0
        self._campaign, self._seconds, self._times = campaign, seconds, times
        self._lock, self._rng = threading.Lock(), random.Random(3)

    def __call__(self, body: dict[str, Any]) -> tuple[int, dict[str, str], bytes]:
        with self._lock:
            self.calls += 1
            number = self.calls
            tokens = self._rng.randint(body["max_tokens"] // 2, body["max_tokens"]) * self._times
            used = {"prompt_tokens": len(json.dumps(body["messages"])) // 2, "completion_tokens": tokens}
            self.usd += (USD_IN * used["prompt_tokens"] + USD_OUT * tokens) / 1_000_000
        time.sleep(self._seconds * self._rng.uniform(0.5, 2))
        said = dict(reply_for(self._campaign)) | {"reasoning": f"I heard it, {number}."}
        choice = {"index": 0, "message": {"role": "assistant", "content": json.dumps(said)}, "finish_reason": "stop"}
        return 200, {}, json.dumps({"model": "m-2026", "choices": [choice], "usage": used}).encode()


def priced_model(campaign: Campaign, url: str, *, at_once: int = 8, **changes: Any) -> LanguageModel:
    model = make_model(campaign.created_by, url, **changes)
    set_terms(
        model, at_once=at_once, requests_per_minute=None, tokens_per_minute=None,
        usd_in=USD_IN, usd_out=USD_OUT, user=campaign.created_by,
    )  # fmt: skip
    model.refresh_from_db()
    return model
