"""Label sets become arrays here: what people, imported labels and judges say of a campaign's units, side by side.

A place is a unit, or one response of a unit where the aspect is about each. Runs on changed sound are not among the
judges: they are compared with their clean run elsewhere.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal

import numpy as np
from django.db.models import Count, Max, Q, QuerySet, Sum

from analytics.data.inclusion import USED, WITH_EXCLUDED, answers_in
from analytics.data.rater_groups import annotators_by
from analytics.stats.agreement.labels import MISSING, LabelTable
from analytics.stats.judges.judged import Reconciled, majority, reconcile
from annotation.models import Annotation, Answer, UseDecision
from campaigns.models import (
    Campaign,
    CampaignUnit,
    ImportedAnnotation,
    Label,
    LabelSet,
    Membership,
    Role,
)
from campaigns.models.labels import NO_CHECKS
from campaigns.people.members import withdrawn_memberships
from judges.definitions.judges import asks_nobody
from judges.models import Run, Verdict, VerdictAnswer
from protocols import Aspect
from protocols.presentation.frames import stored_value

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
    """Raters who can be a reference together: the campaign's people, or the label sets of one name."""

    key: str
    title: str
    raters: tuple[Rater, ...]


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
        scale = aspect.scale
        known = [stored_value(option.value, "ab", scale.frame) for option in scale.options]
        sayings = [rater.said for group in self.groups for rater in group.raters]
        sayings += [said for run in self.runs for said in run.said.values()]
        others = {value for said in sayings for value in said.get(aspect.name, {}).values()}
        return (*known, *sorted(others.difference(known)))


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
    return not wanted or (bool(order) and (order == "".join(sorted(order))) == (wanted == "ab"))


def _study(campaign: Campaign, reading: Reading) -> QuerySet[CampaignUnit]:
    rows = campaign.campaign_units.filter(purpose=CampaignUnit.Purpose.STUDY)
    return rows.filter(unit__item__category=reading.category) if reading.category else rows


def stamp_of(campaign: Campaign) -> tuple[object, ...]:
    """Changes whenever what is said of the campaign's units does."""
    answers = Annotation.objects.filter(assignment__campaign=campaign).aggregate(Max("pk"), n=Count("pk"))
    decided = UseDecision.objects.filter(assignment__campaign=campaign).aggregate(pk=Max("pk"))["pk"]
    labels = Label.objects.filter(label_set__dataset=campaign.dataset_id).aggregate(Max("pk"), n=Count("pk"))
    verdicts = Verdict.objects.filter(run__campaign=campaign).exclude(run__status=Run.Status.IMPORTING)
    judged = verdicts.aggregate(Max("judged_at"), n=Count("pk"), said=Count("pk", filter=~Q(status="waiting")))
    runs = Run.objects.filter(campaign=campaign).order_by("pk").values_list("pk", "status")
    withdrawn = withdrawn_memberships().filter(campaign=campaign).count()
    counted = campaign.campaign_units.aggregate(n=Count("pk"), last=Max("pk"))
    return (
        *answers.values(), decided, *labels.values(), *map(str, judged.values()), *runs, withdrawn,
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


def answers_of(run: JudgeRun, aspect: str, places: list[Place], categories: tuple[str, ...]) -> Reconciled:
    """What the run says in all its orders together; of several samples in one order, what most of them say.

    This is the rule of `judges.verdicts.aggregation`, over arrays; a test holds the two equal. Units with more or
    fewer responses have other orders: what counts is whether a unit was heard as it is stored or turned round.
    """
    ways = {order == "".join(sorted(order)) for order, _sample in run.said if len(order) > 1}
    both = run.run.orders == Run.Orders.BOTH and len(ways) == 2  # where one order was chosen, it speaks alone
    found: dict[bool, list[Said]] = {True: [], False: []} if both else {}
    for (order, _sample), said in run.said.items():
        alone = both and len(order) == 1  # one response has one order
        for as_stored in (True, False) if alone else (order == "".join(sorted(order)),):
            found.setdefault(as_stored, []).append(said)
    columns = [
        majority(table_of([it.get(aspect, {}) for it in sayings], places, categories)) for sayings in found.values()
    ]
    return reconcile(np.stack(columns, axis=1) if columns else np.zeros((len(places), 0), dtype=np.int64))


def _by_unit(said: Said, place: Mapping[int, int]) -> Said:
    """The same, unit by unit: the numbers of rows, in whose order it was read, mean nothing."""

    def at(it: tuple[Place, str]) -> tuple[int, str]:
        (unit, slot), _value = it
        return place[unit], slot

    return {aspect: dict(sorted(values.items(), key=at)) for aspect, values in said.items()}


def _people(campaign: Campaign, reading: Reading, units: Mapping[int, int]) -> Group:
    used = answers_in(campaign, WITH_EXCLUDED if reading.with_excluded else USED).order_by()
    if reading.group:
        used = used.filter(assignment__annotator__in=annotators_by(campaign, reading.group).values("user"))
    columns = ("pk", "assignment__annotator", "assignment__campaign_unit__unit", "assignment__order")
    about = {
        pk: (person, unit, order)
        for pk, person, unit, order in used.values_list(*columns)
        if unit in units and was_heard(order, reading.order)
    }
    said: dict[int, Said] = {}
    orders: dict[int, dict[int, str]] = {}
    recorded: dict[int, dict[int, int]] = {}
    rows = Answer.objects.filter(annotation__in=used.values("pk")).order_by("pk")
    for annotation, aspect, slot, value in rows.values_list("annotation", "aspect", "slot", "value"):
        if annotation in about:
            person, unit, order = about[annotation]
            said.setdefault(person, {}).setdefault(aspect, {})[unit, slot] = value
            orders.setdefault(person, {})[unit] = order
            recorded.setdefault(person, {})[unit] = annotation
    names = dict(
        Membership.objects.filter(campaign=campaign, role=Role.ANNOTATOR).values_list("user_id", "pseudonym")
    )
    raters = [
        Rater(f"annotator-{names[it]}", names[it], _by_unit(found, units), orders[it], recorded[it])
        for it, found in said.items()
    ]
    return Group(PEOPLE, "", tuple(sorted(raters, key=lambda rater: _counted(rater.title))))


def _counted(name: str) -> tuple[list[str], list[int], str]:
    """As one counts: A3 stands before A10."""
    return re.split(r"\d+", name), [int(it) for it in re.findall(r"\d+", name)], name


def _imported(campaign: Campaign, reading: Reading, units: Mapping[int, int]) -> list[Group]:
    """The label sets of the dataset that are about units of this campaign, and are not of checks."""
    sets = LabelSet.objects.filter(dataset=campaign.dataset_id, purpose__in=NO_CHECKS)
    study = _study(campaign, reading)
    rows = Label.objects.filter(label_set__in=sets.values("pk"), unit__in=study.values("unit"))
    told = ImportedAnnotation.objects.filter(label_set__in=sets.values("pk")).values_list(
        "label_set", "unit", "order", "excluded"
    )
    orders: dict[int, dict[int, str]] = {}
    excluded: set[tuple[int, int]] = set()
    for pk, unit, order, why in told:
        orders.setdefault(pk, {})[unit] = order
        if why and not reading.with_excluded:
            excluded.add((pk, unit))
    said: dict[int, Said] = {}
    recorded: dict[int, dict[int, int]] = {}
    columns = ("pk", "label_set", "unit", "aspect", "slot", "value")
    for place, pk, unit, aspect, slot, value in rows.order_by("pk").values_list(*columns):
        heard = orders.get(pk, {}).get(unit, "")
        if unit in units and (pk, unit) not in excluded and (not heard or was_heard(heard, reading.order)):
            said.setdefault(pk, {}).setdefault(aspect, {})[unit, slot] = value
            recorded.setdefault(pk, {}).setdefault(unit, place)
    by_name: dict[str, list[Rater]] = {}
    for row in sets:
        if row.pk in said:
            found = _by_unit(said[row.pk], units)
            rater = Rater(f"labels-{row.pk}", str(row), found, orders.get(row.pk, {}), recorded[row.pk])
            by_name.setdefault(row.name, []).append(rater)
    return [
        Group(f"labels-{name}", name, tuple(sorted(raters, key=lambda rater: rater.title)))
        for name, raters in by_name.items()
    ]


@dataclass
class _Heard:
    said: dict[tuple[str, int], Said] = field(default_factory=dict)
    states: dict[int, list[str]] = field(default_factory=dict)


def _runs(campaign: Campaign, reading: Reading, units: Mapping[int, int]) -> tuple[JudgeRun, ...]:
    rows = list(
        Run.objects.filter(campaign=campaign, perturbation__isnull=True).select_related("judge").order_by("pk")
    )
    clean = [row.pk for row in rows]
    heard: dict[int, _Heard] = {row.pk: _Heard() for row in rows}
    verdicts = Verdict.objects.filter(run__in=clean)
    for run, unit, order, sample, status in verdicts.values_list("run", "unit", "order", "sample", "status"):
        if unit in units and was_heard(order, reading.order):
            heard[run].said.setdefault((order, sample), {})
            heard[run].states.setdefault(unit, []).append(status)
    answers = VerdictAnswer.objects.filter(verdict__run__in=clean)
    columns = ("verdict__run", "verdict__unit", "verdict__order", "verdict__sample", "aspect", "slot", "value")
    for run, unit, order, sample, aspect, slot, value in answers.values_list(*columns):
        if unit in units and was_heard(order, reading.order):
            heard[run].said[order, sample].setdefault(aspect, {})[unit, slot] = value
    sums = verdicts.values("run").order_by().annotate(cost=Sum("cost_usd"), spent=Sum("seconds"))
    spent = {row["run"]: (row["cost"], row["spent"]) for row in sums}
    return tuple(
        JudgeRun(
            row,
            {way: heard[row.pk].said[way] for way in sorted(heard[row.pk].said)},
            {unit: tuple(sorted(heard[row.pk].states[unit])) for unit in units if unit in heard[row.pk].states},
            *_spent(row, *spent.get(row.pk, (None, None))),
        )
        for row in rows
    )


def _spent(run: Run, cost: Decimal | None, seconds: float | None) -> tuple[float | None, float | None]:
    """Dollars and seconds; a judge that asks no model costs nothing, whatever was not written down."""
    if cost is None and asks_nobody(run.judge):
        return 0.0, seconds
    return None if cost is None else float(cost), seconds
