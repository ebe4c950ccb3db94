"""When the answers of a campaign's last day came in, kept in the process and brought up to date.

A cache and no truth, as `analytics.review.unit_facts` is one: afterwards only later rows are read. The last rows are
always read again, because the transaction of a lower number may end after that of a higher one; and where the row
that was read last is gone, its transaction was rolled back and everything is read anew.
"""

from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from threading import Lock

import numpy as np

from annotation.models import Annotation
from campaigns.models import Campaign, CampaignUnit
from stats.arrays import Floats, Ints

#: Campaigns that are kept at the same time, the ones asked for last.
MOST = 16
#: So many of the last rows are read again.
OVERLAP = 100
STUDY = str(CampaignUnit.Purpose.STUDY)
Row = tuple[int, datetime]


@dataclass(frozen=True, eq=False)
class _Kept:
    """Numbers and times (s since 1970) of the first answers to units of the study that were recorded since `since`.

    `last` is the last row of the whole installation that was there.
    """

    since: datetime
    last: Row | None
    pks: Ints
    times: Floats


_kept: OrderedDict[tuple[int, datetime], _Kept] = OrderedDict()
_lock = Lock()


def answer_times(campaign: Campaign, since: datetime) -> Floats:
    """When first answers to units of the study were recorded since then: seconds since 1970, the earliest first."""
    key = (campaign.pk, campaign.created_at)
    with _lock:
        before = _kept.get(key)
        if before is None or before.since > since or not _is_there(before.last):
            now = _read(campaign, since)
        else:
            now = _with_later(before, campaign, since)
        _kept[key] = now
        _kept.move_to_end(key)
        while len(_kept) > MOST:
            _kept.popitem(last=False)
    return np.sort(now.times)


def _read(campaign: Campaign, since: datetime) -> _Kept:
    last = _newest()
    rows = Annotation.objects.filter(assignment__campaign=campaign, supersedes=None, recorded_at__gte=since)
    rows = rows.filter(assignment__campaign_unit__purpose=STUDY).order_by("pk")
    return _Kept(since, last, *_arrays(rows.values_list("pk", "recorded_at")))


def _with_later(before: _Kept, campaign: Campaign, since: datetime) -> _Kept:
    last, known = _newest(), (before.last[0] if before.last else 0) - OVERLAP
    # Whose campaign it is is asked afterwards: else SQLite reads all rows of the campaign for the last hundred.
    rows = Annotation.objects.filter(pk__gt=known, supersedes=None).order_by("pk")
    columns = ("pk", "recorded_at", "assignment__campaign", "assignment__campaign_unit__purpose")
    later = ((pk, at) for pk, at, of, purpose in rows.values_list(*columns) if (of, purpose) == (campaign.pk, STUDY))
    pks, times = _arrays(later)
    stays = (before.pks <= known) & (before.times >= since.timestamp())
    pks, times = np.concatenate([before.pks[stays], pks]), np.concatenate([before.times[stays], times])
    recent = times >= since.timestamp()
    return _Kept(since, last, pks[recent], times[recent])


def _arrays(rows: Iterable[Row]) -> tuple[Ints, Floats]:
    there = list(rows)
    pks = np.fromiter((pk for pk, _at in there), dtype=np.int64, count=len(there))
    return pks, np.fromiter((at.timestamp() for _pk, at in there), dtype=np.float64, count=len(there))


def _newest() -> Row | None:
    """The last annotation of the whole installation."""
    return Annotation.objects.order_by("-pk").values_list("pk", "recorded_at").first()


def _is_there(row: Row | None) -> bool:
    return row is None or Annotation.objects.filter(pk=row[0], recorded_at=row[1]).exists()
