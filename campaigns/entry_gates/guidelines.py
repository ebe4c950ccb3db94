"""Guidelines: texts by version, and how plain text becomes headings, lists and paragraphs."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounts.audit_log.entries import AuditEvent
from accounts.models import User
from campaigns.entry_gates.versioned_texts import NoText, add_version, newest_version
from campaigns.models import Campaign, GuidelinesText

MAX_LENGTH = 40_000
CHANGED = AuditEvent("guidelines_changed", gettext_lazy("Has guidelines of version %(version)s now."))
_STARTS = {"# ": "h2", "## ": "h3", "- ": "ul", "* ": "ul"}


@dataclass(frozen=True)
class Block:
    """A heading (`h2`, `h3`), a list (`ul`) or a paragraph (`p`) with its lines."""

    tag: str
    lines: tuple[str, ...]


def new_guidelines(campaign: Campaign, *, text: str, user: User) -> GuidelinesText:
    """Require all annotators to read this text from now on. An unchanged text creates no new version.

    Raises ValueError for a text that says nothing, or has no end.
    """
    try:
        return add_version(GuidelinesText, campaign, text=text, user=user, most=MAX_LENGTH, changed=CHANGED)
    except NoText as fault:
        raise ValueError(_("Guidelines have something to say, in at most 40,000 characters.")) from fault


def newest_guidelines(campaign: Campaign) -> GuidelinesText | None:
    return newest_version(GuidelinesText, campaign)


def blocks(text: str) -> Iterator[Block]:
    """The text in parts: a line that begins with `#` or `##` is a heading, one with `-` a list's item.

    >>> list(blocks("# How\\nListen.\\nThen answer.\\n- a\\n- b"))  # doctest: +NORMALIZE_WHITESPACE
    [Block(tag='h2', lines=('How',)), Block(tag='p', lines=('Listen.', 'Then answer.')),
     Block(tag='ul', lines=('a', 'b'))]
    """
    for tag, lines in groupby((_read(line) for line in text.splitlines()), key=lambda read: read[0]):
        if tag in ("h2", "h3"):
            yield from (Block(tag, (words,)) for _tag, words in lines)
        elif tag:
            yield Block(tag, tuple(words for _tag, words in lines))


def _read(line: str) -> tuple[str, str]:
    """The tag and the words; an empty line has neither."""
    line = line.strip()
    for start, tag in _STARTS.items():
        if line.startswith(start):
            return tag, line[len(start) :].strip()
    return ("p", line) if line else ("", "")
