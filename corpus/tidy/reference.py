"""Write the columns of docs/reference/table-of-answers.md: `python -m corpus.tidy.reference`."""

import re
from pathlib import Path

from corpus.tidy.rows import TABLE

PAGE = Path(__file__).resolve().parents[2] / "docs" / "reference" / "table-of-answers.md"
_ROWS = re.compile(r"(?<=\n\|---\|---\|---\|\n)(\|.*\n)+")


def page() -> str:
    """The page as it is to be: its text, and a row for each column."""
    rows = "".join(f"{column.line}\n" for column in TABLE)
    return _ROWS.sub(lambda _: rows, PAGE.read_text(encoding="utf-8"), count=1)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
