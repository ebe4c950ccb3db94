"""What labels of people and judges are worth as votes between systems."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from analytics.data.label_arrays import Group, JudgeRun, Place, answers_of
from analytics.data.preferences import preferences_of_scale
from analytics.data.votes.table import by_appearance
from analytics.judged.counting import OUT, WINNERS
from analytics.reports.source import Source
from protocols import Aspect
from stats.arrays import Bools, Floats, Ints
from stats.judges.judged import mean_vote
from stats.ratings.votes import BOTH_BAD, BOTH_GOOD, FIRST, SECOND
from stats.systems.system_rates import Rates, rates_by_item

#: What a label gives to a; ties of any kind give half, also those that the protocol does not have but labels do.
SCORES = {"a": 1.0, "b": 0.0, "tie": 0.5, "same": 0.5, "both_good": 0.5, "both_bad": 0.5}
_HEARD = {"ab": 1, "ba": -1}
_GIVEN = {FIRST: 1.0, SECOND: 0.0, BOTH_GOOD: 0.5, BOTH_BAD: 0.5}


def compares(aspect: Aspect) -> bool:
    """Whether answers to this aspect say which of two responses is better."""
    return preferences_of_scale(aspect.scale) is not None


def scores_of(aspect: Aspect) -> Mapping[str, float]:
    """What each stored value gives to a: 1, ½ or 0. Empty for aspects that compare nothing."""
    preferences = preferences_of_scale(aspect.scale)
    if preferences is None:
        return {}
    if not preferences.signed:
        return SCORES
    return {value: _GIVEN[outcome] for value, outcome in preferences.outcomes.items()}


def counted_scores(aspect: Aspect, ties: str) -> Mapping[str, float]:
    """The same without the votes that do not count: all ties, or those of one kind."""
    scores = scores_of(aspect)
    if ties in (OUT, WINNERS):
        return {value: score for value, score in scores.items() if score != 0.5}
    return {value: score for value, score in scores.items() if value != ties}


@dataclass(frozen=True, eq=False)
class Votes:
    """Unit (its place among the pairs) and score of a, of each vote, and who gave it; NaN is no vote.

    `heard` is 1 where a was presented first, -1 where b was, 0 where it is unknown.
    """

    pairs: Ints
    score: Floats
    heard: Ints
    voters: Ints

    def where(self, kept: Bools) -> "Votes":
        return Votes(self.pairs[kept], self.score[kept], self.heard[kept], self.voters[kept])

    @property
    def toward_first(self) -> Floats:
        """1 where the vote went to what was presented first, -1 to the second, 0 a tie; NaN where one is unknown."""
        known = (self.heard != 0) & ~np.isnan(self.score)
        return np.where(known, (2 * self.score - 1) * self.heard, np.nan)


@dataclass
class Pairs:
    """The study's units of two responses: who speaks in each, and the item it is about."""

    source: Source
    ties: str = ""

    @cached_property
    def units(self) -> list[int]:
        facts = self.source.units
        return [unit for unit in self.source.arrays.units if set(facts[unit].systems) == {"a", "b"}]

    @cached_property
    def place(self) -> dict[int, int]:
        return {unit: at for at, unit in enumerate(self.units)}

    @cached_property
    def systems(self) -> tuple[str, ...]:
        facts = self.source.units
        return tuple(sorted({name for unit in self.units for name in facts[unit].systems.values()}))

    @cached_property
    def sides(self) -> tuple[Ints, Ints]:
        """The place of a's system in `systems`, and that of b's, by unit."""
        at, facts = {name: place for place, name in enumerate(self.systems)}, self.source.units
        a, b = ([at[facts[unit].systems[slot]] for unit in self.units] for slot in "ab")
        return np.array(a, dtype=np.int64), np.array(b, dtype=np.int64)

    @cached_property
    def items(self) -> Ints:
        return by_appearance(np.array([self.source.units[unit].item for unit in self.units], dtype=np.int64))

    def people(self, group: Group, aspect: Aspect) -> Votes:
        """Every rater's answer is a vote."""
        scores = counted_scores(aspect, self.ties)
        said = [
            (self.place[unit], scores.get(value, np.nan), _HEARD.get(rater.orders.get(unit, ""), 0), voter)
            for voter, rater in enumerate(group.raters)
            for (unit, slot), value in rater.said.get(aspect.name, {}).items()
            if not slot and unit in self.place
        ]
        pairs, score, heard, voters = zip(*said, strict=True) if said else ((), (), (), ())
        places, orders, who = (np.array(it, dtype=np.int64) for it in (pairs, heard, voters))
        return Votes(places, np.array(score, dtype=np.float64), orders, who)

    def judge(self, run: JudgeRun, aspects: Sequence[Aspect], *, reconciled: bool, differ: float = np.nan) -> Votes:
        """Every verdict is a vote, in each order and sample; or each unit, where orders and samples are reconciled.

        The answers to several aspects are one vote: their mean, where a tie is half, says who won; of those only ties
        of the whole vote can be left out. `differ` is what reconciled orders give that disagree.
        """
        places: list[Place] = [(unit, "") for unit in self.units]
        several = len(aspects) > 1
        chosen = [scores_of(it) if several else counted_scores(it, self.ties) for it in aspects]
        tables = [
            _scores(run, aspect.name, scores, places, reconciled=reconciled, differ=differ)
            for aspect, scores in zip(aspects, chosen, strict=True)
        ]
        if not tables or not tables[0].size:
            empty = np.zeros(0, dtype=np.int64)
            return Votes(empty, np.zeros(0), empty, empty)
        score = mean_vote(np.column_stack([table.reshape(-1) for table in tables]))
        if self.ties in (OUT, WINNERS):
            score = np.where(score == 0.5, np.nan, score)
        orders = [0] if reconciled else [_HEARD.get(order, 0) for order, _sample in run.said]
        pairs = np.tile(np.arange(len(places)), len(orders))
        return Votes(pairs, score, np.repeat(orders, len(places)), np.zeros_like(pairs))

    def clusters(self, votes: Votes) -> tuple[Ints, Ints]:
        """The voter and the item of each vote: votes of one hang together."""
        return votes.voters, self.items[votes.pairs]

    def rates(self, votes: Votes, *, against: str = "") -> Rates:
        a, b = (side[votes.pairs] for side in self.sides)
        shape = (int(self.items.max(initial=-1)) + 1, len(self.systems))
        opponent = self.systems.index(against) if against in self.systems else None
        return rates_by_item(a, b, votes.score, self.items[votes.pairs], shape=shape, against=opponent)


def _scores(
    run: JudgeRun, aspect: str, scores: Mapping[str, float], places: list[Place], *, reconciled: bool, differ: float
) -> Floats:
    """The score of a, shape (orders and samples, places); of one row where they are reconciled."""
    if reconciled:
        together = answers_of(run, aspect, places, tuple(scores))
        said = np.array([*scores.values(), np.nan])[together.codes]
        return np.where(together.inconsistent, differ, said)[np.newaxis]
    rows = [said.get(aspect, {}) for said in run.said.values()]
    found = [[scores.get(row.get(place, ""), np.nan) for place in places] for row in rows]
    return np.array(found, dtype=np.float64).reshape(len(rows), len(places))
