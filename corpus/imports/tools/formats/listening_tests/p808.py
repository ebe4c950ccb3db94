"""Raw results of the P.808 toolkit (ACR, P.835), as Mechanical Turk gives them: a row for each assignment, with
the clips that were heard and the ratings of each in columns of their own.
"""

import re
from collections import Counter
from collections.abc import Iterator
from datetime import datetime, timedelta, timezone
from functools import partial
from pathlib import Path, PurePosixPath
from urllib.parse import unquote, urlsplit

from corpus.imports.files.rows import Row, place_in
from corpus.imports.mapping.mapping import AS_WRITTEN, PSEUDONYMS, RESPONSES, TableMapping, Use
from corpus.imports.mapping.table import ForeignTable
from corpus.imports.tools import reasons
from corpus.imports.tools.head import Head
from corpus.imports.tools.recognised import Recognised, Tool
from corpus.imports.tools.tool_rows import tool_rows
from infrastructure.wording.reasons import Reason

URL = re.compile(r"answer\.(q\d+)_url", re.IGNORECASE)
RATING = re.compile(r"answer\.(q\d+)(?:_(\w+))?", re.IGNORECASE)
#: Clips that check the worker.
CHECKS = re.compile(r"input\.(tp|gold_clips?|gold_url|gold_clip)(_?\d+)?", re.IGNORECASE)
#: What the suffixes of P.835 are called by the protocol that ships, and ratings without one.
ASPECTS = {"sig": "sig", "bak": "bak", "ovrl": "ovrl", "": "quality"}
ZONES = {"PST": -8, "PDT": -7, "UTC": 0, "GMT": 0}


def _recognises(head: Head) -> bool:
    names = {name.casefold() for name in head.columns}
    return {"workerid", "hitid"} <= names and any(URL.fullmatch(name) for name in names)


def _open(path: Path) -> Recognised:
    seen = _Seen()
    rows = partial(_rows, path)
    for _ in rows(seen):
        pass
    uses = {
        "file": Use("item"), "folder": Use("system"), "clip": Use("response_audio"), "WorkerId": Use("annotator"),
        "SubmitTime": Use("recorded_at"),
    } | {aspect: Use("answer", aspect[:60], others=AS_WRITTEN) for aspect in seen.aspects}  # fmt: skip
    return Recognised(
        reasons.P808(n=seen.n, clips=len(seen.clips), workers=len(seen.workers)),
        tuple(seen.lost()),
        table=ForeignTable(rows, place_in(path), path.stat().st_size),
        mapping=TableMapping(RESPONSES, uses, raters=PSEUDONYMS),
    )


class _Seen:
    def __init__(self) -> None:
        self.n = self.n_checks = self.n_rejected = 0
        self.clips, self.workers = set[str](), set[str]()
        self.aspects: dict[str, None] = {}
        self.unread = Counter[str]()

    def lost(self) -> Iterator[Reason]:
        yield reasons.P808_NAMES_FOLDERS()
        if self.n_checks:
            yield reasons.P808_CHECKS(n=self.n_checks)
        if self.n_rejected:
            yield reasons.P808_REJECTED(n=self.n_rejected)
        if self.unread:
            yield reasons.P808_UNRATED(n=self.unread.total())


def _rows(path: Path, seen: _Seen | None = None) -> Iterator[tuple[int, Row]]:
    """A row for each clip that a worker rated."""
    seen = seen or _Seen()
    for number, row in tool_rows(path):
        cells = cells_of(row)
        if is_rejected(cells):
            seen.n_rejected += 1
            continue
        checks = {cell for name, cell in cells.items() if CHECKS.fullmatch(name) and cell}
        for name, url in cells.items():
            if not (found := URL.fullmatch(name)) or not url:
                continue
            if any(check in url for check in checks):
                seen.n_checks += 1
                continue
            ratings = ratings_of(cells, found[1].casefold())
            if not ratings:
                seen.unread[url] += 1
                continue
            seen.n += 1
            seen.clips.add(url)
            seen.workers.add(cells["workerid"])
            seen.aspects |= dict.fromkeys(ratings)
            place = PurePosixPath(unquote(urlsplit(url).path))
            yield number, {
                "file": place.stem, "folder": place.parent.name or "clips", "clip": url,
                "WorkerId": cells["workerid"], "SubmitTime": time_of(cells.get("submittime", "")),
            } | ratings  # fmt: skip


def cells_of(row: Row) -> dict[str, str]:
    return {name.casefold(): str(cell or "").strip() for name, cell in row.items()}


def is_rejected(cells: dict[str, str]) -> bool:
    return cells.get("assignmentstatus", "").casefold() == "rejected"


def ratings_of(cells: dict[str, str], question: str) -> dict[str, str]:
    """The numbers that were given to a question, by aspect."""
    found = {}
    for name, cell in cells.items():
        said = RATING.fullmatch(name)
        if said and said[1].casefold() == question and said[2] != "url" and re.fullmatch(r"-?\d+(\.\d+)?", cell):
            found[ASPECTS.get(said[2] or "", said[2] or "")] = cell
    return found


def time_of(text: str) -> str:
    """Mechanical Turk's `Thu Nov 07 16:45:50 PST 2019`; nothing where the zone is none that is known."""
    found = re.fullmatch(r"\w{3} (\w{3} \d{2} [\d:]{8}) (\w+) (\d{4})", text)
    if not found or found[2] not in ZONES:
        return ""
    zone = timezone(timedelta(hours=ZONES[found[2]]))
    try:
        return datetime.strptime(f"{found[1]} {found[3]}", "%b %d %H:%M:%S %Y").replace(tzinfo=zone).isoformat()
    except ValueError:
        return ""


TOOL = Tool("p808", _recognises, _open)
