"""Answers to a rubric as checks: which criteria each response met, by whom.

A criterion that did not arise because of an earlier answer was not met: a response of which nothing could be
understood met none of them. One that was left out without such a reason is missing.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from analytics.data.label_arrays import Group, JudgeRun, LabelArrays, Place, Said, answers_of
from analytics.data.ratings import Frame
from campaigns.models import Campaign
from campaigns.rubrics.asking import facts_by_item
from corpus.models import Item
from protocols import Aspect, Protocol, for_item
from stats.arrays import Bools, Ints
from stats.systems.rubrics import Checks

_BINARY = {"yes", "no"}


def is_rubric(protocol: Protocol) -> bool:
    """Whether it asks for yes/no criteria about one response at a time."""
    asks_yes_or_no = protocol.item_criteria or any(it.scale.kind.is_yes_no for it in protocol.aspects)
    return protocol.unit == "single" and asks_yes_or_no


@dataclass(frozen=True, eq=False)
class Checked:
    """An entry per criterion that somebody checked: whether it was met, and by number what it is about, and whose."""

    met: Bools
    systems: Ints
    items: Ints
    criteria: Ints
    units: Ints
    raters: Ints

    def __len__(self) -> int:
        return len(self.met)

    @property
    def checks(self) -> Checks:
        return Checks(self.systems, self.items, self.criteria, self.met)

    def where(self, kept: Bools) -> "Checked":
        columns = (it[kept] for it in (self.systems, self.items, self.criteria, self.units, self.raters))
        return Checked(self.met[kept], *columns)


@dataclass(frozen=True, eq=False)
class Rubric:
    """What is asked of each item, and a number for every criterion; those of items are told apart."""

    asked: Mapping[int, Mapping[str, Aspect]]
    numbers: Mapping[tuple[int, str], int]
    frame: Frame

    @property
    def aspects(self) -> list[Aspect]:
        """Every criterion by name, once."""
        return list({aspect.name: aspect for asked in self.asked.values() for aspect in asked.values()}.values())

    def checked(self, sayings: list[Said]) -> Checked:
        """What several raters said."""
        rows = [row for who, said in enumerate(sayings) for row in self._rows(who, said)]
        table = np.array(rows, dtype=np.int64).reshape(-1, 6).T
        return Checked(np.asarray(table[5] > 0), *(np.ascontiguousarray(column) for column in table[:5]))

    def _rows(self, who: int, said: Said) -> Iterator[tuple[int, ...]]:
        by_unit: dict[int, dict[str, str]] = {}
        for name, given in said.items():
            for (unit, _slot), value in given.items():
                by_unit.setdefault(unit, {})[name] = value
        system = {name: at for at, name in enumerate(self.frame.systems)}
        item_at = {item: at for at, item in enumerate(self.frame.items)}
        for at, (unit, facts) in enumerate(self.frame.units.items()):
            if (answers := by_unit.get(unit)) is None:
                continue
            about = (system[next(iter(facts.systems.values()))], item_at[facts.item])
            asked = self.asked.get(facts.item, {})
            for aspect in asked.values():
                if (met := _met(aspect, answers, asked)) is not None:
                    yield (*about, self.numbers[facts.item, aspect.name], at, who, met)


def rubric_of(campaign: Campaign, frame: Frame) -> Rubric:
    """The yes/no criteria that the campaign asks about each of its items."""
    protocol = campaign.protocol
    ours = Item.objects.filter(pk__in={facts.item for facts in frame.units.values()})
    asked = {
        item: {aspect.name: aspect for aspect in for_item(protocol, facts).aspects if aspect.scale.kind.is_yes_no}
        for item, facts in facts_by_item(campaign, ours).items()
    }
    common = {aspect.name for aspect in protocol.aspects}
    keys: dict[tuple[int, str], int] = {}
    numbers = {}
    for item in frame.items:
        for name in asked.get(item, ()):
            numbers[item, name] = keys.setdefault((0 if name in common else item, name), len(keys))
    return Rubric(asked, numbers, frame)


def said_by_group(group: Group) -> list[Said]:
    return [rater.said for rater in group.raters]


def places_by_aspect(rubric: Rubric, arrays: LabelArrays) -> dict[str, tuple[list[Place], tuple[str, ...]]]:
    """The places of each criterion and what can be said there: the same for every run."""
    return {aspect.name: (arrays.places(aspect.name), arrays.categories(aspect)) for aspect in rubric.aspects}


def said_by_run(run: JudgeRun, about: Mapping[str, tuple[list[Place], tuple[str, ...]]]) -> Said:
    """What its samples say together, by aspect."""
    found: Said = {}
    for name, (places, categories) in about.items():
        codes = answers_of(run, name, places, categories).codes
        answers = {place: categories[code] for place, code in zip(places, codes.tolist(), strict=True) if code >= 0}
        if answers:
            found[name] = answers
    return found


def _met(aspect: Aspect, answers: Mapping[str, str], asked: Mapping[str, Aspect]) -> bool | None:
    value = answers.get(aspect.name)
    if value in _BINARY:
        return value == "yes"
    return False if _fell(aspect, answers, asked) else None


def _fell(aspect: Aspect, answers: Mapping[str, str], asked: Mapping[str, Aspect]) -> bool:
    """Whether it did not arise, because what it hangs on was answered otherwise or did not arise itself."""
    for name, wanted in aspect.only_if.items():
        if name in answers:
            if answers[name] != wanted:
                return True
        elif name in asked and _fell(asked[name], answers, asked):
            return True
    return False
