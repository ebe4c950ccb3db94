"""A run's verdicts as a table or as JSON Lines: with answers, prompts, replies, price and what became of each."""

import json
from collections.abc import Iterator
from typing import Any

from infrastructure.files.csv_files import csv_line
from infrastructure.wording.reasons import as_json
from judges.backends.contract import TOKEN_KINDS
from judges.models import Run, Verdict

COLUMNS = (
    "run", "judge", "kind", "kind_version", "judge_digest", "perturbation", "unit", "item", "order", "sample",
    "status", "message", "reason", "reasoning", "model", "tokens_in", "tokens_out", "cost_usd", "seconds",
    "judged_at",
)  # fmt: skip


def verdict_rows(run: Run) -> Iterator[dict[str, Any]]:
    """One row for each verdict, those that are missing or to do as well; a few thousand at a time in memory."""
    rows = Verdict.objects.filter(run=run).select_related("unit__item").order_by("pk")
    rows = rows.prefetch_related("answers", "calls__call")
    common = {
        "run": run.pk, "judge": run.judge.title, "kind": run.judge.kind, "kind_version": run.judge.kind_version,
        "judge_digest": run.judge.digest, "perturbation": run.perturbation,
    }  # fmt: skip
    for row in rows.iterator(chunk_size=500):
        yield common | {
            "unit": row.unit.key, "item": row.unit.item.key, "order": row.order, "sample": row.sample,
            "status": row.status, "message": row.message, "reason": as_json(row.message), "reasoning": row.reasoning,
            "model": row.model,
            "tokens_in": row.tokens_in, "tokens_out": row.tokens_out, "seconds": row.seconds,
            "cost_usd": None if row.cost_usd is None else str(row.cost_usd),
            "judged_at": row.judged_at.isoformat() if row.judged_at else None,
            "answers": {_name(answer.aspect, answer.slot): answer.value for answer in row.answers.all()},
            "said": row.said,
            "calls": [_call(use) for use in row.calls.all()],
        }  # fmt: skip


def as_jsonl(run: Run) -> Iterator[str]:
    for row in verdict_rows(run):
        yield json.dumps(row, ensure_ascii=False) + "\n"


def as_csv(run: Run) -> Iterator[str]:
    """Answers have a column for each aspect and slot; of the calls the prompts and replies, as JSON."""
    answers = list(_answer_names(run))
    names = [*COLUMNS, *(f"answer.{name}" for name in answers), "said", "prompts", "replies"]
    yield csv_line(names)
    for row in verdict_rows(run):
        flat = {name: row[name] for name in COLUMNS}
        flat |= {f"answer.{name}": row["answers"].get(name, "") for name in answers}
        flat["reason"] = json.dumps(row["reason"], ensure_ascii=False) if row["reason"] else ""
        flat["perturbation"] = json.dumps(row["perturbation"]) if row["perturbation"] else ""
        flat["said"] = json.dumps(row["said"], ensure_ascii=False)
        flat["prompts"] = json.dumps([call["request"] for call in row["calls"]], ensure_ascii=False)
        flat["replies"] = json.dumps([call["raw"] for call in row["calls"]], ensure_ascii=False)
        yield csv_line(["" if flat[name] is None else flat[name] for name in names])


def _answer_names(run: Run) -> Iterator[str]:
    found = Verdict.objects.filter(run=run, answers__isnull=False).values_list("answers__aspect", "answers__slot")
    order = {aspect.name: at for at, aspect in enumerate(run.campaign.protocol.aspects)}
    pairs = set(found.order_by().distinct())
    for aspect, slot in sorted(pairs, key=lambda pair: (order.get(pair[0], len(order)), pair)):
        yield _name(aspect, slot)


def _name(aspect: str, slot: str) -> str:
    return f"{aspect}.{slot}" if slot else aspect


def _call(use: Any) -> dict[str, Any]:
    call = use.call
    return {
        "cached": use.cached, "status": call.status, "message": call.message, "reason": as_json(call.message),
        "request": call.request,
        "raw": call.raw, "model": call.model, "tokens_in": call.tokens_in, "tokens_out": call.tokens_out,
        "cost_usd": None if call.cost_usd is None else str(call.cost_usd), "seconds": call.seconds,
        "cost_is_estimate": call.cost_is_estimate, "finish_reason": call.finish_reason,
        **{name: getattr(call, name) for name in TOKEN_KINDS},
        "attempts": call.attempts, "made_at": call.made_at.isoformat(),
    }  # fmt: skip
