"""Names that can be seen and typed: no control characters, and none that turn the text around them."""

import unicodedata

from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from accounts.look_alikes import BLANK

#: Zero-width joiners belong into words of some scripts, and into emoji.
JOINERS = "\u200c\u200d"
#: What texts from elsewhere have between letters, and nobody sees: soft hyphens, word joiners. A byte order mark
#: is left over from joining files, and makes two keys of one.
IN_TEXTS = "\u00ad\u2060\u200b"


def is_visible(name: str) -> bool:
    """Whether every character of it can stand in a name, and one of them at least is seen.

    >>> is_visible("Stimme 2 👩‍🔬"), is_visible("\\u200b"), is_visible("\\u202eevil"), is_visible("a\\nb")
    (True, False, False, False)
    >>> is_visible("\\u3164"), is_visible("\\u2800")
    (False, False)
    """
    kinds = [unicodedata.category(it) for it in name if it not in JOINERS]
    allowed = all(kind not in ("Cc", "Cf", "Zl", "Zp", "Cs", "Co") for kind in kinds)
    return allowed and not set(name) & set(BLANK) and any(kind[0] in "LNPS" for kind in kinds)


def is_legible(text: str) -> bool:
    """The same for keys that may be whole texts, such as a prompt: they have line breaks, tabs and soft hyphens.

    >>> is_legible("Sing a song,\\nslowly"), is_legible("Kranken\\u00adhaus")
    (True, True)
    >>> is_legible("\\u200b"), is_legible("\\u202eevil"), is_legible("q1\\ufeff")
    (False, False, False)
    """
    return is_visible("".join(" " if it in "\n\r\t\u2028\u2029" else it for it in text if it not in IN_TEXTS))


def require_visible(name: str) -> None:
    """A validator of form fields. Raises ValidationError."""
    if not is_visible(name):
        raise ValidationError(
            _("Use letters, digits, signs and spaces: a name that cannot be seen cannot be chosen."), code="invisible"
        )
