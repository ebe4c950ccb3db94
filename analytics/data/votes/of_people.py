"""Answers to pairs as votes: which system won, by whom, on which unit, whoever answers."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from analytics.data.label_arrays import Group, JudgeRun, LabelArrays, Place, answers_of
from analytics.data.preferences import Preferences, preferences_of_scale
from analytics.data.ratings import Frame
from infrastructure.wording.phrases import phrased
from protocols import Aspect, Protocol
from stats.arrays import Bools, Floats, Ints
from stats.ratings.votes import Counts, Ties, Votes, count_votes


def pair_aspects(protocol: Protocol) -> list[Aspect]:
    """The questions that say who of two is better, the overall one first."""
    if protocol.unit != "pair":
        return []
    found = [it for it in protocol.aspects if not it.per_response and preferences_of_scale(it.scale)]
    found = [replace(it, title=phrased(it.title)) for it in found]
    return sorted(found, key=lambda it: it.name != "overall")


@dataclass(frozen=True, eq=False)
class PairVotes:
    """An entry per vote, in the order in which they were recorded: the unit, its item and systems by number, whose
    vote it is, and its outcome in the stored frame (`stats.votes`).
    """

    ties: Ties
    units: Ints
    items: Ints
    a: Ints
    b: Ints
    raters: Ints
    outcome: Ints

    def __len__(self) -> int:
        return len(self.units)

    def where(self, kept: Bools) -> "PairVotes":
        columns = (it[kept] for it in (self.units, self.items, self.a, self.b, self.raters, self.outcome))
        return PairVotes(self.ties, *columns)

    def votes(self, systems: tuple[str, ...]) -> Votes:
        return Votes(self.a, self.b, self.outcome, systems, self.ties)

    def counts(self, systems: tuple[str, ...]) -> Counts:
        return count_votes(self.votes(systems))

    def scores(self) -> Floats:
        """What each vote gives to a: 1, ½ or 0."""
        return np.array([1.0, 0.0, 0.5, 0.5])[self.outcome]


def votes_of_group(group: Group, aspect: Aspect, frame: Frame) -> PairVotes:
    """Of all its raters, in the order in which they were recorded."""
    rows = [
        (rater.recorded.get(unit, 0), who, unit, value)
        for who, rater in enumerate(group.raters)
        for (unit, slot), value in rater.said.get(aspect.name, {}).items()
        if not slot
    ]
    rows.sort(key=lambda row: row[0])
    return _votes(((who, unit, value) for _when, who, unit, value in rows), aspect, frame)


def votes_of_run(run: JudgeRun, aspect: Aspect, arrays: LabelArrays, frame: Frame) -> PairVotes:
    """What its orders and samples say together, in the order of the units; no vote where they disagree."""
    places, categories = arrays.places(aspect.name), arrays.categories(aspect)
    said = answers_of(run, aspect.name, places, categories).codes
    rows = ((0, places[at][0], categories[said[at]]) for at in np.flatnonzero(said >= 0))
    return _votes(rows, aspect, frame)


def scores_by_place(said: Iterable[Mapping[Place, str]], aspect: Aspect) -> dict[Place, float]:
    """The mean of what several say of each pair: 1 for a, 0 for b, ½ for a tie."""
    preferences = _preferences(aspect)
    found: dict[Place, list[float]] = {}
    for one in said:
        for place, value in one.items():
            if value in preferences.outcomes:
                found.setdefault(place, []).append((1.0, 0.0, 0.5, 0.5)[preferences.outcomes[value]])
    return {place: sum(scores) / len(scores) for place, scores in found.items()}


def _votes(rows: Iterable[tuple[int, int, str]], aspect: Aspect, frame: Frame) -> PairVotes:
    preferences = _preferences(aspect)
    system = {name: at for at, name in enumerate(frame.systems)}
    item = {it: at for at, it in enumerate(frame.items)}
    about = {
        unit: (at, item[facts.item], system[facts.systems["a"]], system[facts.systems["b"]])
        for at, (unit, facts) in enumerate(frame.units.items())
    }
    found = [
        (*about[unit], who, preferences.outcomes[value]) for who, unit, value in rows if value in preferences.outcomes
    ]
    table = np.array(found, dtype=np.int64).reshape(-1, 6).T
    return PairVotes(preferences.ties, *(np.ascontiguousarray(column) for column in table))


def _preferences(aspect: Aspect) -> Preferences:
    found = preferences_of_scale(aspect.scale)
    if found is None:
        raise ValueError(f"{aspect.name} says nothing of who is better")
    return found
