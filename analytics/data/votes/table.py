"""Rows become arrays here, and nowhere else: the votes of a campaign or an imported label set, and their counts.

Only answers of the study count, as they stand: none that was superseded or withdrawn, and none to a check. Those that
were left out of the analysis come only when they are asked for. A campaign's counts are kept ahead (`kept_counts`),
and so are its votes (`kept_votes`); what is read here from the answers themselves is what those are held against.
A judge's verdicts come as votes where one of its runs is asked for (`verdict_votes`).
"""

import hashlib
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from django.db.models import Count, Exists, F, Max, Min, Model, OuterRef, Q, QuerySet, Sum

from analytics.data.inclusion import Use, is_among
from analytics.data.preferences import Preferences, preferences_of, preferences_of_scale
from analytics.data.rater_groups import ALL_RATERS, annotators_by, arrivals_at, is_group, is_run
from analytics.data.votes.counts import cells, folded
from analytics.data.votes.of_judges import Judged, VerdictVotes, run_stamp, verdict_votes
from annotation.models import Answer, UseDecision
from campaigns.datasets.imported_answers import protocol_of
from campaigns.models import Campaign, CampaignUnit
from campaigns.people.members import withdrawn_memberships
from corpus.models import Item, Label, LabelSet, System, Unit
from corpus.models.labels import NO_CHECKS
from stats.arrays import Bools, Ints
from stats.ratings.votes import Counts, Votes, count_votes

Subject = Campaign | LabelSet

_VOTE = ("first", "second", "outcome", "voter", "item", "ordered", "unit", "swapped")
_OUTCOMES = {"typed": 4, "untyped": 3, "none": 2}


@dataclass(frozen=True)
class Selection:
    """Which answers: to one aspect; on items of one category or of all; of everybody, or `by` some.

    `by` is a campaign's annotator by pseudonym, a group of them or a judge's run (`evaluators`), or ALL_RATERS for
    the label sets of one name together.
    """

    aspect: str
    category: str = ""
    by: str = ""
    with_excluded: bool = False


@dataclass(frozen=True)
class Question:
    """An aspect on which answers say who is better."""

    aspect: str
    title: str
    preferences: Preferences


@dataclass(frozen=True, eq=False)
class Ballot:
    """Votes in the order in which they were recorded, with a number for the voter and the item of each.

    Where `without_order` votes do not tell which response was presented first, a is taken to have been. `signed` says
    that they come from the signs of numbers. `units` and `swapped`, whether b was presented first, lead to what the
    two responses were; a rating needs neither. `judged` is there where the votes are a judge's verdicts: votes
    without order then come from units that were heard in both. `grows` says that more votes may come.
    """

    votes: Votes
    voters: Ints
    items: Ints
    without_order: int
    signed: bool = False
    units: Ints = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    swapped: Bools = field(default_factory=lambda: np.empty(0, dtype=bool))
    judged: Judged | None = None
    grows: bool = True

    def digest(self) -> str:
        """SHA-256 of everything that a rating can depend on, and of what a judge's votes lack."""
        told = [self.judged.document()] if self.judged else []
        found = hashlib.sha256(json.dumps([self.votes.systems, self.votes.ties, self.without_order, *told]).encode())
        for column in (self.votes.first, self.votes.second, self.votes.outcome, self.voters, self.items):
            found.update(np.ascontiguousarray(column, dtype=np.int64).tobytes())
        return found.hexdigest()


@dataclass(frozen=True, eq=False)
class Tally:
    """Votes counted by the database; `mark` changes whenever the votes do."""

    counts: Counts
    mark: str


def questions(subject: Subject) -> dict[str, Question]:
    """The aspects that can be rated, the overall one first. Empty where no answer compares two responses."""
    if isinstance(subject, Campaign):
        found = [(it.name, it.title, preferences_of_scale(it.scale)) for it in _compared(subject)]
    else:
        found = [
            (aspect, aspect, _known_preferences(subject, aspect) or preferences_of(counts))
            for aspect, counts in _labels_of_pairs(subject).items()
        ]
    ours = [Question(aspect, title, preferences) for aspect, title, preferences in found if preferences]
    return {it.aspect: it for it in sorted(ours, key=lambda it: it.aspect != "overall")}


def systems_of(subject: Subject) -> list[System]:
    """Every system that could have votes, by name."""
    if isinstance(subject, LabelSet):
        return list(subject.dataset.systems.all())
    # Asked for each system, and not for all units: most have one among the first that are looked at.
    study = _study_units(subject).order_by()
    as_a, as_b = (Exists(study.filter(**{f"unit__{slot}__system": OuterRef("pk")})) for slot in "ab")
    either = as_a | as_b
    return list(System.objects.filter(either, dataset=subject.dataset_id))


def categories_of(subject: Subject) -> list[str]:
    """The named categories of the items that are asked about."""
    items = Item.objects.filter(dataset=subject.dataset_id)
    if isinstance(subject, Campaign):
        asked = subject.campaign_units.filter(purpose=CampaignUnit.Purpose.STUDY)
        items = items.filter(units__pk__in=asked.values("unit"))
    return list(items.exclude(category="").order_by("category").values_list("category", flat=True).distinct())


def tally(subject: Subject, selection: Selection) -> Tally:
    """Count the votes by ordered pair and outcome, in one GROUP BY; where counts are kept, only of what is new.

    What a judge's verdicts on a unit say together is not for a GROUP BY, and comes from all of them.
    """
    if isinstance(subject, Campaign) and is_run(selection.by):
        votes = ballot(subject, selection)
        return Tally(count_votes(votes.votes), votes.digest())
    if isinstance(subject, Campaign) and not selection.by:
        return _tallied(subject, selection, _kept(subject, selection), marks=())
    return _tallied(subject, selection, _grouped(subject, selection), marks=_decisions(subject, selection.by))


def counted_anew(subject: Subject, selection: Selection) -> Counts:
    """The same counts from the answers or labels alone."""
    return _tallied(subject, selection, _grouped(subject, selection), marks=()).counts


@dataclass(frozen=True)
class _Group:
    """Votes that say the same of the same two systems; `marks` changes with which these are."""

    a: int
    b: int
    shown: str
    value: str
    n: int
    marks: int


def _kept(campaign: Campaign, selection: Selection) -> list[_Group]:
    found = cells(campaign, selection.aspect, category=selection.category, with_excluded=selection.with_excluded)
    return [_Group(it.a, it.b, it.first, it.value, it.n, it.changes) for it in found]


def _grouped(subject: Subject, selection: Selection) -> list[_Group]:
    rows = group_by(subject, selection)
    return [_Group(a, b, shown or "", value, n, int(marks)) for a, b, shown, value, n, marks in rows]


def _tallied(subject: Subject, selection: Selection, groups: list[_Group], *, marks: tuple[int, ...]) -> Tally:
    systems, preferences = systems_of(subject), questions(subject)[selection.aspect].preferences
    place = _places(systems)
    table = np.zeros((len(place), len(place), _OUTCOMES[preferences.ties]), dtype=np.int64)
    for it in groups:
        ends = (it.b, it.a) if it.shown.startswith("b") else (it.a, it.b)
        if it.n:
            table[place[ends[0]], place[ends[1]], preferences.outcome(it.value, it.shown)] += it.n
    seen = [(it.a, it.b, it.shown, it.value, it.n, it.marks) for it in groups]
    mark = json.dumps([seen, *marks, list(place)])
    return Tally(Counts(table, tuple(system.name for system in systems)), hashlib.sha256(mark.encode()).hexdigest())


def stamp(subject: Subject, by: str = "") -> str:
    """Changes with the votes, and costs next to nothing however many there are.

    Of a campaign it is the fold that its kept counts are at, with how many came by links where the votes are a
    group's; of a run, how many of its verdicts ended in which way; of labels, their number and the sum of their keys.
    """
    if isinstance(subject, Campaign) and is_run(by):
        return run_stamp(subject, by)
    if isinstance(subject, Campaign):
        fold = str(folded(subject))
        return f"{fold}-{arrivals_at(subject).count()}" if is_group(by) else fold
    found = _labels_of_name(subject).aggregate(n=Count("pk"), newest=Max("pk"), keys=Sum("pk"))
    return "-".join(map(str, found.values()))


def group_by(subject: Subject, selection: Selection) -> QuerySet[Any, Any]:
    """Each pair of systems, order and value with how often it was and the sum of the keys of its answers."""
    columns = ("a_system", "b_system", "shown", "value")
    groups = _rows(subject, selection).values(*columns).annotate(n=Count("pk"), marks=Sum("of"))
    found: QuerySet[Any, Any] = groups.order_by(*columns).values_list(*columns, "n", "marks")
    return found


def ballot(subject: Subject, selection: Selection) -> Ballot:
    """Every vote for itself, in the order in which it was recorded; a judge's votes in that of the units' keys."""
    question, systems = questions(subject)[selection.aspect], systems_of(subject)
    kind = np.dtype([(name, np.int64) for name in _VOTE])
    judged = None
    if isinstance(subject, Campaign) and is_run(selection.by):
        said = _verdicts(subject, selection, question)
        rows, judged = iter(said.rows), said.judged
    else:
        columns = ("a_system", "b_system", "shown", "value", "voter", "item", "unit_of")
        rows = _rows(subject, selection).order_by("of", "pk").values_list(*columns).iterator(chunk_size=20_000)
    found = np.fromiter(_presented(rows, question.preferences, _places(systems)), dtype=kind)
    names = tuple(system.name for system in systems)
    votes = Votes(found["first"], found["second"], found["outcome"], names, question.preferences.ties)
    return Ballot(
        votes,
        by_appearance(found["voter"]),
        by_appearance(found["item"]),
        without_order=int((found["ordered"] == 0).sum()),
        signed=question.preferences.signed,
        units=np.ascontiguousarray(found["unit"]),
        swapped=found["swapped"] > 0,
        judged=judged,
    )


def votes_between(subject: Subject, selection: Selection, one: System, other: System) -> list[dict[str, Any]]:
    """The votes on two systems: value, order, unit, and the system that is a in it, in the order of the votes."""
    if isinstance(subject, Campaign) and is_run(selection.by):
        said = _verdicts(subject, selection, questions(subject)[selection.aspect])
        return [
            {"a_system": a, "shown": shown, "value": value, "unit_of": unit}
            for a, b, shown, value, _voter, _item, unit in said.rows
            if {a, b} == {one.pk, other.pk}
        ]
    rows = _rows(subject, selection)
    between = Q(a_system=one.pk, b_system=other.pk) | Q(a_system=other.pk, b_system=one.pk)
    return list(rows.filter(between).order_by("pk").values("a_system", "shown", "value", "unit_of"))


def place_of(keys: Ints, places: list[int]) -> Ints:
    """The place of each key among these.

    >>> place_of(np.array([7, 3, 7]), [3, 5, 7]).tolist()
    [2, 0, 2]
    """
    order = np.argsort(places)
    return np.asarray(order[np.searchsorted(np.asarray(places)[order], keys)], dtype=np.int64)


def by_appearance(keys: Ints) -> Ints:
    """0, 1, … in the order of their first appearance, so that a row handed over to another key changes nothing.

    >>> by_appearance(np.array([7, 3, 7])).tolist()
    [0, 1, 0]
    """
    if not len(keys):
        return np.empty(0, dtype=np.int64)
    first = np.full(int(keys.max()) + 1, -1, dtype=np.int64)
    first[keys[::-1]] = np.arange(len(keys))[::-1]  # of equal keys, the one that is written last is the first
    seen = np.flatnonzero(first >= 0)
    rank = np.empty_like(first)
    rank[seen[np.argsort(first[seen])]] = np.arange(len(seen))
    return np.asarray(rank[keys], dtype=np.int64)


def counts_digest(counts: Counts) -> str:
    """SHA-256 of the counts and the systems they are of."""
    systems = json.dumps([counts.systems, counts.ties])
    return hashlib.sha256(systems.encode() + np.ascontiguousarray(counts.table).tobytes()).hexdigest()


def _verdicts(campaign: Campaign, selection: Selection, question: Question) -> VerdictVotes:
    return verdict_votes(
        campaign, selection.by, selection.aspect,
        category=selection.category, preferences=question.preferences.outcomes,
    )  # fmt: skip


def _rows(subject: Subject, selection: Selection) -> QuerySet[Any]:
    """The votes as rows that look alike, whatever they come from."""
    return _answers(subject, selection) if isinstance(subject, Campaign) else _labels(subject, selection)


def _answers(campaign: Campaign, selection: Selection) -> QuerySet[Answer]:
    used = is_among(campaign, Use(excluded=selection.with_excluded), of="annotation__")
    rows = Answer.objects.filter(used, aspect=selection.aspect, slot="")
    assignment = "annotation__assignment"
    if selection.by:
        theirs = annotators_by(campaign, selection.by).values("user")
        rows = rows.filter(**{f"{assignment}__annotator__in": theirs})
    rows = rows.annotate(shown=F(f"{assignment}__order"), voter=F(f"{assignment}__annotator"), of=F("annotation"))
    return _with_unit(rows, f"{assignment}__campaign_unit__unit", selection)


def _labels(label_set: LabelSet, selection: Selection) -> QuerySet[Label]:
    if selection.by == ALL_RATERS:
        rows = _labels_of_name(label_set).filter(annotation__label_set__purpose__in=NO_CHECKS)
    else:
        rows = Label.objects.filter(annotation__label_set=label_set)
    rows = rows.filter(aspect=selection.aspect, slot="", annotation__unit__kind=Unit.Kind.PAIR)
    if not selection.with_excluded:
        rows = rows.filter(annotation__excluded="")
    rows = rows.annotate(shown=F("annotation__order"), voter=F("annotation__label_set"), of=F("pk"))
    return _with_unit(rows, "annotation__unit", selection)


def _labels_of_name(label_set: LabelSet) -> QuerySet[Label]:
    """Those of all raters and purposes."""
    named = {"annotation__label_set__dataset": label_set.dataset_id, "annotation__label_set__name": label_set.name}
    return Label.objects.filter(**named)


def _with_unit(rows: QuerySet[Any], unit: str, selection: Selection) -> QuerySet[Any]:
    if selection.category:
        rows = rows.filter(**{f"{unit}__item__category": selection.category})
    named: QuerySet[Any] = rows.annotate(
        a_system=F(f"{unit}__a__system"),
        b_system=F(f"{unit}__b__system"),
        item=F(f"{unit}__item"),
        unit_of=F(unit),
    )
    return named


def _decisions(subject: Subject, by: str) -> tuple[int, ...]:
    """How many decisions on answers there were, how many withdrew, and for a group how many came by links.

    All of them only grow. Between two looks at which none has grown, answers can only have been added or superseded,
    and then the sum of their keys has grown. So the mark of a tally is never the same for different votes.
    """
    if not isinstance(subject, Campaign):
        return 0, 0
    decided = UseDecision.objects.filter(assignment__campaign=subject).count()
    found = decided, withdrawn_memberships().filter(campaign=subject).count()
    return (*found, arrivals_at(subject).count()) if is_group(by) else found


def _study_units(campaign: Campaign) -> QuerySet[CampaignUnit]:
    return campaign.campaign_units.filter(purpose=CampaignUnit.Purpose.STUDY, unit__kind=Unit.Kind.PAIR)


def _compared(campaign: Campaign) -> list[Any]:
    protocol = campaign.protocol
    return [] if protocol.unit != "pair" else [it for it in protocol.aspects if not it.per_response]


def _labels_of_pairs(label_set: LabelSet) -> dict[str, set[str]]:
    """The values of each aspect in the order of the source, over all raters; aspects of single responses are none."""
    rows = _labels_of_name(label_set)
    single = set(
        rows.exclude(slot="", annotation__unit__kind=Unit.Kind.PAIR).values_list("aspect", flat=True).distinct()
    )
    found: dict[str, set[str]] = {}
    for aspect, value, _first in rows.values_list("aspect", "value").annotate(first=Min("pk")).order_by("first"):
        found.setdefault(aspect, set()).add(value)
    return {aspect: values for aspect, values in found.items() if aspect not in single}


def _known_preferences(label_set: LabelSet, aspect: str) -> Preferences | None:
    """Those of the scale on which was answered, where the protocol is known here: not every value may have come."""
    protocol = protocol_of(label_set.protocol_digest) if label_set.protocol_digest else None
    scales = [it.scale for it in protocol.aspects if it.name == aspect] if protocol else []
    return preferences_of_scale(scales[0]) if scales else None


def _places(systems: Iterable[Model]) -> dict[int, int]:
    return {system.pk: place for place, system in enumerate(systems)}


def _presented(rows: Iterator[Any], preferences: Preferences, place: dict[int, int]) -> Iterator[tuple[int, ...]]:
    for a, b, shown, value, voter, item, unit in rows:
        order = shown or ""
        swapped = order.startswith("b")
        first, second = (place[b], place[a]) if swapped else (place[a], place[b])
        yield first, second, preferences.outcome(value, order), voter, item, bool(order), unit, swapped
