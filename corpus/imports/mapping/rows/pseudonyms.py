"""Names of raters whom a file names by addresses, numbers of workers or what they said of themselves."""

import base64

from django.utils.crypto import salted_hmac

LETTERS = 8


def rater_pseudonym(called: str) -> str:
    """The same for the same name in every import of this installation, whose SECRET_KEY is the key of the digest."""
    digest = salted_hmac("earshot.imported-raters", called, algorithm="sha256").digest()
    return f"r-{base64.b32encode(digest).decode().lower()[:LETTERS]}"
