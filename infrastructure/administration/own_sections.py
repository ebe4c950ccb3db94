"""The sections of accounts and of background work."""

from datetime import timedelta

from django.utils import timezone
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from accounts.login.demo_password import with_demo_password
from accounts.models import AuditEntry
from accounts.people.listing import accounts_of_installation, guests_of_installation
from infrastructure.administration.sections import Level, Section, State
from infrastructure.background.health import health
from infrastructure.deletion.demo import demo_of_installation
from infrastructure.deletion.stopped import stopped_deletions


def people_state() -> State:
    """As its page counts them."""
    rows, guests = accounts_of_installation(), guests_of_installation().count()
    n, administrators = rows.count(), rows.filter(is_superuser=True, is_active=True).count()
    line = ngettext("%(n)s account", "%(n)s accounts", n) % {"n": n}
    if guests:
        line += ngettext(", and %(n)s guest", ", and %(n)s guests", guests) % {"n": guests}
    line += gettext(", administrators: %(n)s") % {"n": administrators}
    if names := with_demo_password():
        to_do = gettext("Change this password first: the one that the demo prints logs in as %(names)s.")
        return State(line, Level.BAD, to_do % {"names": ", ".join(names)})
    if administrators > 1:
        return State(line)
    to_do = gettext("Make a second person an administrator: nobody can help if the only one has left.")
    return State(line, Level.WARNING, to_do)


def audit_log_state() -> State:
    n = AuditEntry.objects.filter(at__gte=timezone.now() - timedelta(days=7)).count()
    return State(ngettext("%(n)s entry in the last seven days", "%(n)s entries in the last seven days", n) % {"n": n})


def jobs_state() -> State:
    found = health()
    failed, queued = len(found.failures), found.queued
    line = ngettext("%(n)s failed in the last day", "%(n)s failed in the last day", failed) % {"n": failed}
    line += gettext(", %(n)s waiting") % {"n": queued}
    if stopped := len(stopped_deletions()):
        line += ngettext(", %(n)s deletion stopped half-way", ", %(n)s deletions stopped half-way", stopped) % {
            "n": stopped
        }
    if not found.worker_runs:
        return State(
            line, Level.BAD, gettext("No worker is running. Start one: %(command)s") % {"command": found.command}
        )
    if stopped:
        return State(line, Level.BAD, gettext("Run them again under “Other work that stopped”."))
    if failed:
        return State(line, Level.BAD, gettext("See why they failed, and run them again."))
    if found.waits_long:
        return State(line, Level.WARNING, gettext("One has waited for more than ten minutes. Start more workers."))
    return State(line)


def demo_state() -> State:
    there = demo_of_installation()
    if not there.goes and not there.people:
        return State(gettext("not in this installation"))
    n = len(there.goes)
    return State(ngettext("%(n)s thing of the demo is here", "%(n)s things of the demo are here", n) % {"n": n})


SECTIONS = (
    Section("people", 10, _("People"), _("Accounts, invitations and rights"), people_state),
    Section(
        "audit-log",
        20,
        _("Audit log"),
        _("What changed rights, data or the secrecy of names"),
        audit_log_state,
        informs_only=True,
    ),
    Section("administration-jobs", 30, _("Jobs"), _("Background work: what failed, runs and waits"), jobs_state),
    Section(
        "demo",
        90,
        _("The demo"),
        _("Datasets, campaigns and people of the demo, and clearing them away"),
        demo_state,
        informs_only=True,
    ),
)
