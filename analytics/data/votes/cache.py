"""Every vote of a campaign as arrays, kept in the process and brought up to date from the changes of votes.

A cache and no truth: it holds what the folds up to a number add up to, and is read anew where that number is not
known to the database. Reading a million votes takes seconds, and a watched board has less than one.
"""

from collections import OrderedDict
from dataclasses import dataclass
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from analytics.data.preferences import Preferences
from analytics.data.rater_groups import annotators_by
from analytics.data.votes.counts import folded
from analytics.data.votes.table import Ballot, Selection, by_appearance, place_of, questions, systems_of
from annotation.models import VoteChange
from campaigns.models import Campaign
from stats.arrays import Bools, Ints
from stats.ratings.votes import Votes

#: Aspects of campaigns that are kept at the same time, the ones asked for last: at a million votes, 60 MB each.
MOST = 4

_COLUMNS = ("annotation", "unit", "item", "a", "b", "voter", "category", "first", "value", "excluded", "change")
_KIND = np.dtype([(name, np.int64) for name in _COLUMNS])
_STATE = ("used", "left_out")


@dataclass(frozen=True)
class Kept:
    """A row for every annotation that ever was a vote on an aspect: what it says, and whether it counts."""

    fold: int
    rows: NDArray[Any]
    words: tuple[str, ...]

    def counting(self, *, with_excluded: bool) -> Bools:
        found: Bools = self.rows["used"] > 0
        return found | (self.rows["left_out"] > 0) if with_excluded else found


_kept: OrderedDict[tuple[int, str], Kept] = OrderedDict()
_lock = Lock()
_ROW = np.dtype([(name, np.int64) for name in _COLUMNS[:9]] + [(name, np.int8) for name in _STATE])


def kept_ballot(campaign: Campaign, selection: Selection) -> Ballot:
    """What `datasets.ballot` gives, from the changes of votes, most of which are known already."""
    kept = _up_to_date(campaign, selection.aspect)
    chosen = kept.counting(with_excluded=selection.with_excluded)
    if selection.category:
        chosen &= kept.rows["category"] == _word(kept.words, selection.category)
    if selection.by:
        theirs = annotators_by(campaign, selection.by)
        chosen &= np.isin(kept.rows["voter"], list(theirs.values_list("pk", flat=True)))
    rows = kept.rows[chosen]
    question, systems = questions(campaign)[selection.aspect], systems_of(campaign)
    a, b = (place_of(rows[name], [it.pk for it in systems]) for name in ("a", "b"))
    swapped = rows["first"] == _word(kept.words, "b")
    votes = Votes(
        np.where(swapped, b, a),
        np.where(swapped, a, b),
        _outcomes(question.preferences, kept.words)[rows["value"], swapped.astype(np.int64)],
        tuple(system.name for system in systems),
        question.preferences.ties,
    )
    return Ballot(
        votes, by_appearance(rows["voter"]), by_appearance(rows["item"]), without_order=0,
        signed=question.preferences.signed, units=rows["unit"], swapped=swapped,
    )  # fmt: skip


def forget() -> None:
    with _lock:
        _kept.clear()


def _up_to_date(campaign: Campaign, aspect: str) -> Kept:
    fold, key = folded(campaign), (campaign.pk, aspect)
    with _lock:
        before = _kept.get(key)
        if before is None or not _is_known(campaign, before.fold):
            before = Kept(0, np.empty(0, dtype=_ROW), ())
        now = before if before.fold == fold else _with(before, campaign, aspect, fold)
        _kept[key] = now
        _kept.move_to_end(key)
        while len(_kept) > MOST:
            _kept.popitem(last=False)
        return now


def _is_known(campaign: Campaign, fold: int) -> bool:
    """Whether the fold was not rolled back since."""
    return fold == 0 or VoteChange.objects.filter(campaign=campaign, fold=fold).exists()


def _with(before: Kept, campaign: Campaign, aspect: str, fold: int) -> Kept:
    """What was known, and the changes of later folds."""
    changes, words = _read(campaign, aspect, before, fold)
    known = before.rows["annotation"]
    asked = np.unique(changes["annotation"])
    place = np.searchsorted(known, asked)
    fresh = (
        asked[(place == len(known)) | (known[np.minimum(place, len(known) - 1)] != asked)] if len(known) else asked
    )
    rows = np.concatenate([before.rows, np.zeros(len(fresh), dtype=_ROW)])
    rows["annotation"][len(known) :] = fresh
    if len(fresh) and len(known) and fresh[0] < known[-1]:
        rows = rows[np.argsort(rows["annotation"], kind="stable")]
    at = np.searchsorted(rows["annotation"], changes["annotation"])
    came = changes["change"] > 0
    for name in _COLUMNS[1:9]:  # the last that came says what the vote is
        rows[name][at[came]] = changes[name][came]
    for name, theirs in zip(_STATE, (changes["excluded"] == 0, changes["excluded"] != 0), strict=True):
        np.add.at(rows[name], at[theirs], changes["change"][theirs].astype(np.int8))
    return Kept(fold, rows, words)


def _read(campaign: Campaign, aspect: str, before: Kept, fold: int) -> tuple[NDArray[Any], tuple[str, ...]]:
    """The changes after a fold, up to another, in their order, with words as places in the words."""
    code = {word: place for place, word in enumerate(before.words)}
    later = VoteChange.objects.filter(campaign=campaign, fold__gt=before.fold, fold__lte=fold, aspect=aspect)
    rows = later.order_by("pk").values_list(*_COLUMNS).iterator(chunk_size=20_000)
    found = np.fromiter(
        (
            (*keys, code.setdefault(category, len(code)), code.setdefault(first, len(code)),
             code.setdefault(value, len(code)), excluded, change)
            for *keys, category, first, value, excluded, change in rows
        ),
        dtype=_KIND,
    )  # fmt: skip
    return found, tuple(code)


def _word(words: tuple[str, ...], word: str) -> int:
    return words.index(word) if word in words else -1


def _outcomes(preferences: Preferences, words: tuple[str, ...]) -> Ints:
    """The outcome of each word that is an answer, where a was presented first and where b was."""
    found = np.zeros((max(len(words), 1), 2), dtype=np.int64)
    for place, word in enumerate(words):
        if word in preferences.outcomes:
            found[place] = [preferences.outcome(word, order) for order in ("ab", "ba")]
    return found
