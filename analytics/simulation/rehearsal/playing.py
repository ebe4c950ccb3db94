"""The simulated panel calls the real functions: next_assignment, record_listening, record_answers, the rules.

There is no waiting: before an answer is given, the time at which its unit was shown is moved back by its duration.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta

import numpy as np
from django.db import transaction

from accounts.login.guests import make_guest
from accounts.models import User
from analytics.models import QualityFlag
from analytics.simulation.panel import Behaviour, Person, Task, panel
from analytics.simulation.session import Caught
from analytics.tasks import look_at_campaign_task
from annotation.answers.submit import NotHeard, record_answers
from annotation.assignment.next_unit import AnnotatorPaused, next_assignment
from annotation.listening.reports import Report, clip_seconds, record_listening
from annotation.models import Assignment
from campaigns.models import Campaign, CampaignUnit
from campaigns.people.members import join_campaign
from campaigns.rubrics.asking import protocol_for
from corpus.datasets.units import slots_of

#: Purposes whose expected answers every attentive listener gives; identical pairs have to be heard.
OBVIOUS = (CampaignUnit.Purpose.GOLD, "trap")
ShowProgress = Callable[[int, int], None]


@dataclass
class Player:
    """One simulated annotator with an account; `by` has when each signal first spoke up, in answers."""

    person: Person
    user: User
    answered: int = 0
    refused: int = 0
    is_through: bool = False
    by: dict[str, int] = field(default_factory=dict)

    def caught(self) -> Caught:
        return Caught(self.person.kind, dict(self.by))


def play(
    campaign: Campaign, *, seed: int, each: int, units: int, look_every: int = 5, progress: ShowProgress
) -> list[Player]:
    """Let everybody answer so many units, one after the other, and the rules look in between."""
    players = [_joined(campaign, person) for person in panel(seed, each=each)]
    for nth in range(1, units + 1):
        for player in players:
            if not player.is_through:
                _step(campaign, player, seed)
        if nth % look_every == 0 or nth == units:
            look_at_campaign_task(campaign.pk)
            _note_flags(campaign, players)
        progress(nth, units)
    return players


def _joined(campaign: Campaign, person: Person) -> Player:
    user = make_guest()
    join_campaign(campaign, user=user)
    return Player(person, user)


@transaction.atomic
def _step(campaign: Campaign, player: Player, seed: int) -> None:
    try:
        assignment = next_assignment(campaign, player.user)
    except AnnotatorPaused:
        assignment = None
    if assignment is None:
        player.is_through = True
        return
    slots = slots_of(assignment.campaign_unit.unit)
    answer_as(player, assignment, {slot: _quality(response, seed) for slot, response in slots.items()})


@transaction.atomic
def answer_as(player: Player, assignment: Assignment, quality: Mapping[str, float]) -> None:
    """Listen and answer as this person does; `quality` is how good a response is to them, by slot (about −2 to 2)."""
    lengths = clip_seconds(assignment)
    did = player.person.behave(_task(assignment, sum(lengths.values()), quality))
    reserved_at = assignment.reserved_at
    number = _listened(assignment, player, lengths, took_s=did.took_s, heard=did.heard)
    try:
        _answered(assignment, player, did)
    except NotHeard:
        player.refused += 1
        all_of_it = did.took_s + sum(lengths.values())
        _listened(assignment, player, lengths, took_s=all_of_it, heard=1.0, after=number)
        _answered(assignment, player, did)
    player.answered += 1
    # Checks are spaced by the order in which units were reserved.
    Assignment.objects.filter(pk=assignment.pk).update(reserved_at=reserved_at)


def _task(assignment: Assignment, audio_s: float, quality: Mapping[str, float]) -> Task:
    unit = assignment.campaign_unit
    return Task(
        protocol=protocol_for(assignment.campaign, unit.unit.item),
        order=assignment.order,
        quality=quality,
        audio_s=audio_s,
        identical=unit.purpose == CampaignUnit.Purpose.IDENTICAL,
        obvious=unit.expected if unit.purpose in OBVIOUS else {},
    )


def _quality(response: int, seed: int) -> float:
    """How good a response is, the same for everybody."""
    return float(np.random.default_rng([seed, 3, response]).normal())


def _listened(
    assignment: Assignment, player: Player, lengths: dict[str, float], *, took_s: float, heard: float, after: int = 0
) -> int:
    """Report so much of every clip as played, in the time that passed; return the report's number."""
    shown = _moved_back(assignment, took_s)
    possible = min(heard, took_s / sum(lengths.values())) if lengths else 0.0
    ranges = {clip: [(0.0, possible * length)] for clip, length in lengths.items()}
    number = max(int(shown.timestamp() * 1000), after + 1)
    report = Report(number=number, ranges=ranges, plays=dict.fromkeys(lengths, 1), switches=1, hidden_s=0.0)
    record_listening(assignment.pk, annotator=player.user, reports=[report])
    return number


def _moved_back(assignment: Assignment, took_s: float) -> datetime:
    moment = assignment.reserved_at - timedelta(seconds=took_s)
    Assignment.objects.filter(pk=assignment.pk).update(reserved_at=moment, shown_at=moment)
    return moment


def _answered(assignment: Assignment, player: Player, did: Behaviour) -> None:
    with transaction.atomic():
        record_answers(assignment.pk, annotator=player.user, clicked=did.clicked, idempotency_key="rehearsal")


def _note_flags(campaign: Campaign, players: list[Player]) -> None:
    flags = QualityFlag.objects.filter(membership__campaign=campaign, event=QualityFlag.Event.CROSSED)
    of_user = {player.user.pk: player for player in players}
    for user, signal in flags.values_list("membership__user", "signal"):
        player = of_user[user]
        player.by.setdefault(signal, player.answered)
