"""A campaign to rehearse where there is none: what the demo's systems are asked, without its sound."""

import random
import secrets
from dataclasses import replace

from django.db import transaction

from accounts.models import User
from analytics.models import Rehearsal
from campaigns.control_units.checks import GoldAnswer, set_checks
from campaigns.launch.lifecycle import create_campaign
from campaigns.models import Campaign
from corpus.datasets.units import pairs_of_systems
from corpus.demo.script import DEMO_ITEMS
from corpus.demo.speech import DEMO_SYSTEMS
from corpus.models import Clip, Dataset, Item, Response, ResponseTurn, System, Turn
from infrastructure.slugs import unique_slug
from protocols import SHIPPED, Listening, Protocol
from protocols.declared import Aspect
from protocols.scales.named import TEXT

#: Among a hundred units: twelve gold (half of them could be spoken traps), four identical pairs, four repeats.
GOLD, IDENTICAL, REPEATS, CHECK_EVERY = 12, 4, 4, 4
WORDS_PER_SECOND = 2.5


@transaction.atomic
def demo_campaign(owner: User, *, seats: int, seed: int, items: int | None = None) -> Campaign:
    """Typed ties on four aspects and a reason, over every pair of the demo's systems, with checks; open."""
    dataset = _dataset(owner, items)
    units = pairs_of_systems(dataset)
    campaign = create_campaign(
        dataset, title="Rehearsal", protocol=_with_reasons(), units=units, user=owner, answers_per_unit=seats
    )
    chosen = random.Random(seed).sample(units, min(GOLD, len(units)))  # noqa: S311 - a draw, not a secret
    sides = ("a", "b")
    gold = [GoldAnswer(unit.key, "overall", sides[n % 2]) for n, unit in enumerate(chosen)]
    set_checks(campaign, gold=gold, identical=IDENTICAL, repeat=REPEATS, check_every=CHECK_EVERY)
    Campaign.objects.filter(pk=campaign.pk).update(status=Campaign.Status.OPEN, delivery_rate=24_000)
    Rehearsal.objects.create(campaign=campaign, made_dataset=True)
    return Campaign.objects.get(pk=campaign.pk)


def _with_reasons() -> Protocol:
    """Dimension first, and why; three seconds of each clip have to be heard."""
    hcot = SHIPPED["hcot"]
    reason = Aspect("reason", "Reason", "What made the difference?", TEXT, after=("overall",))
    return replace(
        hcot, name="rehearsal", aspects=(*hcot.aspects, reason), examples=(), listening=Listening("seconds", 3.0)
    )


def _dataset(owner: User, items: int | None) -> Dataset:
    name = f"Rehearsal {secrets.token_hex(4)}"
    dataset = Dataset.objects.create(name=name, slug=unique_slug(Dataset, name), created_by=owner)
    systems = [System.objects.create(dataset=dataset, name=system.name) for system in DEMO_SYSTEMS]
    for said in DEMO_ITEMS[:items]:
        item = Item.objects.create(dataset=dataset, key=said.key, category=said.category)
        Turn.objects.create(item=item, position=1, text=said.prompt)
        for system in systems:
            response = Response.objects.create(item=item, system=system, key=f"{said.key}/{system.name}")
            clip = _silent_clip(len(said.answer.split()) / WORDS_PER_SECOND)
            ResponseTurn.objects.create(response=response, position=1, text=said.answer, clip=clip)
    return dataset


def _silent_clip(seconds: float) -> Clip:
    """A clip of which only the length is known: it is never played."""
    return Clip.objects.create(
        sha256=secrets.token_hex(32), bytes=0, container="none", encoding="none", seconds=seconds, rate=24_000,
        channels=1, clipped_samples=0, leading_silence_s=0.0, trailing_silence_s=0.0,
    )  # fmt: skip
