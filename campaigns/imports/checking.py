"""The dry run: every row and every file is looked at, and nothing is written."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

from campaigns.audio.reading import UnreadableAudio
from campaigns.clips import ExaminedClip, examine_clip
from campaigns.imports.audio_files import AudioFiles, MissingAudio, sha256_of
from campaigns.imports.plan import Plan, Problem
from campaigns.models import Dataset, Label, ResponseTurn, Turn

Report = dict[str, Any]
ShowProgress = Callable[[int, int, str], None]
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
        problems = sorted(plan.problems, key=lambda problem: (problem.row or 0, problem.field))
        return {
            "rows": plan.rows,
            "items": len(plan.items),
            "systems": plan.systems,
            "responses": len(plan.responses),
            "units": len(plan.units),
            "labels": len(plan.labels),
            "clips": len(seconds),
            "seconds": round(sum(seconds.values()), 1),
            "errors": len(self.errors),
            "warnings": len(problems) - len(self.errors),
            "problems": [problem.as_json() for problem in problems[:MAX_LISTED]],
            "unlisted": max(0, len(problems) - MAX_LISTED),
        }


def check(
    plan: Plan,
    files: AudioFiles | None,
    *,
    dataset: Dataset | None,
    label_set_name: str,
    progress: ShowProgress,
) -> Checked:
    """Examine every file the plan names and compare the plan with what `dataset` already holds.

    `files` is None for an import without audio.
    """
    checked = Checked(plan)
    if files is not None:
        _examine_files(checked, files, progress)
        _compare_prompts(checked)
    if dataset is not None:
        _compare_categories(plan, dataset)
        _compare_turns(checked, dataset)
        _compare_units(plan, dataset)
        _compare_labels(plan, dataset, label_set_name)
    return checked


def _examine_files(checked: Checked, files: AudioFiles, progress: ShowProgress) -> None:
    """Two files at a time: decoding and filtering leave Python's lock to others."""
    paths = checked.plan.audio_paths
    with ThreadPoolExecutor(max_workers=2) as pool:
        outcomes = pool.map(lambda path: _examine(files, path), paths)
        for done, (path, outcome) in enumerate(zip(paths, outcomes, strict=True), start=1):
            if isinstance(outcome, ExaminedClip):
                checked.clips[path] = outcome
            else:
                checked.plan.refuse(paths[path], "audio", outcome)
            progress(done, len(paths), "Listening to every file")


def _examine(files: AudioFiles, path: str) -> ExaminedClip | str:
    try:
        with files.open(path) as file:
            return examine_clip(file, name=path, sha256=sha256_of(file))
    except (MissingAudio, UnreadableAudio) as refusal:
        return str(refusal)


def _compare_prompts(checked: Checked) -> None:
    """An item has one prompt: where several rows bring its audio, they must bring the same."""
    for key, item in checked.plan.items.items():
        for turn in item.turns.values():
            found = {checked.clips[path].sha256 for path in turn.audio if path in checked.clips}
            if len(found) > 1:
                row = max(turn.audio.values())
                checked.plan.refuse(row, "prompt audio", f"Item {key} comes with {len(found)} different prompts.")


def _compare_categories(plan: Plan, dataset: Dataset) -> None:
    for there in dataset.items.all():
        planned = plan.items.get(there.key)
        if planned and planned.category not in ("", there.category):
            plan.refuse(None, "category", f"Item {there} is already there with category {there.category!r}.")


def _compare_turns(checked: Checked, dataset: Dataset) -> None:
    prompts = Turn.objects.filter(item__dataset=dataset).select_related("item", "clip")
    for there in prompts:
        planned = checked.plan.items.get(there.item.key)
        turn = planned.turns.get(there.position) if planned else None
        if turn and turn.text != there.text:
            checked.plan.refuse(None, "prompt_text", f"Item {there.item} is already there with another text.")
        if turn and there.clip and _differs(checked, turn.audio, there.clip.sha256):
            checked.plan.refuse(None, "prompt audio", f"Item {there.item} is already there with another recording.")
    answers = ResponseTurn.objects.filter(response__item__dataset=dataset)
    for said in answers.select_related("response__item", "response__system", "clip"):
        response = said.response
        key = (response.item.key, response.system.name, response.key)
        turn = checked.plan.responses.get(key, {}).get(said.position)
        if turn and turn.text not in ("", said.text):
            checked.plan.refuse(None, "response_text", f"{response} is already there with another text.")
        if turn and said.clip and _differs(checked, turn.audio, said.clip.sha256):
            message = f"{response} is already there with other audio. Give the new one another take or dataset."
            checked.plan.refuse(min(turn.audio.values()), "audio", message)


def _differs(checked: Checked, paths: dict[str, int], sha256: str) -> bool:
    return any(path in checked.clips and checked.clips[path].sha256 != sha256 for path in paths)


def _compare_units(plan: Plan, dataset: Dataset) -> None:
    for there in dataset.units.select_related("item", "a__system", "b__system"):
        planned = plan.units.get(there.key)
        if planned is None:
            continue
        sides = [(side.system.name, side.key) if side else None for side in (there.a, there.b)]
        if [there.item.key, *sides] != [planned.item, planned.a[1:], planned.b[1:]]:
            message = f"Pair {there.key} is already there with another item, other systems or other recordings."
            plan.refuse(None, "index", message)


def _compare_labels(plan: Plan, dataset: Dataset, label_set_name: str) -> None:
    held = Label.objects.filter(label_set__dataset=dataset, label_set__name=label_set_name)
    for key, rater, aspect, value in held.values_list("unit__key", "label_set__rater", "aspect", "value"):
        planned = plan.labels.get((key, rater, aspect))
        if planned and planned.value != value:
            message = f"Pair {key} is already labelled {value!r} here. Give the new labels another name."
            plan.refuse(None, f"label {aspect}", message)
