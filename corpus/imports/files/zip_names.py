"""Names of files inside a ZIP, in one spelling, whichever program packed it.

Finder writes UTF-8 without saying so, and letters with their accents apart (NFD); Windows may write backslashes, and
names in the code page of DOS.
"""

import unicodedata
import zipfile
from contextlib import suppress
from pathlib import PurePosixPath

#: The bit of an entry that says its name is UTF-8.
SAYS_UTF8 = 0x800


def name_in(info: zipfile.ZipInfo) -> str:
    """The name of an entry. One that does not say how it is written, and is UTF-8, is read so; else as CP437."""
    name = info.filename
    if not info.flag_bits & SAYS_UTF8 and not name.isascii():
        with suppress(UnicodeError):  # else it is of the code page, as zipfile read it
            name = name.encode("cp437").decode("utf-8")
    return one_spelling(name)


def one_spelling(path: str) -> str:
    """The path with slashes, and its letters composed.

    >>> one_spelling("a\\\\Mu\\u0308ller.wav")
    'a/Müller.wav'
    """
    return unicodedata.normalize("NFC", path.replace("\\", "/"))


def is_of_system(name: str) -> bool:
    """Whether a computer added the file by itself."""
    last = PurePosixPath(name).name
    return name.startswith("__MACOSX/") or last.startswith("._") or last in (".DS_Store", "Thumbs.db", "desktop.ini")
