"""Rating scales: agreement by question, mean opinion scores, and which metrics go with them (COMPASS §6, App. F)."""

from collections.abc import Iterator

from django.db.models import Max

from analytics.data.ratings import rated_aspects
from analytics.reports.contract import Option, ReportKind
from analytics.reports.kinds.scales.agreement import alpha, preferred
from analytics.reports.kinds.scales.opinions import opinions
from analytics.reports.kinds.scales.panel import Panel
from analytics.reports.kinds.scales.predicting import predicting
from analytics.reports.output.figures import Figure
from analytics.reports.references import reference_of, reference_option
from analytics.reports.source import Source
from campaigns.models import Campaign
from infrastructure.wording.phrases import Phrase
from infrastructure.wording.reasons import Reason
from measurements.models import LikelihoodSequence, MetricScore
from stats import reasons


def figures(source: Source) -> Iterator[Figure]:
    group = reference_of(source)
    if group is None:
        reason = Phrase("Nobody has rated anything, and no labels were imported.")
        yield Figure("mos", Phrase("Mean opinion scores"), instead=reason)
        return
    panel = Panel(source, group)
    yield from opinions(panel)
    yield alpha(panel)
    yield preferred(panel)
    yield from predicting(panel)


def why_not(campaign: Campaign) -> Reason | None:
    if rated_aspects(campaign.protocol):
        return None
    return reasons.NO_RATING()


def options(campaign: Campaign) -> tuple[Option, ...]:
    asked = tuple((aspect.name, aspect.title) for aspect in rated_aspects(campaign.protocol))
    return (Option("question", Phrase("Question"), asked), reference_option(campaign))


def more_stamps(source: Source) -> tuple[object, ...]:
    """Scores of metrics and likelihoods count, too."""
    dataset = source.campaign.dataset_id
    scores = MetricScore.objects.filter(system__dataset=dataset).aggregate(last=Max("pk"))["last"]
    likelihoods = LikelihoodSequence.objects.filter(dataset=dataset).aggregate(last=Max("pk"))["last"]
    return scores, likelihoods


KIND = ReportKind(
    name="scales",
    title=Phrase("Rating scales"),
    lead=Phrase(
        "How far raters agree on each question, what they gave each system, and which metrics go with their ratings."
    ),
    claims=Phrase(
        "It may be claimed that one system is rated higher than another where the interval of their difference "
        "leaves out 0; overlapping intervals of means show no equality, and means of different campaigns or rater "
        "groups must not be compared."
    ),
    version="6",
    figures=figures,
    why_not=why_not,
    options=options,
    more_stamps=more_stamps,
)
