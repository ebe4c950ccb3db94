"""Raw results of the P.808 toolkit's CCR and DCR: each rating is of a processed clip beside its reference.

The page has turned the sign already where the reference was heard second: a rating is always of the processed clip.
"""

import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path, PurePosixPath
from urllib.parse import unquote, urlsplit

from corpus.imports.files.rows import Row
from corpus.imports.mapping.reasons import RATERS_UNDER_PSEUDONYMS
from corpus.imports.mapping.rows.pseudonyms import rater_pseudonym
from corpus.imports.tools import reasons
from corpus.imports.tools.formats.listening_tests.p808 import URL, cells_of, is_rejected, ratings_of, time_of
from corpus.imports.tools.head import Head
from corpus.imports.tools.recognised import Recognised, Said, Tool
from corpus.imports.tools.tool_rows import tool_rows

REFERENCE = re.compile(r"input\.(q\d+)_r", re.IGNORECASE)
DCR = {"1", "2", "3", "4", "5"}


def recognises(head: Head) -> bool:
    names = {name.casefold() for name in head.columns}
    return {"workerid", "hitid", "input.q0_r", "input.q0_p"} <= names and any(map(URL.fullmatch, names))


class _Read:
    """The ratings of a file, with what is left out of it."""

    def __init__(self, path: Path) -> None:
        self.n_checks = self.n_rejected = self.n_unrated = 0
        self.workers = set[str]()
        self.pairs: dict[tuple[str, str], int] = {}
        self.ratings: list[tuple[int, dict[str, str], tuple[str, str], str]] = []
        for number, row in tool_rows(path):
            self._add(number, cells_of(row))
        self.is_dcr = {value for *_, value in self.ratings} <= DCR

    def _add(self, number: int, cells: dict[str, str]) -> None:
        if is_rejected(cells):
            self.n_rejected += 1
            return
        shown = {
            cells[f"input.{found[1]}_p"]: cell
            for name, cell in cells.items()
            if (found := REFERENCE.fullmatch(name)) and cells.get(f"input.{found[1]}_p")
        }
        for name, processed in cells.items():
            if not (found := URL.fullmatch(name)) or not processed:
                continue
            value = ratings_of(cells, found[1].casefold()).get("quality", "")
            if shown.get(processed, processed) == processed:  # a clip beside itself checks the worker
                self.n_checks += 1
            elif not value:
                self.n_unrated += 1
            else:
                pair = (shown[processed], processed)
                self.pairs.setdefault(pair, number)
                self.workers.add(cells["workerid"])
                self.ratings.append((number, cells, pair, value))


def _open(path: Path) -> Recognised:
    read = _Read(path)
    told = reasons.P808_DCR if read.is_dcr else reasons.P808_CCR
    lost = [reasons.P808_NAMES_FOLDERS_OF_PAIRS()]
    lost += [reasons.P808_REFERENCE_HEARD()] if read.is_dcr else []
    lost += [reasons.P808_CHECKS(n=read.n_checks)] if read.n_checks else []
    lost += [reasons.P808_REJECTED(n=read.n_rejected)] if read.n_rejected else []
    lost += [reasons.P808_UNRATED(n=read.n_unrated)] if read.n_unrated else []
    lost.append(RATERS_UNDER_PSEUDONYMS())
    return Recognised(
        told(n=len(read.ratings), pairs=len(read.pairs), workers=len(read.workers)),
        tuple(lost),
        responses=partial(_responses, read),
        answers=partial(_answers, read),
    )


def _responses(read: _Read) -> Iterator[tuple[int, Row]]:
    made = set[tuple[str, ...]]()
    for pair, number in read.pairs.items():
        item = _named(pair[0])[1]
        for clip in pair:
            system, take = _named(clip)
            if (key := (item, system, take)) not in made:
                made.add(key)
                yield number, {"item": item, "system": system, "take": take, "response_audio": clip}


def _answers(read: _Read) -> Iterator[tuple[int, Said]]:
    for number, cells, pair, value in read.ratings:
        (_, item), (system, take) = map(_named, pair)
        about = ((system,), (take,)) if read.is_dcr else (
            (_named(pair[0])[0], system), (item, take))  # fmt: skip
        time = time_of(cells.get("submittime", ""))
        yield number, Said(
            item, about[0], value, aspect="degradation" if read.is_dcr else "overall",
            annotator=rater_pseudonym(cells["workerid"]), takes=about[1],
            more={"recorded_at": time} if time else {},
        )  # fmt: skip


def _named(url: str) -> tuple[str, str]:
    """The clip's folder, which is taken for its system, and its name without the ending."""
    place = PurePosixPath(unquote(urlsplit(url).path))
    return place.parent.name or "clips", place.stem


TOOL = Tool("p808_pairs", recognises, _open)
