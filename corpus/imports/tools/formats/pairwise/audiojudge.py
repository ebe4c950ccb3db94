"""AudioJudge's raw tables without systems: SOMOS, pronunciation and the like. Each row is an item of its own.

Tables with `model_a` are manifests of pairs, and its wide table is mapped. What its judge said comes in as verdicts.
"""

from collections.abc import Iterator
from functools import partial
from itertools import takewhile
from pathlib import Path, PurePosixPath

from corpus.imports.files.rows import Row
from corpus.imports.tools import reasons
from corpus.imports.tools.head import Head
from corpus.imports.tools.recognised import Recognised, Said, Tool
from corpus.imports.tools.tool_rows import tool_rows

COLUMNS = ("audio1_path", "audio2_path", "ground_truth", "prediction", "transcript_type")
SOUNDS = COLUMNS[:2]
VALUES = {"1": "a", "2": "b", "tie": "tie", "true": "yes", "false": "no"}
#: What is asked of a pair that is the same or not, by the protocol `attributes`.
ASPECTS = {"pronunciation": "same_pronunciation", "speaker": "same_speaker"}
#: Where the paths do not say whose a recording is.
FIRST, SECOND = "first", "second"


def _recognises(head: Head) -> bool:
    return head.has(*COLUMNS) and not head.has_any(("model_a", "system_a"))


def _open(path: Path) -> Recognised:
    rows = [row for _, row in tool_rows(path)]
    systems = _systems(rows)
    n_unread = sum(_value(row) == "" for row in rows)
    lost = [reasons.AUDIOJUDGE_VERDICTS()]
    if systems == (FIRST, SECOND):
        lost.append(reasons.AUDIOJUDGE_NAMES_NO_SYSTEMS(first=FIRST, second=SECOND))
    if n_unread:
        lost.append(reasons.BATTLES_WITHOUT_OUTCOME(n=n_unread))
    return Recognised(
        reasons.AUDIOJUDGE(n=len(rows), name=str(rows[0].get("dataset_name") or "pairs") if rows else ""),
        tuple(lost),
        responses=partial(_responses, path, systems),
        answers=partial(_answers, path, systems),
    )


def _systems(rows: list[Row]) -> tuple[str, str]:
    """What the names of all files of a side begin with, as in `original_Mac_US.wav` and `gpt4o_Mac_US.wav`."""
    names = [[PurePosixPath(str(row.get(side))).stem for row in rows] for side in SOUNDS]
    one, other = ("_".join(_common([name.split("_") for name in of])) for of in names)
    places = {it.casefold() for it in (one, other)} <= {"audio", "clip", "file", ""}
    return (FIRST, SECOND) if places or one == other else (one, other)


def _common(names: list[list[str]]) -> list[str]:
    """The words with which all names begin; not all words of a name."""
    same = takewhile(lambda words: len(set(words)) == 1, zip(*(name[:-1] for name in names), strict=False))
    return [words[0] for words in same]


def _responses(path: Path, systems: tuple[str, str]) -> Iterator[tuple[int, Row]]:
    for n, (number, row) in enumerate(tool_rows(path), start=1):
        for system, side in zip(systems, SOUNDS, strict=True):
            yield number, {"item": _item(n, row), "system": system, "response_audio": str(row.get(side) or "")}


def _answers(path: Path, systems: tuple[str, str]) -> Iterator[tuple[int, Said]]:
    for n, (number, row) in enumerate(tool_rows(path), start=1):
        if value := _value(row):
            name = str(row.get("dataset_name") or "overall")[:60]
            aspect = ASPECTS.get(name, name) if value in ("yes", "no") else "overall"
            yield number, Said(_item(n, row), systems, value, aspect)


def _item(n: int, row: Row) -> str:
    """The folder of both files, where it is the same; else the number of the row among all."""
    one, other = (PurePosixPath(str(row.get(side))).parent.name for side in SOUNDS)
    return one if one == other and one else str(n)


def _value(row: Row) -> str:
    return VALUES.get(str(row.get("ground_truth")).strip().casefold(), "")


TOOL = Tool("audiojudge", _recognises, _open)
