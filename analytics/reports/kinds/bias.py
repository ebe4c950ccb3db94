"""What sways people and judges besides quality: place, length, loudness, speed, noise, words alone."""

from collections.abc import Iterator

from analytics.reports.contract import Option, ReportKind
from analytics.reports.judging.panel import qualifications
from analytics.reports.judging.votes import compares
from analytics.reports.output.figures import Figure
from analytics.reports.references import reference_option
from analytics.reports.source import Source
from analytics.reports.swaying.covariates import covariate_figures, gap_option, verbosity_figure
from analytics.reports.swaying.difficulty import difficulty_figure
from analytics.reports.swaying.position import first_figure, flipped_figure
from analytics.reports.swaying.robustness import noise_figure, probes_of, text_figure
from analytics.reports.swaying.voters import Swayed
from analytics.stats import reasons
from campaigns.models import Campaign
from infrastructure.wording.phrases import Phrase, phrased
from infrastructure.wording.reasons import Reason


def figures(source: Source) -> Iterator[Figure]:
    swayed = Swayed(source)
    if swayed.why_not:
        yield Figure("first", Phrase("Is the first place preferred?"), instead=swayed.why_not)
        return
    yield first_figure(swayed)
    yield flipped_figure(swayed)
    yield from covariate_figures(swayed)
    yield verbosity_figure(swayed)
    yield difficulty_figure(swayed)
    probes = probes_of(swayed)
    yield noise_figure(swayed, probes)
    yield text_figure(swayed, probes)


def compared_option(campaign: Campaign) -> Option:
    """The aspects on which responses are compared."""
    chosen = [aspect for aspect in campaign.protocol.counted_aspects if compares(aspect)]
    chosen.sort(key=lambda aspect: aspect.name != "overall")
    return Option("aspect", Phrase("Aspect"), tuple((aspect.name, phrased(aspect.title)) for aspect in chosen))


def options(campaign: Campaign) -> tuple[Option, ...]:
    return (reference_option(campaign), compared_option(campaign), gap_option())


def why_not(campaign: Campaign) -> Reason | None:
    return None if any(compares(aspect) for aspect in campaign.protocol.aspects) else reasons.NO_VOTES_TO_SWAY()


KIND = ReportKind(
    name="bias",
    title=Phrase("Bias and robustness"),
    lead=Phrase(
        "What sways people and judges besides quality: which response comes first, how long and loud it is, noise."
    ),
    claims=Phrase(
        "It may be claimed that verdicts go together with position, length or loudness, or change under noise; "
        "not that these cause them, except where the sound alone was changed and all else kept."
    ),
    version="3",
    figures=figures,
    why_not=why_not,
    options=options,
    more_stamps=qualifications,
)
