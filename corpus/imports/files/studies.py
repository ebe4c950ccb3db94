"""A study in one file, as it is exported for the Hugging Face hub. It is taken in above, where judges are known."""

import zipfile
from typing import IO

#: Where its tables are, and the protocol by which was asked.
ITEMS, JUDGEMENTS, VERDICTS, JUDGES = (
    f"{name}/train.parquet" for name in ("items", "judgements", "verdicts", "judges")
)
PROTOCOL = "protocol.yaml"
#: What else is known of the campaign, as JSON, in this form.
ABOUT, FORMAT = "study.json", 1


def holds_study(file: IO[bytes]) -> bool:
    """Whether the file is a ZIP with a table of items; it is left at its beginning."""
    try:
        with zipfile.ZipFile(file) as archive:
            return any(name == ITEMS or name.endswith(f"/{ITEMS}") for name in archive.namelist())
    except (zipfile.BadZipFile, UnicodeDecodeError, NotImplementedError):
        return False
    finally:
        file.seek(0)
