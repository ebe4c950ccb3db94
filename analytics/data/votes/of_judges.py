"""The verdicts of one judge's run as votes, a vote for each unit, by the rule of reports.

Samples of one order speak by majority, both orders by agreement (`judges.verdicts.aggregation`; AudioJudge §6.3). A
unit for which that gives no answer has no vote: it is left out, and counted by the reason. It is never a tie.
"""

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, Q

from analytics.data.labels import said_by_judges
from analytics.data.rater_groups import run_of
from campaigns.models import Campaign, CampaignUnit
from corpus.models import Unit
from infrastructure.wording.reasons import Reason
from judges.models import Run, Verdict
from judges.verdicts.aggregation import by_order, reconcile
from stats import reasons

NOT_JUDGED = reasons.RUN_WITHOUT_VERDICT()
NO_ANSWER = reasons.VERDICT_WITHOUT_ANSWER()
ONE_ORDER = reasons.ONE_ORDER_ONLY()
SPLIT = reasons.SAMPLES_DIVIDED()
INCONSISTENT = reasons.HANGS_ON_ORDER()
NO_PREFERENCE = reasons.NOT_WHO_IS_BETTER()
#: Why a verdict has no answer, the reasons that say most of a unit with several first.
WITHOUT_ANSWER = {
    Verdict.Status.WAITING: reasons.VERDICT_TO_DO(),
    Verdict.Status.ERROR: reasons.VERDICT_FAILED(),
    Verdict.Status.REFUSED: reasons.VERDICT_REFUSED(),
    Verdict.Status.UNPARSED: reasons.VERDICT_UNREAD(),
}

#: Systems of a and b, the order heard (empty where it is both), value, voter, item, unit.
Row = tuple[int, int, str, str, int, int, int]


@dataclass(frozen=True)
class Judged:
    """What became of a run's verdicts: `units` are those asked about, of which each has a vote or is in `left_out`.

    `verdicts` has how many ended in each way, over all orders and samples.
    """

    run: int
    judge: str
    orders: str
    samples: int
    units: int
    verdicts: tuple[tuple[str, int], ...]
    left_out: tuple[tuple[Reason, int], ...]

    def document(self) -> dict[str, Any]:
        """As plain data, the same after it was stored as JSON."""
        return {
            "run": self.run,
            "judge": self.judge,
            "orders": self.orders,
            "samples": self.samples,
            "units": self.units,
            "verdicts": [list(it) for it in self.verdicts],
            "left_out": [[why.as_json(), n] for why, n in self.left_out],
        }


@dataclass(frozen=True)
class VerdictVotes:
    """A row for each unit with a vote, by the units' keys: the times of verdicts are those of workers."""

    rows: list[Row]
    judged: Judged | None


@dataclass(frozen=True)
class _Said:
    order: str
    status: str
    value: str | None


def verdict_votes(
    campaign: Campaign, by: str, aspect: str, *, category: str, preferences: Collection[str]
) -> VerdictVotes:
    """The votes of a run on an aspect; `preferences` are the values that say who is better. In four queries.

    A run that is not there (any more) has none.
    """
    if (run := run_of(campaign, by)) is None:
        return VerdictVotes([], None)
    said = _said(run, aspect)
    rows: list[Row] = []
    left_out: Counter[Reason] = Counter()
    statuses: Counter[str] = Counter()
    units = _units(campaign, category)
    for unit, a, b, item in units:
        verdicts = said.get(unit, [])
        statuses.update(it.status for it in verdicts)
        value = _vote(verdicts, preferences, both=run.orders == Run.Orders.BOTH)
        if isinstance(value, Reason):
            left_out[value] += 1
        else:
            orders = {it.order for it in verdicts}
            rows.append((a, b, orders.pop() if len(orders) == 1 else "", value, run.pk, item, unit))
    judged = Judged(
        run.pk, run.judge.title, run.orders, run.samples, len(units), tuple(sorted(statuses.items())),
        tuple(sorted(left_out.items())),
    )  # fmt: skip
    return VerdictVotes(rows, judged)


def run_stamp(campaign: Campaign, by: str) -> str:
    """Changes whenever the run's verdicts do, or the units that they are about."""
    if (run := run_of(campaign, by)) is None:
        return "gone"
    counted = dict(Verdict.objects.filter(run=run).order_by().values_list("status").annotate(n=Count("pk")))
    ended = run.finished_at.timestamp() if run.finished_at else ""
    of_each = [counted.get(status, 0) for status in Verdict.Status.values]
    return "-".join(map(str, [run.status, ended, _study(campaign).count(), *of_each]))


def _vote(verdicts: Sequence[_Said], preferences: Collection[str], *, both: bool) -> str | Reason:
    """What the verdicts on a unit say together, or why that is nothing."""
    if not verdicts:
        return NOT_JUDGED
    ways = by_order(((it.order, it) for it in verdicts), both=both)
    found = reconcile(tuple(tuple(it.value for it in way) for way in ways))
    if found.state == "inconsistent":
        return INCONSISTENT
    if found.state == "split":
        return SPLIT
    if found.value is None:
        return _why_missing(ways)
    return found.value if found.value in preferences else NO_PREFERENCE


def _why_missing(ways: list[list[_Said]]) -> Reason:
    ended = {it.status for way in ways if not any(it.value for it in way) for it in way}
    for status, why in WITHOUT_ANSWER.items():
        if status in ended:
            return why
    return NO_ANSWER if ended else ONE_ORDER


def _said(run: Run, aspect: str) -> dict[int, list[_Said]]:
    """Every verdict of the run by its unit."""
    values = {it.source: it.value for it in said_by_judges([run.pk], Q(aspect=aspect, slot=""))}
    found: dict[int, list[_Said]] = {}
    verdicts = Verdict.objects.filter(run=run).order_by("unit", "order", "sample")
    for pk, unit, order, status in verdicts.values_list("pk", "unit", "order", "status"):
        found.setdefault(unit, []).append(_Said(order, status, values.get(pk)))
    return found


def _units(campaign: Campaign, category: str) -> list[tuple[int, int, int, int]]:
    """The pairs of the study by their keys: the unit, the systems of a and b, and the item."""
    rows = _study(campaign)
    rows = rows.filter(unit__item__category=category) if category else rows
    columns = ("unit__key", "unit_id", "unit__a__system", "unit__b__system", "unit__item")
    return [(unit, a, b, item) for _key, unit, a, b, item in sorted(rows.order_by().values_list(*columns))]


def _study(campaign: Campaign) -> Any:
    return campaign.campaign_units.filter(purpose=CampaignUnit.Purpose.STUDY, unit__kind=Unit.Kind.PAIR)
