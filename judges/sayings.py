"""Sentences with figures in them that rows keep, in English: made by a template, and found again to be translated."""

import re

from django.utils.translation import gettext, gettext_noop

from accounts import sealing

NONE_OF_FIRST = gettext_noop("None of the first %(n)s units has an answer, so nothing more is asked: %(last)s")
FEW_LATELY = gettext_noop("%(bad)s of the last %(n)s verdicts have no answer, so nothing more is asked: %(last)s")
NONE_AT_ALL = gettext_noop("None of the %(n)s verdicts has an answer: %(last)s")
SAME_TEXT = gettext_noop(
    "The model wrote the same text about %(n)s different units, so nothing more is asked. Look at one of its "
    "replies; if that is right for this judge, go on."
)
EMPTY = gettext_noop(
    "The replies are empty. Raise the most tokens of one reply, or try the model on the page Models; then go on."
)
CUT_OFF = gettext_noop(
    "The replies end at the limit of tokens. Make the judge anew with more tokens in one reply, and run that one."
)
UNREADABLE = gettext_noop(
    "The replies hold no answer that can be read. Look at one below, and take a model that keeps to the form."
)
REFUSED = gettext_noop("The model refuses to judge. Read its words below, and take another model or other material.")
KEY_REFUSED = gettext_noop("%(last)s Correct the API key on the page Models, and judge the failed ones again.")
NOT_THERE = gettext_noop(
    "%(last)s Correct the address or the name of the model on the page Models, and judge the failed ones again."
)
REJECTED = gettext_noop("%(last)s Change what the server does not take, and judge the failed ones again.")
UNAVAILABLE = gettext_noop("%(last)s Judge the failed ones again once the server is well.")
NO_QUOTA = gettext_noop("The account of this model has nothing left, so the run waits. Go on when it has: %(last)s")
BUDGET_SPENT = gettext_noop(
    "$%(left)s of the budget of $%(budget)s is left after $%(spent)s, and the next call may cost $%(usd)s. Go on "
    "with a higher budget, or take a judge with fewer tokens in one reply."
)
BUDGET_UNCONFIRMED = gettext_noop(
    "$%(left)s of the budget of $%(budget)s is left after $%(spent)s and up to $%(unconfirmed)s for calls whose bill "
    "never came, and the next call may cost $%(usd)s. Go on with a higher budget."
)
BILLED_MORE = gettext_noop(
    "A call cost $%(usd)s, more than the $%(most)s that it may cost by its limit of tokens. Look at the price of the "
    "model and at what the server bills before you go on."
)
NOT_COUNTED = gettext_noop("The server does not count tokens, or the price is not known: no budget can be kept.")
MISCOUNTED = gettext_noop(
    "The server counts more tokens than there can be, or less than none. What this call may cost at most is taken "
    "for billed."
)
NO_BUDGET_BY_COUNT = gettext_noop(
    "The server counts more tokens than there can be, or less than none: no budget can be kept. Look at what it "
    "bills before you go on."
)
NOT_KEPT = gettext_noop("What came for this unit could not be kept (%(fault)s). The log says why.")
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
IN_PRIVATE_NETWORK = gettext_noop(
    "%(host)s is in a private network. An administrator can allow this: %(setting)s=true in .env, then restart "
    "Earshot."
)
#: The more particular ones first.
TEMPLATES = (
    NONE_OF_FIRST, FEW_LATELY, NONE_AT_ALL, SAME_TEXT, EMPTY, CUT_OFF, UNREADABLE, REFUSED, KEY_REFUSED,
    NOT_THERE, REJECTED, UNAVAILABLE, NO_QUOTA, BUDGET_SPENT, BUDGET_UNCONFIRMED, BILLED_MORE, NOT_COUNTED,
    MISCOUNTED, NO_BUDGET_BY_COUNT, NOT_KEPT,
    NO_MODEL, MODEL_DISABLED, KEY_LOST, GIVEN_UP, BUSY, LIMIT_REFUSED, TEMPERATURE_REFUSED, EFFORT_REFUSED,
    PARAMETER_REFUSED, REDIRECTED, ANSWERED, TOO_SLOW, NOT_REACHED, NOT_READ, NO_COMPLETION, TOO_LONG,
    NOT_ASKED, NOT_DECODED, NOT_FOUND, IN_PRIVATE_NETWORK,
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
