"""A standing as a file: CSV for a spreadsheet, JSON with everything, LaTeX for a paper.

The table comes apart from it, since systems may be shown under codes.
"""

import json
from collections.abc import Callable, Iterator

from arena.board.name_locks import Plan
from arena.models import Standing
from arena.standings.choices import Settings
from arena.standings.tables import Json
from campaigns.launch.stopping import declared
from infrastructure.files.csv_files import csv_line
from infrastructure.wording.reasons import with_details

COLUMNS = (
    "table", "system", "rating", "low", "high", "best_rank", "worst_rank", "votes", "provisional", "reason",
    "reason_code",
    "acceptable", "acceptable_low", "acceptable_high", "both_bad", "both_bad_low", "both_bad_high",
    "win_rate", "win_rate_low", "win_rate_high", "raw_rating", "raw_best_rank", "raw_worst_rank",
    "plan_sha256", "plan_fixed_at", "plan_before_names_were_shown", "as_planned",
    "stopping_rule", "stopping_rule_reached_at",
)  # fmt: skip


def as_csv(standing: Standing, table: Json, plan: Plan | None) -> str:
    """One row per system; tables of systems that no votes connect are numbered. Each row names the analysis plan."""
    planned = _planned(standing, plan) | _stopping(standing)
    rows = ([(row | planned)[column] for column in COLUMNS] for row in rows_of(table))
    lines = [COLUMNS, *rows]
    return "".join(map(csv_line, lines))


def as_json(standing: Standing, table: Json, plan: Plan | None) -> str:
    document = {
        "subject": str(standing.subject),
        "settings": standing.settings,
        "counts_sha256": standing.counts_sha256,
        "votes_sha256": standing.votes_sha256,
        "version": standing.version,
        "created_at": standing.created_at.isoformat(),
        "n": standing.n,
        "analysis_plan": {name: None if it == "" else it for name, it in _planned(standing, plan).items()}
        | {"plan": plan.plan if plan else None},
        "stopping": {name: it or None for name, it in _stopping(standing).items()},
        "table": with_details(table),
    }
    return json.dumps(document, ensure_ascii=False, indent=1) + "\n"


def as_latex(standing: Standing, table: Json, plan: Plan | None) -> str:
    """A table for a paper, in the words of `booktabs`; what is undefined is a dash. A judge is named in a comment."""
    lines = [
        *_latex_judged(table),
        *(f"% {name}: {value}" for name, value in (_planned(standing, plan) | _stopping(standing)).items()),
        r"\begin{tabular}{lrrrr}",
        r"\toprule",
        r"System & Rating & 95\,\% interval & Rank & Votes \\",
        r"\midrule",
        *(_latex_row(row) for row in rows_of(table)),
        r"\bottomrule",
        r"\end{tabular}",
    ]
    return "\n".join(lines) + "\n"


FORMS: dict[str, tuple[str, Callable[[Standing, Json, Plan | None], str]]] = {
    "csv": ("text/csv", as_csv),
    "json": ("application/json", as_json),
    "tex": ("application/x-tex", as_latex),
}


def rows_of(table: Json) -> Iterator[Json]:
    """A row per system; tables of systems that no votes connect are numbered."""
    alone = {it["system"]: it for it in table["alone"]}
    for number, island in enumerate(table["islands"], start=1):
        for row in island["rows"]:
            rating, ranks = row["rating"], row["ranks"] or ("", "")
            reason = rating["reason"] or (island["reason"] if row["provisional"] else None)
            yield (
                {
                    "table": number,
                    "system": row["system"],
                    "rating": rating["value"],
                    "low": rating["low"],
                    "high": rating["high"],
                    "best_rank": ranks[0],
                    "worst_rank": ranks[1],
                    "votes": rating["n"],
                    "provisional": int(row["provisional"]),
                    "reason": reason or "",
                    "reason_code": reason.code if reason else "",
                }
                | _alone(alone[row["system"]])
                | _raw(row)
            )


def _raw(row: Json) -> Json:
    """The rating without context, beside one with it."""
    raw = row.get("raw") or {"rating": {"value": ""}, "ranks": None}
    best, worst = raw["ranks"] or ("", "")
    return {"raw_rating": raw["rating"]["value"], "raw_best_rank": best, "raw_worst_rank": worst}


def _planned(standing: Standing, plan: Plan | None) -> Json:
    """Whether an analysis plan was fixed, when, and whether this is what it says."""
    if plan is None:
        return {"plan_sha256": "", "plan_fixed_at": "", "plan_before_names_were_shown": "", "as_planned": ""}
    return {
        "plan_sha256": plan.sha256,
        "plan_fixed_at": plan.fixed_at.isoformat(),
        "plan_before_names_were_shown": int(plan.before_names_were_shown),
        "as_planned": int(plan.is_followed(Settings(**standing.settings), standing.version)),
    }


def _stopping(standing: Standing) -> Json:
    """The rule by which the campaign closes, as it was fixed when it opened, and when it was reached."""
    campaign = standing.campaign
    if campaign is None:
        return {"stopping_rule": "", "stopping_rule_reached_at": ""}
    reached = campaign.stop_reached_at
    return {
        "stopping_rule": declared(campaign),
        "stopping_rule_reached_at": reached.isoformat(timespec="seconds") if reached else "",
    }


def _alone(of_system: Json) -> Json:
    return {
        f"{name}{end}": of_system[name][key]
        for name in ("acceptable", "both_bad", "win_rate")
        for end, key in (("", "value"), ("_low", "low"), ("_high", "high"))
    }


def _latex_judged(table: Json) -> Iterator[str]:
    if judged := table.get("judged"):
        judge = " ".join(judged["judge"].split())
        yield f"% votes: verdicts of {judge}, run {judged['run']}, orders {judged['orders']}"
        for why, n in judged["left_out"]:
            yield f"% units without a vote: {n}, for {why}"


def _latex_row(row: Json) -> str:
    rating = "--" if row["rating"] is None else f"{row['rating']:.0f}"
    interval = "--" if row["low"] is None else f"{row['low']:.0f}--{row['high']:.0f}"
    best, worst = row["best_rank"], row["worst_rank"]
    ranks = "--" if best == "" else str(best) if best == worst else f"{best}--{worst}"
    return rf"{_latex(row['system'])} & {rating} & {interval} & {ranks} & {row['votes']} \\"


def _latex(text: str) -> str:
    return text.translate(_SIGNS)


_SIGNS = str.maketrans(
    {sign: f"\\{sign}" for sign in "&%$#_{}"}
    | {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
)
