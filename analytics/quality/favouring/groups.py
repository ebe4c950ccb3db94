"""Accounts that came alike, from what is recorded anyway: one invitation link, one address on one day, one burst."""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Literal

from analytics.quality.columns import Read
from campaigns.models import Arrival, Campaign
from infrastructure.wording.phrases import Phrase

#: Accounts that came by one link, or answered from one address, are a group from so many on.
FEWEST = 2
#: So many accounts that joined with no longer than this between one and the next are a burst.
FEWEST_OF_BURST, BURST = 4, timedelta(minutes=3)
#: Larger groups leave no others to be held against.
MOST_OF_ALL = 0.5

Kind = Literal["link", "address", "burst"]


@dataclass(frozen=True)
class Group:
    """Annotators by their index, and what they have in common."""

    kind: Kind
    title: str
    raters: tuple[int, ...]


def groups_of(campaign: Campaign, read: Read) -> list[Group]:
    """Those of at least two annotators and at most half of all, each set of annotators once."""
    found: dict[tuple[int, ...], Group] = {}
    for group in (*_by_link(campaign, read), *_by_address(read), *_by_burst(read)):
        if FEWEST <= len(group.raters) <= MOST_OF_ALL * len(read.members):
            found.setdefault(group.raters, group)
    return list(found.values())


def _by_link(campaign: Campaign, read: Read) -> Iterator[Group]:
    index = {member.user_id: n for n, member in enumerate(read.members)}
    came: dict[int, list[int]] = defaultdict(list)
    notes: dict[int, str] = {}
    rows = Arrival.objects.filter(invitation__campaign=campaign).order_by("pk")
    for link, note, user in rows.values_list("invitation", "invitation__note", "user"):
        if user in index:
            came[link].append(index[user])
            notes[link] = note
    for link, raters in came.items():
        note = notes[link]
        title = Phrase("Link %(n)s: %(note)s", n=link, note=note) if note else Phrase("Link %(n)s", n=link)
        yield Group("link", title, tuple(sorted(set(raters))))


def _by_address(read: Read) -> Iterator[Group]:
    """Origins tell apart the addresses of one day and name none."""
    seen: dict[int, set[int]] = defaultdict(set)
    for rater, origin in zip(read.given.rater.tolist(), read.given.origin.tolist(), strict=True):
        if origin >= 0:
            seen[origin].add(rater)
    for raters in seen.values():
        yield Group("address", Phrase("One network address on one day"), tuple(sorted(raters)))


def _by_burst(read: Read) -> Iterator[Group]:
    joined = sorted((member.created_at, n) for n, member in enumerate(read.members))
    for burst in _bursts(joined):
        if len(burst) >= FEWEST_OF_BURST:
            yield Group("burst", Phrase("Joined within minutes of each other"), tuple(sorted(burst)))


def _bursts(joined: list[tuple[datetime, int]]) -> list[list[int]]:
    """Everybody in the order of joining, cut wherever a longer time lies between two."""
    found = [[n] for _, n in joined[:1]]
    for (before, _), (at, n) in pairwise(joined):
        if at - before > BURST:
            found.append([])
        found[-1].append(n)
    return found
