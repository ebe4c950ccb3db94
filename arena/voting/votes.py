"""Every vote of an arena as a row, in the shape of LMArena's battles, with what was known when its pair was drawn."""

import json
from collections.abc import Callable, Iterator
from typing import Any

from analytics.data.inclusion import WITH_EXCLUDED, answers_in, standing_use_decisions
from analytics.data.votes.table import questions
from analytics.exports.formats.battles import winner
from annotation.listening.clips import responses_by_place
from annotation.models import Annotation, UseDecision
from campaigns.models import Campaign, Membership, Role
from corpus.models import Response
from infrastructure.files.csv_files import csv_line

COLUMNS = (
    "question_id", "model_a", "model_b", "winner", "judge", "turn", "anony", "language", "tstamp", "category",
    "dimension", "capability", "aspect", "reason", "order", "used", "left_out_because", "left_out_by", "propensity",
    "rule", "rule_version", "drawn_at",
)  # fmt: skip
Row = dict[str, Any]


def vote_rows(campaign: Campaign) -> Iterator[Row]:
    """In the order in which they were recorded, left out or not; withdrawn ones are not there.

    `model_a` is who was heard first. What was not drawn has no propensity and no time: None, which readers take for
    a missing number, as they would not take an empty text.
    """
    names = dict(Response.objects.filter(item__dataset=campaign.dataset_id).values_list("pk", "system__name"))
    voters = dict(Membership.objects.filter(campaign=campaign, role=Role.ANNOTATOR).values_list("user", "pseudonym"))
    decisions = {it.assignment_id: it for it in standing_use_decisions(campaign) if not it.use}
    rows = answers_in(campaign, WITH_EXCLUDED).select_related(
        "assignment__campaign_unit__unit__item", "assignment__draw"
    )
    for row in rows.prefetch_related("answers").iterator(chunk_size=2_000):
        for aspect in questions(campaign):
            if vote := _vote(row, aspect, names):
                decision = decisions.get(row.assignment_id) if row.assignment.excluded else None
                yield vote | _left_out(decision) | {"judge": voters.get(row.assignment.annotator_id, "")}


def _left_out(decision: UseDecision | None) -> Row:
    if decision is None:
        return {"left_out_because": "", "left_out_by": ""}
    return {"left_out_because": decision.reason, "left_out_by": "rule" if decision.rule else "person"}


def _vote(row: Annotation, aspect: str, names: dict[int, str]) -> Row | None:
    said = {answer.aspect: answer.value for answer in row.answers.all() if not answer.slot}
    if aspect not in said:
        return None
    assignment, item = row.assignment, row.assignment.campaign_unit.unit.item
    first, second = (names[response] for response in responses_by_place(assignment))
    draw = getattr(assignment, "draw", None)
    found: Row = dict.fromkeys(COLUMNS, "") | {
        "question_id": item.key, "model_a": first, "model_b": second, "turn": 1, "anony": True,
        "winner": winner(said[aspect], assignment.order), "language": row.language,
        "tstamp": row.recorded_at.timestamp(), "category": item.category, "aspect": aspect,
        "dimension": item.facts.get("dimension", ""), "capability": item.facts.get("capability", ""),
        "reason": said.get("reason", ""), "order": assignment.order, "used": not assignment.excluded,
        "propensity": None, "drawn_at": None,
    }  # fmt: skip
    if draw:
        found |= {
            "propensity": draw.propensity, "rule": draw.rule, "rule_version": draw.version,
            "drawn_at": draw.drawn_at.timestamp(),
        }  # fmt: skip
    return found


def as_csv(rows: Iterator[Row]) -> Iterator[str]:
    yield csv_line(COLUMNS)
    for row in rows:
        yield csv_line(row[name] for name in COLUMNS)


def as_jsonl(rows: Iterator[Row]) -> Iterator[str]:
    for row in rows:
        yield json.dumps(row, ensure_ascii=False) + "\n"


#: By the ending of the file: its type, and how rows are written.
FORMS: dict[str, tuple[str, Callable[[Iterator[Row]], Iterator[str]]]] = {
    "csv": ("text/csv", as_csv),
    "jsonl": ("application/jsonl", as_jsonl),
}
