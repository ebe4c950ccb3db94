"""Small worlds at the edges of what reports may meet: nothing said, one answer, one rater, item or system, all alike.

A world is a dataset with a campaign of each of some protocols over it, and what people, imported raters, judges and
metrics say there. Names of systems are rare words, so that a leak of one is seen.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from campaigns.models import Campaign
from corpus.imports.writing import write_labels
from corpus.models import Dataset, LabelSet
from corpus.tidy.rows import TidyAnswer
from judges.models import Judge
from measurements.models import MetricScore
from protocols import Aspect
from tests.analytics.reports.studies import judge_says, make_dataset, make_study, person_says
from tests.factories import make_invitation, make_member

NAMES = ("Aardwolf", "Binturong", "Cacomistle", "Dugong", "Echidna", "Fossalike", "Gerenukine", "Hoatzinous")
USUAL = ("hcot", "arena", "rubric", "acr")
#: What a rater says of a place: the possible values, its number among all that were said, and the rater's.
Sayer = Callable[[Sequence[str], int, int], str]


def alike(values: Sequence[str], _place: int, _rater: int) -> str:
    return values[0]


def tied(values: Sequence[str], _place: int, _rater: int) -> str:
    return next((it for it in ("both_good", "tie", "0", "maybe") if it in values), values[-1])


def differing(values: Sequence[str], place: int, rater: int) -> str:
    return values[int(np.random.default_rng([place, rater]).integers(len(values)))]


@dataclass(frozen=True)
class World:
    """How many there are of what, and how they answer; everybody stops after `units`."""

    systems: int = 3
    items: int = 4
    people: int = 2
    judges: int = 2
    turns: tuple[int, ...] = (1,)
    says: Sayer = differing
    units: int | None = None
    metrics: int = 3
    protocols: tuple[str, ...] = USUAL


WORLDS = {
    "empty": World(people=0, judges=0, metrics=0),
    "one answer": World(people=1, judges=1, units=1),
    "all alike": World(people=2, items=3, says=alike, turns=(1, 2, 3), protocols=(*USUAL, "ccr")),
    "all ties": World(people=2, items=3, says=tied),
    "one rater": World(people=1, judges=0),
    "judges alone": World(people=0, judges=2),
    "one item": World(items=1),
    "one system": World(systems=1),
    "multi-turn": World(turns=(1, 2, 3), protocols=(*USUAL, "podcast")),
    "sliders": World(people=3, items=12, protocols=("multi_stimulus",)),
    "large": World(systems=5, items=8, people=5, turns=(1, 2), protocols=("hcot", "arena", "rubric")),
}
#: Of about ten thousand answers of people; judges and imported labels say the same number of things again.
LARGEST = World(systems=6, items=40, people=4, judges=2, protocols=("hcot", "rubric", "acr"))


def build(world: World) -> list[Campaign]:
    """The world's campaigns."""
    systems = NAMES[: world.systems]
    dataset = make_dataset(
        systems, world.items, categories=("chat", "task"), turns=world.turns,
        facts=[{"dimension": "semantic", "capability": "x"}, {"dimension": "ambient", "capability": "y"}],
        seconds={name: 2.0 + at for at, name in enumerate(systems)},
    )  # fmt: skip
    _measure(dataset, world.metrics)
    judges = [
        Judge.objects.create(
            title=f"Ear {n}", kind="audio_llm", kind_version="1", digest=str(n), created_by=dataset.created_by
        )
        for n in range(world.judges)
    ]
    studies = [make_study(dataset, protocol) for protocol in world.protocols]
    for study in studies:
        _answer(study, world, judges)
    return studies


def _measure(dataset: Dataset, n: int) -> None:
    """Metrics of which the first is the same everywhere."""
    rng = np.random.default_rng(7)
    MetricScore.objects.bulk_create(
        MetricScore(
            system=response.system, response=response, metric=metric, version="1", source="imported",
            value=float(rng.normal()) if place else 1.0,
        )
        for item in dataset.items.all()
        for response in item.responses.all()
        for place, metric in enumerate(("nisqa", "wer", "utmos", "secs")[:n])
    )  # fmt: skip


def _answer(study: Campaign, world: World, judges: Sequence[Judge]) -> None:
    said = [_said(study, world, rater) for rater in range(world.people + len(judges) + 1)]
    if not any(said[0].values()):
        return
    for seat in range(world.people):
        user = make_member(study)
        if seat < 2:  # by a link each, so that there are two sources
            make_invitation(study, note=f"link {seat}").arrivals.create(user=user, use=1)
        person_says(study, said[seat], seat=seat + 1, user=user)
    for at, judge in enumerate(judges):
        judge_says(study, said[world.people + at], judge=judge)
    if world.people:
        _import(study, said[-1])


def _said(study: Campaign, world: World, rater: int) -> dict[str, dict[str, str]]:
    """By aspect and by unit (and slot, after a point), what this rater says."""
    rows = study.campaign_units.order_by("position").select_related("unit")[: world.units]
    found: dict[str, dict[str, str]] = {}
    for aspect in study.protocol.aspects:
        for place, row in enumerate(rows):
            slots = _slots(row.unit)
            values = _values(aspect, slots)
            for at, slot in enumerate(slots if aspect.per_response else [""]):
                key = f"{row.unit.key}.{slot}" if slot else row.unit.key
                found.setdefault(aspect.name, {})[key] = world.says(values, 7 * place + at, rater)
    return found


def _slots(unit: Any) -> list[str]:
    if unit.kind == "item":
        return list(unit.members.order_by("slot").values_list("slot", flat=True))
    return ["a", "b"] if unit.kind == "pair" else ["a"]


def _values(aspect: Aspect, slots: Sequence[str]) -> list[str]:
    """The possible answers in the stored frame."""
    if aspect.scale.kind.is_written:
        return ["It is warmer.", "It is less clear."]
    if aspect.scale.kind.any_response:
        return list(slots)
    values = list(aspect.scale.kind.values)
    return [{"1": "a", "2": "b"}.get(it, it) for it in values] if aspect.scale.frame == "response" else values


def _import(study: Campaign, said: dict[str, dict[str, str]]) -> None:
    """The same as imported labels."""
    label_set = LabelSet.objects.create(
        dataset=study.dataset, name=f"Published {study.slug}", rater="R1", created_by=study.created_by
    )
    units = {row.unit.key: row.unit for row in study.campaign_units.select_related("unit")}
    write_labels(
        [
            (label_set, units[key.partition(".")[0]].pk, TidyAnswer(aspect, key.partition(".")[2], value))
            for aspect, by_unit in said.items()
            for key, value in by_unit.items()
        ]
    )
