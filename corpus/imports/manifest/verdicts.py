"""Tables of what judges said of pairs: they look like labelled pairs, and their verdicts are no labels of people."""

from collections.abc import Collection

from corpus.imports import reasons
from corpus.imports.files.rows import Row
from corpus.imports.manifest.columns import cell_of
from infrastructure.wording.reasons import Reason

JUDGE_COLUMNS = ("judge", "model")
#: What one verdict brings. It is no part of the pair, which stands in many rows of such a table.
VERDICT_COLUMNS = frozenset({
    *JUDGE_COLUMNS, "verdict", "order", "aspect", "reasoning", "status", "parse_status", "sample", "slot", "n_shots",
    "method", "prompt", "temperature", "judge_version", "run",
})  # fmt: skip
TURNED = frozenset({"ba", "b-a", "b,a", "turned", "swapped", "reversed", "flipped"})


def why_verdicts(rows: Collection[Row]) -> Reason | None:
    """Why the labels of this table are verdicts by place or of judges, if they are."""
    if any(cell_of(row, "order").casefold() in TURNED for row in rows):
        return reasons.SECOND_HEARD_FIRST()
    for name in JUDGE_COLUMNS:
        if any(cell_of(row, name) and cell_of(row, "verdict") for row in rows):
            return reasons.COLUMN_SAYS_JUDGE(column=name)
    return None
