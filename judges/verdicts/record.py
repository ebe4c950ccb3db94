"""The only module that stores the answers of judges."""

import errno
import logging
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

from django.db import DatabaseError, InterfaceError, transaction
from django.db.models import F
from django.utils import timezone

from corpus.audio.reading import UnreadableAudio
from infrastructure.files.media import StorageUnavailable
from judges import reasons
from judges.backends.contract import Cancelled, JudgeError, JudgeOutput
from judges.cases.case import case_of
from judges.cases.feature_lookup import recognised
from judges.kinds.contract import Case, Opinion
from judges.language_models.calls.asking import Work
from judges.language_models.calls.json_safe import plain, storable_reason
from judges.language_models.calls.stops import Postponed, RunStopped
from judges.language_models.calls.stored import UNKEEPABLE
from judges.language_models.prices import MOST_USD
from judges.models import Verdict, VerdictAnswer, VerdictCall
from judges.sounds.perturbations import Unperturbable
from judges.verdicts.causes import cause_of
from judges.verdicts.context import RunTools, Used
from protocols import InvalidAnswers, Protocol, ScreenAnswer, read_answers
from protocols.judging import as_judged
from protocols.kinds.frames import slot_at

logger = logging.getLogger(__name__)
MOST_MESSAGE = 2000
NO_ROOM = (errno.ENOSPC, errno.EDQUOT)


@dataclass(frozen=True)
class Outcome:
    """How it went with one verdict: its status, or None where it stays to do; `stopped` where the run must stop.

    `text` is what a model wrote about it, where it was asked just now.
    """

    status: str | None
    stopped: RunStopped | None = None
    text: str = ""


def judge_verdict(pk: int, work: Work) -> Outcome:
    """Run the judge on one unit, and store its answers. A finished verdict stays unchanged."""
    verdict = Verdict.objects.select_related("unit__item").get(pk=pk)
    if verdict.status != Verdict.Status.WAITING:
        return Outcome(verdict.status)
    tools, started = RunTools(work, verdict), time.monotonic()
    try:
        case = case_of(
            work.run.campaign,
            verdict.unit,
            order=verdict.order,
            sample=verdict.sample,
            perturbation=work.perturbation,
            recognise=recognised,
        )
        opinion = _opinion(case, work, tools)
    except Unperturbable as refusal:  # before any call: there is no such case
        opinion = Opinion("error", message=refusal.reason)
        took = time.monotonic() - started
        return Outcome(record_opinion(verdict, opinion, work.run.campaign.protocol, seconds=took))
    except Cancelled:
        release([pk])
        return Outcome(None)
    except Postponed:
        _put_back([pk])
        return Outcome(None)
    except StorageUnavailable:
        release([pk])  # who works next at the run takes it up, and need not wait for the end of a lease
        raise
    except RunStopped as stopped:
        release([pk])
        return Outcome(None, stopped=stopped)
    status = _recorded(
        verdict,
        opinion,
        case.protocol,
        used=tools.used,
        replies=tools.replies,
        failure=tools.failure,
        seconds=time.monotonic() - started,
    )
    return Outcome(status, text="\n".join(use.call.raw for use in tools.used if not use.cached))


def _recorded(verdict: Verdict, opinion: Opinion, protocol: Protocol, **values: Any) -> str | None:
    """The same as `record_opinion`; a failed verdict, and not another try, where the opinion cannot be stored."""
    try:
        return record_opinion(verdict, opinion, protocol, **values)
    except UNKEEPABLE as error:
        logger.exception("Verdict %s could not be stored", verdict.pk)
        failure = JudgeError(reasons.NOT_KEPT(fault=type(error).__name__), permanent=True)
        return record_opinion(verdict, Opinion("error", message=failure.reason), protocol, failure=failure)


def record_opinion(
    verdict: Verdict,
    opinion: Opinion,
    protocol: Protocol,
    *,
    used: Iterable[Used] = (),
    replies: Sequence[JudgeOutput] = (),
    failure: JudgeError | None = None,
    seconds: float = 0.0,
) -> str | None:
    """Store the opinion with its answers, in the stored frame; its status, or None if the verdict is finished.

    Answers that the protocol refuses are no answers: the verdict is unparsed, and says what was refused.
    """
    opinion, answers = _checked(opinion, protocol, verdict.order)
    used = list(used)
    with transaction.atomic():
        to_do = Verdict.objects.filter(pk=verdict.pk, status=Verdict.Status.WAITING)
        said = to_do.update(
            status=opinion.status,
            message=storable_reason(opinion.message, MOST_MESSAGE),
            cause=cause_of(opinion.status, replies, failure),
            reasoning=plain(str(opinion.reasoning)),
            said=plain(opinion.said),
            judged_at=timezone.now(),
            heartbeat_at=None,
            **_bill(used, seconds),
        )
        if not said:
            return None
        rows = (_row(verdict, answer, protocol) for answer in answers)
        VerdictAnswer.objects.bulk_create(rows)
        _link(verdict, used)
    return opinion.status


def release(pks: Iterable[int]) -> int:
    """Release these verdicts for other workers; this does not count as a try."""
    claimed = Verdict.objects.filter(pk__in=list(pks), status=Verdict.Status.WAITING, tries__gt=0)
    return claimed.update(heartbeat_at=None, tries=F("tries") - 1)


def _put_back(pks: Iterable[int]) -> None:
    """Release these verdicts for other workers; this counts as a try."""
    Verdict.objects.filter(pk__in=list(pks), status=Verdict.Status.WAITING).update(heartbeat_at=None)


def _opinion(case: Case, work: Work, tools: RunTools) -> Opinion:
    """What the judge says, or an error that says why it could not.

    Raises Cancelled, Postponed, RunStopped; and DatabaseError, of which no verdict must tell: it stays to do until
    there is a database again.
    """
    try:
        return work.kind.judge(case, work.run.judge.settings, tools)
    except (Cancelled, Postponed, RunStopped, DatabaseError, InterfaceError, StorageUnavailable):
        raise
    except (JudgeError, Unperturbable) as refusal:
        return Opinion("error", message=refusal.reason)
    except UnreadableAudio as unreadable:
        return Opinion("error", message=unreadable.reason)
    except OSError as error:
        if error.errno in NO_ROOM:  # what it has to keep on the way finds no place; it will when there is room
            raise
        return Opinion("error", message=reasons.CLIP_NOT_READ(fault=error.strerror))
    except Exception as error:  # a judge's own fault is that verdict's, not that of the run
        logger.exception("The judge %s failed", work.run.judge)
        return Opinion("error", message=reasons.JUDGE_FAILED(fault=type(error).__name__))


def _checked(opinion: Opinion, protocol: Protocol, order: str) -> tuple[Opinion, tuple[ScreenAnswer, ...]]:
    if opinion.status not in Verdict.READ:
        return replace(opinion, answers={}), ()
    try:
        return opinion, read_answers(as_judged(protocol), opinion.answers, n_responses=len(order))
    except InvalidAnswers as invalid:
        said = dict(opinion.said) | {"refused_answers": dict(opinion.answers)}
        return replace(opinion, status="unparsed", message=invalid.reason, answers={}, said=said), ()


def _row(verdict: Verdict, answer: ScreenAnswer, protocol: Protocol) -> VerdictAnswer:
    """The answer as it is stored: what is 1 in this order is a or b."""
    return VerdictAnswer(
        verdict=verdict,
        aspect=answer.aspect,
        slot=slot_at(answer.response, verdict.order) if answer.response else "",
        value=plain(protocol.aspect(answer.aspect).scale.kind.stored(answer.value, verdict.order)),
    )


def _bill(used: list[Used], seconds: float) -> dict[str, Any]:
    """Costs of a verdict: tokens and time of all calls it is based on, and the price of those that it paid for.

    The cost is unknown as soon as that of one of them is.
    """
    replies = [use for use in used if use.call.status != Verdict.Status.ERROR]
    billed = [use for use in used if use in replies or use.call.cost_usd is not None]
    paid = [use.call.cost_usd for use in billed if not use.cached]
    tokens_in = [use.call.tokens_in for use in replies if use.call.tokens_in is not None]
    tokens_out = [use.call.tokens_out for use in replies if use.call.tokens_out is not None]
    known = [usd for usd in paid if usd is not None]
    return {
        "model": next((use.call.model for use in reversed(replies) if use.call.model), ""),
        "tokens_in": sum(tokens_in) if tokens_in else None,
        "tokens_out": sum(tokens_out) if tokens_out else None,
        "cost_usd": min(sum(known, Decimal(0)), MOST_USD) if used and len(known) == len(paid) else None,
        "seconds": sum(use.call.seconds for use in used) if used else seconds,
    }


def _link(verdict: Verdict, used: list[Used]) -> None:
    """The calls after those of earlier times."""
    first = verdict.calls.count()
    VerdictCall.objects.bulk_create(
        VerdictCall(verdict=verdict, call=use.call, position=place, cached=use.cached)
        for place, use in enumerate(used, first)
    )
