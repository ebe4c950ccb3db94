"""The demo's arena: a dozen simulated voters, with different tastes, who vote through the real functions."""

from collections.abc import Mapping

import numpy as np
from django.contrib.auth.hashers import make_password
from django.db import transaction

from accounts.models import User
from analytics.simulation.panel import panel
from analytics.simulation.rehearsal.playing import Player, answer_as
from annotation.models import Assignment
from arena.models import ArenaSettings
from arena.pairing.drawing import next_pair
from arena.standings.choices import offer_of
from arena.standings.refresh import refresh
from campaigns.people.members import join_campaign
from corpus.demo.planted import faulty_dimension
from corpus.demo.speech import DEMO_SYSTEMS
from corpus.models import Response

VOTERS, VOTES_EACH, SEED = 12, 20, 21
#: So many voters between two standings of the board's history.
STANDING_EVERY = 3
#: How good a system sounds to people on average, from about −2 to 2, by the dimension in which its fault was planted.
SOUNDS = {"": 0.8, "paralinguistics": 0.2, "voice_quality": -0.2, "content": -0.6}
#: How far voters differ in what such a fault means to them, and responses of one system among themselves.
TASTE, RESPONSE = 0.5, 0.3
FAULTS = {system.name: faulty_dimension(system) for system in DEMO_SYSTEMS}


def seed_votes(arena: ArenaSettings) -> None:
    """Let the simulated voters give what is missing of their votes, with a standing after some of them.

    Once more, it changes nothing; what was ended halfway goes on.
    """
    for number, person in enumerate(panel(SEED, each=VOTERS, kinds=("honest",)), start=1):
        player = Player(person, _voter(number))
        for _nth in range(_given(arena, player.user), VOTES_EACH):
            _vote(arena, player, _tastes(number))
        if number % STANDING_EVERY == 0:
            refresh(arena.campaign, offer_of(arena.campaign).settings({}))


def name_of(number: int) -> str:
    """The account of a simulated voter, which cannot log in.

    >>> name_of(3)
    'simulated-voter-03'
    """
    return f"simulated-voter-{number:02}"


def _voter(number: int) -> User:
    return User.objects.get_or_create(
        username=name_of(number), defaults={"password": make_password(None), "is_demo": True}
    )[0]


def _given(arena: ArenaSettings, voter: User) -> int:
    votes = Assignment.objects.filter(campaign=arena.campaign, annotator=voter, status=Assignment.Status.ANSWERED)
    return votes.count()


@transaction.atomic
def _vote(arena: ArenaSettings, player: Player, tastes: Mapping[str, float]) -> None:
    """On the next pair; a short transaction, since others may be writing."""
    join_campaign(arena.campaign, user=player.user)
    assignment = next_pair(arena, player.user)
    if assignment is not None:
        unit = assignment.campaign_unit.unit
        heard = {slot: _quality(it, tastes) for slot, it in (("a", unit.a), ("b", unit.b)) if it}
        answer_as(player, assignment, heard)


def _tastes(number: int) -> dict[str, float]:
    rng = np.random.default_rng([SEED, 2, number])
    return {fault: mean + float(rng.normal(0, TASTE)) for fault, mean in SOUNDS.items()}


def _quality(response: Response, tastes: Mapping[str, float]) -> float:
    """The quality of a response for a voter of these tastes; one of a later system as if it had no fault."""
    own = np.random.default_rng([SEED, 3, response.pk]).normal(0, RESPONSE)
    return tastes[FAULTS.get(response.system.name, "")] + float(own)
