"""Arenas between several systems, and voters in them, for the tests of voting."""

from collections.abc import Sequence
from typing import Any, cast

from accounts.models import User
from annotation.answers.submit import record_answers
from annotation.models import Annotation, Assignment
from arena.models import ArenaSettings
from arena.pairing.drawing import next_pair
from arena.settings.setup import arena_of
from arena.standings.tables import board_table
from campaigns.models import Campaign
from corpus.models import DeliveredClip, Item, Response, ResponseTurn, System, Turn
from infrastructure.wording.reasons import read_reasons
from tests.factories import ClipFactory, make_campaign, make_member

SYSTEMS = ("Aardwolf", "Binturong", "Cacomistle")


def add_system(campaign: Campaign, name: str, *, delivered: bool = True) -> System:
    """A system that has answered every item of the campaign's dataset."""
    system = System.objects.create(dataset=campaign.dataset, name=name)
    for item in campaign.dataset.items.order_by("pk"):
        response = Response.objects.create(item=item, system=system, key=f"{item.key}/{name}")
        for turn in item.turns.all():
            clip = ClipFactory()
            ResponseTurn.objects.create(response=response, position=turn.position, clip=clip)
            if delivered:
                deliver(campaign, clip)
    return system


def deliver(campaign: Campaign, clip: Any) -> None:
    DeliveredClip.objects.create(clip=clip, form=campaign.delivery_form, gain_db=0.0, bytes=1)


def make_open_arena(
    *,
    systems: Sequence[str] = SYSTEMS,
    items: int = 3,
    turns: int = 1,
    protocol: str = "blind_overall",
    status: str = "open",
    facts: Sequence[dict[str, Any]] = ({},),
    **terms: Any,
) -> ArenaSettings:
    """An open arena without units: every pair is still to be drawn."""
    campaign = make_campaign(
        units=0, protocol=protocol, status=status, label_page="arena",
        answers_are_final=terms.get("reveals_names", False),
    )  # fmt: skip
    for n in range(items):
        item = Item.objects.create(dataset=campaign.dataset, key=f"item {n}", facts=facts[n % len(facts)])
        for position in range(1, turns + 1):
            clip = ClipFactory()
            deliver(campaign, clip)
            Turn.objects.create(item=item, position=position, text="Prompt", clip=clip)
    for name in systems:
        add_system(campaign, name)
    ArenaSettings.objects.create(campaign=campaign, **({"votes_per_hour": 10_000} | terms))
    arena = arena_of(campaign)
    assert arena
    return arena


def vote_on(assignment: Assignment, said: str = "1", *, origin: str = "", **more: str) -> Annotation:
    clicked = {"overall": said} | more
    return record_answers(
        assignment.pk,
        annotator=assignment.annotator,
        clicked=clicked,
        idempotency_key=str(assignment.pk),
        origin=origin,
    )


def draw_and_vote(
    arena: ArenaSettings, voter: User | None = None, said: str = "1", *, origin: str = "", **more: str
) -> Assignment:
    """The next pair of this voter, or of a new one, voted on."""
    assignment = next_pair(arena, voter or make_member(arena.campaign))
    assert assignment
    vote_on(assignment, said, origin=origin, **more)
    assignment.refresh_from_db()
    return assignment


def read_table(*arguments: Any) -> dict[str, Any]:
    """A board's table with its reasons as they are shown."""
    return cast("dict[str, Any]", read_reasons(board_table(*arguments)))
