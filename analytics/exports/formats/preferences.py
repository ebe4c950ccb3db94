"""Preference pairs for training: what was preferred, and to what. Ties have neither: they are counted."""

from collections.abc import Iterator
from pathlib import Path

from django.utils.translation import gettext_noop

from analytics.data.votes.table import questions
from analytics.exports import reasons
from analytics.exports.formats.battles import answers_of_study, winner
from analytics.exports.formats.format import Format, compares_pairs
from analytics.exports.source import Source
from analytics.exports.tables.flat import Row, judge_version
from analytics.exports.tables.json_lines import CONTENT_TYPE, write_lines
from corpus.models import Response, Unit


def preference_rows(source: Source) -> Iterator[Row]:
    """By the first question that compares two responses, the overall one where there is one."""
    aspect = next(iter(questions(source.campaign)))
    for record, answers in answers_of_study(source, [aspect]):
        given, verdict = record.given, record.verdict
        who: Row = {
            "annotator": given.annotator, "judge": "", "judge_version": "", "run": None, "sample": None,
            "order": given.order, "left_out_because": given.excluded, "left_out_by": given.excluded_by,
            "propensity": given.propensity,
        }  # fmt: skip
        if verdict:
            who |= {"judge": verdict.run.judge.title, "judge_version": judge_version(verdict)}
            who |= {"run": verdict.run_id, "sample": verdict.sample, "order": who.pop("order")}
        for answer in answers:
            yield from _preferred(source, record.unit, aspect, answer.value, who)


def _preferred(source: Source, unit: Unit, aspect: str, value: str, extra: Row) -> Iterator[Row]:
    won = winner(value, "ab")
    if won not in ("model_a", "model_b"):
        source.left_out[reasons.TIES()] += 1
        return
    chosen, rejected = (unit.a, unit.b) if won == "model_a" else (unit.b, unit.a)
    if chosen is None or rejected is None:
        raise ValueError(f"unit {unit} is not a pair")
    turns = unit.item.turns.all()
    texts = {
        "prompt": "\n".join(turn.text for turn in turns),
        "chosen": _text(chosen),
        "rejected": _text(rejected),
    }
    if not all(map(str.strip, texts.values())):
        source.left_out[reasons.WORDLESS()] += 1
    yield (
        texts
        | {
            "prompt_audio": [turn.path for turn in turns],
            "chosen_audio": [turn.path for turn in chosen.turns.all()],
            "rejected_audio": [turn.path for turn in rejected.turns.all()],
            "chosen_system": chosen.system.name,
            "rejected_system": rejected.system.name,
            "unit": unit.key,
            "item": unit.item.key,
            "category": unit.item.category,
            "aspect": aspect,
            "value": value,
            "chosen_take": chosen.key,
            "rejected_take": rejected.key,
        }
        | extra
    )


def _text(response: Response) -> str:
    return "\n".join(turn.text for turn in response.turns.all())


def write(source: Source, path: Path) -> int:
    return write_lines(path, preference_rows(source))


PREFERENCES = Format(
    name="preferences",
    title=gettext_noop("Preference pairs"),
    about=gettext_noop(
        "JSON Lines with prompt, chosen and rejected, for training; ties are left out and counted. Can be imported "
        "again, without them."
    ),
    ending="preferences.jsonl",
    content_type=CONTENT_TYPE,
    write=write,
    fits=compares_pairs,
)
