"""The sections of storage and retention in the administration."""

import shutil
from datetime import timedelta

from django.conf import settings
from django.template.defaultfilters import filesizeformat
from django.utils import timezone
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from analytics.storage import FIGURES
from infrastructure.administration.sections import Level, Section, State
from infrastructure.background.health import disk_is_low
from infrastructure.models import KeptFigures

#: What can be removed is worth a look from this share of the free space on.
WORTH = 0.1


def storage_state() -> State:
    disk, kept = shutil.disk_usage(settings.DATA_DIR), KeptFigures.objects.filter(name=FIGURES).first()
    line = gettext("%(free)s free") % {"free": filesizeformat(disk.free)}
    removable = sum(it["bytes"] for it in kept.data["clearable"].values()) if kept else 0
    if removable:
        line += gettext(", %(size)s can be removed") % {"size": filesizeformat(removable)}
    if disk_is_low(free=disk.free, total=disk.total):
        return State(line, Level.BAD, gettext("The disk is nearly full. See what can be removed."))
    if removable > WORTH * disk.free:
        return State(line, Level.WARNING, gettext("Much of the disk is taken by what can be removed."))
    return State(line)


def retention_state() -> State:
    from analytics.retention.overview import due_campaigns, with_a_rule  # noqa: PLC0415 - loads SciPy

    n, now = with_a_rule(), timezone.now()
    due = due_campaigns(now + timedelta(days=7))
    line = ngettext("%(n)s campaign has a rule", "%(n)s campaigns have a rule", n) % {"n": n}
    if due:
        line += gettext(", deletions due within seven days: %(n)s") % {"n": due}
    return State(line)


SECTIONS = (
    Section("administration-storage", 40, _("Storage"), _("What takes room, and what can be removed"), storage_state),
    Section(
        "administration-retention",
        60,
        _("Retention"),
        _("What is deleted when, in all campaigns"),
        retention_state,
        informs_only=True,
    ),
)
