"""A plan that was looked at, and what is to be said about it."""

from collections.abc import Sized
from dataclasses import asdict, dataclass, field
from typing import Any

from corpus.clips.storage import ExaminedClip
from corpus.imports.files.audio_files import AudioFiles
from corpus.imports.manifest.choices import LABEL_COLUMN, MAPPING
from corpus.imports.manifest.columns import shown
from corpus.imports.plan import Plan, Problem

Report = dict[str, Any]
MAX_LISTED = 500
MAX_FILES = 10
MAX_CHOICES, MAX_PROMPTS, MAX_TEXT = 100, 10, 500


@dataclass
class Checked:
    """A plan with its files examined. It may be written if no problem is an error."""

    plan: Plan
    clips: dict[str, ExaminedClip] = field(default_factory=dict)
    #: how many of its rows of each kind the dataset has already
    there: dict[str, int] = field(default_factory=dict)
    #: what turns that the dataset has get: how many prompts their words, how many turns their recording
    completed: dict[str, int] = field(default_factory=dict)
    sound_checked: bool = True
    #: what no row names of a ZIP
    unused_files: list[str] = field(default_factory=list)
    #: what is said of the tool whose file it is
    tool: Report = field(default_factory=dict)
    #: where the sound is, if the file holds it itself
    files: AudioFiles | None = None

    @property
    def errors(self) -> list[Problem]:
        return [problem for problem in self.plan.problems if problem.severity == "error"]

    @property
    def is_new(self) -> bool:
        """Whether anything of it is not in the dataset yet."""
        plan = self.plan
        counts: dict[str, Sized] = {
            "items": plan.items,
            "responses": plan.responses,
            "units": plan.units,
            "labels": plan.labels,
        }
        added = any(len(rows) > self.there.get(name, 0) for name, rows in counts.items())
        return added or any(self.completed.values())

    def report(self) -> Report:
        """What the page shows: counts, and the first problems in row order."""
        plan, undecided = self.plan, {problem.choice for problem in self.errors}
        seconds = {clip.sha256: clip.audit.seconds for clip in self.clips.values()}
        return (
            {
                "rows": plan.rows,
                "items": len(plan.items),
                "systems": plan.systems,
                "responses": len(plan.responses),
                "units": len(plan.units),
                "labels": len(plan.labels),
                "clips": len(seconds),
                "seconds": round(sum(seconds.values()), 1),
                "place": plan.place,
                **{f"{name}_there": n for name, n in self.there.items()},
                "is_new": self.is_new,
                "sound_checked": self.sound_checked,
                "unused_columns": [asdict(column) for column in plan.unused],
                "unused_files": {"n": len(self.unused_files), "some": self.unused_files[:MAX_FILES]},
                "undecided": bool(undecided) and "" not in undecided,
                "to_choose": to_choose(plan),
            }
            | problem_report(plan.problems)
            | ({"completed": self.completed} if any(self.completed.values()) else {})
            | of_tool(self.tool)
        )


def to_choose(plan: Plan) -> Report:
    """What whoever imports may choose, with all that is needed for it. Lists are cut where nobody would read on."""
    return {
        "clashes": [
            {
                "item": clash.item,
                "choice": clash.choice,
                "is_of_signs": clash.is_of_signs,
                "prompts": [
                    {"text": prompt.text[:MAX_TEXT], "where": plan.places(prompt.rows), "rows": len(prompt.rows)}
                    for prompt in clash.prompts[:MAX_PROMPTS]
                ],
                "n_prompts": len(clash.prompts),
            }
            for clash in plan.clashes[:MAX_CHOICES]
        ],
        "n_clashes": len(plan.clashes),
        "repeated": [
            {
                "text": one.text[:MAX_TEXT],
                "items_of": [{"item": item, "where": plan.places(rows)} for item, rows in one.items.items()],
            }
            for one in plan.repeated[:MAX_CHOICES]
        ],
        "n_repeated": len(plan.repeated),
        "mapping": any(problem.choice == MAPPING for problem in plan.problems),
        "labels_are_lost": any(problem.choice == LABEL_COLUMN for problem in plan.problems),
        "label_columns": shown(plan.label_columns),
        "item_columns": shown(plan.item_columns),
    }


def of_tool(tool: Report) -> Report:
    """What the report has of the tool whose file it is; nothing where it is of none."""
    return {"tool": tool} if tool else {}


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
