"""Everybody whose votes may be swayed: the reference's raters together, other labels, and every judge."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from analytics.data.label_arrays import JudgeRun
from analytics.data.unit_numbers import Numbers, number_of, unit_numbers
from analytics.data.votes.covariates import EQUALLY_LOUD, Facts, response_facts
from analytics.judged.sides import NOBODY, Side
from analytics.reports.judging.panel import ASPECT, Panel
from analytics.reports.judging.votes import Pairs, Votes, compares
from analytics.reports.output.figures import Link
from analytics.reports.references import group_title
from analytics.reports.source import Source
from infrastructure.wording.phrases import Phrase
from protocols import Aspect
from stats import reasons
from stats.arrays import Floats

#: The name of the option that says in which number of units lengths are.
LENGTH = "length"
NO_VOTES = Phrase("Nobody has compared two responses yet.")
#: What responses may differ in, by the name that facts of a response have for it.
COVARIATES = {
    "words": Phrase("Words"),
    "seconds": Phrase("Seconds"),
    "loudness": Phrase("Loudness"),
    "rate": Phrase("Words per second"),
}
UNKNOWN = Phrase("It is not known of any pair.")


@dataclass(frozen=True, eq=False)
class Voter:
    """One vote each by unit, order and sample of a judge, by answer of people; without a run these are people."""

    name: str
    votes: Votes
    run: JudgeRun | None
    who: str | Link


@dataclass
class Swayed:
    """Of one report: the pairs, what their responses differ in, and who voted on the chosen aspect."""

    source: Source

    @cached_property
    def panel(self) -> Panel:
        return Panel(self.source)

    @cached_property
    def pairs(self) -> Pairs:
        return Pairs(self.source)

    @cached_property
    def aspect(self) -> Aspect | None:
        """The chosen one, else the first, of those that compare responses."""
        found = {aspect.name: aspect for aspect in self.source.aspects if compares(aspect)}
        return found.get(self.source.option(ASPECT)) or next(iter(found.values()), None)

    @cached_property
    def side(self) -> Side | None:
        """The chosen aspect beside the label of most people."""
        return self.side_of_judges if self.panel.group else None

    @cached_property
    def side_of_judges(self) -> Side | None:
        """The chosen aspect, also where there are no people to stand beside."""
        if self.aspect is None:
            return None
        return Side(self.source.arrays, self.aspect, self.panel.group or NOBODY, self.panel.counting)

    @cached_property
    def voters(self) -> tuple[Voter, ...]:
        return tuple(voter for voter in self._voters() if (~np.isnan(voter.votes.score)).any())

    @property
    def why_not(self) -> str:
        if self.aspect is None or not self.pairs.units:
            return reasons.NO_VOTES_TO_SWAY()
        return "" if self.voters else NO_VOTES

    @cached_property
    def gaps(self) -> dict[str, Floats]:
        """By covariate, what a has more of than b in each pair; NaN where it is unknown."""
        facts, units = response_facts(self.source.campaign.dataset_id), self.source.units
        responses = [units[unit].responses for unit in self.pairs.units]
        a, b = ([facts.get(slots[slot], Facts()) for slots in responses] for slot in "ab")
        found = {
            name: np.array([getattr(one, name) - getattr(two, name) for one, two in zip(a, b, strict=True)])
            for name in COVARIATES
        }
        if chosen := self.source.option(LENGTH):
            found[chosen] = self.number(chosen, self.pairs.units)
        return found

    @cached_property
    def numbers(self) -> Numbers:
        return unit_numbers(self.source.campaign)

    def number(self, name: str, units: list[int]) -> Floats:
        """A number of each of the units; of what both responses have, what a has more of than b."""
        return number_of(self.numbers, units, name)

    def why_no_gap(self, covariate: str) -> str:
        """Why pairs cannot be told apart by it; empty where they can."""
        if covariate == "loudness" and self.source.campaign.target_lufs is not None:
            return Phrase(EQUALLY_LOUD)
        return "" if (~np.isnan(self.gaps[covariate])).any() else UNKNOWN

    def _voters(self) -> Iterator[Voter]:
        if self.aspect is None or not self.pairs.units:
            return
        for group in sorted(self.source.arrays.groups, key=lambda group: group is not self.panel.group):
            title = group_title(group)
            yield Voter(title, self.pairs.people(group, self.aspect), None, title)
        for run in self.panel.runs:
            votes = self.pairs.judge(run, [self.aspect], reconciled=False)
            yield Voter(self.panel.names[run.run.pk], votes, run, self.panel.link(run))
