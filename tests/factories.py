"""Rows for tests. Names of systems are rare words, so that a leak of one is seen."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import factory
from django.utils import timezone
from factory.django import DjangoModelFactory

from accounts.models import User
from annotation.assignment.seat_counts import add_to_counts
from annotation.models import SEATLESS, Assignment
from campaigns.models import Campaign, CampaignUnit, Invitation, Membership, ProtocolVersion, Role
from corpus.imports.writing import write_labels
from corpus.models import Clip, Dataset, Item, LabelSet, Response, ResponseTurn, System, Turn, Unit, UnitMember
from corpus.tidy.rows import TidyAnswer
from protocols import SHIPPED, Listening, digest, to_document

RARE_A, RARE_B = "Xylophagous", "Quokkawise"


class UserFactory(DjangoModelFactory[User]):
    class Meta:
        model = User
        skip_postgeneration_save = True

    username = factory.Sequence(lambda n: f"person{n}")
    password = factory.django.Password("secret")


class DatasetFactory(DjangoModelFactory[Dataset]):
    class Meta:
        model = Dataset

    name = factory.Sequence(lambda n: f"Dataset {n}")
    slug = factory.Sequence(lambda n: f"dataset-{n}")
    created_by = factory.SubFactory(UserFactory)


class ClipFactory(DjangoModelFactory[Clip]):
    class Meta:
        model = Clip

    sha256 = factory.Sequence(lambda n: f"{n:064x}")
    bytes = 32_044
    container = "WAV"
    encoding = "PCM_16"
    seconds = 1.0
    rate = 16_000
    channels = 1
    integrated_lufs = -23.0
    true_peak_dbtp = -9.0
    clipped_samples = 0
    leading_silence_s = 0.0
    trailing_silence_s = 0.0


def make_unit(
    dataset: Dataset, key: str, *, kind: str = "pair", with_audio: bool = True, facts: dict[str, Any] | None = None
) -> Unit:
    """An item with a prompt and a response by each of two rarely named systems, as a unit of that kind."""
    item = Item.objects.create(dataset=dataset, key=key, facts=facts or {})
    Turn.objects.create(item=item, position=1, text=f"Prompt of {key}", clip=ClipFactory() if with_audio else None)
    sides = []
    for name in (RARE_A, RARE_B):
        system, _ = System.objects.get_or_create(dataset=dataset, name=name)
        response = Response.objects.create(item=item, system=system, key=f"{key}/{name}.wav")
        clip = ClipFactory() if with_audio else None
        ResponseTurn.objects.create(response=response, position=1, path=f"{key}/{name}.wav", clip=clip)
        sides.append(response)
    columns = {"pair": {"a": sides[0], "b": sides[1]}, "single": {"a": sides[0]}, "item": {}}[kind]
    unit = Unit.objects.create(dataset=dataset, item=item, kind=kind, key=key, **columns)
    if kind == "item":
        UnitMember.objects.bulk_create(
            UnitMember(unit=unit, slot=slot, response=side) for slot, side in zip("ab", sides, strict=True)
        )
    return unit


def make_campaign(
    *,
    units: int = 2,
    protocol: str = "hcot",
    status: str = "open",
    listening: str = "none",
    facts: dict[str, Any] | None = None,
    **fields: Any,
) -> Campaign:
    """An open campaign over `units` units of the protocol's kind, without delivered audio files."""
    dataset = DatasetFactory()
    document = to_document(replace(SHIPPED[protocol], listening=Listening(listening)))
    campaign = Campaign.objects.create(
        dataset=dataset,
        title="Which one?",
        slug=f"which-one-{dataset.pk}",
        protocol_document=document,
        protocol_digest=digest(document),
        delivery_rate=16_000,
        status=status,
        created_by=dataset.created_by,
        **fields,
    )
    for position in range(units):
        unit = make_unit(dataset, str(position), kind=document["unit"], facts=facts)
        CampaignUnit.objects.create(campaign=campaign, unit=unit, position=position)
    return campaign


def make_member(campaign: Campaign, role: str = Role.ANNOTATOR, **fields: Any) -> User:
    user = UserFactory(**fields)
    pseudonym = f"A{user.pk}" if role == Role.ANNOTATOR else ""
    Membership.objects.create(campaign=campaign, user=user, role=role, pseudonym=pseudonym)
    return user


def make_invitation(campaign: Campaign, **fields: Any) -> Invitation:
    """A link for as many as like, unless it says otherwise."""
    return Invitation.objects.create(campaign=campaign, created_by=campaign.created_by, **fields)


def make_assignment(campaign: Campaign, annotator: User, *, order: str = "ab", **fields: Any) -> Assignment:
    defaults = {
        "campaign_unit": campaign.campaign_units.first(),
        "seat": 1,
        "reserved_at": timezone.now(),
        "shown_at": timezone.now(),
        "expires_at": timezone.now() + timedelta(hours=1),
    }
    row = Assignment.objects.create(campaign=campaign, annotator=annotator, order=order, **(defaults | fields))
    if row.status not in SEATLESS and not row.excluded:
        add_to_counts({row.campaign_unit_id: 1})
    return row


def make_label(label_set: LabelSet, unit: Unit, value: str, *, aspect: str = "overall", slot: str = "") -> None:
    """One more label of an imported label set, unless it has one there."""
    write_labels([(label_set, unit.pk, TidyAnswer(aspect, slot, value))])


def make_version(
    name: str = "pace", version: str = "1", *, user: User | None = None, like: str = "acr", **changes: Any
) -> ProtocolVersion:
    """A saved version of an own protocol that asks what a shipped one asks."""
    protocol = replace(SHIPPED[like], name=name, version=version, **changes)
    document = to_document(protocol)
    return ProtocolVersion.objects.create(
        name=name,
        version=version,
        number=ProtocolVersion.objects.filter(name=name).count() + 1,
        title=protocol.title,
        unit=protocol.unit,
        document=document,
        digest=digest(document),
        created_by=user or UserFactory(is_researcher=True),
    )


DIRECT_ANSWERS = {"content": "1", "voice_quality": "2", "paralinguistics": "both_bad", "overall": "1"}
