"""A plan that was looked at, and what is to be said about it."""

from dataclasses import dataclass, field
from typing import Any

from campaigns.clips import ExaminedClip
from campaigns.imports.plan import Plan, Problem

Report = dict[str, Any]
MAX_LISTED = 500


@dataclass
class Checked:
    """A plan with its files examined. It may be written if no problem is an error."""

    plan: Plan
    clips: dict[str, ExaminedClip] = field(default_factory=dict)

    @property
    def errors(self) -> list[Problem]:
        return [problem for problem in self.plan.problems if problem.severity == "error"]

    def report(self) -> Report:
        """What the page shows: counts, and the first problems in row order."""
        plan = self.plan
        seconds = {clip.sha256: clip.audit.seconds for clip in self.clips.values()}
        return {
            "rows": plan.rows,
            "items": len(plan.items),
            "systems": plan.systems,
            "responses": len(plan.responses),
            "units": len(plan.units),
            "labels": len(plan.labels),
            "clips": len(seconds),
            "seconds": round(sum(seconds.values()), 1),
        } | problem_report(plan.problems)


def problem_report(problems: list[Problem]) -> Report:
    """How many errors and warnings there are, and the first of them in row order."""
    errors = sum(problem.severity == "error" for problem in problems)
    listed = sorted(problems, key=lambda problem: (problem.row or 0, problem.field))
    return {
        "errors": errors,
        "warnings": len(problems) - errors,
        "problems": [problem.as_json() for problem in listed[:MAX_LISTED]],
        "unlisted": max(0, len(problems) - MAX_LISTED),
    }
