"""A plan against what its dataset already holds. Asked in the dry run, and again under lock before writing."""

from collections.abc import Collection, Iterable
from typing import Any

from django.db.models import Q, QuerySet

from corpus.dependents import fixed_items
from corpus.imports import reasons
from corpus.imports.checks.result import Checked
from corpus.imports.plan import Plan, ResponseKey
from corpus.models import Dataset, Item, Label, Response, ResponseTurn, Turn

_WHOSE = ("annotation__unit__key", "annotation__label_set__rater")


#: More keys than so many are not named in a query: it asks for all rows then.
MOST_NAMED = 1_000


def named(field_name: str, keys: Collection[str] | Collection[int]) -> Q:
    """Rows whose field is one of the keys, where these are few; a small plan reads few rows."""
    return Q(**{f"{field_name}__in": list(keys)}) if len(keys) <= MOST_NAMED else Q()


def compare(checked: Checked, dataset: Dataset, label_set_name: str) -> None:
    """Add to the plan's problems whatever contradicts the dataset, or would change an opened campaign."""
    if not checked.plan.units and not dataset.items.filter(named("key", checked.plan.items)).exists():
        checked.there = dict.fromkeys(("items", "responses", "units", "labels"), 0)
        return  # all of it is new
    _compare_categories(checked.plan, dataset)
    _compare_turns(checked, dataset)
    _warn_of_empty_responses(checked.plan, dataset)
    _compare_units(checked.plan, dataset)
    _compare_labels(checked.plan, dataset, label_set_name)
    _spare_fixed_items(checked, dataset)
    checked.there = _count_there(checked.plan, dataset, label_set_name)


def _count_there(plan: Plan, dataset: Dataset, label_set_name: str) -> dict[str, int]:
    """How many of the plan's items, responses, units and labels the dataset has already."""
    labels = _labels(dataset, label_set_name).filter(named("annotation__unit__key", plan.units))
    responses = Response.objects.filter(named("item__key", plan.items), item__dataset=dataset)
    items = dataset.items.filter(named("key", plan.items))
    units = dataset.units.filter(named("key", plan.units))
    there: dict[str, tuple[Collection[Any], Iterable[Any]]] = {
        "items": (plan.items, items.values_list("key", flat=True)),
        "responses": (plan.responses, responses.values_list("item__key", "system__name", "key")),
        "units": (plan.units, units.values_list("key", flat=True)),
        "labels": (plan.labels, labels.values_list(*_WHOSE, "aspect")),
    }
    return {name: sum(key in planned for key in keys) for name, (planned, keys) in there.items()}


def _compare_categories(plan: Plan, dataset: Dataset) -> None:
    for there in dataset.items.filter(named("key", plan.items)):
        planned = plan.items.get(there.key)
        if planned and planned.category not in ("", there.category):
            plan.refuse(None, "category", reasons.THERE_WITH_CATEGORY(item=there, category=repr(there.category)))


def _compare_turns(checked: Checked, dataset: Dataset) -> None:
    """Add what contradicts turns that are there, and count those that are completed."""
    asked = {key for key, item in checked.plan.items.items() if item.turns}
    completed = {"words": 0, "recordings": 0}
    prompts = Turn.objects.filter(named("item__key", asked), item__dataset=dataset).select_related("item", "clip")
    for there in prompts if asked else ():
        planned = checked.plan.items.get(there.item.key)
        turn = planned.turns.get(there.position) if planned else None
        if turn and "" not in (turn.text, there.text) and turn.text != there.text:
            checked.plan.refuse(None, "prompt_text", reasons.THERE_WITH_TEXT(item=there.item))
        if turn and there.clip and _differs(checked, turn.audio, there.clip.sha256):
            checked.plan.refuse(None, "prompt audio", reasons.THERE_WITH_RECORDING(item=there.item))
        completed["words"] += bool(turn and turn.text and not there.text)
        completed["recordings"] += bool(turn and not there.clip and checked.clips.keys() & turn.audio.keys())
    answered = {item for item, _system, _take in checked.plan.responses}
    answers = ResponseTurn.objects.filter(named("response__item__key", answered), response__item__dataset=dataset)
    for said in answers.select_related("response__item", "response__system", "clip") if answered else ():
        response = said.response
        key = (response.item.key, response.system.name, response.key)
        turn = checked.plan.responses.get(key, {}).get(said.position)
        if turn and turn.text not in ("", said.text):
            checked.plan.refuse(None, "response_text", reasons.RESPONSE_THERE_WITH_TEXT(response=response))
        if turn and said.clip and _differs(checked, turn.audio, said.clip.sha256):
            message = reasons.RESPONSE_THERE_WITH_AUDIO(response=response)
            checked.plan.refuse(min(turn.audio.values()), "audio", message)
        completed["recordings"] += bool(turn and not said.clip and checked.clips.keys() & turn.audio.keys())
    checked.completed = completed


def _warn_of_empty_responses(plan: Plan, dataset: Dataset) -> None:
    """Of systems that have a response to the item already: a table of prompts may be meant, and names them."""
    empty = [it for it, said in plan.responses.items() if not any(turn.text or turn.audio for turn in said.values())]
    if not empty:
        return
    there = Response.objects.filter(named("item__key", {it[0] for it in empty}), item__dataset=dataset)
    held = set(there.values_list("item__key", "system__name", "key"))
    answered = {it[:2] for it in held}
    if beside := [it for it in empty if it not in held and it[:2] in answered]:
        plan.warn(None, "response_audio", reasons.EMPTY_RESPONSES(n=len(beside), item=beside[0][0]))


def _differs(checked: Checked, paths: dict[str, int], sha256: str) -> bool:
    return any(path in checked.clips and checked.clips[path].sha256 != sha256 for path in paths)


def _compare_units(plan: Plan, dataset: Dataset) -> None:
    for there in dataset.units.filter(named("key", plan.units)).select_related("item", "a__system", "b__system"):
        planned = plan.units.get(there.key)
        if planned is None:
            continue
        sides = [(side.system.name, side.key) if side else None for side in (there.a, there.b)]
        if [there.item.key, *sides] != [planned.item, planned.a[1:], planned.b[1:]]:
            message = reasons.PAIR_THERE(pair=there.key)
            plan.refuse(None, "index", message)


def _compare_labels(plan: Plan, dataset: Dataset, label_set_name: str) -> None:
    labels = _labels(dataset, label_set_name)
    if plan.labels and labels.filter(annotation__label_set__is_table=True).exists():
        plan.refuse(None, "label", reasons.ANSWERS_OF_TABLE(name=repr(label_set_name)))
        return
    labels = labels.filter(named("annotation__unit__key", plan.units))
    for key, rater, aspect, value in labels.values_list(*_WHOSE, "aspect", "value"):
        planned = plan.labels.get((key, rater, aspect))
        if planned and planned.value != value:
            message = reasons.PAIR_LABELLED(pair=key, label=repr(value))
            plan.refuse(None, f"label {aspect}", message)


def _labels(dataset: Dataset, name: str) -> QuerySet[Label]:
    return Label.objects.filter(annotation__label_set__dataset=dataset, annotation__label_set__name=name)


def _spare_fixed_items(checked: Checked, dataset: Dataset) -> None:
    items = fixed_items(dataset).filter(named("key", checked.plan.items))
    changed = _changed_prompts(checked, items) | _longer_responses(checked, items)
    for key in sorted(changed):
        message = reasons.ITEM_STANDS(item=key)
        checked.plan.refuse(None, "item", message)


def _changed_prompts(checked: Checked, items: QuerySet[Item]) -> set[str]:
    """Keys of items that would get another turn, or the recording of one they have in words alone."""
    prompts = Turn.objects.filter(item__in=items).values_list("item__key", "position", "clip")
    held = {(key, position): clip for key, position, clip in prompts}
    planned = [(key, position) for key, position in held if key in checked.plan.items]
    return {
        key
        for key in {key for key, _ in planned}
        for position, turn in checked.plan.items[key].turns.items()
        if (key, position) not in held or (held[key, position] is None and checked.clips.keys() & turn.audio.keys())
    }


def _longer_responses(checked: Checked, items: QuerySet[Item]) -> set[str]:
    """Keys of items with a response that would get another turn."""
    said: dict[ResponseKey, set[int]] = {}
    names = ("response__item__key", "response__system__name", "response__key", "position")
    for item, system, take, position in ResponseTurn.objects.filter(response__item__in=items).values_list(*names):
        said.setdefault((item, system, take), set()).add(position)
    return {key[0] for key, turns in checked.plan.responses.items() if key in said and set(turns) - said[key]}
