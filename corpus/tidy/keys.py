"""Keys of units, made of the names of what they are about."""

import hashlib


def unit_key(*names: str) -> str:
    """The names in one key; long ones give way to their hash, so that it always fits its column.

    >>> unit_key("q1", "alpha", "beta")
    'q1 | alpha | beta'
    """
    key = " | ".join(names)
    return key if len(key) <= 400 else f"{key[:300]}… {hashlib.sha256(key.encode()).hexdigest()[:16]}"
