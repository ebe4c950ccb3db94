"""LMArena's battles: one row per answer that compares two responses, of people and of judges in one shape.

`model_a` is who was heard first. `value` has the answer as it is stored, since the shape's words have no both-good.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.utils.translation import gettext_noop

from analytics.data.votes.table import questions
from analytics.exports.formats.format import Format, compares_pairs
from analytics.exports.source import Source
from analytics.exports.tables.flat import Row, judge_version
from analytics.exports.tables.json_lines import CONTENT_TYPE, write_lines
from campaigns.models import Unit
from campaigns.tidy.rows import BATTLE_COLUMNS
from judges.models import Verdict

#: LMArena's words for the outcomes.
_WINNERS = {"both_good": "tie", "both_bad": "tie (bothbad)", "tie": "tie", "same": "tie", "0": "tie"}
CHECKS = gettext_noop("answers to checks, for which this shape has no place")
UNREAD = gettext_noop("verdicts without an answer")


def battle_rows(source: Source) -> Iterator[Row]:
    yield from _of_people(source)
    yield from _of_judges(source)


def winner(value: str, order: str) -> str:
    """The value as LMArena says it, in the order of the screen.

    >>> winner("a", "ba"), winner("both_bad", "ab"), winner("-2", "ab")
    ('model_b', 'tie (bothbad)', 'model_a')
    """
    if value in _WINNERS:
        return _WINNERS[value]
    is_a = value == "a" or value.startswith("-")
    return "model_a" if is_a == order.startswith("a") else "model_b"


def _of_people(source: Source) -> Iterator[Row]:
    asked = questions(source.campaign)
    for row in source.people():
        if row.purpose not in ("", "study"):
            source.notes[CHECKS] += 1
            continue
        told = {
            "judge": row.rater, "rater": "human", "language": row.language, "used": not row.excluded,
            "left_out_because": row.excluded, "left_out_by": row.excluded_by, "propensity": row.propensity,
            "tstamp": row.recorded_at.timestamp() if row.recorded_at else None,
        }  # fmt: skip
        for label in row.labels:
            if label.aspect in asked and not label.slot:
                yield _battle(row.unit, row.order or "ab", label.aspect, label.value) | told


def _of_judges(source: Source) -> Iterator[Row]:
    asked, run = questions(source.campaign), None
    for verdict, unit in source.verdicts():
        judge = verdict.run.judge
        told = {
            "judge": judge.title, "rater": "judge", "judge_version": judge_version(verdict), "run": verdict.run_id,
            "sample": verdict.sample, "used": True,
            "tstamp": verdict.judged_at.timestamp() if verdict.judged_at else None,
        }  # fmt: skip
        answers = [it for it in verdict.answers.all() if it.aspect in asked and not it.slot]
        if not answers:
            source.notes[UNREAD] += 1
        for answer in answers:
            battle = _battle(unit, verdict.order, answer.aspect, answer.value) | told
            if run != verdict.run_id:
                run, battle["unread"] = verdict.run_id, _unread(verdict.run_id)
            yield battle


def _unread(run: int) -> list[dict[str, Any]]:
    """What is no battle of this run, since nobody knows who won."""
    rows = Verdict.objects.filter(run=run, status__in=Verdict.MISSING).order_by("pk")
    names = ("unit", "order", "sample", "status")
    return [dict(zip(names, it, strict=True)) for it in rows.values_list("unit__key", *names[1:])]


def _battle(unit: Unit, order: str, aspect: str, value: str) -> Row:
    sides = {"a": unit.a, "b": unit.b}
    first, second = (sides[slot] for slot in order)
    if first is None or second is None:
        raise ValueError(f"unit {unit} is not a pair")
    return dict.fromkeys(BATTLE_COLUMNS, "") | {
        "question_id": unit.item.key, "model_a": first.system.name, "model_b": second.system.name,
        "winner": winner(value, order), "turn": max(len(unit.item.turns.all()), 1), "anony": True,
        "category": unit.item.category, "aspect": aspect, "unit": unit.key, "order": order, "value": value,
        "response_a": first.key, "response_b": second.key, "run": None, "sample": None, "propensity": None,
        "unread": [],
    }  # fmt: skip


def write(source: Source, path: Path) -> int:
    return write_lines(path, battle_rows(source))


BATTLES = Format(
    name="battles",
    title=gettext_noop("Battles in the LMArena shape"),
    about=gettext_noop(
        "JSON Lines with model_a, model_b, winner and judge, people and judges alike; can be imported again."
    ),
    ending="battles.jsonl",
    content_type=CONTENT_TYPE,
    write=write,
    fits=compares_pairs,
)
