"""Requests to a model and their replies: stored once, as cache and bill in one."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from decimal import Decimal
from math import ceil
from typing import Any, cast

from django.db import DataError, IntegrityError, transaction

from judges import reasons
from judges.backends.contract import JudgeError, JudgeInput, JudgeOutput, ParseStatus
from judges.backends.messages import plain as plain_messages
from judges.backends.parameters import Parameters
from judges.language_models.calls.budgets import book, settle
from judges.language_models.calls.json_safe import as_rendered, plain, storable_reason
from judges.language_models.prices import cost, price_of
from judges.models import Call, LanguageModel, Reservation, Verdict

#: About so many letters of a prompt make a token, in English.
LETTERS_PER_TOKEN = 4
#: What servers count for a second of sound: OpenAI 10, Gemini 32. The higher one, so that no bill surprises.
TOKENS_PER_SECOND = 32
NOTHING = Decimal(0)
#: Errors of the data to be stored; the database itself works.
UNKEEPABLE = (IntegrityError, DataError, ArithmeticError, ValueError, RecursionError)


@dataclass(frozen=True)
class Bill:
    """What a reply cost, None without a price or where the server did not count; an estimate where something with a
    price of its own was not counted apart.
    """

    usd: Decimal | None
    is_estimate: bool = False


def rendered(wanted: JudgeInput) -> dict[str, Any]:
    """The request as it is stored and shown: messages as rendered, sound by its hash, schema and parameters."""
    found: dict[str, Any] = as_rendered(replace(wanted, messages=tuple(plain_messages(wanted.messages))))
    return found


def call_key(model: LanguageModel, request: dict[str, Any], *, order: str, sample: int, repeat: int = 0) -> str:
    """The hash of everything that a reply depends on. `repeat` distinguishes equal requests within one verdict."""
    said = {
        "model": model.model,
        "endpoint": model.base_url,
        "request": request,
        "order": order,
        "sample": sample,
        "repeat": repeat,
    }
    if (parameters := model.parameters) != Parameters():
        said["parameters"] = asdict(parameters)
    return hashlib.sha256(json.dumps(said, sort_keys=True, ensure_ascii=False).encode()).hexdigest()


def kept_call(key: str, verdict: Verdict) -> Call | None:
    """The latest reply to exactly this request, of any run, readable or not; never a failed call.

    If a verdict was requested again because its reply was unusable, only replies since then count.
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
    """Keep what came, at once, and put it on the run's bill in place of what was held back for it.

    Where the server does not count, or counts what cannot be, what was held back may have been billed.
    """
    bill = bill_of(model, request, reply)
    with transaction.atomic():
        _book(verdict, held, bill.usd)
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
            **reply.kinds,
            cost_usd=bill.usd,
            cost_is_estimate=bill.is_estimate,
            finish_reason=reply.finish_reason,
            message=storable_reason(reply.problem or (reasons.MISCOUNTED() if reply.is_miscounted else None)),
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
    bill = bill_of(model, request, counted) if counted else Bill(None)
    with transaction.atomic():
        _book(verdict, held, bill.usd if bill.usd is not None or failure.was_sent else NOTHING)
        return Call.objects.create(
            key=key,
            language_model=model,
            request=request,
            status=Verdict.Status.ERROR,
            message=storable_reason(failure.reason),
            tokens_in=counted.tokens_in if counted else None,
            tokens_out=counted.tokens_out if counted else None,
            **(counted.kinds if counted else {}),
            cost_usd=bill.usd,
            cost_is_estimate=bill.is_estimate,
            seconds=seconds,
            attempts=attempts,
            made_for=verdict,
        )


def _book(verdict: Verdict, held: Reservation | None, usd: Decimal | None) -> None:
    if held:
        settle(held, usd)
    elif usd:
        book(verdict.run_id, usd)


def bill_of(model: LanguageModel, request: Mapping[str, Any], reply: JudgeOutput) -> Bill:
    """The bill of a reply by the model's price of now.

    Where sound has a price of its own and the server does not say how many tokens were sound, they are estimated by
    its seconds, at most all of the question.
    """
    price, kinds = price_of(model), reply.kinds
    seconds = seconds_of_sound(request)
    estimated = bool(
        price and seconds and reply.tokens_in and price.usd_audio_in is not None and not kinds["audio_in"]
    )
    if estimated:
        kinds["audio_in"] = min(reply.tokens_in or 0, ceil(seconds * TOKENS_PER_SECOND))
    usd = cost(price, tokens_in=reply.tokens_in, tokens_out=reply.tokens_out, **kinds)
    return Bill(usd, is_estimate=estimated and usd is not None)


def seconds_of_sound(request: Mapping[str, Any]) -> float:
    """How much sound a stored request sent."""
    contents = [message.get("content") for message in request.get("messages", ())]
    parts = [part for content in contents if isinstance(content, list) for part in content]
    return sum(float(part.get("seconds") or 0) for part in parts if part.get("type") == "input_audio")


def as_output(call: Call) -> JudgeOutput:
    """A stored reply as it was received."""
    return JudgeOutput(
        raw=call.raw,
        status=cast(ParseStatus, call.status),
        data=call.data,
        model=call.model,
        tokens_in=call.tokens_in,
        tokens_out=call.tokens_out,
        seconds=call.seconds,
        attempts=call.attempts,
        audio_in=call.audio_in,
        cached_in=call.cached_in,
        reasoning_out=call.reasoning_out,
        audio_out=call.audio_out,
        finish_reason=call.finish_reason,
        problem=call.message,
    )


def estimated_tokens(request: dict[str, Any]) -> int:
    """The tokens of a question's texts, roughly; sound not counted."""
    return len(json.dumps(request["messages"], ensure_ascii=False)) // LETTERS_PER_TOKEN
