"""The clips of a dataset that are silent, clipped or far too loud, by system."""

from collections import defaultdict
from dataclasses import dataclass

from django.db.models import F, Q

from campaigns.audio.faults import LOUDEST_LUFS, LOUDEST_PEAK_DBTP, MOST_CLIPPED, Fault, faults_of
from campaigns.models import Clip, Dataset, Item, ResponseTurn, Turn

MOST_NAMED = 20
_WHOLE = F("clip__seconds") * F("clip__rate") * F("clip__channels")
#: What `faults_of` finds, asked of the database.
FAULTY = (
    Q(clip__leading_silence_s__gte=F("clip__seconds"))
    | Q(clip__clipped_samples__gte=MOST_CLIPPED * _WHOLE)
    | Q(clip__true_peak_dbtp__gt=LOUDEST_PEAK_DBTP)
    | Q(clip__integrated_lufs__gt=LOUDEST_LUFS)
)


@dataclass
class FaultyClips:
    """Clips with one fault, of one system, or of the prompts where `system` is empty; some of their items."""

    fault: Fault
    system: str
    n: int
    items: list[Item]


def faulty_clips(dataset: Dataset) -> list[FaultyClips]:
    """By system and fault; the prompts come first."""
    answers = ResponseTurn.objects.filter(FAULTY, response__item__dataset=dataset)
    prompts = Turn.objects.filter(FAULTY, item__dataset=dataset)
    found: dict[tuple[str, Fault], list[Item]] = defaultdict(list)
    for turn in prompts.select_related("clip", "item").order_by("pk"):
        _add(found, "", turn.clip, turn.item)
    for said in answers.select_related("clip", "response__item", "response__system").order_by("pk"):
        _add(found, said.response.system.name, said.clip, said.response.item)
    return [
        FaultyClips(fault, system, len(items), list(dict.fromkeys(items))[:MOST_NAMED])
        for (system, fault), items in sorted(found.items(), key=lambda it: it[0])
    ]


def _add(found: dict[tuple[str, Fault], list[Item]], system: str, clip: Clip | None, item: Item) -> None:
    for fault in faults_of(clip) if clip else ():
        found[system, fault].append(item)
