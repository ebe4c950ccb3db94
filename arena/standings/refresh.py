"""Where systems stand: computed from the votes when there are new ones, by one worker at a time, and kept as rows.

The rows say how it was. What is true now is always what a rebuild from the votes gives.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from analytics.data.rater_groups import run_is_done
from analytics.data.votes.cache import kept_ballot
from analytics.data.votes.covariates import context_of
from analytics.data.votes.ordering import order_by_column
from analytics.data.votes.table import Ballot, Subject, ballot, counts_digest, stamp, tally
from arena.models import Board, Standing
from arena.standings.choices import BY_COLUMN, Settings
from arena.standings.tables import VERSION, Json, board_table
from campaigns.models import Campaign
from infrastructure.background.leases import lapsed
from infrastructure.live.announcements import announce
from stats.ratings.votes import count_votes

#: A board is watched for so long after a page asked for it; an open page asks at least once a minute.
WATCHED = timedelta(seconds=90)
#: A page that asks again so soon changes nothing.
STAMP_EVERY = timedelta(seconds=10)
#: A computation that takes longer was abandoned.
LEASE = timedelta(seconds=120)
#: Boards without a request for so long are deleted; their standings stay.
FORGOTTEN = timedelta(days=30)


@dataclass(frozen=True)
class Rebuilt:
    """What the votes give at this moment."""

    table: Json
    counts_sha256: str
    votes_sha256: str
    n: int

    def equals(self, standing: Standing) -> bool:
        """Bit by bit."""
        ours = (self.table, self.counts_sha256, self.votes_sha256, VERSION)
        return ours == (standing.table, standing.counts_sha256, standing.votes_sha256, standing.version)


def topic_of(subject: Subject) -> str:
    """What pages watch: `standing:campaign-3`, `standing:labels-3`."""
    kind = "campaign" if isinstance(subject, Campaign) else "labels"
    return f"standing:{kind}-{subject.pk}"


def newest(subject: Subject, settings: Settings) -> Standing | None:
    return standings_of(subject, settings).order_by("-serial").first()


def standings_of(subject: Subject, settings: Settings) -> QuerySet[Standing]:
    return Standing.objects.filter(_of(subject), settings_digest=settings.digest)


def rebuild(subject: Subject, settings: Settings) -> Rebuilt:
    """Compute from the answers alone, and from nothing that is kept beside them."""
    return _made_of(subject, ballot(subject, settings.selection), settings)


def _made_of(subject: Subject, votes: Ballot, settings: Settings) -> Rebuilt:
    context = context_of(subject, votes) if settings.method == "contextual" else None
    column = settings.order.removeprefix(BY_COLUMN) if settings.order.startswith(BY_COLUMN) else ""
    order = order_by_column(votes.units, column) if column else None
    table = board_table(replace(votes, grows=_was_watched(subject)), settings, context, order)
    return Rebuilt(table, counts_digest(count_votes(votes.votes)), votes.digest(), table["n"])


def _was_watched(subject: Subject) -> bool:
    """Whether the votes were read while they came: in a campaign, be it of another installation."""
    return isinstance(subject, Campaign) or bool(subject.from_campaign)


def refresh(subject: Subject, settings: Settings) -> Standing | None:
    """The newest standing, made anew if there is anything new; the one before while another worker is at it.

    None only where there is none yet and another worker makes the first.
    """
    board = watch(subject, settings)
    if not _claim(board):
        return newest(subject, settings)
    try:
        return _refresh(board, subject, settings)
    finally:
        Board.objects.filter(pk=board.pk).update(claimed_until=None)


def watch(subject: Subject, settings: Settings) -> Board:
    """Record that this board is being viewed, so that it is updated for a while."""
    now = timezone.now()
    board, _ = Board.objects.get_or_create(
        **_named(subject),
        settings_digest=settings.digest,
        defaults={"settings": settings.document(), "asked_at": now},
    )
    if now - board.asked_at > STAMP_EVERY:
        Board.objects.filter(pk=board.pk).update(asked_at=now)
    return board


def refresh_watched() -> int:
    """Update every board that is being viewed; return how many."""
    boards = _known().filter(asked_at__gt=timezone.now() - WATCHED).order_by("asked_at")
    for board in boards:
        _refresh_known(board)
    return len(boards)


def refresh_all() -> int:
    """Bring every board up to date that was asked for in the last month, from a count of all its votes."""
    Board.objects.filter(asked_at__lt=timezone.now() - FORGOTTEN).delete()
    boards = list(_known())
    for board in boards:
        _refresh_known(board, look_closely=True)
    return len(boards)


@dataclass(frozen=True)
class Checked:
    """A latest standing against the rebuild. It is `behind` where there are votes that it does not know."""

    standing: Standing
    rebuilt: Rebuilt
    equal: bool
    behind: bool


def check_latest() -> Iterator[Checked]:
    """Hold the latest standing of every board against what its votes give now.

    Not those of a judge's run that is gone or at work again: what there is of it is no board.
    """
    for standing in _latest():
        settings = Settings(**standing.settings)
        if _waits_for_judge(standing.subject, settings):
            continue
        rebuilt = rebuild(standing.subject, settings)
        behind = rebuilt.votes_sha256 != standing.votes_sha256 or standing.version != VERSION
        yield Checked(standing, rebuilt, rebuilt.equals(standing), behind)


def write_rebuilt(found: Checked) -> Standing:
    """Append the result of the votes. Raises IntegrityError where another process was faster."""
    standing = found.standing
    return _append(standing.subject, Settings(**standing.settings), found.rebuilt, after=standing)


def _refresh_known(board: Board, *, look_closely: bool = False) -> None:
    if _claim(board):
        try:
            _refresh(board, board.subject, Settings(**board.settings), look_closely=look_closely)
        finally:
            Board.objects.filter(pk=board.pk).update(claimed_until=None)


def _refresh(board: Board, subject: Subject, settings: Settings, *, look_closely: bool = False) -> Standing | None:
    """The newest is looked up before the votes are, so that the writer of the next serial knew no fewer votes."""
    last = newest(subject, settings)
    if _waits_for_judge(subject, settings):
        return last
    board.refresh_from_db()
    now = stamp(subject, settings.by)
    current = last is not None and last.version == VERSION
    if last and current and now == board.stamp and not look_closely:
        return last
    counted = tally(subject, settings.selection)
    if last and current and counted.mark == board.mark:
        row = last
    else:
        rebuilt = _made_of(subject, _votes(subject, settings), settings)
        try:
            row = last if last and rebuilt.equals(last) else _append(subject, settings, rebuilt, after=last)
        except IntegrityError:  # whose work took longer than its lease: another worker wrote this serial
            return standings_of(subject, settings).latest("serial")
    Board.objects.filter(pk=board.pk).update(stamp=now, mark=counted.mark)
    return row


def _waits_for_judge(subject: Subject, settings: Settings) -> bool:
    """Whether the votes are of a judge's run that is not done: at work again, cancelled, or gone."""
    if not isinstance(subject, Campaign) or not settings.of_judge:
        return False
    return not run_is_done(subject, settings.by)


def _votes(subject: Subject, settings: Settings) -> Ballot:
    if isinstance(subject, Campaign) and not settings.of_judge:
        return kept_ballot(subject, settings.selection)
    return ballot(subject, settings.selection)


@transaction.atomic
def _append(subject: Subject, settings: Settings, rebuilt: Rebuilt, *, after: Standing | None) -> Standing:
    """Raises IntegrityError where another process has written this serial."""
    row = Standing.objects.create(
        **_named(subject),
        settings=settings.document(),
        settings_digest=settings.digest,
        serial=after.serial + 1 if after else 1,
        aspect=settings.aspect,
        category=settings.category,
        by=settings.by,
        counts_sha256=rebuilt.counts_sha256,
        votes_sha256=rebuilt.votes_sha256,
        method=settings.method if settings.ties != "davidson" else settings.ties,
        version=VERSION,
        n=rebuilt.n,
        table=rebuilt.table,
    )
    announce(topic_of(subject))
    return row


def _claim(board: Board) -> bool:
    now = timezone.now()
    free = Board.objects.filter(lapsed("claimed_until", now=now, lease=LEASE), pk=board.pk)
    return free.update(claimed_until=now + LEASE) == 1


def _known() -> QuerySet[Board]:
    return Board.objects.select_related("campaign", "label_set__dataset")


def _latest() -> Iterator[Standing]:
    rows = Standing.objects.select_related("campaign", "label_set__dataset")
    keys = Standing.objects.values("campaign", "label_set", "settings_digest").distinct().order_by()
    for key in keys:
        yield rows.filter(
            campaign=key["campaign"], label_set=key["label_set"], settings_digest=key["settings_digest"]
        ).latest("serial")


def _of(subject: Subject) -> Q:
    return Q(**_named(subject))


def _named(subject: Subject) -> dict[str, Any]:
    return {"campaign": subject} if isinstance(subject, Campaign) else {"label_set": subject}
