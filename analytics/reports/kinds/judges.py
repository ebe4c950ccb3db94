"""Judges against people: agreement, what they confuse, whether they differ, what they hang on, and what they cost."""

from collections.abc import Iterator

from analytics.reports.contract import Option, ReportKind
from analytics.reports.judging.accuracy import accuracy_figures
from analytics.reports.judging.calibration import calibration
from analytics.reports.judging.confusions import JUDGE, confusion_figures
from analytics.reports.judging.differences import judges_differ
from analytics.reports.judging.panel import Panel, aspect_option, counting_options, no_judges, qualifications
from analytics.reports.judging.policies import policy_figures, policy_option
from analytics.reports.judging.reliability import reliability
from analytics.reports.judging.spending import spending
from analytics.reports.output.figures import Figure
from analytics.reports.references import reference_option
from analytics.reports.source import Source
from campaigns.models import Campaign
from infrastructure.wording.phrases import Phrase
from judges.models import Run
from protocols.fusion import is_fusible


def figures(source: Source) -> Iterator[Figure]:
    panel = Panel(source)
    yield from accuracy_figures(panel)
    yield judges_differ(panel)
    yield from confusion_figures(panel)
    yield calibration(panel)
    yield reliability(panel)
    yield from policy_figures(panel)
    yield spending(panel)


def options(campaign: Campaign) -> tuple[Option, ...]:
    found = [
        reference_option(campaign), aspect_option(campaign), _judge_option(campaign), *counting_options(campaign)
    ]  # fmt: skip
    return tuple([*found, policy_option()] if is_fusible(campaign.protocol) else found)


def _judge_option(campaign: Campaign) -> Option:
    rows = Run.objects.filter(campaign=campaign, perturbation__isnull=True).select_related("judge").order_by("pk")
    values = [(str(row.pk), f"{row.judge.title} ({row.pk})") for row in rows]
    return Option(JUDGE, Phrase("Judge, for what it confuses"), (("", Phrase("All of them")), *values))


KIND = ReportKind(
    name="judges",
    title=Phrase("Judges against people"),
    lead=Phrase("How far each judge says what people say, how far people do so among themselves, and what decides."),
    claims=Phrase(
        "It may be claimed how far a judge says what these people said of these items; not that it would do so "
        "for other systems, languages or prompts, nor that it does better than people where it merely agrees with "
        "most of them."
    ),
    version="7",
    figures=figures,
    why_not=no_judges,
    options=options,
    more_stamps=qualifications,
)
