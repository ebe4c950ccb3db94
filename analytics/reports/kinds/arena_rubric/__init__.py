"""Arena against rubric: the same systems judged against each other and by criteria (MTalk-Bench §5 to §7, App. F)."""

from collections.abc import Iterator

from analytics.data.label_arrays import PEOPLE, stamp_of
from analytics.data.votes.of_people import pair_aspects
from analytics.reports.contract import Option, ReportKind
from analytics.reports.kinds.arena_rubric.between import between
from analytics.reports.kinds.arena_rubric.evaluators import Both, rubric_campaigns, rubric_of_source
from analytics.reports.kinds.arena_rubric.scores import scores
from analytics.reports.kinds.arena_rubric.trends import trends
from analytics.reports.output.figures import Figure
from analytics.reports.source import Source
from campaigns.models import Campaign
from infrastructure.wording.phrases import Phrase
from infrastructure.wording.reasons import Reason
from judges.models import Run
from stats import reasons


def figures(source: Source) -> Iterator[Figure]:
    rubric = rubric_of_source(source)
    both = Both(source, rubric) if rubric else None
    if both is None or not both.evaluators:
        reason = Phrase("Nobody has voted yet, and no criterion was checked.")
        yield Figure("scores", Phrase("Elo and rubric"), instead=reason)
        return
    yield from scores(both)
    yield from between(both)
    yield from trends(both)


def why_not(campaign: Campaign) -> Reason | None:
    if not pair_aspects(campaign.protocol):
        return reasons.NOT_WHICH_IS_BETTER()
    if not rubric_campaigns(campaign):
        return reasons.NO_RUBRIC_CAMPAIGN()
    return None


def options(campaign: Campaign) -> tuple[Option, ...]:
    rubrics = tuple((it.slug, it.title) for it in rubric_campaigns(campaign))
    asked = tuple((aspect.name, aspect.title) for aspect in pair_aspects(campaign.protocol))
    runs = Run.objects.filter(campaign=campaign, perturbation__isnull=True).select_related("judge").order_by("pk")
    evaluators = (
        ("", Phrase("People, or else the first judge that did both")),
        (PEOPLE, Phrase("People")),
        *((f"run-{run.pk}", f"{run.judge.title} ({run.pk})") for run in runs),
    )
    return (
        Option("rubric", Phrase("Rubric campaign"), rubrics),
        Option("question", Phrase("Question"), asked),
        Option("evaluator", Phrase("Evaluator of the single figures"), evaluators),
    )


def more_stamps(source: Source) -> tuple[object, ...]:
    """What is said in the rubric campaign."""
    rubric = rubric_of_source(source)
    return stamp_of(rubric) if rubric else ()


KIND = ReportKind(
    name="arena_rubric",
    title=Phrase("Arena against rubric"),
    lead=Phrase("Whether systems that win against others also meet more criteria, for people and for each judge."),
    claims=Phrase(
        "It may be claimed whether systems that win more also meet more of these criteria, across the systems "
        "here; not that meeting a criterion is why they win, and with few systems a coefficient says little."
    ),
    version="5",
    figures=figures,
    why_not=why_not,
    options=options,
    more_stamps=more_stamps,
)
