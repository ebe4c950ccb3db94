"""Everybody's favours in a campaign, computed when a page asks for them and kept for as long as the answers stay."""

import hashlib
import json
from dataclasses import dataclass

import numpy as np
from django.core.cache import cache

from analytics.data.inclusion import state_of_answers
from analytics.quality.columns import Read, read_given
from analytics.quality.evidence import ENOUGH
from analytics.quality.favouring.groups import Group, groups_of
from analytics.quality.rules import rules_of
from analytics.quality.signals.favours import VotesOf, favours_of, votes_of
from annotation.assignment.next_unit import paused_annotators
from campaigns.models import Campaign
from campaigns.quality.rule import Rule
from stats.arrays import Bools
from stats.ratings.favour import AGAINST, FOR, SUSPECT, Favours, favour, favoured_together

SIGNAL = "favour"
#: How long a result is kept (s): it says nothing new before there are new answers or decisions.
KEPT_S = 24 * 3600


@dataclass(frozen=True)
class WeighedGroup:
    """A group of accounts taken together: what they favour, as if one voter had given all their votes."""

    group: Group
    system: int
    direction: int
    n: int
    took: float
    expected: float
    evidence: float


@dataclass(frozen=True)
class Together:
    """Some accounts favour this system, or its opponents. `raters` are those whose own votes point there most."""

    system: int
    direction: int
    evidence: float
    raters: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Weighed:
    """`members` has the membership of each index in `cast` and `favours`; `used` marks votes in the analysis."""

    rule: Rule
    members: tuple[int, ...]
    cast: VotesOf
    used: Bools
    favours: Favours
    groups: tuple[WeighedGroup, ...]
    together: tuple[Together, ...]


def weighed(campaign: Campaign) -> Weighed:
    """By the tolerance of the campaign's own rule."""
    rule, paused = rules_of(campaign)[SIGNAL], sorted(paused_annotators(campaign))
    state = json.dumps([campaign.pk, rule.document(), paused, state_of_answers(campaign)], default=str)
    key = f"favours-{hashlib.sha256(state.encode()).hexdigest()}"
    found: Weighed | None = cache.get(key)
    if found is None:
        found = _weighed(campaign, rule)
        cache.set(key, found, KEPT_S)
    return found


def _weighed(campaign: Campaign, rule: Rule) -> Weighed:
    read = read_given(campaign)
    cast = votes_of(read.given)
    used = np.array([not read.rows[row].excluded for row in cast.rows], dtype=bool)
    found = favours_of(read.given, rule.tolerated)
    return Weighed(
        rule, tuple(it.pk for it in read.members), cast, used, found,
        tuple(_groups(campaign, read, cast, found)), tuple(_together(found)),
    )  # fmt: skip


def _groups(campaign: Campaign, read: Read, cast: VotesOf, found: Favours) -> list[WeighedGroup]:
    """Each group against the board of those outside of it who count and are not suspected themselves."""
    suspects = found.voters[found.evidence.max(axis=(1, 2), initial=0) >= SUSPECT]
    weighed_groups = []
    for group in groups_of(campaign, read):
        inside = np.isin(cast.voters, group.raters)
        label = read.given.n_raters
        counted = cast.counted & (inside | ~np.isin(cast.voters, suspects))
        one = favour(
            cast.votes, np.where(inside, label, cast.voters),
            of=np.array([label]), counted=counted, taste=found.tolerated,
        )  # fmt: skip
        if one.reason[0] is not None or not inside.any():
            continue
        system, direction = one.strongest(0)
        n, took, expected = (float(of[0, system]) for of in (one.n, one.took, one.expected))
        weighed_groups.append(WeighedGroup(group, system, direction, int(n), took, expected, float(one.of_voters[0])))
    return sorted(weighed_groups, key=lambda it: -it.evidence)


def _together(found: Favours) -> list[Together]:
    return [
        Together(int(system), direction, float(evidence[system]), _suspects(found, int(system), direction))
        for direction in (FOR, AGAINST)
        for evidence in [favoured_together(found, direction)]
        for system in np.flatnonzero(evidence >= ENOUGH)
    ]


def _suspects(found: Favours, system: int, direction: int) -> tuple[int, ...]:
    """Those with evidence about this system that puts them under suspicion, the most first."""
    evidence = found.evidence[:, system, direction]
    order = np.argsort(-evidence, kind="stable")
    return tuple(int(found.voters[at]) for at in order if evidence[at] >= SUSPECT)
