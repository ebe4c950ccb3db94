"""What is heard of a unit whose responses come in one order: by place (0 is the prompt's) and turn.

It is asked for each unit on each annotator's page, so the queries are compiled and read no more than they need.
"""

from collections.abc import Collection
from dataclasses import dataclass
from functools import cache

from django.db.models import Q, Subquery
from django.db.models.functions import Coalesce

from campaigns.models import CampaignUnit, TrapClip
from corpus.datasets.units import slots_of
from corpus.models import Clip, DeliveredClip, ResponseTurn, Turn
from infrastructure.compiled_queries import Given, Prepared
from infrastructure.files.media import MediaFile

#: The prompt's place; responses are at 1, 2, …
PROMPT = 0
_TURN = ("response", "position", "clip__seconds")
#: What was asked in each turn: its number, its text, and its length in seconds, or None without a clip.
asked_turns: Prepared[tuple[int, str, float | None]] = Prepared(
    lambda: Turn.objects.filter(item=Given("item")).order_by().values_list("position", "text", "clip__seconds"),
)


@dataclass(frozen=True)
class HeardClip:
    """A clip, its file in the form in which the campaign delivers it, and the size of that in bytes."""

    clip_id: int
    path: MediaFile
    bytes: int


def heard_clip(unit: CampaignUnit, order: str, place: int, turn: int, *, form: str) -> HeardClip | None:
    """The clip heard at `place` in `turn`; None where nothing is."""
    rows = DeliveredClip.objects.filter(_is_heard(unit, order, place, turn), form=form)
    row = rows.select_related("clip").first()  # a clip has one row in each form
    return HeardClip(row.clip_id, row.path, row.bytes) if row else None


def heard_clip_id(unit: CampaignUnit, order: str, place: int, turn: int) -> int | None:
    """The same clip (its id), whether or not it is there in the campaign's form."""
    return Clip.objects.filter(_is_heard(unit, order, place, turn, clip="pk")).values_list("pk", flat=True).first()


def heard_responses(unit: CampaignUnit, order: str) -> list[int]:
    """The responses (their ids) from place 1 on. An identical pair is one response twice."""
    slots = slots_of(unit.unit)
    if unit.purpose == CampaignUnit.Purpose.IDENTICAL:
        return [slots["a"]] * len(order)
    return [slots[slot] for slot in order]


def spoken_turns(responses: Collection[int]) -> list[tuple[int, int, float | None]]:
    """Each turn of these responses: the response's id, the turn, and its seconds, or None without a clip."""
    ids = {f"response{n}": response for n, response in enumerate(dict.fromkeys(responses))}
    return _spoken(len(ids)).rows(**ids)


@cache
def _spoken(n: int) -> Prepared[tuple[int, int, float | None]]:
    of_any = Q()
    for number in range(n):
        of_any |= Q(response=Given(f"response{number}"))
    return Prepared(lambda: ResponseTurn.objects.filter(of_any).order_by().values_list(*_TURN))


def trap_clips(unit: CampaignUnit, order: str) -> dict[tuple[int, int], TrapClip]:
    """What is heard in place of a response's own clip, by place and turn, where the unit is a spoken trap."""
    if unit.purpose != CampaignUnit.Purpose.TRAP:
        return {}
    return {(order.index(row.slot) + 1, row.turn): row for row in unit.trap_clips.select_related("clip")}


def _is_heard(unit: CampaignUnit, order: str, place: int, turn: int, *, clip: str = "clip") -> Q:
    """Of the one clip that is heard there, or of none; `clip` is the path to its id.

    A spoken trap costs no query more than any other unit.
    """
    if place == PROMPT:
        asked = Turn.objects.filter(item=unit.unit.item_id, position=turn)
        return Q(**{f"{clip}__in": asked.values("clip")})
    response = dict(enumerate(heard_responses(unit, order), start=1)).get(place)
    said = ResponseTurn.objects.filter(response=response, position=turn)
    spoken = TrapClip.objects.filter(campaign_unit=unit, slot=order[place - 1 : place], turn=turn)
    heard = Coalesce(Subquery(spoken.values("clip")[:1]), Subquery(said.values("clip")[:1]))
    return Q(**{clip: heard})
