"""The catalogues of translations: `python -m config.operations.messages update`, and `… compile`.

It needs no settings, and none of gettext's programs.
"""

import io
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import IO, Any

from babel.messages.catalog import Catalog
from babel.messages.extract import DEFAULT_KEYWORDS, extract_from_dir, extract_python
from babel.messages.frontend import parse_keywords, parse_mapping_cfg
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po
from django.utils.translation.template import templatize

PROJECT = Path(__file__).resolve().parent.parent.parent
LOCALES = PROJECT / "locale"
#: What marks a text in Python; `Phrase` and `ReasonCode` do so where there is no Django.
KEYWORDS = DEFAULT_KEYWORDS | parse_keywords(
    [
        "gettext_lazy",
        "gettext_noop",
        "ngettext_lazy:1,2",
        "pgettext_lazy:1c,2",
        "npgettext_lazy:1c,2,3",
        "Phrase",
        "ReasonCode:2",
        "ReasonCode:2,3,3t",
        "ReasonCode:2,3,4t",  # Babel counts a trailing comma as one more
    ]
)
#: Folders without texts of ours.
ELSEWHERE = {"tests", "var", "static", "docs", "node_modules"}

#: As Babel wants it: line, function, text or texts, comments.
Text = tuple[int, str, str | tuple[str, ...], list[str]]


def extracted(folder: Path = PROJECT) -> Catalog:
    """Every text under `folder` that is marked for translation, and those that `babel.cfg` has an app list."""
    with (PROJECT / "babel.cfg").open(encoding="utf-8") as mapping:
        methods, options = parse_mapping_cfg(mapping)  # type: ignore[no-untyped-call]
    catalogue = Catalog()
    for *_where, text, _comments, context in extract_from_dir(
        folder, methods, options, KEYWORDS, directory_filter=_is_ours
    ):
        catalogue.add(text, context=context)
    return catalogue


def template_texts(
    file: IO[bytes], keywords: Mapping[str, Any], comments: list[str], options: dict[str, Any]
) -> Iterator[Text]:
    """Extractor for Babel from Django's templates: their tags as Python calls, without indentation."""
    calls = "\n".join(line.strip() for line in templatize(file.read().decode()).splitlines())
    yield from extract_python(io.BytesIO(calls.encode()), keywords, comments, options)  # type: ignore[misc, arg-type]


def catalogues() -> list[Path]:
    return sorted(LOCALES.glob("*/LC_MESSAGES/django.po"))


def read_catalogue(path: Path) -> Catalog:
    with path.open("rb") as file:
        return read_po(file, locale=path.parts[-3])


def update(path: Path) -> None:
    """Give the catalogue what is new, empty, and take from it what is gone. Nothing is guessed from similar texts."""
    catalogue = read_catalogue(path)
    catalogue.update(extracted(), no_fuzzy_matching=True, update_creation_date=False)
    text = io.BytesIO()
    write_po(text, catalogue, width=118, no_location=True, sort_output=True, ignore_obsolete=True)
    path.write_bytes(text.getvalue())


def compile_stale(path: Path) -> None:
    """Write the `.mo` beside the catalogue if it is missing or older. Several processes may do so at once."""
    compiled = path.with_suffix(".mo")
    if compiled.exists() and compiled.stat().st_mtime_ns >= path.stat().st_mtime_ns:
        return
    half = compiled.with_name(f".{os.getpid()}.mo")
    with half.open("wb") as file:
        write_mo(file, read_catalogue(path))
    half.replace(compiled)


def _is_ours(folder: str | os.PathLike[str]) -> bool:
    name = Path(folder).name
    return name not in ELSEWHERE and not name.startswith(".")


COMMANDS: dict[str, Callable[[Path], None]] = {"update": update, "compile": compile_stale}

if __name__ == "__main__":
    for catalogue in catalogues():
        COMMANDS[sys.argv[1]](catalogue)
