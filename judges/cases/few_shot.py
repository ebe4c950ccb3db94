"""Examples for judges: labelled units of the campaign's dataset that tell nothing of the unit at hand."""

import random
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from threading import Lock
from typing import Any

from campaigns.models import Campaign, CampaignUnit
from campaigns.rubrics.asking import facts_by_item
from corpus.models import Label, LabelSet, ResponseTurn, Turn, Unit, UnitMember
from judges import reasons
from judges.backends.contract import JudgeError
from judges.cases.case import case_of
from judges.cases.example_choice import Candidate, Guard, chosen
from judges.kinds.contract import Case, Shot
from judges.models import Run
from protocols import Protocol, for_item, questions
from protocols.judging import as_judged
from protocols.kinds.kind import QuestionKind

Purpose = CampaignUnit.Purpose
TAUGHT_WITH = (Purpose.GOLD, Purpose.TRAINING, Purpose.QUALIFYING)


@dataclass(frozen=True)
class Labelled:
    """A unit and its labels in the stored frame, by aspect, or by `aspect.slot` for one response."""

    unit: int
    labels: Mapping[str, str]


#: Given the campaign, and the label set that the run names, if it does.
Source = Callable[[Campaign, LabelSet | None], Iterable[Labelled]]
SOURCES: dict[str, Source] = {}


def offer_source(name: str, source: Source) -> None:
    """Let `shots_from` name this source. Answers of a campaign's own people are offered so, from above judges/."""
    SOURCES[name] = source


class Examples:
    """The labelled units from which a run's examples are taken, read once. Safe to share between threads."""

    def __init__(self, run: Run) -> None:
        self._run, self._lock = run, Lock()
        self._cases: dict[tuple[int, str], Case] = {}

    def beside(self, unit: Unit, n: int) -> tuple[Shot, ...]:
        """Up to `n` examples beside this unit, as the settings of the run's judge have it. Raises JudgeError.

        None is of the same item or has a clip in common with the unit, whatever was done to the sound since; with
        `hold_out`, none is among the units of the run. They are heard as they were imported.
        """
        if n < 1:
            return ()
        with self._lock:
            found, held_out = self._found, self._held_out
        guard = Guard(unit.pk, unit.item_id, clips_by_unit([unit])[unit.pk], held_out)
        picked = chosen(found, guard, n, seed=self._seed)
        self._read_cases(picked)
        return tuple(Shot(self._cases[one.unit, one.order], one.answers) for one in picked)

    @property
    def _seed(self) -> int:
        return int(self._run.judge.settings.get("shots_seed", 0))

    @cached_property
    def _found(self) -> list[Candidate]:
        campaign, settings = self._run.campaign, self._run.judge.settings
        return _candidates(campaign, _labelled(campaign, self._run.label_set, settings), seed=self._seed)

    @cached_property
    def _held_out(self) -> Collection[int]:
        return _units_of(self._run) if self._run.judge.settings.get("hold_out") else ()

    def _read_cases(self, picked: Iterable[Candidate]) -> None:
        """Those that were not shown before."""
        new = [one for one in picked if (one.unit, one.order) not in self._cases]
        units = Unit.objects.select_related("item").in_bulk([one.unit for one in new]) if new else {}
        for one in new:
            self._cases[one.unit, one.order] = case_of(self._run.campaign, units[one.unit], order=one.order)


def _units_of(run: Run) -> set[int]:
    """The units that it judges; of one that has not begun, those that it would."""
    if run.pk:
        return set(run.verdicts.values_list("unit", flat=True))
    study = run.campaign.campaign_units.filter(purpose=Purpose.STUDY)
    return set(study.values_list("unit", flat=True))


def clips_by_unit(units: Iterable[Unit]) -> dict[int, frozenset[int]]:
    """Every clip that is heard in a unit, the user's as well as the responses', as it was imported."""
    units = list(units)
    sides = _responses_by_unit(units)
    of_item: dict[int, set[int]] = {}
    for item, clip in _clips(Turn, "item_id", {unit.item_id for unit in units}):
        of_item.setdefault(item, set()).add(clip)
    of_response: dict[int, set[int]] = {}
    for response, clip in _clips(ResponseTurn, "response_id", {pk for pks in sides.values() for pk in pks}):
        of_response.setdefault(response, set()).add(clip)
    return {
        unit.pk: frozenset(
            of_item.get(unit.item_id, set()).union(*(of_response.get(pk, ()) for pk in sides[unit.pk]))
        )
        for unit in units
    }


def _clips(model: type[Turn] | type[ResponseTurn], owner: str, owners: set[int]) -> Iterator[tuple[int, int]]:
    rows = model.objects.filter(**{f"{owner}__in": owners}).exclude(clip=None)
    yield from rows.values_list(owner, "clip_id")


def _responses_by_unit(units: list[Unit]) -> dict[int, list[int]]:
    """In the order of the slots."""
    found = {unit.pk: [pk for pk in (unit.a_id, unit.b_id) if pk is not None] for unit in units}
    for unit, response in UnitMember.objects.filter(unit__in=units).values_list("unit_id", "response_id"):
        found[unit].append(response)
    return found


def _labelled(campaign: Campaign, label_set: LabelSet | None, settings: Mapping[str, Any]) -> Iterable[Labelled]:
    """Raises JudgeError for an unknown source."""
    name = str(settings.get("shots_from", "labels"))
    if name not in SOURCES:
        raise JudgeError(reasons.NO_SUCH_EXAMPLES(name=repr(name)), permanent=True)
    return SOURCES[name](campaign, label_set)


def _candidates(campaign: Campaign, labelled: Iterable[Labelled], *, seed: int) -> list[Candidate]:
    """Those with a label for what matters most, each in an order drawn by the seed."""
    labels = {one.unit: one.labels for one in labelled}
    of_kind = Unit.objects.filter(dataset=campaign.dataset, kind=campaign.protocol.unit).select_related("item")
    units = list(of_kind.filter(pk__in=labels))
    facts = facts_by_item(campaign, (unit.item for unit in units))
    clips, sides = clips_by_unit(units), _responses_by_unit(units)
    found = []
    for unit in units:
        if (protocol := _asked(campaign, facts[unit.item_id])) is None:
            continue
        order = _order(unit, len(sides[unit.pk]), seed)
        answers, label = _answers(protocol, labels[unit.pk], order)
        if label:
            found.append(Candidate(unit.pk, unit.item_id, clips[unit.pk], order, answers, label))
    return found


def _asked(campaign: Campaign, facts: Mapping[str, Any]) -> Protocol | None:
    """The protocol as it is judged for an item with these facts; nothing where it asks nothing of it."""
    try:
        return as_judged(for_item(campaign.protocol, facts))
    except ValueError:
        return None


def _order(unit: Unit, n_responses: int, seed: int) -> str:
    slots = [chr(ord("a") + place) for place in range(n_responses)]
    random.Random(f"{seed} {unit.key}").shuffle(slots)  # noqa: S311 - not a secret
    return "".join(slots)


def _answers(protocol: Protocol, labels: Mapping[str, str], order: str) -> tuple[dict[str, str], str]:
    """The labels that the protocol has as choices, as they would be answered in this order, without texts.

    And the answer to the last question that arises: examples are balanced by it.
    """
    given: dict[str, str] = {}
    last = ""
    for question in questions(protocol, len(order)):
        slot = order[question.response - 1] if question.response else ""
        label = labels.get(f"{question.aspect}.{slot}" if slot else question.aspect)
        if question.kind.is_written or not question.is_put(given):
            continue
        last = _shown(label or "", order, question.kind)
        given |= {question.name: last} if last else {}
    return given, last


def _shown(label: str, order: str, kind: QuestionKind) -> str:
    """The label in this order, or nothing where it is none of the choices."""
    if kind.is_signed and not kind.takes(label):
        return ""
    shown = kind.shown(label, order)
    return shown if kind.takes(shown) else ""


def _of_label_set(_campaign: Campaign, label_set: LabelSet | None) -> Iterator[Labelled]:
    """What an imported label set says, without what was left out of its analysis."""
    if label_set is None:
        return
    rows = Label.objects.filter(annotation__label_set=label_set, annotation__excluded="")
    found: dict[int, dict[str, str]] = {}
    for unit, aspect, slot, value in rows.values_list("annotation__unit", "aspect", "slot", "value"):
        found.setdefault(unit, {})[f"{aspect}.{slot}" if slot else aspect] = value
    yield from (Labelled(unit, labels) for unit, labels in found.items())


def _of_gold(campaign: Campaign, _label_set: LabelSet | None) -> Iterator[Labelled]:
    """The campaign's own gold, training and qualifying units, where one value alone is right."""
    for row in campaign.campaign_units.filter(purpose__in=TAUGHT_WITH):
        yield Labelled(row.unit_id, {name: values[0] for name, values in row.expected.items() if len(values) == 1})


offer_source("labels", _of_label_set)
offer_source("gold", _of_gold)
