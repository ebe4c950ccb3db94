"""Protocols of this installation's own: saved as versions, which never change."""

import re
from collections.abc import Iterator
from itertools import count

from django.db import IntegrityError, transaction
from django.utils.text import slugify
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounts.audit_log.entries import AuditEvent, Subject, record
from accounts.models import User
from campaigns.models import ProtocolVersion
from protocols import SHIPPED, Protocol, digest, to_document
from protocols.documents.yaml_files import MAX_BYTES, to_yaml

NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,59}")
VERSION = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,39}")
MAX_TITLE = 200
PROTOCOL_SAVED = AuditEvent("protocol_saved", gettext_lazy("Saved, as version %(version)s."))
#: So that a page can hold the whole form.
MAX_ASPECTS, MAX_EXAMPLES = 50, 20


class NotSaved(ValueError):
    """A protocol that cannot be saved: the field that is in the way, and what would do in its place."""

    def __init__(self, reason: str, field: str, suggestion: str = "") -> None:
        super().__init__(reason)
        self.field = field
        self.suggestion = suggestion


@transaction.atomic
def save_version(protocol: Protocol, *, user: User, based_on: str = "") -> ProtocolVersion:
    """Keep the protocol as a version of its own; the same content again is the same row. Raises NotSaved.

    The user who saved the first version of a name adds the others; so may superusers.
    """
    document = to_document(protocol)
    if saved := _saved(protocol.name, protocol.version, digest(document)):
        return saved
    # Counted before the check of the name's owner: a concurrent request takes this number.
    number = ProtocolVersion.objects.filter(name=protocol.name).count() + 1
    for reason in reasons_against(protocol, user=user):
        raise reason
    try:
        with transaction.atomic():
            row = ProtocolVersion.objects.create(
                name=protocol.name,
                version=protocol.version,
                number=number,
                title=protocol.title,
                unit=protocol.unit,
                document=document,
                digest=digest(document),
                based_on=based_on,
                created_by=user,
            )
            record(PROTOCOL_SAVED, by=user, kind=Subject.PROTOCOL, number=row.pk, name=row.title, version=row.version)
            return row
    except IntegrityError as error:
        if saved := _saved(protocol.name, protocol.version, digest(document)):
            return saved
        raise NotSaved(_("Another user saved under this name at the same moment. Save again."), "name") from error


def reasons_against(protocol: Protocol, *, user: User) -> Iterator[NotSaved]:
    """Why `user` cannot save this protocol. What is saved already with the same content can be saved again."""
    yield from _of_size(protocol)
    if not NAME.fullmatch(protocol.name):
        reason = _("The name stands in addresses: up to 60 small letters, digits, hyphens and underscores.")
        yield NotSaved(reason, "name", free_name(protocol.name, user))
    elif protocol.name in SHIPPED:
        reason = _("“%(name)s” ships with Earshot and cannot be changed; choose another name.")
        yield NotSaved(reason % {"name": protocol.name}, "name", free_name(protocol.name, user))
    elif not may_add_version(protocol.name, user):
        reason = _("“%(name)s” belongs to another user; choose another name.")
        yield NotSaved(reason % {"name": protocol.name}, "name", free_name(protocol.name, user))
    if not VERSION.fullmatch(protocol.version):
        reason = _("The version stands in addresses: up to 40 letters, digits, dots, hyphens and underscores.")
        yield NotSaved(reason, "version", free_version(protocol.name, "1"))
    elif _is_taken(protocol):
        reason = _("Version %(version)s is saved already and never changes; what you have here becomes another one.")
        suggestion = free_version(protocol.name, protocol.version)
        yield NotSaved(reason % {"version": protocol.version}, "version", suggestion)


def may_add_version(name: str, user: User) -> bool:
    first = ProtocolVersion.objects.filter(name=name, number=1).first()
    return first is None or user.is_superuser or first.created_by_id == user.pk


def free_version(name: str, version: str) -> str:
    """`version`, or the first one after it that this protocol does not have yet.

    A number at its end is counted up; where there is none, one is added.
    """
    taken = set(ProtocolVersion.objects.filter(name=name).values_list("version", flat=True))
    stem = version.rstrip("0123456789")
    digits = version[len(stem) :]
    if not digits:
        stem, digits = f"{stem}-", "1"
    later = (f"{stem}{number}" for number in count(int(digits) + 1))
    return version if version not in taken else next(one for one in later if one not in taken)


def free_name(name: str, user: User) -> str:
    """A free name: `name` itself, with the person's number, or with a number behind."""
    base = slugify(name).strip("-_")[:40] or "protocol"
    mine = f"{base}_{user.pk}"  # no username: names of protocols outlive accounts
    taken = {*SHIPPED, *ProtocolVersion.objects.values_list("name", flat=True).distinct()}
    candidates = (base, mine, *(f"{mine}_{number}" for number in range(2, len(taken) + 3)))
    return next(one for one in candidates if one not in taken)


def _saved(name: str, version: str, content: str) -> ProtocolVersion | None:
    return ProtocolVersion.objects.filter(name=name, version=version, digest=content).first()


def _is_taken(protocol: Protocol) -> bool:
    rows = ProtocolVersion.objects.filter(name=protocol.name, version=protocol.version)
    return rows.exclude(digest=digest(to_document(protocol))).exists()


def _of_size(protocol: Protocol) -> Iterator[NotSaved]:
    if len(protocol.title) > MAX_TITLE:
        yield NotSaved(_("The title has more than %(n)s characters.") % {"n": MAX_TITLE}, "title")
    if len(protocol.aspects) > MAX_ASPECTS:
        yield NotSaved(_("A protocol of your own has at most %(n)s aspects.") % {"n": MAX_ASPECTS}, "aspects")
    if len(protocol.examples) > MAX_EXAMPLES:
        yield NotSaved(_("At most %(n)s worked examples.") % {"n": MAX_EXAMPLES}, "examples")
    if len(to_yaml(protocol).encode()) > MAX_BYTES:
        reason = _("The whole protocol is larger than %(n)s kB.") % {"n": MAX_BYTES // 1000}
        yield NotSaved(reason, "instructions")
