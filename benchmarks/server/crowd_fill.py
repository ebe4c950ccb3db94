"""The campaign of benchmarks.server.crowd, written by the shell of the server that it is for."""

import random
import uuid
from dataclasses import replace
from datetime import timedelta

from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.contrib.sessions.backends.db import SessionStore
from django.db import transaction
from django.utils import timezone

from accounts.models import User
from analytics.data.votes.counts import repair
from annotation.models import Annotation, Answer, Assignment
from campaigns.launch.lifecycle import create_campaign
from campaigns.models import Campaign, Membership, Role
from corpus.datasets.units import pairs_of_systems
from corpus.models import Clip, Dataset, DeliveredClip, Item, Response, ResponseTurn, System, Turn
from infrastructure.files.media import place_for
from protocols import SHIPPED, Listening

SYSTEMS, PEOPLE_BEFORE = 5, 50
#: Of a clip, as it is delivered: four seconds of 16-bit sound at 16 kHz.
SECONDS, RATE = 4.0, 16_000
#: A second of each clip has to be heard; the crowd hears each for a third of the time that it takes.
PROTOCOL = replace(SHIPPED["hcot"], listening=Listening("seconds", 1.0))
VALUES = ("a", "b", "both_good", "both_bad")


@transaction.atomic
def fill(*, annotators: int, viewers: int, items: int, answers_per_unit: int, before: int) -> dict[str, object]:
    """An open campaign, and the sessions of those who label in it and of those who may look at it."""
    owner = User.objects.create_user(username=f"owner-{uuid.uuid4().hex[:8]}")
    dataset = Dataset.objects.create(name="Crowd", slug=owner.username, created_by=owner)
    systems = [System.objects.create(dataset=dataset, name=f"System {n}") for n in range(SYSTEMS)]
    campaign = create_campaign(dataset, title="Crowd", protocol=PROTOCOL, units=[], user=owner)
    Campaign.objects.filter(pk=campaign.pk).update(
        status="open", delivery_rate=RATE, answers_per_unit=answers_per_unit, opened_at=timezone.now()
    )
    campaign.refresh_from_db()
    for n in range(items):
        _write_item(campaign, systems, n)
    units = pairs_of_systems(dataset)
    campaign.campaign_units.bulk_create(
        [campaign.campaign_units.model(campaign=campaign, unit=it, position=n) for n, it in enumerate(units)]
    )
    _write_answers(campaign, before)
    return {
        "slug": campaign.slug,
        "campaign": campaign.pk,
        "annotators": [_session_of(campaign, Role.ANNOTATOR) for _ in range(annotators)],
        "viewers": [_session_of(campaign, Role.VIEWER) for _ in range(viewers)],
    }


def _write_item(campaign: Campaign, systems: list[System], n: int) -> None:
    item = Item.objects.create(dataset=campaign.dataset, key=f"item {n}")
    Turn.objects.create(item=item, position=1, text=f"Prompt {n}", clip=_made_clip(campaign))
    for system in systems:
        response = Response.objects.create(item=item, system=system, key=f"{n} {system.name}")
        ResponseTurn.objects.create(response=response, position=1, clip=_made_clip(campaign))


def _made_clip(campaign: Campaign) -> Clip:
    """Silence."""
    size = 44 + int(SECONDS * RATE) * 2
    clip = Clip.objects.create(
        sha256=uuid.uuid4().hex * 2, bytes=size, container="WAV", encoding="PCM_16", seconds=SECONDS, rate=RATE,
        channels=1, clipped_samples=0, leading_silence_s=0, trailing_silence_s=0,
    )  # fmt: skip
    row = DeliveredClip.objects.create(clip=clip, form=campaign.delivery_form, gain_db=0, bytes=size)
    with place_for(row.path) as path:
        path.write_bytes(bytes(size))
    return clip


def _write_answers(campaign: Campaign, before: int) -> None:
    """Written directly into the tables: one answer to each unit, then a second one, each time by another person."""
    rng, then, now = random.Random(1), timezone.now() - timedelta(days=1), timezone.now()
    units = list(campaign.campaign_units.all())
    people = [_member(campaign, Role.ANNOTATOR) for _ in range(PEOPLE_BEFORE if before else 0)]
    rows = []
    for n in range(before):
        turn, unit = n // len(units), units[n % len(units)]
        row = Assignment(
            campaign=campaign, campaign_unit=unit, annotator=people[(n + turn) % len(people)], seat=turn + 1,
            order=rng.choice(("ab", "ba")), status="answered", reserved_at=then, shown_at=then, expires_at=now,
        )  # fmt: skip
        rows.append(row)
    Assignment.objects.bulk_create(rows, 1000)
    said = Annotation.objects.bulk_create((Annotation(assignment=it, shown_at=then) for it in rows), 1000)
    Answer.objects.bulk_create(
        (
            Answer(annotation=it, aspect=aspect.name, value=rng.choice(VALUES))
            for it in said
            for aspect in PROTOCOL.aspects
        ),
        1000,
    )
    repair(campaign)


def _member(campaign: Campaign, role: str) -> User:
    user = User.objects.create(username=f"{role}-{uuid.uuid4().hex[:12]}")
    pseudonym = user.username[-12:] if role == Role.ANNOTATOR else ""
    Membership.objects.create(campaign=campaign, user=user, role=role, pseudonym=pseudonym)
    return user


def _session_of(campaign: Campaign, role: str) -> str:
    user, store = _member(campaign, role), SessionStore()
    store[SESSION_KEY], store[BACKEND_SESSION_KEY] = str(user.pk), "django.contrib.auth.backends.ModelBackend"
    store[HASH_SESSION_KEY] = user.get_session_auth_hash()
    store.create()
    return str(store.session_key)
