"""Questions put to a model and what came back: kept once, the cache and the bill in one."""

import hashlib
import json
from dataclasses import replace
from decimal import Decimal
from typing import Any, cast

from django.db import transaction
from django.db.models import F

from judges.backends.contract import JudgeError, JudgeInput, JudgeOutput, ParseStatus
from judges.backends.messages import plain as plain_messages
from judges.budgets import settle
from judges.models import Call, LanguageModel, Reservation, Run, Verdict
from judges.plain import as_rendered, plain
from judges.prices import cost, price_of

#: About so many letters of a prompt make a token, in English.
LETTERS_PER_TOKEN = 4
NOTHING = Decimal(0)


def rendered(wanted: JudgeInput) -> dict[str, Any]:
    """The question as it is kept and shown: messages as rendered, sound by its hash, schema and parameters."""
    found: dict[str, Any] = as_rendered(replace(wanted, messages=tuple(plain_messages(wanted.messages))))
    return found


def call_key(model: LanguageModel, request: dict[str, Any], *, order: str, sample: int, repeat: int = 0) -> str:
    """The hash of everything that a reply depends on. `repeat` tells apart the same question within one verdict."""
    said = {
        "model": model.model,
        "endpoint": model.base_url,
        "request": request,
        "order": order,
        "sample": sample,
        "repeat": repeat,
    }
    return hashlib.sha256(json.dumps(said, sort_keys=True, ensure_ascii=False).encode()).hexdigest()


def kept_call(key: str, verdict: Verdict) -> Call | None:
    """The latest reply to exactly this, whoever paid for it, read or not; never a failure to get one.

    Where somebody asked for a verdict again because its reply was no good, only replies since then count.
    """
    rows = Call.objects.filter(key=key).exclude(status=Verdict.Status.ERROR)
    if verdict.asked_again_at:
        rows = rows.filter(made_at__gte=verdict.asked_again_at)
    return rows.order_by("-pk").first()


def keep_reply(
    key: str,
    request: dict[str, Any],
    reply: JudgeOutput,
    *,
    model: LanguageModel,
    verdict: Verdict,
    held: Reservation | None = None,
) -> Call:
    """Keep what came, at once, and put it on the run's bill in place of what was held back for it."""
    usd = bill_of(model, reply)
    with transaction.atomic():
        _book(verdict, held, usd)
        return Call.objects.create(
            key=key,
            language_model=model,
            request=request,
            status=reply.status,
            raw=reply.raw,
            data=plain(reply.data),
            model=reply.model,
            tokens_in=reply.tokens_in,
            tokens_out=reply.tokens_out,
            cost_usd=usd,
            seconds=reply.seconds,
            attempts=reply.attempts,
            made_for=verdict,
        )


def keep_failure(
    key: str,
    request: dict[str, Any],
    failure: JudgeError,
    *,
    model: LanguageModel,
    verdict: Verdict,
    seconds: float,
    attempts: int = 1,
    held: Reservation | None = None,
) -> Call:
    """Keep that no reply came; never reused. What the server counted all the same is on the run's bill.

    Where it counted nothing though the question was sent, what was held back may have been billed.
    """
    counted = failure.counted
    usd = bill_of(model, counted) if counted else None
    with transaction.atomic():
        _book(verdict, held, usd if usd is not None or failure.was_sent else NOTHING)
        return Call.objects.create(
            key=key,
            language_model=model,
            request=request,
            status=Verdict.Status.ERROR,
            message=plain(str(failure)),
            tokens_in=counted.tokens_in if counted else None,
            tokens_out=counted.tokens_out if counted else None,
            cost_usd=usd,
            seconds=seconds,
            attempts=attempts,
            made_for=verdict,
        )


def bill_of(model: LanguageModel, reply: JudgeOutput) -> Decimal | None:
    """What a reply cost; None without a price or where the server did not count."""
    return cost(price_of(model), tokens_in=reply.tokens_in, tokens_out=reply.tokens_out)


def _book(verdict: Verdict, held: Reservation | None, usd: Decimal | None) -> None:
    if held:
        settle(held, usd)
    elif usd:
        Run.objects.filter(pk=verdict.run_id).update(spent_usd=F("spent_usd") + usd)


def as_output(call: Call) -> JudgeOutput:
    """A kept reply as it came."""
    return JudgeOutput(
        raw=call.raw,
        status=cast(ParseStatus, call.status),
        data=call.data,
        model=call.model,
        tokens_in=call.tokens_in,
        tokens_out=call.tokens_out,
        seconds=call.seconds,
        attempts=call.attempts,
    )


def estimated_tokens(request: dict[str, Any]) -> int:
    """The tokens of a question's texts, roughly; sound not counted."""
    return len(json.dumps(request["messages"], ensure_ascii=False)) // LETTERS_PER_TOKEN
