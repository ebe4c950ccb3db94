"""Examples for judges: labelled units that share neither the item nor any clip with the case at hand."""

import hashlib
from collections.abc import Iterable, Iterator

from campaigns.models import Campaign, Label, LabelSet, Unit
from campaigns.protocols import InvalidAnswers, Protocol, read_answers
from campaigns.protocols.frames import shown_value
from campaigns.protocols.judging import as_judged
from campaigns.protocols.questions import question_name
from judges.cases import case_of
from judges.kinds.contract import Case, Shot

ORDER = {"pair": "ab", "single": "a"}


def shots_for(case: Case, n: int, *, campaign: Campaign, label_set: LabelSet | None) -> tuple[Shot, ...]:
    """Up to `n` examples out of the label set, in the same order for every case, and never one that tells on it."""
    if label_set is None or n < 1 or case.protocol.unit not in ORDER:
        return ()
    sounds = _sounds(case)
    found: list[Shot] = []
    for shot in _labelled(campaign, label_set):
        if shot.case.item != case.item and not sounds & _sounds(shot.case):
            found.append(shot)
        if len(found) == n:
            break
    return tuple(found)


def _labelled(campaign: Campaign, label_set: LabelSet) -> Iterator[Shot]:
    """Units with a whole set of answers, shuffled by a hash of their keys."""
    units = Unit.objects.filter(
        kind=campaign.protocol.unit, pk__in=Label.objects.filter(label_set=label_set).values("unit")
    ).select_related("item")
    for unit in sorted(units, key=lambda unit: hashlib.sha256(unit.key.encode()).hexdigest()):
        case = case_of(campaign, unit, order=ORDER[unit.kind])
        rows = Label.objects.filter(label_set=label_set, unit=unit)
        if answers := _answers(case.protocol, rows, ORDER[unit.kind]):
            yield Shot(case, answers)


def _answers(protocol: Protocol, rows: Iterable[Label], order: str) -> dict[str, str]:
    """The labels as answers by question; nothing where they do not answer the protocol."""
    judged = as_judged(protocol)
    aspects = {aspect.name: aspect for aspect in judged.aspects}
    said: dict[str, str] = {}
    for row in rows:
        if aspect := aspects.get(row.aspect):
            place = order.index(row.slot) + 1 if row.slot and row.slot in order else None
            said[question_name(row.aspect, place)] = shown_value(row.value, order, aspect.scale.frame)
    try:
        read_answers(judged, said, n_responses=len(order))
    except InvalidAnswers:
        return {}
    return said


def _sounds(case: Case) -> set[str]:
    turns = [*case.prompt, *(turn for response in case.responses for turn in response)]
    return {turn.sound.sha256 for turn in turns if turn.sound}
