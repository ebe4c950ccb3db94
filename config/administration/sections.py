"""The sections of backups, settings and health."""

from datetime import timedelta

from django.conf import settings
from django.utils import timezone
from django.utils.timesince import timesince
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from config.administration.backups import backups
from config.administration.settings_in_force import settings_in_force, unknown_names
from config.operations.readiness import OK, readiness
from infrastructure.administration.sections import Level, Section, State

#: Without a schedule, a backup of this age is old.
OLD = timedelta(days=7)


def backups_state() -> State:
    found = backups()
    if not found:
        to_do = gettext("Make a backup now, and set a schedule.")
        return State(gettext("There is no backup yet."), Level.BAD, to_do)
    last = found[0]
    line = gettext("The last one was made %(ago)s ago") % {"ago": timesince(last.made_at)}
    if last.fault:
        return State(line, Level.BAD, gettext("The last backup did not pass its test. Make a new one."))
    age = timezone.now() - last.made_at
    if age > max(OLD, timedelta(hours=2 * settings.BACKUP_EVERY_HOURS)):
        return State(line, Level.WARNING, gettext("The last backup is old. Make one now, and set a schedule."))
    if not last.tested_at:
        return State(line, Level.WARNING, gettext("The last backup was never tested. Test it."))
    return State(line + gettext(", and came back whole in its test"))


def settings_state() -> State:
    found = settings_in_force()
    n_set, n_risky = sum(it.is_set for it in found), sum(bool(it.warning) for it in found)
    line = ngettext("%(n)s differs from the default", "%(n)s differ from the default", n_set) % {"n": n_set}
    if names := unknown_names():
        to_do = gettext("Nothing reads %(names)s in .env. Check the spelling.") % {"names": ", ".join(names)}
        return State(line, Level.WARNING, to_do)
    notes = ngettext(", %(n)s note on risks", ", %(n)s notes on risks", n_risky) % {"n": n_risky}
    if settings.DEBUG:
        return State(line + notes, Level.BAD, gettext("Debug pages are on. Switch DEBUG off."))
    return State(line + notes)


def health_state() -> State:
    failed = [check for check in readiness() if check.status != OK]
    if not failed:
        return State(gettext("Everything that Earshot needs is there."))
    line = ngettext("%(n)s check fails", "%(n)s checks fail", len(failed)) % {"n": len(failed)}
    return State(line, Level.BAD, " ".join(gettext(check.hint) for check in failed))


SECTIONS = (
    Section(
        "administration-backups",
        50,
        _("Backups"),
        _("The last one, the next one, and whether it was tested"),
        backups_state,
    ),
    Section(
        "administration-settings", 80, _("Settings"), _("What is in force, and where it comes from"), settings_state
    ),
    Section("administration-health", 90, _("Health"), _("Database, workers, live pages and disk"), health_state),
)
