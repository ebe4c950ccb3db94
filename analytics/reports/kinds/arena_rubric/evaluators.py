"""Who judged the same systems in an arena and by a rubric: the people of both campaigns, and each judge."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from analytics.data.hidden_names import names_are_hidden
from analytics.data.label_arrays import EVERYTHING, PEOPLE, Group, JudgeRun, LabelArrays, Place, label_arrays
from analytics.data.ratings import Frame
from analytics.data.rubric_checks import Checked, is_rubric, places_by_aspect, rubric_of, said_by_group, said_by_run
from analytics.data.votes.of_people import PairVotes, pair_aspects, votes_of_group, votes_of_run
from analytics.reports.source import Source
from campaigns.models import Campaign
from corpus.models import Item
from infrastructure.wording.phrases import Phrase
from judges.models import Judge
from protocols import Aspect
from stats import reasons
from stats.arrays import Bools
from stats.ratings.elo import online_elo
from stats.results import Estimate
from stats.systems.rubrics import rubric_scores

#: MTalk-Bench §5.1.1.
K, INITIAL = 4.0, 1000.0
_NO_VOTES, _NO_CHECKS = reasons.NO_VOTES(), reasons.NO_CRITERION_CHECKED()


@dataclass(frozen=True, eq=False)
class Evaluator:
    """One side of a comparison of evaluators: votes in the arena, and checks of the rubric; either may be empty."""

    key: str
    title: str
    votes: PairVotes
    checks: Checked


def rubric_campaigns(campaign: Campaign) -> list[Campaign]:
    """The other campaigns over the dataset that ask for criteria, the newest first.

    Without those that hide the names of systems from a campaign that shows them: the arena's half of the figures
    would tell which is which.
    """
    others = Campaign.objects.filter(dataset=campaign.dataset_id).exclude(pk=campaign.pk).order_by("-pk")
    hidden = names_are_hidden(campaign)
    return [it for it in others if is_rubric(it.protocol) and (hidden or not names_are_hidden(it))]


class Both:
    """An arena campaign and a rubric campaign over the same dataset, in one frame of systems and items."""

    def __init__(self, source: Source, rubric: Campaign) -> None:
        self.source, self.rubric_campaign = source, rubric
        reading = source.settings.reading
        # A link and an order belong to the arena: the rubric knows neither.
        self.rubric_arrays = label_arrays(
            rubric, replace(EVERYTHING, category=reading.category, with_excluded=reading.with_excluded)
        )
        units, others = source.units, source.units_of(rubric)
        ours = {unit: units[unit] for unit in source.arrays.units}
        theirs = {unit: others[unit] for unit in self.rubric_arrays.units}
        facts = [*ours.values(), *theirs.values()]
        self.systems = tuple(sorted({name for it in facts for name in it.systems.values()}))
        self.items = tuple(dict.fromkeys(it.item for it in facts))
        self.arena_frame = Frame(self.systems, self.items, ours)
        self.rubric = rubric_of(rubric, Frame(self.systems, self.items, theirs))

    @property
    def aspect(self) -> Aspect:
        asked = pair_aspects(self.source.campaign.protocol)
        return next((it for it in asked if it.name == self.source.option("question")), asked[0])

    @cached_property
    def _facts(self) -> dict[int, tuple[str, dict[str, object]]]:
        rows = Item.objects.filter(pk__in=self.items).values_list("pk", "category", "facts")
        return {pk: (category, facts) for pk, category, facts in rows}

    @cached_property
    def dimension_of(self) -> tuple[str, ...]:
        """Of each item: its dimension, else its category."""
        return tuple(str(self._facts[item][1].get("dimension") or self._facts[item][0]) for item in self.items)

    @cached_property
    def dimensions(self) -> tuple[str, ...]:
        """Everything together (empty), then each where there are several."""
        named = sorted(set(self.dimension_of) - {""})
        return ("", *named) if len(named) > 1 else ("",)

    def of_dimension(self, dimension: str) -> Bools:
        return np.array([not dimension or it == dimension for it in self.dimension_of], dtype=bool)

    def fact(self, item: int, name: str) -> object:
        return self._facts[item][1].get(name)

    @cached_property
    def people(self) -> Evaluator:
        """Both campaigns' people together."""
        return Evaluator(
            PEOPLE,
            Phrase("People"),
            votes_of_group(self.arena_people, self.aspect, self.arena_frame),
            self.rubric.checked(said_by_group(self.rubric_people)),
        )

    @cached_property
    def _about(self) -> dict[str, tuple[list[Place], tuple[str, ...]]]:
        return places_by_aspect(self.rubric, self.rubric_arrays)

    @cached_property
    def arena_people(self) -> Group:
        return _people(self.source.arrays)

    @cached_property
    def rubric_people(self) -> Group:
        return _people(self.rubric_arrays)

    @cached_property
    def evaluators(self) -> list[Evaluator]:
        """People first, then judges by run; who said nothing at all is not among them."""
        left = list(self.rubric_arrays.runs)
        found = [self.people]
        for run in self.source.arrays.runs:
            match = _same_judge(run, left)
            left = [it for it in left if it is not match]
            found.append(self._judge(run, match))
        found += [self._judge(None, run) for run in left]
        return [it for it in found if len(it.votes) or len(it.checks)]

    @cached_property
    def chosen(self) -> Evaluator:
        """The one that was chosen, else people where they did both, else the first that did."""
        wanted = self.source.option("evaluator")
        did = [it for it in self.evaluators if len(it.votes) and len(it.checks)] or self.evaluators
        return next((it for it in self.evaluators if it.key == wanted), did[0])

    def elo(self, votes: PairVotes, dimension: str = "") -> list[Estimate]:
        kept = votes.where(self.of_dimension(dimension)[votes.items])
        return list(online_elo(kept.votes(self.systems), k=K, initial=INITIAL))

    def scores(self, checks: Checked, dimension: str = "") -> list[Estimate]:
        kept = checks.where(self.of_dimension(dimension)[checks.items])
        return list(rubric_scores(kept.checks, len(self.systems)))

    def _judge(self, arena: JudgeRun | None, rubric: JudgeRun | None) -> Evaluator:
        named = arena or rubric
        if named is None:
            raise ValueError("a judge without a run")
        no_group = Group("", "", ())
        votes = (
            votes_of_run(arena, self.aspect, self.source.arrays, self.arena_frame)
            if arena
            else votes_of_group(no_group, self.aspect, self.arena_frame)
        )
        said = [said_by_run(rubric, self._about)] if rubric else []
        title = f"{named.run.judge.title} ({named.run.pk})"
        return Evaluator(f"run-{named.run.pk}", title, votes, self.rubric.checked(said))


def rubric_of_source(source: Source) -> Campaign | None:
    """The rubric campaign that was chosen, else the newest."""
    found = {it.slug: it for it in rubric_campaigns(source.campaign)}
    return found.get(source.option("rubric")) or next(iter(found.values()), None)


def _people(arrays: LabelArrays) -> Group:
    """The campaign's people, else the first imported labels; empty where there are neither."""
    return next(iter(arrays.groups), Group(PEOPLE, "", ()))


def _same_judge(run: JudgeRun, others: list[JudgeRun]) -> JudgeRun | None:
    """The same judge, or one of the same title, or of the same model, in this order; the newest run of it."""
    judge = run.run.judge
    newest = sorted(others, key=lambda it: -it.run.pk)
    same: tuple[Callable[[Judge], bool], ...] = (
        lambda it: it.pk == judge.pk,
        lambda it: it.title == judge.title,
        lambda it: judge.language_model_id is not None and it.language_model_id == judge.language_model_id,
    )
    return next((it for rule in same for it in newest if rule(it.run.judge)), None)
