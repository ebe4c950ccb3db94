"""The study of TRACE/HCoT §4.1 and §4.2 over any label set of dimensions and an overall label."""

from collections.abc import Iterator

from analytics.data.label_arrays import stamp_of
from analytics.reports.contract import Option, ReportKind
from analytics.reports.kinds.hcot.fusing import fusing
from analytics.reports.kinds.hcot.passes import agreement_of_passes, label_counts
from analytics.reports.kinds.hcot.study import Study, compared_campaign, label_set, other_pass
from analytics.reports.output.figures import Figure
from analytics.reports.source import Source
from campaigns.models import Campaign
from infrastructure.wording.phrases import Phrase
from infrastructure.wording.reasons import Reason
from protocols.fusion import is_fusible
from stats import reasons


def figures(source: Source) -> Iterator[Figure]:
    study = Study(source)
    yield label_counts(study)
    yield from agreement_of_passes(study)
    yield from fusing(study)


def options(campaign: Campaign) -> tuple[Option, ...]:
    return label_set(campaign), other_pass(campaign)


def why_not(campaign: Campaign) -> Reason | None:
    if is_fusible(campaign.protocol):
        return None
    return reasons.NOT_HCOT()


def more_stamps(source: Source) -> tuple[object, ...]:
    """What another campaign says changes without this one."""
    other = compared_campaign(source)
    return stamp_of(other) if other else ()


KIND = ReportKind(
    name="hcot",
    title=Phrase("Dimensions and overall label"),
    lead=Phrase(
        "Label counts, agreement of two passes, and whether the overall label follows from the dimensions "
        "(after TRACE/HCoT)."
    ),
    claims=Phrase(
        "It may be claimed how well a rule predicts the overall label from the dimensions in these data; not that "
        "raters decide by that rule."
    ),
    version="5",
    figures=figures,
    why_not=why_not,
    options=options,
    more_stamps=more_stamps,
)
