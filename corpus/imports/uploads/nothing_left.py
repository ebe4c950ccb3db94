"""Files of which nothing is left to import: an error that says what was left out, and no empty dataset."""

from corpus.imports.answers.checking import CheckedAnswers
from corpus.imports.checks.nothing_left import nothing_left
from corpus.imports.checks.result import Checked
from corpus.imports.mapping.together import CheckedTogether
from corpus.imports.plan import Problem
from corpus.imports.tools.in_parts import CheckedInParts
from infrastructure.wording.reasons import Reason

AnyChecked = Checked | CheckedAnswers | CheckedTogether | CheckedInParts


def refuse_nothing(checked: AnyChecked) -> None:
    """Add an error where the file has none, and brings neither items nor answers."""
    if checked.errors or _brings(checked):
        return
    refusal = Problem(None, "file", nothing_left([*checked.tool.get("lost", ()), *_warnings(checked)]))
    if isinstance(checked, CheckedInParts):
        checked.keep([refusal])
        checked.counts["errors"] += 1
    elif isinstance(checked, CheckedTogether):
        checked.responses.plan.problems.append(refusal)
    else:
        checked.plan.problems.append(refusal)


def _brings(checked: AnyChecked) -> bool:
    if isinstance(checked, CheckedInParts):
        return bool(checked.earlier or checked.counts["items"] or checked.counts["annotations"])
    if isinstance(checked, CheckedTogether):
        return _brings(checked.responses) or _brings(checked.answers)
    if isinstance(checked, CheckedAnswers):
        return bool(checked.plan.annotations or checked.plan.units)
    return bool(checked.plan.items)


def _warnings(checked: AnyChecked) -> list[Reason]:
    if isinstance(checked, CheckedInParts | CheckedTogether):
        return [it.message for it in checked.problems]
    return [it.message for it in checked.plan.problems]
