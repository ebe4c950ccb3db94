"""A look at a campaign's answers, as soon as there are new ones: compute the signals, act, remember what was seen."""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import Count, Max
from django.utils import timezone

from analytics.models import QualityFlag, QualityLook
from analytics.quality.apply_rules import act
from analytics.quality.columns import Read, read_given
from analytics.quality.evaluation import Evaluation, evaluate
from analytics.quality.rules import rules_of
from analytics.quality.snapshots import snapshot
from annotation.models import Annotation
from campaigns.models import Campaign, EventKind
from campaigns.quality.rule import Rule
from campaigns.quality.rules import newest_rules
from campaigns.webhooks.events import announce_event

#: The pause after a computation, in multiples of its duration. Within the web process it slows down pages,
#: and this must affect far less than the one request in twenty that a 95th percentile leaves out.
PAUSE_FACTOR, PAUSE_FACTOR_IN_WEB_PROCESS = 30, 100


@dataclass(frozen=True, eq=False)
class Seen:
    """Everything that a look sees: who, by which rules, and what the signals say."""

    read: Read
    rules: dict[str, Rule]
    found: Evaluation


@dataclass(frozen=True)
class _Mark:
    """How far the answers and the rules had come."""

    newest: int
    n: int
    rules: int


def see(campaign: Campaign) -> Seen:
    """The signals of this moment. Writes nothing."""
    rules = rules_of(campaign)
    read = read_given(campaign)
    return Seen(read, rules, evaluate(read.given, rules))


def look_at(campaign: Campaign) -> list[QualityFlag]:
    """Compute and act, unless nothing has come since the last look; return the new flags.

    The signals are computed outside the transaction, in which the answers of others would wait. If another process
    has looked meanwhile, what was computed here is dropped: two looks at once act once.
    """
    before, mark, began = _look_of(campaign), _mark(campaign), time.monotonic()
    if _marked(before) == mark:
        return []
    seen = see(campaign)
    with transaction.atomic():
        look = QualityLook.objects.select_for_update().get(pk=before.pk)
        if _marked(look) != _marked(before):
            return []
        flags = act(seen.read.members, seen.found, seen.rules)
        _tell_of(campaign, flags)
        look.newest, look.n, look.rules = mark.newest, mark.n, mark.rules
        look.found = snapshot(seen.read.members, seen.found, seen.rules)
        look.made_at, look.took_s = timezone.now(), time.monotonic() - began
        look.save()
    return flags


def _tell_of(campaign: Campaign, flags: Sequence[QualityFlag]) -> None:
    for flag in flags:
        if flag.event == QualityFlag.Event.CROSSED:
            about = {"annotator": flag.membership.pseudonym, "signal": flag.signal, "action": str(flag.action)}
            announce_event(campaign, EventKind.ALARM, {"about": "annotator", "flag": flag.pk, **about})


def campaigns_to_look_at() -> Iterator[int]:
    """The ids of those with something new since their last look, and whose last look was not a moment ago."""
    looks = {look.campaign_id: look for look in QualityLook.objects.defer("found")}
    # Campaigns that pause are not even counted: that takes a second at a million answers.
    for pk, newest, n, rules in _marks(but=[pk for pk, look in looks.items() if _pauses(look)]):
        if _marked(looks.get(pk) or QualityLook()) != _Mark(newest, n, rules):
            yield pk


def _pauses(look: QualityLook) -> bool:
    """A time in the future is from before the clock was set back, and pauses no longer than others."""
    factor = PAUSE_FACTOR_IN_WEB_PROCESS if settings.EMBEDDED else PAUSE_FACTOR
    return look.made_at is not None and abs(timezone.now() - look.made_at) < timedelta(seconds=factor * look.took_s)


def _look_of(campaign: Campaign) -> QualityLook:
    return QualityLook.objects.get_or_create(campaign=campaign)[0]


def _mark(campaign: Campaign) -> _Mark:
    row = newest_rules(campaign)
    seen = Annotation.objects.filter(assignment__campaign=campaign).aggregate(newest=Max("pk"), n=Count("pk"))
    return _Mark(seen["newest"] or 0, seen["n"], row.pk if row else 0)


def _marked(look: QualityLook) -> _Mark:
    return _Mark(look.newest, look.n, look.rules)


def _marks(*, but: Sequence[int]) -> Iterator[tuple[int, int, int, int]]:
    rules = dict(Campaign.objects.annotate(newest=Max("quality_rules")).values_list("pk", "newest"))
    answers = Annotation.objects.exclude(assignment__campaign__in=but).order_by().values("assignment__campaign")
    for row in answers.annotate(newest=Max("pk"), n=Count("pk")):
        pk = row["assignment__campaign"]
        if pk in rules:  # else it is being deleted
            yield pk, row["newest"], row["n"], rules[pk] or 0
