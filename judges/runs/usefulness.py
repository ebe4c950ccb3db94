"""Whether what a run gets for its money is of use: its first few units, and later its last verdicts."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Count, Q, QuerySet

from infrastructure.wording.reasons import Reason, ReasonCode
from judges import reasons
from judges.kinds import KINDS
from judges.models import Cause, Run, Verdict, VerdictCall
from judges.verdicts.causes import PERMANENT, advice

#: So many units are judged first, and looked at before more is paid for.
FIRST = 5
#: Later: of so many verdicts so many without an answer, or so many in a row that asking again does not mend.
LAST, MOST_BAD, MOST_PERMANENT = 20, 15, 5


@dataclass(frozen=True)
class Useless:
    """Why a run stops: for the user who started it."""

    cause: str
    reason: Reason


def left_to_try(run: Run) -> int:
    """How many verdicts more are to be judged before it is known whether the replies are of use."""
    return max(0, FIRST - _tried(run).count())


def first_ones(run: Run) -> Useless | None:
    """What is wrong with the first verdicts, where none of them is of use."""
    tried = _tried(run)
    n = tried.count()
    if n and not tried.filter(cause="").exists():
        return _worst(tried, reasons.NONE_OF_FIRST, n=n)
    return same_text(run, FIRST)


def last_ones(run: Run) -> Useless | None:
    """What is wrong with the last verdicts, where most of them are of no use."""
    found = _judged(run).order_by("-judged_at", "-pk")
    causes = list(found.values_list("cause", flat=True)[:LAST])
    lately = found.filter(pk__in=list(found.values_list("pk", flat=True)[:LAST]))
    if len(causes) >= MOST_PERMANENT and all(cause in PERMANENT for cause in causes[:MOST_PERMANENT]):
        return _worst(lately, reasons.FEW_LATELY, n=len(causes), bad=sum(map(bool, causes)))
    bad = sum(map(bool, causes))
    if len(causes) == LAST and bad >= MOST_BAD:
        return _worst(lately, reasons.FEW_LATELY, n=LAST, bad=bad)
    return same_text(run, LAST)


def nothing_at_all(run: Run) -> Useless | None:
    """What is wrong with a run of which every verdict is there and none has an answer."""
    verdicts = Verdict.objects.filter(run=run)
    n = verdicts.count()
    if not n or verdicts.filter(status__in=Verdict.READ).exists():
        return None
    return _worst(verdicts, reasons.NONE_AT_ALL, n=n)


def same_text(run: Run, n: int) -> Useless | None:
    """Whether the model wrote the very same reasons about the last `n` verdicts, of several units.

    A run that stopped for that reason and was resumed is not checked again.
    """
    if run.stopped_for == Cause.SAME_TEXT:
        return None
    rows = list(_tried(run).order_by("-judged_at", "-pk").values_list("pk", "unit_id", "reasoning")[:n])
    units = {unit for _pk, unit, _reasoning in rows}
    texts = {reasoning for _pk, _unit, reasoning in rows}
    if len(rows) < n or len(units) < FIRST or len(texts) > 1 or texts == {""}:
        return None
    return Useless(Cause.SAME_TEXT, reasons.SAME_TEXT(n=len(units))) if _is_one_text(rows) else None


def _is_one_text(rows: Sequence[tuple[int, int, str]]) -> bool:
    texts: dict[int, list[str]] = {}
    calls = VerdictCall.objects.filter(verdict__in=[pk for pk, _unit, _reasoning in rows]).order_by("position")
    for verdict, raw in calls.values_list("verdict_id", "call__raw"):
        texts.setdefault(verdict, []).append(raw)
    return len({tuple(said) for said in texts.values()}) == 1


def _judged(run: Run) -> QuerySet[Verdict]:
    """Since the run was started or went on."""
    return Verdict.objects.filter(run=run, judged_at__gte=run.going_since).exclude(status=Verdict.Status.WAITING)


def _tried(run: Run) -> QuerySet[Verdict]:
    """Those that were billed, or failed; cached replies show nothing about the server's current state."""
    paid = VerdictCall.objects.filter(verdict__in=_judged(run), cached=False).values("verdict")
    return _judged(run).filter(~Q(cause="") | Q(pk__in=paid))


def _worst(verdicts: QuerySet[Verdict], code: ReasonCode, **params: int) -> Useless:
    """By the cause that most of them have."""
    missing = verdicts.filter(status__in=Verdict.MISSING).order_by().values_list("cause", "message")
    cause, reason, _n = missing.annotate(n=Count("pk")).order_by("-n", "cause", "message")[0]
    return Useless(cause, code(**params, last=advice(cause, reason)))


def asks_model(run: Run) -> bool:
    """Whether there is anything to be paid for in vain."""
    kind = KINDS.get(run.judge.kind)
    return kind is not None and kind.asks_model
