"""Tables of what judges said of pairs: they look like labelled pairs, and their verdicts are no labels of people."""

from collections.abc import Collection

from campaigns.imports.manifest.columns import cell_of
from campaigns.imports.rows import Row

JUDGE_COLUMNS = ("judge", "model")
#: What one verdict brings. It is no part of the pair, which stands in many rows of such a table.
VERDICT_COLUMNS = frozenset({
    *JUDGE_COLUMNS, "verdict", "order", "aspect", "reasoning", "status", "parse_status", "sample", "slot", "n_shots",
    "method", "prompt", "temperature", "judge_version", "run",
})  # fmt: skip
TURNED = frozenset({"ba", "b-a", "b,a", "turned", "swapped", "reversed", "flipped"})
WHAT_TO_DO = (
    "Choose here to import without labels, which brings in each pair once. Start a campaign over these pairs, and "
    "bring the verdicts in there: Comparison, Import verdicts. Labels of people need a table of their own, with 1 "
    "for the first system of the row."
)


def why_verdicts(rows: Collection[Row]) -> str:
    """Why the labels of this table are verdicts by place or of judges, in a sentence; empty where they are not."""
    if any(cell_of(row, "order").casefold() in TURNED for row in rows):
        return (
            "The column order says that in some rows the second system was heard first (BA): there, 1 is the second "
            "system, and read as labels it would count for the first."
        )
    for name in JUDGE_COLUMNS:
        if any(cell_of(row, name) and cell_of(row, "verdict") for row in rows):
            return f"The column {name} says which judge gave each verdict: these are no labels of people."
    return ""
