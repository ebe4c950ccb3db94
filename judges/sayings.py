"""Sentences with figures in them that rows keep, in English: made by a template, and found again to be translated."""

import re

from django.utils.translation import gettext, gettext_noop

from accounts import sealing

CALLS_FAILED = gettext_noop("%(n)s calls failed in a row, so nothing more is asked: %(last)s")
BUDGET_SPENT = gettext_noop("The budget of $%(budget)s is spent: the calls so far cost $%(spent)s.")
NOT_COUNTED = gettext_noop("The server does not count tokens, or the price is not known: no budget can be kept.")
NO_MODEL = gettext_noop("This judge has no model to ask.")
MODEL_DISABLED = gettext_noop("The model %(model)s was disabled.")
KEY_LOST = sealing.LOST
GIVEN_UP = gettext_noop("The worker ended %(n)s times at this one. The log may say why.")
BUSY = gettext_noop("The server answered %(status)s again and again.")
ANSWERED = gettext_noop("The server answered %(status)s: %(said)s")
TOO_SLOW = gettext_noop("The server did not answer within %(seconds)s s.")
NOT_REACHED = gettext_noop("The server cannot be reached (%(fault)s).")
NOT_READ = gettext_noop("The server's answer cannot be read (%(fault)s).")
NO_COMPLETION = gettext_noop("The server's answer is no chat completion.")
TOO_LONG = gettext_noop("The server's answer is longer than 4 MB.")
NOT_ASKED = gettext_noop("The server was not asked.")
NOT_DECODED = gettext_noop("The server's answer is compressed in a way that is not read here: %(encoding)s.")
REDIRECTED = gettext_noop(
    "The server answered %(status)s: it sends to %(target)s, which is not followed. If you trust that address, add "
    "the model again with it."
)
LIMIT_REFUSED = gettext_noop(
    "This model takes no %(parameter)s: choose %(other)s under its parameters, or let its test find what works. The "
    "server answered %(status)s: %(said)s"
)
TEMPERATURE_REFUSED = gettext_noop(
    "This model takes no such temperature: choose to send none under its parameters, or let its test find what "
    "works. The server answered %(status)s: %(said)s"
)
EFFORT_REFUSED = gettext_noop(
    "This model takes no such reasoning effort: choose another one, or none, under its parameters. The server "
    "answered %(status)s: %(said)s"
)
PARAMETER_REFUSED = gettext_noop(
    "This model does not take %(parameter)s: take it out of the extra body under its parameters. The server answered "
    "%(status)s: %(said)s"
)
NOT_FOUND = gettext_noop("The server %(host)s cannot be found.")
#: The more particular ones first.
TEMPLATES = (
    CALLS_FAILED, BUDGET_SPENT, NOT_COUNTED, NO_MODEL, MODEL_DISABLED, KEY_LOST, GIVEN_UP, BUSY,
    LIMIT_REFUSED, TEMPERATURE_REFUSED, EFFORT_REFUSED, PARAMETER_REFUSED, REDIRECTED, ANSWERED, TOO_SLOW,
    NOT_REACHED, NOT_READ, NO_COMPLETION, TOO_LONG, NOT_ASKED, NOT_DECODED, NOT_FOUND,
)  # fmt: skip


def _pattern(template: str) -> re.Pattern[str]:
    return re.compile(re.sub(r"%\\?\((\w+)\\?\)s", r"(?P<\1>.+)", re.escape(template)), re.DOTALL)


_PATTERNS = [(template, _pattern(template)) for template in TEMPLATES]


def told(text: str) -> str:
    """A kept sentence in the language of the page; one that no template makes is looked up as it is.

    >>> told("The server answered 404: no such model")
    'The server answered 404: no such model'
    """
    for template, pattern in _PATTERNS:
        if found := pattern.fullmatch(text):
            parts = found.groupdict()
            if "last" in parts:
                parts["last"] = told(parts["last"])
            return gettext(template) % parts
    return gettext(text) if text else ""
