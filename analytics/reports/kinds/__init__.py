"""The kinds of reports, in the order in which pages list them. A new one is a module here and a line below."""

from analytics.reports.contract import ReportKind
from analytics.reports.kinds import (
    agreement,
    arena_rubric,
    bias,
    corrected,
    hcot,
    judges,
    label_counts,
    metrics,
    overview,
    rater_models,
    rater_pairs,
    scales,
    sides,
    systems,
)

KINDS: dict[str, ReportKind] = {
    kind.name: kind
    for kind in (
        overview.KIND,
        agreement.KIND,
        rater_pairs.KIND,
        rater_models.KIND,
        judges.KIND,
        systems.KIND,
        label_counts.KIND,
        hcot.KIND,
        arena_rubric.KIND,
        scales.KIND,
        metrics.KIND,
        corrected.KIND,
        bias.KIND,
        sides.KIND,
    )
}  # fmt: skip
