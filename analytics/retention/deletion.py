"""What is not to be kept any longer after a campaign closed: who its annotators were, and its recordings.

Answers stay, under pseudonyms, and so do the rows of recordings, with their hashes and what was measured: results can
be computed again, and the same recordings imported again.
"""

import logging
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import Q
from django.utils.translation import gettext_lazy

from accounts.audit_log.entries import AuditEvent
from accounts.models import User
from accounts.old_pages import drop_old_pages_after_commit
from analytics.exports.making import delete_export
from analytics.models import Export
from annotation.withdrawal.withdraw import forget_identity
from campaigns.audit_log import record_in
from campaigns.models import Campaign, Retention, Role, TrapClip, TrapRecording
from corpus.models import Clip, Dataset, DeliveredClip
from infrastructure.files.media import MediaFile

logger = logging.getLogger(__name__)
#: The task runs once a night, at the same hour.
A_NIGHT = timedelta(hours=20)
RETENTION_SET = AuditEvent(
    "retention_set",
    gettext_lazy("Retention was set. Days after the close: identities %(identity)s, recordings %(audio)s."),
    words={"default": gettext_lazy("as the installation has it"), "for ever": gettext_lazy("for ever")},
)
RETENTION_CARRIED_OUT = AuditEvent(
    "retention_carried_out",
    gettext_lazy("Deleted by retention: %(people)s identities, %(files)s files of sound, %(exports)s exports."),
)


@dataclass(frozen=True)
class Due:
    """What is to go in one campaign. Recordings stand with one campaign of their dataset."""

    campaign: Campaign
    people: Sequence[User] = ()
    clips: Sequence[Clip] = ()
    files: Sequence[MediaFile] = ()
    exports: Sequence[Export] = ()

    @property
    def file_bytes(self) -> int:
        return sum(path.stat().st_size for path in self.files if path.is_file())


@dataclass(frozen=True)
class Term:
    """How many days after the close something is kept, 0 for ever; the day on which it goes, and when it went."""

    days: int
    is_own: bool
    installation: int
    goes_at: datetime | None
    gone_at: datetime | None

    def is_due(self, now: datetime) -> bool:
        return self.gone_at is None and self.goes_at is not None and self.goes_at <= now


def terms_of(campaign: Campaign) -> dict[str, Term]:
    """Of `identity` and `audio`."""
    return terms_kept(campaign, Retention.objects.filter(campaign=campaign).first() or Retention(campaign=campaign))


def terms_kept(campaign: Campaign, kept: Retention) -> dict[str, Term]:
    """The same, by the rules of this row."""
    return {
        "identity": _term(campaign, kept.identity_days, settings.RETAIN_IDENTITY_DAYS, kept.identities_forgotten_at),
        "audio": _term(campaign, kept.audio_days, settings.RETAIN_AUDIO_DAYS, kept.audio_deleted_at),
    }


def _term(campaign: Campaign, own: int | None, installation: int, gone_at: datetime | None) -> Term:
    days = installation if own is None else own
    ends = campaign.closed_at if days else None
    return Term(days, own is not None, installation, ends and ends + timedelta(days=days), gone_at)


def what_is_due(now: datetime) -> list[Due]:
    """By campaign, in the order in which they closed. Changes nothing."""
    closed = Campaign.objects.filter(status=Campaign.Status.CLOSED, closed_at__isnull=False)
    rows = closed.select_related("retention", "dataset").order_by("closed_at")
    return [due for campaign in rows if (due := due_in(campaign, now))]


def carry_out_found_twice(*, now: datetime) -> int:
    """Carry out what an earlier night found due as well, and note what is due since; return in how many campaigns.

    What goes here cannot be brought back: a server that is started once with a wrong clock deletes nothing by it.
    """
    due = what_is_due(now)
    Retention.objects.exclude(campaign__in=[it.campaign for it in due]).update(found_due_at=None)
    found = dict(Retention.objects.values_list("campaign", "found_due_at"))
    at = {it.campaign.pk: found.get(it.campaign.pk) for it in due}
    again = [it for it in due if (since := at[it.campaign.pk]) and since + A_NIGHT <= now]
    for it in due:
        since = at[it.campaign.pk]
        if since is None or since > now:
            Retention.objects.update_or_create(campaign=it.campaign, defaults={"found_due_at": now})
    carry_out(again, now=now)
    return len(again)


def carry_out(dues: Iterable[Due], *, now: datetime) -> None:
    """Delete the identity. An account that is needed elsewhere is only separated from the campaign."""
    for due in dues:
        for user in due.people:
            forget_identity(due.campaign, user)
        for export in due.exports:
            delete_export(export)
        for path in due.files:
            path.unlink(missing_ok=True)
        DeliveredClip.objects.filter(clip__in=due.clips).delete()
        _note(due, now)


@transaction.atomic
def set_retention(
    campaign: Campaign, *, identity_days: int | None, audio_days: int | None, by: User | None = None
) -> Retention:
    """None: as the installation has it. Nought: for ever."""
    days = {"identity_days": identity_days, "audio_days": audio_days}
    kept, _created = Retention.objects.get_or_create(campaign=campaign)
    if (kept.identity_days, kept.audio_days) != (identity_days, audio_days):
        Retention.objects.filter(pk=kept.pk).update(**days)
        said = {"identity": _in_words(identity_days), "audio": _in_words(audio_days)}
        record_in(campaign, RETENTION_SET, by=by, **said)
    return Retention.objects.get(pk=kept.pk)


def _in_words(days: int | None) -> str:
    """As it is stored; `RETENTION_SET` has what is said for it in each language."""
    return "default" if days is None else str(days) if days else "for ever"


def due_in(campaign: Campaign, now: datetime) -> Due | None:
    """What is to go in this campaign by now, if anything is. Changes nothing."""
    forgets = _is_over(campaign, "identity_days", settings.RETAIN_IDENTITY_DAYS, now)
    people = list(_known_annotators(campaign)) if forgets else []
    silent = _is_over(campaign, "audio_days", settings.RETAIN_AUDIO_DAYS, now) and _is_last(campaign, now)
    clips = list(_own_clips(campaign.dataset)) if silent else []
    files = [path for clip in clips for path in _files_of(clip)]
    exports = list(Export.objects.filter(campaign=campaign)) if forgets or silent else []
    return Due(campaign, people, clips, files, exports) if people or files or exports else None


def _is_over(campaign: Campaign, name: str, installation: int, now: datetime) -> bool:
    own: int | None = getattr(getattr(campaign, "retention", None), name, None)
    days = installation if own is None else own
    return bool(days) and campaign.closed_at is not None and campaign.closed_at <= now - timedelta(days=days)


def _known_annotators(campaign: Campaign) -> Iterable[User]:
    """Accounts with an identity: those without are guests' that cannot log in."""
    forgotten = Q(is_guest=True, is_active=False)
    return (
        User.objects.filter(memberships__campaign=campaign, memberships__role=Role.ANNOTATOR)
        .exclude(forgotten)
        .order_by("pk")
    )


def _is_last(campaign: Campaign, now: datetime) -> bool:
    """Whether the recordings of its dataset are heard in no other campaign, or in none that keeps them longer."""
    others = Campaign.objects.filter(dataset=campaign.dataset).exclude(pk=campaign.pk).select_related("retention")
    return all(
        other.status == Campaign.Status.CLOSED and _is_over(other, "audio_days", settings.RETAIN_AUDIO_DAYS, now)
        for other in others
    )


def _own_clips(dataset: Dataset) -> Iterable[Clip]:
    """Recordings of this dataset and of its campaigns' spoken traps that stand in no other dataset."""
    ours, theirs = _clips_of(Q(pk=dataset.pk)), _clips_of(~Q(pk=dataset.pk))
    return Clip.objects.filter(pk__in=ours - theirs).order_by("pk").prefetch_related("deliveries")


def _clips_of(which: Q) -> set[int]:
    datasets = Dataset.objects.filter(which)
    found = set(datasets.values_list("items__turns__clip", flat=True))
    found |= set(datasets.values_list("items__responses__turns__clip", flat=True))
    found |= set(
        TrapClip.objects.filter(campaign_unit__campaign__dataset__in=datasets).values_list("clip", flat=True)
    )
    found |= set(TrapRecording.objects.filter(campaign__dataset__in=datasets).values_list("clip", flat=True))
    return {pk for pk in found if pk}


def _files_of(clip: Clip) -> list[MediaFile]:
    return [path for path in (clip.path, *(made.path for made in clip.deliveries.all())) if path.is_file()]


@transaction.atomic
def _note(due: Due, now: datetime) -> None:
    said: dict[str, datetime | None] = {"found_due_at": None}
    if due.people:
        said["identities_forgotten_at"] = now
    if due.files:
        said["audio_deleted_at"] = now
    Retention.objects.update_or_create(campaign=due.campaign, defaults=said)
    gone = {"people": len(due.people), "files": len(due.files), "exports": len(due.exports)}
    record_in(due.campaign, RETENTION_CARRIED_OUT, by=None, **gone)
    drop_old_pages_after_commit()
    logger.info(
        "Campaign %s: %s people forgotten, %s files of sound and %s exports deleted.",
        due.campaign.pk, len(due.people), len(due.files), len(due.exports),
    )  # fmt: skip
