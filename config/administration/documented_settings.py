"""The page docs/reference/settings.md as data: each variable with its group, its default and what it means."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

PROJECT = Path(__file__).resolve().parents[2]
#: A group, or a row of its table: name, default, meaning.
LINE = re.compile(r"^## (?P<group>.+)$|^\| `(?P<name>\w+)` \| (?P<default>.+?) \| (?P<meaning>.+) \|$", re.MULTILINE)
LINK = re.compile(r"\[([^\]]+)\]\([^)]+\)")
CODE = re.compile(r"`[^`]*`")
#: As Babel wants it: line, function, text, comments.
Text = tuple[int, str, str, list[str]]


@dataclass(frozen=True)
class DocumentedSetting:
    """In English, without the marks of Markdown. `has_words` says that the default is more than a value."""

    group: str
    name: str
    default: str
    meaning: str
    has_words: bool


def documented(folder: Path = PROJECT) -> list[DocumentedSetting]:
    """In the order of the page; empty where it was not installed."""
    page = folder / "docs" / "reference" / "settings.md"
    text = page.read_text(encoding="utf-8") if page.is_file() else ""
    found, group = [], ""
    for line in LINE.finditer(text):
        if line["group"]:
            group = line["group"]
            continue
        has_words = bool(re.search(r"[^\W\d_]", CODE.sub("", line["default"])))
        found.append(
            DocumentedSetting(group, line["name"], _plain(line["default"]), _plain(line["meaning"]), has_words)
        )
    return found


def settings_texts(*_file: Any, **_options: Any) -> Iterator[Text]:
    """What has to be translated of it, for the catalogues (`babel.cfg`)."""
    for it in documented():
        for text in (it.group, it.meaning, *([it.default] if it.has_words else [])):
            yield 0, "gettext", text, []


def _plain(text: str) -> str:
    return LINK.sub(r"\1", text).replace("`", "")
