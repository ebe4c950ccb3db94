"""Models of raters: severity and reliability of ratings, and the labels behind what several raters say."""

from collections.abc import Iterator

from analytics.reports.contract import Option, ReportKind
from analytics.reports.kinds.agreement import label_set
from analytics.reports.kinds.rater_models.latent import latent_labels
from analytics.reports.kinds.rater_models.ratings import severity_and_reliability
from analytics.reports.label_sets import LabelSets, chosen
from analytics.reports.output.figures import Figure
from analytics.reports.source import Source
from campaigns.models import Campaign
from infrastructure.wording.phrases import Phrase


def figures(source: Source) -> Iterator[Figure]:
    sets, key = LabelSets(source), chosen(source, label_set(source.campaign))
    for aspect in source.aspects:
        labelled = sets.labelled(aspect, key)
        kind = aspect.scale.kind
        if kind.is_ordered and not kind.is_signed:
            yield from severity_and_reliability(source, aspect, labelled)
        elif kind.has_few_values:
            yield from latent_labels(source, aspect, labelled)
        else:
            title = Phrase("Raters: %(aspect)s", aspect=aspect.title)
            why = Phrase("Severity needs ratings of one response, and a model of labels needs few values.")
            yield Figure(f"none-{aspect.name}", title, instead=why)


def options(campaign: Campaign) -> tuple[Option, ...]:
    return (label_set(campaign),)


KIND = ReportKind(
    name="rater_models",
    title=Phrase("Severity and reliability"),
    lead=Phrase(
        "Plain means and labels beside those that allow for how severe, or how often right, each rater is; people "
        "and judges in one model where all are chosen."
    ),
    claims=Phrase(
        "It may be claimed what these ratings would be if all raters were equally severe, and which label the models "
        "find most probable; not that an adjusted figure is truer than the plain one beside it where the model is "
        "wrong, nor that a rater is bad: severity and accuracy are relative to these raters."
    ),
    version="2",
    figures=figures,
    options=options,
    about_people=True,
)
