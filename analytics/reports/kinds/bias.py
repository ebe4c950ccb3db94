"""What sways people and judges besides quality: place, length, loudness, speed, noise, words alone."""

import hashlib
import json
from collections.abc import Iterator

from analytics.data.unit_numbers import unit_numbers
from analytics.reports.contract import Option, ReportKind
from analytics.reports.judging.panel import counting_options, qualifications
from analytics.reports.judging.votes import compares
from analytics.reports.output.figures import Figure
from analytics.reports.references import reference_option
from analytics.reports.source import Source
from analytics.reports.swaying.covariates import covariate_figures, gap_option, length_option, verbosity_figure
from analytics.reports.swaying.difficulty import BY, by_option, difficulty_figure
from analytics.reports.swaying.position import first_figure, flipped_figure
from analytics.reports.swaying.robustness import noise_by_figure, noise_figure, probes_of, text_figure
from analytics.reports.swaying.voters import LENGTH, Swayed
from campaigns.models import Campaign
from infrastructure.wording.phrases import Phrase, phrased
from infrastructure.wording.reasons import Reason
from measurements.unit_numbers import number_names
from stats import reasons


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
    if source.option(BY):
        yield noise_by_figure(swayed, probes)
    yield text_figure(swayed, probes)


def compared_option(campaign: Campaign) -> Option:
    """The aspects on which responses are compared."""
    chosen = [aspect for aspect in campaign.protocol.counted_aspects if compares(aspect)]
    chosen.sort(key=lambda aspect: aspect.name != "overall")
    return Option("aspect", Phrase("Aspect"), tuple((aspect.name, phrased(aspect.title)) for aspect in chosen))


def options(campaign: Campaign) -> tuple[Option, ...]:
    names = number_names(campaign.dataset)
    found = [reference_option(campaign), compared_option(campaign), gap_option(), length_option(names)]
    return (*found, by_option(names), *counting_options(campaign, "missing", "ties", "people_aspect"))


def more_stamps(source: Source) -> tuple[object, ...]:
    """Judges' qualification, and numbers of units where a figure is by one of them."""
    found = qualifications(source)
    if not source.option(BY) and not source.option(LENGTH):
        return found
    numbers = json.dumps(sorted(unit_numbers(source.campaign).items()))
    return (*found, hashlib.sha256(numbers.encode()).hexdigest())


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
    version="6",
    figures=figures,
    why_not=why_not,
    options=options,
    more_stamps=more_stamps,
)
