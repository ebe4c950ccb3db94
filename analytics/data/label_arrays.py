"""What people, imported labels and judges say of a campaign's units, side by side and as arrays.

A place is a unit, or one response of a unit where the aspect is about each. Runs on changed sound are not among the
judges: they are compared with their clean run elsewhere.
"""

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal

import numpy as np
from django.db.models import Count, Max, Q, QuerySet, Sum

from analytics.data import labels
from analytics.data.inclusion import USED, WITH_EXCLUDED, answers_in, state_of_answers
from analytics.data.rater_groups import annotators_by
from campaigns.models import Campaign, CampaignUnit
from corpus.models import Label, LabelSet
from corpus.models.labels import NO_CHECKS
from judges.definitions.judges import calls_no_model
from judges.models import Run, Verdict
from judges.verdicts.aggregation import as_stored, by_order, majority, reconcile
from protocols import Aspect
from stats.agreement.labels import MISSING, LabelTable
from stats.arrays import Bools, Ints

PEOPLE = "people"
#: Unit and slot; the slot is empty where the unit as a whole is meant.
Place = tuple[int, str]
#: By aspect and place, what was said.
Said = dict[str, dict[Place, str]]


@dataclass(frozen=True)
class Reading:
    """Which answers: on items of one category or of all; of people who came by one invitation link or of all; heard
    as stored (`ab`), turned round (`ba`) or either; with those that were left out of the analysis, or without.

    Imported labels and verdicts come from no link, and stay whichever group of people is meant; so do imported labels
    of which nobody knows in which order they were heard, whichever order is.
    """

    category: str = ""
    group: str = ""
    order: str = ""
    with_excluded: bool = False


EVERYTHING = Reading()


@dataclass(frozen=True)
class Rater:
    """One annotator of the campaign, or one rater of an imported label set.

    `orders` has the order in which each unit was heard, where it is known; `recorded` has numbers that grow with the
    time at which its answers came, or stand in the source.
    """

    key: str
    title: str
    said: Said
    orders: Mapping[int, str] = field(default_factory=dict)
    recorded: Mapping[int, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Group:
    """Raters who can be a reference together: the campaign's people, or the label sets of one name.

    `grows` marks labels that were read while they came: of people, or imported from a campaign elsewhere.
    """

    key: str
    title: str
    raters: tuple[Rater, ...]
    grows: bool = False


@dataclass(frozen=True)
class JudgeRun:
    """A run, and what its verdicts say: by order and sample, and by aspect and place; `states` is how they ended."""

    run: Run
    said: Mapping[tuple[str, int], Said]
    states: Mapping[int, tuple[str, ...]]
    cost_usd: float | None = None
    seconds: float | None = None

    @property
    def n_units(self) -> int:
        return len(self.states)

    def per_thousand(self, total: float | None) -> float | None:
        """What a thousand units would take, in every order and sample of this run."""
        return None if total is None or not self.states else 1000 * total / len(self.states)


@dataclass(frozen=True)
class LabelArrays:
    """Everything that is said of a campaign's units. `units` are those of the study, by their keys.

    Keys are the same wherever a study is taken; the order in which a campaign asks and the numbers of rows are not.
    Whatever resamples does so in this order, and finds the same figures there.
    """

    campaign: Campaign
    units: tuple[int, ...]
    groups: tuple[Group, ...]
    runs: tuple[JudgeRun, ...]
    #: What was asked for once: every report asks the same.
    _places: dict[str, list[Place]] = field(default_factory=dict, repr=False, compare=False)
    _categories: dict[str, tuple[str, ...]] = field(default_factory=dict, repr=False, compare=False)

    def places(self, aspect: str) -> list[Place]:
        """The places of an aspect about which anybody said anything, unit by unit."""
        if aspect not in self._places:
            self._places[aspect] = self._find_places(aspect)
        return self._places[aspect]

    def _find_places(self, aspect: str) -> list[Place]:
        found: set[Place] = set()
        for group in self.groups:
            for rater in group.raters:
                found |= rater.said.get(aspect, {}).keys()
        for run in self.runs:
            for said in run.said.values():
                found |= said.get(aspect, {}).keys()
        order = {unit: at for at, unit in enumerate(self.units)}
        return sorted(found, key=lambda place: (order[place[0]], place[1]))

    def categories(self, aspect: Aspect) -> tuple[str, ...]:
        """As they are stored, in the order of the scale, then what else was said, by name."""
        if aspect.name not in self._categories:
            self._categories[aspect.name] = self._find_categories(aspect)
        return self._categories[aspect.name]

    def _find_categories(self, aspect: Aspect) -> tuple[str, ...]:
        sayings = [rater.said for group in self.groups for rater in group.raters]
        sayings += [said for run in self.runs for said in run.said.values()]
        return aspect.scale.kind.categories(value for said in sayings for value in said.get(aspect.name, {}).values())


def label_arrays(campaign: Campaign, reading: Reading = EVERYTHING) -> LabelArrays:
    """Read everything that is said of the campaign's units, in a number of queries that does not grow with it."""
    keyed = _study(campaign, reading).order_by().values_list("unit__key", "unit_id")
    units = tuple(pk for _key, pk in sorted(keyed))
    place = {unit: at for at, unit in enumerate(units)}
    groups = [_people(campaign, reading, place), *_imported(campaign, reading, place)]
    return LabelArrays(
        campaign, units, tuple(group for group in groups if group.raters), _runs(campaign, reading, place)
    )


def was_heard(order: str, wanted: str) -> bool:
    """Whether this order is the wanted one: as stored, or turned round; of three or more, any that is not as stored.

    >>> was_heard("ab", "ab"), was_heard("cab", "ba"), was_heard("", "ab"), was_heard("", "")
    (True, True, False, True)
    """
    return not wanted or (bool(order) and as_stored(order) == (wanted == "ab"))


def _study(campaign: Campaign, reading: Reading) -> QuerySet[CampaignUnit]:
    rows = campaign.campaign_units.filter(purpose=CampaignUnit.Purpose.STUDY)
    return rows.filter(unit__item__category=reading.category) if reading.category else rows


def stamp_of(campaign: Campaign) -> tuple[object, ...]:
    """Changes whenever what is said of the campaign's units does."""
    labels = Label.objects.filter(annotation__label_set__dataset=campaign.dataset_id).aggregate(
        Max("pk"), n=Count("pk")
    )
    verdicts = Verdict.objects.filter(run__campaign=campaign).exclude(run__status=Run.Status.IMPORTING)
    judged = verdicts.aggregate(Max("judged_at"), n=Count("pk"), said=Count("pk", filter=~Q(status="waiting")))
    runs = Run.objects.filter(campaign=campaign).order_by("pk").values_list("pk", "status")
    counted = campaign.campaign_units.aggregate(n=Count("pk"), last=Max("pk"))
    return (
        *state_of_answers(campaign), *labels.values(), *map(str, judged.values()), *runs,
        *counted.values(), campaign.protocol_digest,
    )  # fmt: skip


def table_of(columns: Iterable[Mapping[Place, str]], places: list[Place], categories: tuple[str, ...]) -> LabelTable:
    """The labels side by side, a row per place and a column per saying."""
    code = {category: at for at, category in enumerate(categories)}
    columns = list(columns)
    some_short = any(len(column) * 2 <= len(places) for column in columns)
    row = {place: at for at, place in enumerate(places)} if some_short else {}
    codes = np.full((len(columns), len(places)), MISSING, dtype=np.int64)
    for at, column in enumerate(columns):
        if len(column) * 2 > len(places):
            codes[at] = [code.get(column.get(place, ""), MISSING) for place in places]
        else:  # most raters say something of few places
            there = [place for place in column if place in row]
            codes[at, [row[place] for place in there]] = [code.get(column[place], MISSING) for place in there]
    return LabelTable(codes.T, categories)


@dataclass(frozen=True, eq=False)
class Together:
    """What a judge says in all orders together: a code per place, or MISSING; and where its orders disagree.

    `both` marks the places that were answered in more than one order.
    """

    codes: Ints
    inconsistent: Bools
    both: Bools


def answers_of(run: JudgeRun, aspect: str, places: list[Place], categories: tuple[str, ...]) -> Together:
    """What the run says in all its orders and samples together, by `judges.verdicts.aggregation`.

    Units with more or fewer responses have other orders: what counts is whether a unit was heard as it is stored or
    turned round.
    """
    code: dict[str | None, int] = {category: at for at, category in enumerate(categories)}
    columns = [(order, said.get(aspect, {})) for (order, _sample), said in run.said.items()]
    heard = {as_stored(order) for order, _said in columns if len(order) > 1}
    both = run.run.orders == Run.Orders.BOTH and len(heard) == 2  # where one order was chosen, it speaks alone
    ways = by_order(columns, both=both)
    found = [
        reconcile(tuple([tuple([it if (it := said.get(place)) in code else None for said in way]) for way in ways]))
        for place in places
    ]
    return Together(
        np.array([code.get(one.value, MISSING) for one in found], dtype=np.int64),
        np.array([one.state == "inconsistent" for one in found], dtype=bool),
        np.array([one.compared for one in found], dtype=bool),
    )


def answers_each_way(
    run: JudgeRun, aspect: str, places: list[Place], categories: tuple[str, ...]
) -> tuple[Ints, Bools]:
    """What the run says in each order for itself, shape (2, places): as stored, and turned round; and in which it
    was asked at all. Samples are reconciled.
    """
    code: dict[str | None, int] = {category: at for at, category in enumerate(categories)}
    ways: dict[bool, list[Mapping[Place, str]]] = {True: [], False: []}
    for (order, _sample), said in run.said.items():
        ways[as_stored(order)].append(said.get(aspect, {}))
    codes = np.full((2, len(places)), MISSING, dtype=np.int64)
    for at, columns in enumerate(ways.values()):
        for row, place in enumerate(places):
            samples = tuple([it if (it := said.get(place)) in code else None for said in columns])
            codes[at, row] = code.get(majority(samples).value, MISSING)
    return codes, np.array([bool(columns) for columns in ways.values()])


def _by_unit(said: Said, place: Mapping[int, int]) -> Said:
    """The same, unit by unit: the numbers of rows, in whose order it was read, mean nothing."""

    def at(it: tuple[Place, str]) -> tuple[int, str]:
        (unit, slot), _value = it
        return place[unit], slot

    return {aspect: dict(sorted(values.items(), key=at)) for aspect, values in said.items()}


@dataclass
class _Heard:
    """What one rater said, in the order in which it was read."""

    said: Said = field(default_factory=dict)
    orders: dict[int, str] = field(default_factory=dict)
    recorded: dict[int, int] = field(default_factory=dict)


def _gathered(stream: Iterable[labels.Said], reading: Reading, units: Mapping[int, int]) -> dict[int, _Heard]:
    """By rater, what was said of these units in the order that is wanted."""
    found: dict[int, _Heard] = {}
    wanted = reading.order
    for rater, unit, order, source, aspect, slot, value, _sample in stream:
        if unit in units and (not wanted or not order or was_heard(order, wanted)):
            if (one := found.get(rater)) is None:
                one = found[rater] = _Heard()
            one.said.setdefault(aspect, {})[unit, slot] = value
            one.orders[unit] = order
            one.recorded.setdefault(unit, source)
    return found


def _rater(key: str, title: str, heard: _Heard, units: Mapping[int, int]) -> Rater:
    return Rater(key, title, _by_unit(heard.said, units), heard.orders, heard.recorded)


def _people(campaign: Campaign, reading: Reading, units: Mapping[int, int]) -> Group:
    used = answers_in(campaign, WITH_EXCLUDED if reading.with_excluded else USED)
    if reading.group:
        used = used.filter(assignment__annotator__in=annotators_by(campaign, reading.group).values("user"))
    names = labels.pseudonyms(campaign)
    found = _gathered(labels.said_by_people(used), reading, units)
    raters = [_rater(f"annotator-{names[it]}", names[it], heard, units) for it, heard in found.items()]
    return Group(PEOPLE, "", tuple(sorted(raters, key=lambda rater: _counted(rater.title))), grows=True)


def _counted(name: str) -> tuple[list[str], list[int], str]:
    """As one counts: A3 stands before A10."""
    return re.split(r"\d+", name), [int(it) for it in re.findall(r"\d+", name)], name


def _about_units(campaign: Campaign, stream: Iterable[labels.Said]) -> Iterable[labels.Said]:
    """Of single responses, a label about the only response is one about the unit, where that is what is asked.

    A foreign table of ratings does not say how the protocol of a campaign asks.
    """
    asked = {aspect.name for aspect in campaign.protocol.aspects if not aspect.per_response}
    if campaign.protocol.unit != "single":
        return stream
    return (said._replace(slot="") if said.aspect in asked else said for said in stream)


def _imported(campaign: Campaign, reading: Reading, units: Mapping[int, int]) -> list[Group]:
    """The label sets of the dataset that are about units of this campaign, and are not of checks."""
    sets = LabelSet.objects.filter(dataset=campaign.dataset_id, purpose__in=NO_CHECKS)
    about = _study(campaign, reading).values("unit")
    rows = Label.objects.filter(annotation__label_set__in=sets.values("pk"), annotation__unit__in=about)
    stream = _about_units(campaign, labels.said_in_labels(rows, with_excluded=reading.with_excluded))
    found = _gathered(stream, reading, units)
    by_name: dict[str, list[Rater]] = {}
    grown = {row.name for row in sets if row.from_campaign}
    for row in sets:
        if row.pk in found:
            by_name.setdefault(row.name, []).append(_rater(f"labels-{row.pk}", str(row), found[row.pk], units))
    return [
        Group(f"labels-{name}", name, tuple(sorted(raters, key=lambda rater: rater.title)), grows=name in grown)
        for name, raters in by_name.items()
    ]


def _runs(campaign: Campaign, reading: Reading, units: Mapping[int, int]) -> tuple[JudgeRun, ...]:
    rows = list(
        Run.objects.filter(campaign=campaign, perturbation__isnull=True).select_related("judge").order_by("pk")
    )
    states: dict[int, dict[int, list[str]]] = {row.pk: {} for row in rows}
    said = said_by_runs(states, reading.order, units)
    verdicts = Verdict.objects.filter(run__in=states)
    for run, unit, order, sample, status in verdicts.values_list("run", "unit", "order", "sample", "status"):
        if unit in units and was_heard(order, reading.order):
            said[run].setdefault((order, sample), {})
            states[run].setdefault(unit, []).append(status)
    sums = verdicts.values("run").order_by().annotate(cost=Sum("cost_usd"), spent=Sum("seconds"))
    spent = {row["run"]: (row["cost"], row["spent"]) for row in sums}
    return tuple(
        JudgeRun(
            row,
            {way: said[row.pk][way] for way in sorted(said[row.pk])},
            {unit: tuple(sorted(states[row.pk][unit])) for unit in units if unit in states[row.pk]},
            *_spent(row, *spent.get(row.pk, (None, None))),
        )
        for row in rows
    )


def said_by_runs(
    runs: Iterable[int], order: str, units: Collection[int], only: Q | None = None
) -> dict[int, dict[tuple[str, int], Said]]:
    """By run, and by order and sample, what the verdicts say of these units, heard in the order that is wanted."""
    found: dict[int, dict[tuple[str, int], Said]] = {run: {} for run in runs}
    for run, unit, heard, _source, aspect, slot, value, sample in labels.said_by_judges(found, only):
        if unit in units and was_heard(heard, order):
            found[run].setdefault((heard, sample), {}).setdefault(aspect, {})[unit, slot] = value
    return found


def _spent(run: Run, cost: Decimal | None, seconds: float | None) -> tuple[float | None, float | None]:
    """Dollars and seconds; a judge that asks no model costs nothing, whatever was not written down."""
    if cost is None and calls_no_model(run.judge):
        return 0.0, seconds
    return None if cost is None else float(cost), seconds
