"""Several people as they are pasted: a username, an e-mail address or both on each line."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from django.core.exceptions import ValidationError
from django.core.validators import MaxLengthValidator, validate_email
from django.db.models.functions import Lower
from django.utils.translation import gettext as _

from accounts.models import User, folded

#: Each is sent a mail within the request.
MOST = 100
#: As many letters as the column of usernames takes.
LONGEST = 150
SEPARATOR = re.compile(r"[,;\t]")


class Faulty(ValueError):
    """Lines that cannot become accounts; each message names its line."""

    def __init__(self, messages: list[str]) -> None:
        super().__init__("; ".join(messages))
        self.messages = messages


@dataclass(frozen=True)
class Line:
    """A person to be invited, with the number of their line."""

    number: int
    username: str
    email: str


def lines_of(text: str) -> list[Line]:
    """The people in the text; empty lines are passed over. Raises Faulty, with every line that is."""
    lines = [_line(number, line) for number, line in enumerate(text.splitlines(), 1) if line.strip()]
    if len(lines) > MOST:
        raise Faulty([_("At most %(most)s people at once.") % {"most": MOST}])
    if faults := [_("Line %(n)s: %(fault)s") % {"n": n, "fault": fault} for n, fault in _faults(lines)]:
        raise Faulty(faults)
    return lines


def _line(number: int, line: str) -> Line:
    """Spaces within a name become points: `Ada Lovelace` is ada.lovelace."""
    cells = [cell.strip().strip('"<>') for cell in SEPARATOR.split(line) if cell.strip()]
    email = next((cell for cell in cells if "@" in cell), "")
    name = next((cell for cell in cells if cell != email), "") or email.partition("@")[0]
    return Line(number, ".".join(name.split()).lower() if " " in name else name, email)


def _faults(lines: list[Line]) -> Iterator[tuple[int, str]]:
    names = [folded(it.username) for it in lines]
    taken = set(User.objects.filter(username_folded__in=names).values_list("username_folded", flat=True))
    emails = [it.email.lower() for it in lines if it.email]
    known = User.objects.annotate(lower=Lower("email")).filter(lower__in=emails)
    in_use = set(known.values_list("lower", flat=True))
    for line in lines:
        if folded(line.username) in taken:
            yield line.number, _("the username %(name)s is taken.") % {"name": line.username}
        elif line.email and line.email.lower() in in_use:
            yield line.number, _("an account has the address %(email)s already.") % {"email": line.email}
        elif fault := _fault(line):
            yield line.number, fault
        taken.add(folded(line.username))
        in_use.add(line.email.lower())


def _fault(line: Line) -> str:
    try:
        User.username_validator(line.username)
        MaxLengthValidator(LONGEST)(line.username)
    except ValidationError:
        return _("%(name)s is no username. Letters, digits and @ . + - _ only.") % {"name": line.username}
    try:
        validate_email(line.email or "none@lab.example")
    except ValidationError:
        return _("%(email)s is no e-mail address.") % {"email": line.email}
    return ""
