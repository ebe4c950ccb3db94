"""A campaign's systems under codes, until it closes: so that the ranking cannot influence when a study stops."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction
from django.utils.translation import gettext_lazy

from accounts.audit_log.entries import AuditEvent
from accounts.models import User
from analytics.data.hidden_names import shown_names
from analytics.data.votes.table import Subject
from arena.models import Standing
from arena.standings.choices import Settings
from arena.standings.tables import VERSION, Json
from campaigns.audit_log import record_in
from campaigns.models import Campaign, NameLock
from infrastructure.wording.reasons import read_reasons

NAMES_LOCKED = AuditEvent(
    "names_locked", gettext_lazy("The names of the systems were hidden until the campaign closes.")
)


class CannotLock(ValueError):
    """Names are hidden while answers come in, and not afterwards."""


@transaction.atomic
def hide_names(campaign: Campaign, *, user: User, settings: Settings) -> NameLock:
    """Show codes on the campaign's board until it closes, and fix the analysis plan: these settings.

    Neither can be taken back; a second time changes nothing. Raises CannotLock.
    """
    row = Campaign.objects.select_for_update().get(pk=campaign.pk)
    if row.status == Campaign.Status.CLOSED:
        raise CannotLock("the campaign is closed")
    plan = {"settings": settings.document(), "version": VERSION, "protocol": row.protocol_digest}
    shown = Standing.objects.filter(campaign=row, n__gt=0).exists()
    made = {"by": user, "plan": plan, "plan_sha256": plan_digest(plan), "names_were_shown": shown}
    lock, is_new = NameLock.objects.get_or_create(campaign=row, defaults=made)
    if is_new:
        record_in(row, NAMES_LOCKED, by=user)
    return lock


def plan_digest(plan: Json) -> str:
    """SHA-256 of a plan, as it can be computed from the export: its JSON with sorted keys, without spaces."""
    return hashlib.sha256(json.dumps(plan, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


@dataclass(frozen=True)
class Plan:
    """The fixed analysis plan, and whether the board had shown the names before it was fixed."""

    plan: Json
    sha256: str
    fixed_at: datetime
    before_names_were_shown: bool

    def is_followed(self, settings: Settings, version: str) -> bool:
        return bool(self.plan["settings"] == settings.document() and self.plan["version"] == version)


def plan_of(subject: Subject) -> Plan | None:
    """The analysis plan of a campaign whose names were hidden; None where none was fixed."""
    lock = NameLock.objects.filter(campaign=subject).first() if isinstance(subject, Campaign) else None
    if lock is None or not lock.plan:
        return None
    return Plan(lock.plan, lock.plan_sha256, lock.made_at, not lock.names_were_shown)


def shown_table(subject: Subject, table: Json, *, hidden: bool) -> Json:
    """The table as it may be seen at this moment, with its reasons read."""
    table = read_reasons(table)
    if not hidden or not isinstance(subject, Campaign):
        return table
    return under_codes(table, shown_names(subject, table["systems"]))


def under_codes(table: Json, code: Mapping[str, str]) -> Json:
    """The table with codes for names, and in no order that comes from the names."""
    return table | {
        "systems": sorted(code[name] for name in table["systems"]),
        "alone": sorted((it | {"system": code[it["system"]]} for it in table["alone"]), key=lambda it: it["system"]),
        "pairs": sorted((_pair(it, code) for it in table["pairs"]), key=lambda it: (it["one"], it["other"])),
        "islands": [_island(it, code) for it in table["islands"]],
    }


def _pair(pair: Json, code: Mapping[str, str]) -> Json:
    one, other = code[pair["one"]], code[pair["other"]]
    if one < other:
        return pair | {"one": one, "other": other}
    won = {"one_won": pair["other_won"], "other_won": pair["one_won"]}
    return pair | {"one": other, "other": one} | won


def _island(island: Json, code: Mapping[str, str]) -> Json:
    rows = [row | {"system": code[row["system"]]} for row in island["rows"]]
    differences = [_difference(it, code) for it in island["differences"]]
    return island | {
        "rows": sorted(rows, key=_best_first),
        "differences": sorted(differences, key=lambda it: (it["of"], it["to"])),
    }


def _best_first(row: Json) -> tuple[bool, float, str]:
    value = row["rating"]["value"]
    return value is None, -(value or 0.0), row["system"]


def _difference(difference: Json, code: Mapping[str, str]) -> Json:
    of, to = code[difference["of"]], code[difference["to"]]
    if of < to:
        return difference | {"of": of, "to": to}
    turned = {"yes": "no", "no": "yes"}.get(difference["beats"], difference["beats"])
    ends = {"value": "value", "low": "high", "high": "low"}
    numbers = {end: None if difference[was] is None else -difference[was] for end, was in ends.items()}
    return difference | {"of": to, "to": of, "beats": turned} | numbers
