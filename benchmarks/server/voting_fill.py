"""The arena of benchmarks.server.voting, written by the shell of the benchmark's own server."""

import random
import uuid
from dataclasses import replace
from datetime import timedelta

from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.contrib.sessions.backends.db import SessionStore
from django.utils import timezone

from accounts.models import User
from analytics.data.votes.counts import repair
from annotation.models import Annotation, Answer, Assignment
from arena.models import ArenaSettings, Draw
from campaigns.launch.lifecycle import create_campaign
from campaigns.models import Campaign, CampaignUnit, Membership
from corpus.datasets.units import pairs_of_systems
from corpus.models import Clip, Dataset, DeliveredClip, Item, Response, ResponseTurn, System, Turn
from infrastructure.files.media import place_for
from protocols import SHIPPED, Listening

SYSTEMS, ITEMS, BEFORE = 10, 30, 200
VALUES = ("a", "a", "a", "b", "b", "both_good", "both_bad")
#: The rule is such that a program can keep it at once: the clock believes two seconds more than have passed.
PROTOCOL = replace(SHIPPED["arena_typed_ties"], listening=Listening("seconds", 0.9))
FACTS = {"dimension": "semantic", "capability": "Follows instructions"}


def fill(*, voters: int, votes: int) -> dict[str, object]:
    """An open arena with so many votes in it; return its address and the sessions of those who are to vote."""
    owner = User.objects.create_user(username="owner")
    dataset = Dataset.objects.create(name="Voting", slug="voting", created_by=owner)
    campaign = create_campaign(dataset, title="Voting", protocol=PROTOCOL, units=[], user=owner)
    Campaign.objects.filter(pk=campaign.pk).update(delivery_rate=16_000, status="open", label_page="arena")
    campaign.refresh_from_db()
    ArenaSettings.objects.create(
        campaign=campaign, is_public=True, votes_per_hour=100_000, votes_per_address=1_000_000
    )
    write_clips(campaign)
    write_votes(campaign, votes)
    return {"slug": campaign.slug, "sessions": [session_of(campaign, f"voter{n}") for n in range(voters)]}


def write_clips(campaign: Campaign) -> None:
    systems = [System.objects.create(dataset=campaign.dataset, name=f"System {n:02}") for n in range(SYSTEMS)]
    for n in range(ITEMS):
        item = Item.objects.create(dataset=campaign.dataset, key=f"item {n}", facts=FACTS)
        Turn.objects.create(item=item, position=1, text="Prompt", clip=made_clip(campaign))
        for system in systems:
            response = Response.objects.create(item=item, system=system, key=f"{n} {system.name}")
            ResponseTurn.objects.create(response=response, position=1, clip=made_clip(campaign))


def made_clip(campaign: Campaign) -> Clip:
    """Three seconds of silence."""
    clip = Clip.objects.create(
        sha256=uuid.uuid4().hex * 2, bytes=1, container="WAV", encoding="PCM_16", seconds=3.0, rate=16_000,
        channels=1, clipped_samples=0, leading_silence_s=0, trailing_silence_s=0,
    )  # fmt: skip
    row = DeliveredClip.objects.create(clip=clip, form=campaign.delivery_form, gain_db=0, bytes=96_044)
    with place_for(row.path) as path:
        path.write_bytes(bytes(96_044))
    return clip


def write_votes(campaign: Campaign, votes: int) -> None:
    rng, now = random.Random(1), timezone.now()
    voted = now - timedelta(days=1)
    shown = voted - timedelta(seconds=15)
    pairs = pairs_of_systems(campaign.dataset)
    units = [CampaignUnit.objects.create(campaign=campaign, unit=it, position=n) for n, it in enumerate(pairs)]
    people = User.objects.bulk_create(User(username=f"before{n}") for n in range(BEFORE))
    Membership.objects.bulk_create(
        Membership(campaign=campaign, user=user, role="annotator", pseudonym=f"B{n}") for n, user in enumerate(people)
    )
    system = dict(Response.objects.values_list("pk", "system"))
    rows, draws = [], []
    for n in range(votes):
        turn, unit = n // len(units), units[n % len(units)]
        row = Assignment(
            campaign=campaign, campaign_unit=unit, annotator=people[turn % BEFORE], order="ab", seat=turn + 1,
            status="answered", reserved_at=shown, shown_at=shown, expires_at=now,
        )  # fmt: skip
        rows.append(row)
        one, other = system[unit.unit.a_id or 0], system[unit.unit.b_id or 0]
        draws.append(
            Draw(
                assignment=row, campaign=campaign, one_id=one, other_id=other, item_id=unit.unit.item_id, forth=True,
                propensity=0.02, rule="uniform", version="1",
            )
        )  # fmt: skip
    Assignment.objects.bulk_create(rows, 1000)
    Draw.objects.bulk_create(draws, 1000)
    said = Annotation.objects.bulk_create((Annotation(assignment=it, shown_at=shown) for it in rows), 1000)
    Annotation.objects.update(recorded_at=voted)
    answers = (Answer(annotation=it, aspect="overall", value=rng.choice(VALUES)) for it in said)
    Answer.objects.bulk_create(answers, 1000)
    repair(campaign)  # the rows were written without the log


def session_of(campaign: Campaign, name: str) -> str:
    user = User.objects.create_user(username=name)
    Membership.objects.create(campaign=campaign, user=user, role="annotator", pseudonym=name)
    return session_for(user)


def session_for(user: User) -> str:
    """The key of a session in which this person is logged in."""
    store = SessionStore()
    store[SESSION_KEY], store[BACKEND_SESSION_KEY] = str(user.pk), "django.contrib.auth.backends.ModelBackend"
    store[HASH_SESSION_KEY] = user.get_session_auth_hash()
    store.create()
    return str(store.session_key)
