"""What must hold after every fault, read from the database and asked of the product's own check.

After each blow, while people go on, that is: the answers, seats that are held once, work that goes on, verdicts that
are there once, kept counts and standings that are not wrong, and campaigns that are open. When everybody has come to
an end: all of it, to the last unit.
"""

import re
import subprocess
import sys
from collections import Counter
from collections.abc import Collection, Iterable

from benchmarks.faults.services import until
from benchmarks.faults.site import Site
from benchmarks.faults.sizes import JUDGED, PER_UNIT, UNITS
from tests.paths import PROJECT

#: Aspects that a verdict answers.
ASPECTS = 4
READ = ("ok", "repaired")
#: After a blow somebody gets on within (s), also on a machine that starts a server slowly; a check lasts at most (s).
GOES_ON_S, CHECK_S = 90.0, 120.0
LOOKS = 5
STORED = """
SELECT s.id, s."order", w.value, n.id FROM annotation_assignment s
JOIN annotation_annotation n ON n.assignment_id = s.id
JOIN annotation_answer w ON w.annotation_id = n.id AND w.aspect = 'overall'
"""


def after_a_blow(site: Site, *, judged_before: int) -> list[str]:
    faults = work_that_stopped(site)
    faults += broken_answers(site) + seats_held_twice(site) + verdicts_twice(site, before=judged_before)
    return faults + wrong_standings(site) + broken_campaigns(site)


def work_that_stopped(site: Site) -> list[str]:
    """Somebody gets on: voters have no end of work."""
    before = len(site.acknowledged())
    try:
        until(lambda: len(site.acknowledged()) > before, "somebody has an answer acknowledged", GOES_ON_S)
    except TimeoutError as error:
        return [str(error)]
    return []


def seats_held_twice(site: Site) -> list[str]:
    rows = site.installation.rows
    live = "status IN ('answered', 'reserved') AND NOT excluded"
    seats = rows(
        f"SELECT campaign_unit_id, seat FROM annotation_assignment WHERE {live} "
        "GROUP BY campaign_unit_id, seat HAVING COUNT(*) > 1"
    )
    hands = rows(
        "SELECT annotator_id, campaign_id FROM annotation_assignment WHERE status = 'reserved' "
        "GROUP BY annotator_id, campaign_id HAVING COUNT(*) > 1"
    )
    more = rows(
        "SELECT s.campaign_unit_id, COUNT(*) FROM annotation_assignment s "
        "JOIN campaigns_campaign c ON c.id = s.campaign_id AND c.slug = '{}' WHERE s.{} "
        "GROUP BY s.campaign_unit_id HAVING COUNT(*) > {}".format(site.made["labelled"], live, PER_UNIT)
    )
    return [
        *_told("seats are held by two", [str(it) for it in seats]),
        *_told("people have two units in hand", [str(it) for it in hands]),
        *_told("units are with more people than were wanted", [str(it) for it in more]),
    ]


def verdicts_twice(site: Site, *, before: int) -> list[str]:
    """No item is judged twice, none has half a verdict, and none that was judged is so no more."""
    rows = site.installation.rows
    twice = rows(
        'SELECT unit_id, "order", sample FROM judges_verdict '
        f'WHERE run_id = {site.run} GROUP BY unit_id, "order", sample HAVING COUNT(*) > 1'
    )
    halves = rows(
        "SELECT v.id, v.status, COUNT(w.id), COUNT(DISTINCT w.aspect) FROM judges_verdict v "
        f"LEFT JOIN judges_verdictanswer w ON w.verdict_id = v.id WHERE v.run_id = {site.run} GROUP BY v.id, v.status"
    )
    wrong = [
        f"{pk} ({status})"
        for pk, status, n, aspects in halves
        if (n, aspects) != ((ASPECTS, ASPECTS) if status in READ else (0, 0))
    ]
    now = site.judged()
    return [
        *_told("items are judged twice", [str(it) for it in twice]),
        *_told("verdicts have not one answer to each question", wrong),
        *([f"{before} verdicts were kept, and {now} are"] if now < before else []),
    ]


def wrong_standings(site: Site) -> list[str]:
    """Under load a standing may be behind its votes, and a count be taken between two; neither is wrong for long."""
    said = ""
    for _look in range(LOOKS):
        said = _checked(site)
        if not re.search("WRONG|are not|Error", said):
            return []
    return [f"standings or counts are not what the log gives, at {LOOKS} looks: {' '.join(said.split())[-300:]}"]


def broken_campaigns(site: Site) -> list[str]:
    """None was to end, also none that ends tomorrow where the clock was a day ahead."""
    wrong = site.installation.rows("SELECT slug, status FROM campaigns_campaign WHERE status <> 'open'")
    return _told("campaigns are not open", [f"{slug}: {status}" for slug, status in wrong])


def broken_refusals(site: Site) -> list[str]:
    """Nobody was turned away but for a unit that was somebody else's by then, and in words."""
    said = [it for person in site.people for it in person.refused]
    return _told("refusals give no reason", [it for it in said if "given to somebody else" not in it])


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
    stopped = [it.stopped for it in site.people if it.stopped]
    stopped += [it for it in site.crowd.wrong if it.startswith("gave up")] if site.crowd else []
    return faults + [f"somebody could not go on: {it}" for it in stopped]


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
        said = _checked(site)
        return bool(re.search("^equal", said, re.M)) and not re.search("^behind|WRONG", said, re.M)

    try:
        until(is_current, "boards know every vote", 60)
    except TimeoutError as error:
        return [f"{error}: {' '.join(said.split())}"]
    return []


def _checked(site: Site) -> str:
    """What the product's own check says."""
    done = subprocess.run(
        [sys.executable, "manage.py", "rebuild_standings", "--check"],
        cwd=PROJECT, env=site.installation.env, capture_output=True, text=True, check=False, timeout=CHECK_S,
    )  # fmt: skip
    return done.stdout + done.stderr[-500:]


def unsaid(seen: Collection[tuple[str, str]], wanted: Iterable[tuple[str, str]]) -> list[str]:
    """(e) What somebody should have been told and was not."""
    return [
        f"the {who} was never told /{pattern}/"
        for who, pattern in wanted
        if not any(who == to and re.search(pattern, what) for to, what in seen)
    ]


def _clicked(value: str, order: str) -> str:
    """The screen shows 1 and 2; stored are a and b."""
    return {"ab": {"a": "1", "b": "2"}, "ba": {"a": "2", "b": "1"}}[order].get(value, value)


def _hex(unit: object) -> str:
    return str(unit).replace("-", "")


def _told(what: str, wrong: list[str]) -> list[str]:
    return [f"{len(wrong)} {what}: {', '.join(wrong[:3])}"] if wrong else []
