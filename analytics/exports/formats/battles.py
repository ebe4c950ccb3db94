"""LMArena's battles: one row per answer that compares two responses, of people and of judges in one shape.

`model_a` is who was heard first. `value` has the answer as it is stored, since the shape's words have no both-good.
"""

from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

from django.utils.translation import gettext_noop

from analytics.data.labels import Record
from analytics.data.votes.table import questions
from analytics.exports import reasons
from analytics.exports.formats.format import Format, compares_pairs
from analytics.exports.source import Source
from analytics.exports.tables.flat import Row, judge_version
from analytics.exports.tables.json_lines import CONTENT_TYPE, write_lines
from corpus.models import Unit
from corpus.tidy.given import Given
from corpus.tidy.rows import BATTLE_COLUMNS, TidyAnswer
from judges.models import Verdict

#: LMArena's words for the outcomes.
_WINNERS = {"both_good": "tie", "both_bad": "tie (bothbad)", "tie": "tie", "same": "tie", "0": "tie"}


def battle_rows(source: Source) -> Iterator[Row]:
    asked, run = questions(source.campaign), None
    for record, answers in answers_of_study(source, asked):
        rater = _of_judge(record.verdict) if record.verdict else _of_person(record.given)
        for answer in answers:
            battle = _battle(record.unit, record.given.order or "ab", answer.aspect, answer.value) | rater
            if record.verdict and run != record.verdict.run_id:
                run, battle["unread"] = record.verdict.run_id, _unread(record.verdict.run_id)
            yield battle


def answers_of_study(source: Source, aspects: Collection[str]) -> Iterator[tuple[Record, list[TidyAnswer]]]:
    """Each record of the study with its answers to these aspects of the unit; what has none is counted."""
    for record in source.records():
        answers = [it for it in record.answers if it.aspect in aspects and not it.slot]
        if not record.is_of_study:
            source.left_out[reasons.CHECKS()] += 1
        elif answers:
            yield record, answers
        elif record.verdict:
            source.left_out[reasons.UNREAD()] += 1


def winner(value: str, order: str) -> str:
    """The value as LMArena says it, in the order of the screen.

    >>> winner("a", "ba"), winner("both_bad", "ab"), winner("-2", "ab")
    ('model_b', 'tie (bothbad)', 'model_a')
    """
    if value in _WINNERS:
        return _WINNERS[value]
    is_a = value == "a" or value.startswith("-")
    return "model_a" if is_a == order.startswith("a") else "model_b"


def _of_person(given: Given) -> Row:
    return {
        "judge": given.annotator, "rater": "human", "language": given.language, "used": not given.excluded,
        "left_out_because": given.excluded, "left_out_by": given.excluded_by, "propensity": given.propensity,
        "tstamp": given.recorded_at.timestamp() if given.recorded_at else None,
    }  # fmt: skip


def _of_judge(verdict: Verdict) -> Row:
    return {
        "judge": verdict.run.judge.title, "rater": "judge", "judge_version": judge_version(verdict),
        "run": verdict.run_id, "sample": verdict.sample, "used": True,
        "tstamp": verdict.judged_at.timestamp() if verdict.judged_at else None,
    }  # fmt: skip


def _unread(run: int) -> list[dict[str, Any]]:
    """Whether it is no battle of this run, because there is no known winner."""
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
    title=gettext_noop("Battles, LMArena format"),
    about=gettext_noop(
        "JSON Lines with model_a, model_b, winner and judge, people and judges alike; can be imported again."
    ),
    ending="battles.jsonl",
    content_type=CONTENT_TYPE,
    write=write,
    fits=compares_pairs,
)
