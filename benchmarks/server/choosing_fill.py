"""The two campaigns of `choosing.py`: over the same units, one with few annotations and one with many."""

import random
import uuid
from dataclasses import replace
from datetime import timedelta
from itertools import combinations

from django.db import transaction
from django.utils import timezone

from accounts.models import User
from annotation.models import Annotation, Answer, Assignment
from campaigns.launch.lifecycle import create_campaign
from campaigns.models import Campaign, CampaignUnit, Membership, Role
from corpus.models import Clip, Dataset, Item, Response, ResponseTurn, System, Turn, Unit
from protocols import SHIPPED, Listening

SYSTEMS, PER_UNIT, PEOPLE = 10, 3, 200
#: These, of the people, have as few answers of their own in a large campaign as in a small one.
NEWCOMERS, OWN = 30, 5
#: One question; nothing has to be heard before it is answered.
PROTOCOL = "untyped_tie"
AT_ONCE = 2_000


@transaction.atomic
def fill(sizes: list[int]) -> tuple[list[Campaign], list[User]]:
    """An open campaign for each number of annotations, and the annotators of them all, newcomers first."""
    owner = User.objects.create(username=f"owner-{uuid.uuid4().hex[:8]}")
    dataset = Dataset.objects.create(name="Choosing", slug=owner.username, created_by=owner)
    # Enough for the largest, with a third of the seats left.
    n_units = max(sizes) * 3 // 2 // PER_UNIT
    responses = _write_items(dataset, -(-n_units // (SYSTEMS * (SYSTEMS - 1) // 2)))
    units = _write_pairs(dataset, responses)[:n_units]
    people = User.objects.bulk_create(User(username=f"annotator-{uuid.uuid4().hex}") for _ in range(PEOPLE))
    return [_campaign(dataset, units, people, n) for n in sizes], people


def _write_items(dataset: Dataset, n: int) -> list[Response]:
    """The responses of all systems to so many items, item by item."""
    systems = [System.objects.create(dataset=dataset, name=f"System {k}") for k in range(SYSTEMS)]
    items = Item.objects.bulk_create((Item(dataset=dataset, key=f"item {k}") for k in range(n)), AT_ONCE)
    asked = zip(items, _clips(n), strict=True)
    Turn.objects.bulk_create((Turn(item=item, position=1, text="Prompt", clip=clip) for item, clip in asked), AT_ONCE)
    said = Response.objects.bulk_create(
        (Response(item=it, system=system, key=f"{it.key} {system}") for it in items for system in systems), AT_ONCE
    )
    spoken = zip(said, _clips(len(said)), strict=True)
    ResponseTurn.objects.bulk_create(
        (ResponseTurn(response=response, position=1, clip=clip) for response, clip in spoken), AT_ONCE
    )
    return said


def _write_pairs(dataset: Dataset, responses: list[Response]) -> list[Unit]:
    by_item = [responses[k : k + SYSTEMS] for k in range(0, len(responses), SYSTEMS)]
    pairs = (pair for said in by_item for pair in combinations(said, 2))
    return Unit.objects.bulk_create(
        (
            Unit(dataset=dataset, item=a.item, kind="pair", key=f"pair {k}", a=a, b=b)
            for k, (a, b) in enumerate(pairs)
        ),
        AT_ONCE,
    )


def _clips(n: int) -> list[Clip]:
    """Rows without files: nobody hears them."""
    return Clip.objects.bulk_create(
        (
            Clip(
                sha256=uuid.uuid4().hex * 2, bytes=32_044, container="WAV", encoding="PCM_16", seconds=1.0,
                rate=16_000, channels=1, clipped_samples=0, leading_silence_s=0, trailing_silence_s=0,
            )
            for _ in range(n)
        ),
        AT_ONCE,
    )  # fmt: skip


def _campaign(dataset: Dataset, units: list[Unit], people: list[User], n: int) -> Campaign:
    protocol = replace(SHIPPED[PROTOCOL], listening=Listening("none"))
    campaign = create_campaign(
        dataset, title=f"{n} annotations", protocol=protocol, units=[], user=dataset.created_by
    )
    terms = {"status": "open", "delivery_rate": 16_000, "answers_per_unit": PER_UNIT, "opened_at": timezone.now()}
    Campaign.objects.filter(pk=campaign.pk).update(**terms)
    campaign.refresh_from_db()
    rounds, rest = divmod(n, len(units))
    CampaignUnit.objects.bulk_create(
        (
            CampaignUnit(campaign=campaign, unit=unit, position=k, seats_taken=rounds + (k < rest))
            for k, unit in enumerate(units)
        ),
        AT_ONCE,
    )
    Membership.objects.bulk_create(
        Membership(campaign=campaign, user=who, role=Role.ANNOTATOR, pseudonym=f"A{k}")
        for k, who in enumerate(people)
    )
    _write_answers(campaign, people, n)
    return campaign


def _write_answers(campaign: Campaign, people: list[User], n: int) -> None:
    """One to each unit, then the second to each, each time by another person; the first ones by the newcomers."""
    rng, then = random.Random(1), timezone.now() - timedelta(days=1)
    units = list(campaign.campaign_units.order_by("position"))
    rows = [
        Assignment(
            campaign=campaign, campaign_unit=units[k % len(units)],
            annotator=_answering(people, k, k // len(units)), seat=k // len(units) + 1,
            order=rng.choice(("ab", "ba")), status="answered", reserved_at=then, shown_at=then, expires_at=then,
        )
        for k in range(n)
    ]  # fmt: skip
    Assignment.objects.bulk_create(rows, AT_ONCE)
    said = Annotation.objects.bulk_create(
        (Annotation(assignment=row, shown_at=then, idempotency_key="before") for row in rows), AT_ONCE
    )
    Answer.objects.bulk_create((Answer(annotation=one, aspect="overall", value="a") for one in said), AT_ONCE)


def _answering(people: list[User], nth: int, rounds: int) -> User:
    """Who gives the nth answer, after each unit had so many."""
    if nth < NEWCOMERS * OWN:
        return people[nth // OWN]
    others = people[NEWCOMERS:]
    return others[(nth + rounds) % len(others)]
