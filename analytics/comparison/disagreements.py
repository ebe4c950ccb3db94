"""The units on which a judge and people disagree, those on which people were most united first."""

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, overload

import numpy as np
from django.core.cache import cache

from accounts.models import User
from analytics.data.label_arrays import LabelArrays, Place, Reading, label_arrays, stamp_of
from analytics.judged.cache import refusals
from analytics.judged.comparison import compared_aspects, reference_group
from analytics.judged.sides import Side
from annotation.models import Assignment
from campaigns.access import Right, rights_in
from campaigns.models import Campaign, CampaignUnit
from stats.agreement.labels import LabelTable
from stats.arrays import Bools, Ints
from stats.judges.judged import majority

KEPT_S = 3600
VERSION = "1"
#: As a judge: what most of them say. As what a judge said: nothing that counts.
MOST, NOTHING = "most", "-"


@dataclass(frozen=True)
class Wanted:
    """Which units: of a judge (a run, or most of them) in one aspect, beside a reference.

    `people` and `said` together are a cell of the confusion matrix, whose units are then meant, agreeing or not. The
    others are those of `Reading`.
    """

    aspect: str = ""
    reference: str = ""
    judge: str = ""
    people: str = ""
    said: str = ""
    category: str = ""
    group: str = ""
    order: str = ""
    excluded: bool = False

    @property
    def is_cell(self) -> bool:
        return bool(self.people and self.said)

    @property
    def reading(self) -> Reading:
        return Reading(self.category, self.group, self.order, with_excluded=self.excluded)


@dataclass(frozen=True)
class Split:
    """A unit, or one response of it, as people and the judge see it. Labels are as stored, "" where there is none."""

    unit: int
    slot: str
    people: tuple[tuple[str, int], ...]
    most: str
    said: str
    united: float

    @property
    def n(self) -> int:
        return sum(n for _, n in self.people)

    @property
    def percent(self) -> int:
        return round(100 * self.united)


@dataclass(frozen=True, eq=False)
class Kept:
    """What there is to choose from, and everybody's labels in one aspect: codes of `categories` by place.

    `answers` is by run, as an address names it; where ties of both sides differ in type, they are merged already.
    """

    aspect: str
    reference: str
    references: tuple[tuple[str, str], ...]
    categories: tuple[str, ...] = ()
    places: tuple[Place, ...] = ()
    counts: Ints = field(default_factory=lambda: np.zeros((0, 0), dtype=np.int64))
    most: Ints = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    answers: dict[str, tuple[Ints, Bools]] = field(default_factory=dict)
    judges: tuple[tuple[str, str], ...] = ()

    def said(self, judge: str) -> tuple[Ints, Bools]:
        """The codes of this judge, and which places count for it; of most judges where none is named."""
        if judge in self.answers:
            return self.answers[judge]
        rows = [np.where(asked, codes, -1) for codes, asked in self.answers.values()]
        codes = np.array(rows, dtype=np.int64).reshape(len(rows), len(self.places))
        spoken: Bools = np.asarray((codes >= 0).any(axis=0))
        return majority(LabelTable(codes.T, self.categories)), spoken


def kept_labels(campaign: Campaign, wanted: Wanted) -> Kept:
    """From the cache where nothing was said since."""
    asked = asdict(wanted) | {"judge": "", "people": "", "said": ""}
    name = hashlib.sha256(json.dumps(asked).encode()).hexdigest()[:24]
    key, stamp = f"disagreements-{VERSION}-{campaign.pk}-{name}", stamp_of(campaign)
    found: tuple[Any, Kept] | None = cache.get(key)
    if found and found[0] == stamp:
        return found[1]
    kept = _read(label_arrays(campaign, wanted.reading), wanted)
    cache.set(key, (stamp, kept), KEPT_S)
    return kept


class Found(Sequence[Split]):
    """Places of a table of labels in an order; a `Split` is made only of those that are asked for."""

    def __init__(self, kept: Kept, at: Ints, codes: Ints) -> None:
        self._kept, self._at, self._codes = kept, at, codes

    def __len__(self) -> int:
        return len(self._at)

    @overload
    def __getitem__(self, which: int) -> Split: ...
    @overload
    def __getitem__(self, which: slice) -> list[Split]: ...
    def __getitem__(self, which: int | slice) -> Split | list[Split]:
        if isinstance(which, slice):
            return [self._split(at) for at in self._at[which].tolist()]
        return self._split(int(self._at[which]))

    @property
    def units(self) -> list[int]:
        """The unit of each."""
        return [self._kept.places[at][0] for at in self._at.tolist()]

    def among(self, units: set[int]) -> "Found":
        """Those of these units."""
        open_ones = [unit in units for unit in self.units]
        return Found(self._kept, self._at[np.array(open_ones, dtype=bool)], self._codes)

    def _split(self, at: int) -> Split:
        return _split(self._kept, at, int(self._codes[at]))


def disagreements(kept: Kept, wanted: Wanted) -> Found:
    """Of the wanted judge, or of the wanted cell; among equally united people, more of them come first."""
    codes, asked = kept.said(wanted.judge)
    used = asked & (kept.most >= 0)
    used &= _is(kept, kept.most, wanted.people) & _is(kept, codes, wanted.said)
    if not wanted.is_cell:
        used &= codes != kept.most
    at = np.flatnonzero(used)
    counts = kept.counts[at]
    n = counts.sum(axis=1)
    united = counts.max(axis=1, initial=0) / np.maximum(n, 1)
    return Found(kept, at[np.lexsort((-n, -united))], codes)


def open_units(campaign: Campaign, user: User) -> set[int] | None:
    """The units (their ids) whose answers this person may see; None where these are all.

    Users who also label in the campaign see only those that they have answered.
    """
    if Right.LABEL not in rights_in(campaign, user):
        return None
    mine = Assignment.objects.filter(campaign=campaign, annotator=user, status=Assignment.Status.ANSWERED)
    return set(mine.values_list("campaign_unit__unit", flat=True))


def rows_of_units(campaign: Campaign, units: set[int]) -> dict[int, CampaignUnit]:
    rows = campaign.campaign_units.filter(purpose=CampaignUnit.Purpose.STUDY, unit__in=units)
    return {row.unit_id: row for row in rows.select_related("unit__item", "unit__a", "unit__b")}


def _read(arrays: LabelArrays, wanted: Wanted) -> Kept:
    aspects = {aspect.name: aspect for aspect in compared_aspects(arrays)}
    chosen = aspects.get(wanted.aspect) or next(iter(aspects.values()), None)
    group = reference_group(arrays, wanted.reference)
    references = tuple((it.key, it.title) for it in arrays.groups)
    if chosen is None or group is None:
        return Kept(chosen.name if chosen else "", "", references)
    side = Side(arrays, chosen, group)
    refused = refusals([run.run.pk for run in arrays.runs])
    runs = [run for run in arrays.runs if run.run.pk not in refused]
    answers, categories = {}, side.labels(side.people.codes).categories
    for run in runs:
        codes = side.labels(side.answers(run).codes[:, np.newaxis]).codes[:, 0]
        answers[str(run.run.pk)] = (codes, side.asked(run))
    return Kept(
        chosen.name, group.key, references, categories, tuple(side.places),
        counts=side.labels(side.people.codes).counts(),
        most=side.labels(side.reference[:, np.newaxis]).codes[:, 0],
        answers=answers,
        judges=tuple((str(run.run.pk), f"{run.run.judge.title} ({run.run.pk})") for run in runs),
    )  # fmt: skip


def _is(kept: Kept, codes: Ints, label: str) -> Bools:
    if not label:
        return np.ones(len(codes), dtype=bool)
    code = kept.categories.index(label) if label in kept.categories else -1
    return np.asarray(codes == code)


def _split(kept: Kept, at: int, said: int) -> Split:
    counts = kept.counts[at].tolist()
    people = tuple(_most_first(zip(kept.categories, counts, strict=True)))
    unit, slot = kept.places[at]
    most, united = kept.categories[kept.most[at]], float(kept.counts[at].max() / max(sum(counts), 1))
    return Split(unit, slot, people, most, kept.categories[said] if said >= 0 else "", united)


def _most_first(counts: Iterator[tuple[str, int]]) -> list[tuple[str, int]]:
    return sorted(((label, n) for label, n in counts if n), key=lambda one: -one[1])
