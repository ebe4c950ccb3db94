"""SHA-256 of files, and the list of them that `sha256sum --check` reads."""

import hashlib
from collections.abc import Mapping
from pathlib import Path

SUMS = "SHA256SUMS"


def sha256_of(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def list_of_sums(sums: Mapping[str, str]) -> str:
    """A line per file, by its path in the folder. Line ends and backslashes in paths are not provided for.

    >>> list_of_sums({"README.md": "ab12"})
    'ab12  README.md\\n'
    """
    return "".join(f"{sha256}  {path}\n" for path, sha256 in sums.items())
