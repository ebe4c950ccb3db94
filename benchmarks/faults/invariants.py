"""What must hold after every fault, read from the database and asked of the product's own check."""

import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable

from benchmarks.faults.services import until
from benchmarks.faults.site import Site
from benchmarks.faults.sizes import JUDGED, PER_UNIT, UNITS
from tests.conftest import PROJECT

#: Aspects that a verdict answers.
ASPECTS = 4
STORED = """
SELECT s.id, s."order", w.value, n.id FROM annotation_assignment s
JOIN annotation_annotation n ON n.assignment_id = s.id
JOIN annotation_answer w ON w.annotation_id = n.id AND w.aspect = 'overall'
"""


def broken_answers(site: Site) -> list[str]:
    """(a) Every acknowledged answer is in the database, as it was clicked, and once."""
    acknowledged = site.acknowledged()  # before the rows are read, so that these can only be more
    stored: dict[str, list[str]] = {}
    for unit, order, value, _annotation in site.installation.rows(STORED):
        stored.setdefault(_hex(unit), []).append(_clicked(str(value), str(order)))
    wrong = [
        f"{unit}: said {said}, stored {stored.get(_hex(unit), [])}"
        for unit, said in acknowledged.items()
        if stored.get(_hex(unit)) != [said]
    ]
    twice = [unit for unit, values in stored.items() if len(values) > 1]
    return [*_told("acknowledged answers are not as they were given", wrong), *_told("units answered twice", twice)]


def broken_seats(site: Site) -> list[str]:
    """(b) Every unit has all the answers it should have, no seat is held by nobody, and everybody could go on."""
    rows = site.installation.rows
    labelled = f"(SELECT id FROM campaigns_campaign WHERE slug = '{site.made['labelled']}')"
    counted = rows(
        "SELECT campaign_unit_id, COUNT(*) FROM annotation_assignment "
        f"WHERE status = 'answered' AND campaign_id = {labelled} GROUP BY 1"
    )
    found = Counter(n for _unit, n in counted)
    held = rows(f"SELECT COUNT(*) FROM annotation_assignment WHERE status = 'reserved' AND campaign_id = {labelled}")
    faults = []
    if found != {PER_UNIT: UNITS}:
        faults = [f"answers per unit: {dict(found)}, not {PER_UNIT} in each of {UNITS}"]
    faults += [f"{held[0][0]} seats are held by nobody"] if held[0][0] else []
    return faults + [f"somebody could not go on: {it.stopped}" for it in site.people if it.stopped]


def broken_verdicts(site: Site, *, run: int, verdicts: int = 2 * JUDGED) -> list[str]:
    """(c) Every item is judged, and once."""
    rows = site.installation.rows
    status = rows(f"SELECT status, message FROM judges_run WHERE id = {run}")[0]
    read = rows(f"SELECT COUNT(*) FROM judges_verdict WHERE run_id = {run} AND status IN ('ok', 'repaired')")[0][0]
    answers = rows(
        "SELECT v.id, COUNT(w.id), COUNT(DISTINCT w.aspect) FROM judges_verdict v "
        f"LEFT JOIN judges_verdictanswer w ON w.verdict_id = v.id WHERE v.run_id = {run} GROUP BY v.id"
    )
    wrong = [str(pk) for pk, n, aspects in answers if (n, aspects) != (ASPECTS, ASPECTS)]
    faults = [] if status[0] == "done" else [f"the run is {status[0]}: {status[1]}"]
    if not read == len(answers) == verdicts:
        faults.append(f"{read} of {len(answers)} verdicts are read, not {verdicts}")
    return [*faults, *_told("verdicts have not one answer to each question", wrong)]


def broken_standings(site: Site) -> list[str]:
    """(d) What is kept equals what the log gives; and boards come to know the last vote by themselves."""
    said = ""

    def is_current() -> bool:
        nonlocal said
        done = subprocess.run(
            [sys.executable, "manage.py", "rebuild_standings", "--check"],
            cwd=PROJECT, env=site.installation.env, capture_output=True, text=True, check=False,
        )  # fmt: skip
        said = done.stdout + done.stderr[-500:]
        return bool(re.search("^equal", done.stdout, re.M)) and not re.search("^behind|WRONG", said, re.M)

    try:
        until(is_current, "boards know every vote", 30)
    except TimeoutError as error:
        return [f"{error}: {' '.join(said.split())}"]
    return []


def unsaid(site: Site, wanted: Iterable[tuple[str, str]]) -> list[str]:
    """(e) What somebody should have been told and was not."""
    return [
        f"the {who} was never told /{pattern}/"
        for who, pattern in wanted
        if not any(who == to and re.search(pattern, what) for to, what in site.said.seen)
    ]


def _clicked(value: str, order: str) -> str:
    """The screen shows 1 and 2; stored are a and b."""
    return {"ab": {"a": "1", "b": "2"}, "ba": {"a": "2", "b": "1"}}[order].get(value, value)


def _hex(unit: object) -> str:
    return str(unit).replace("-", "")


def _told(what: str, wrong: list[str]) -> list[str]:
    return [f"{len(wrong)} {what}: {', '.join(wrong[:3])}"] if wrong else []
