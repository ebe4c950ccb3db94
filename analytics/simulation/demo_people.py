"""The demo's simulated people: a label set whose name says so, by listeners with noise and habits of their own."""

from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np
from django.db import transaction

from accounts.models import User
from analytics.simulation.panel import Person, Task, panel
from campaigns.models import Campaign, CampaignUnit
from corpus.demo.planted import faulty_dimension
from corpus.demo.speech import DEMO_SYSTEMS
from corpus.imports.writing import write_labels
from corpus.models import LabelSet, Unit
from corpus.tidy.rows import TidyAnswer
from protocols import Aspect, Protocol, questions

NAME = "Simulated people"
PEOPLE, SEED = 4, 22
#: How good a response sounds, from about −2 to 2: with nothing wrong in what is asked about, and with a fault there.
CLEAN, FAULTY = 1.0, -1.4
#: Overall, by the dimension in which the fault was planted; and how far responses of one system differ.
OVERALL = {"": 1.3, "paralinguistics": 0.2, "voice_quality": -1.0, "content": -1.5}
RESPONSE = 0.25
#: They listen with headphones, in a quiet room: how much of the noise of any listener is left.
ATTENTIVE = 0.5
AUDIO_S = 8.0
FAULTS = {system.name: faulty_dimension(system) for system in DEMO_SYSTEMS}


@transaction.atomic
def label_as_simulated_people(campaign: Campaign, *, user: User) -> list[LabelSet]:
    """A label set for each simulated person, about every unit of the study. Run again, it changes nothing."""
    study = campaign.campaign_units.filter(purpose=CampaignUnit.Purpose.STUDY).values("unit")
    units = list(
        Unit.objects.filter(pk__in=study)
        .select_related("a__system", "b__system", "a__item", "b__item")
        .order_by("pk")
    )
    return [
        _labelled(campaign, person, f"simulated-{number}", units, user)
        for number, person in enumerate(panel(SEED, each=PEOPLE, kinds=("honest",)), start=1)
    ]


def _labelled(campaign: Campaign, person: Person, rater: str, units: list[Unit], user: User) -> LabelSet:
    person.noise *= ATTENTIVE
    row, is_new = LabelSet.objects.get_or_create(
        dataset=campaign.dataset, name=NAME, rater=rater, defaults={"created_by": user}
    )
    if is_new:
        write_labels([(row, unit.pk, said) for unit in units for said in _said(campaign.protocol, person, unit)])
    return row


def _said(protocol: Protocol, person: Person, unit: Unit) -> Iterator[TidyAnswer]:
    """What one person says of one unit, heard in an order drawn for them, in the stored frame."""
    order = "ba" if person.rng.uniform() < 0.5 else "ab"
    for aspect in protocol.counted_aspects:
        alone = replace(protocol, aspects=(replace(aspect, after=()),))
        clicked = person.behave(Task(alone, order, _quality(aspect, unit), AUDIO_S)).clicked
        for question in questions(alone, len(order)):
            if value := clicked.get(question.name):
                yield TidyAnswer(question.aspect, "", question.kind.stored(value, order))


def _quality(aspect: Aspect, unit: Unit) -> Mapping[str, float]:
    """How good the two responses of a pair sound in one respect, the same for everybody who hears them."""
    found = {}
    for slot, response in (("a", unit.a), ("b", unit.b)):
        if response is not None:
            fault = FAULTS.get(response.system.name, "")
            own = np.random.default_rng([SEED, *response.item.key.encode(), *response.system.name.encode()])
            quality = OVERALL[fault] if aspect.name == "overall" else FAULTY if fault == aspect.name else CLEAN
            found[slot] = quality + float(own.normal(0, RESPONSE))
    return found
