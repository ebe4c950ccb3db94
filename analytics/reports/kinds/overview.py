"""The dashboard of a campaign: who has said what, how far people agree, and how far judges are from them."""

from collections.abc import Iterator

from django.db.models import Count, Q

from analytics.judged.comparison import measure_judge
from analytics.reports.coefficients import DISTANCE, krippendorff, measuring
from analytics.reports.contract import ReportKind
from analytics.reports.judging.panel import Panel
from analytics.reports.label_sets import LabelSets
from analytics.reports.output.figures import Bars, Cell, Column, Dots, Figure, Link, Table
from analytics.reports.references import group_title
from analytics.reports.source import Source
from annotation.models import Assignment
from campaigns.models import CampaignUnit
from campaigns.people.members import withdrawn_memberships
from infrastructure.wording.phrases import Phrase
from protocols.kinds.agreement import DISTANCES, alpha_title


def figures(source: Source) -> Iterator[Figure]:
    yield _answers(source)
    panel = Panel(source)
    yield _who(source, panel)
    yield _agreement(source, panel)
    yield _judges(panel)


def _answers(source: Source) -> Figure:
    """From units to answers that count: where they are lost on the way."""
    campaign = source.campaign
    study = Assignment.objects.filter(campaign=campaign, campaign_unit__purpose=CampaignUnit.Purpose.STUDY)
    gone = withdrawn_memberships().filter(campaign=campaign).values("user")
    answered, withdrawn = Q(status=Assignment.Status.ANSWERED), Q(annotator__in=gone)
    found = study.exclude(status=Assignment.Status.PLANNED).aggregate(
        taken=Count("pk"),
        given_back=Count("pk", filter=Q(status=Assignment.Status.RETURNED)),
        expired=Count("pk", filter=Q(status=Assignment.Status.EXPIRED)),
        answered=Count("pk", filter=answered),
        withdrawn=Count("pk", filter=answered & withdrawn),
        left_out=Count("pk", filter=answered & ~withdrawn & Q(excluded=True)),
    )
    used = found["answered"] - found["withdrawn"] - found["left_out"]
    units = campaign.campaign_units.filter(purpose=CampaignUnit.Purpose.STUDY).count()
    steps: list[tuple[str, int]] = [
        (Phrase("Answers wanted"), units * campaign.answers_per_unit),
        (Phrase("Units given out"), found["taken"]),
        (Phrase("Returned"), found["given_back"]),
        (Phrase("Expired"), found["expired"]),
        (Phrase("Answered"), found["answered"]),
        (Phrase("Withdrawn by the person"), found["withdrawn"]),
        (Phrase("Left out of the analysis"), found["left_out"]),
        (Phrase("Used"), used),
    ]
    columns = (Column("step", Phrase("Step")), Column("n", Phrase("Assignments"), "count"))
    picture = Bars(tuple(title for title, _ in steps), {"": [float(n) for _, n in steps]})
    note = Phrase("Of the study’s units, in the whole campaign: filters do not reach here.")
    return Figure(
        "answers", Phrase("From units to answers that count"), Table(columns, tuple(steps)), picture, (note,)
    )


def _who(source: Source, panel: Panel) -> Figure:
    columns = (
        Column("who", Phrase("Who")),
        Column("raters", Phrase("Raters"), "count"),
        Column("units", Phrase("Units with an answer"), "count"),
        Column("labels", Phrase("Labels"), "count"),
    )
    rows: list[tuple[Cell, ...]] = []
    for group in source.arrays.groups:
        units = {unit for rater in group.raters for said in rater.said.values() for unit, _slot in said}
        n = sum(len(said) for rater in group.raters for said in rater.said.values())
        rows.append((group_title(group), len(group.raters), len(units), n))
    for run in source.arrays.runs:
        units = {unit for said in run.said.values() for places in said.values() for unit, _slot in places}
        n = sum(len(places) for said in run.said.values() for places in said.values())
        rows.append((panel.link(run), 1, len(units), n))
    if not rows:
        return Figure("who", Phrase("Who has said what"), instead=Phrase("Nobody has answered yet."))
    return Figure("who", Phrase("Who has said what"), Table(columns, tuple(rows)))


def _agreement(source: Source, panel: Panel) -> Figure:
    title = Phrase("Agreement of people")
    if panel.group is None or len(panel.group.raters) < 2:
        return Figure("alpha", title, instead=Phrase("It takes two people who answered the same units."))
    sets = LabelSets(source)
    measured = {
        aspect.title: measuring(source, aspect, sets.labelled(aspect, panel.group.key), by_item=False)
        for aspect in source.aspects
    }
    found = {name: it.alpha().found for name, it in measured.items()}
    alpha_name = alpha_title(it.own_level for it in measured.values())
    columns = (
        Column("aspect", Phrase("Aspect")),
        Column("alpha", alpha_name, "coefficient"),
        DISTANCE,
        Column("words", Phrase("In words")),
        Column("more", Phrase("More")),
    )
    more = Link(Phrase("All coefficients"), "report", (source.campaign.slug, "agreement"))
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (name, it, DISTANCES[measured[name].own_level], krippendorff(it), more) for name, it in found.items()
    )
    series = {group_title(panel.group): list(found.values())}
    picture = Dots(tuple(found), series, mark=0.0, x_title=alpha_name)
    note = Phrase("Of: %(who)s. α is taken at the level at which each scale measures; 0 is chance.", who=panel.people)
    return Figure("alpha", title, Table(columns, rows), picture, (note,))


def _judges(panel: Panel) -> Figure:
    title, side = Phrase("Judges beside people"), panel.side
    if side is None or not panel.runs:
        why = Phrase("No judge has run here yet, or nobody has labelled what it judged.")
        return Figure("judges", title, instead=why)
    measured = [(run, measure_judge(side, run)) for run in panel.runs]
    measured.sort(key=lambda it: (it[1].kappa.estimate is None, -(it[1].kappa.estimate or 0.0)))
    found = {panel.names[run.run.pk]: (panel.link(run), it) for run, it in measured}
    columns = (
        Column("judge", Phrase("Judge")),
        Column("kappa", Phrase("Cohen’s κ"), "coefficient"),
        Column("accuracy", Phrase("Agreement"), "share"),
        Column("missing", Phrase("Missing"), "count"),
        Column("more", Phrase("More")),
    )
    more = Link(Phrase("What it confuses, and more"), "report", (panel.source.campaign.slug, "judges"))
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (link, it.kappa, it.accuracy, it.n_missing, more) for link, it in found.values()
    )
    series = {panel.people: [it.kappa for _link, it in found.values()]}
    picture = Dots(tuple(found), series, mark=0.0, x_title="Cohen’s κ")
    note = Phrase(
        "On “%(aspect)s”, beside the label that most gave of: %(who)s. κ of 0 is chance.",
        aspect=side.title,
        who=panel.people,
    )
    return Figure("judges", title, Table(columns, rows), picture, (note,))


def _more_stamps(source: Source) -> tuple[object, ...]:
    """The number of assigned units changes the figures, even without new answers."""
    rows = Assignment.objects.filter(campaign=source.campaign).values("status").order_by("status")
    return tuple(rows.annotate(n=Count("pk")).values_list("status", "n"))


KIND = ReportKind(
    name="overview",
    title=Phrase("Overview"),
    lead=Phrase("Who has said what, how far people agree, and how far judges are from them."),
    claims=Phrase("It is a summary: claim a figure only from the report it comes from, with its interval and its n."),
    version="6",
    figures=figures,
    more_stamps=_more_stamps,
)
