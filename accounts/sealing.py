"""API keys and secrets as they are stored: encrypted by keys derived from SECRET_KEY, and never shown again."""

import base64

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from django.conf import settings
from django.utils.translation import gettext_noop

LOST = gettext_noop("The API key cannot be read any more; enter it again.")


class KeyLost(ValueError):
    """A stored key cannot be decrypted, because SECRET_KEY has changed."""


def sealed(api_key: str) -> str:
    return _box().encrypt(api_key.encode()).decode() if api_key else ""


def unsealed(kept: str) -> str:
    """Raises KeyLost."""
    try:
        return _box().decrypt(kept.encode()).decode() if kept else ""
    except InvalidToken as error:
        raise KeyLost(LOST) from error


def is_readable(kept: str) -> bool:
    """Whether a stored key can still be decrypted; an empty one can."""
    try:
        unsealed(kept)
    except KeyLost:
        return False
    return True


def _box() -> MultiFernet:
    """The newest key first; those before it (SECRET_KEY_FALLBACKS) still open what they closed."""
    secrets = [settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS]
    return MultiFernet([Fernet(base64.urlsafe_b64encode(_derived(secret))) for secret in secrets])


def _derived(secret: str) -> bytes:
    return HKDF(algorithm=SHA256(), length=32, salt=None, info=b"earshot.judges.api-keys").derive(secret.encode())
