"""Whether some annotators favour what is presented first, whatever it is."""

from collections.abc import Iterator

import numpy as np

from analytics.data.label_arrays import Group
from analytics.reports.contract import ReportKind
from analytics.reports.judging.panel import ASPECT
from analytics.reports.judging.votes import Pairs, compares
from analytics.reports.kinds.bias import compared_option, why_not
from analytics.reports.output.figures import Cell, Column, Dots, Figure, Table
from analytics.reports.source import Source
from infrastructure.wording.phrases import Phrase
from protocols import Aspect
from stats import reasons
from stats.judges.bias import Preference, preference
from stats.judges.comparison import holm

NOTE = Phrase(
    "Of each person’s votes that name a winner, how many went to the response presented "
    "first, with Wilson’s intervals and an exact p. The last column corrects p for the "
    "number of people (Holm). Sides are drawn at random, so a person far from a half may "
    "click without listening."
)


def figures(source: Source) -> Iterator[Figure]:
    key, title = "sides", Phrase("Do annotators favour a side?")
    aspects = {aspect.name: aspect for aspect in source.aspects if compares(aspect)}
    aspect = aspects.get(source.option(ASPECT)) or next(iter(aspects.values()), None)
    pairs = Pairs(source)
    if aspect is None or not pairs.units:
        yield Figure(key, title, instead=reasons.NO_VOTES_TO_SWAY())
        return
    found = _by_person(source, pairs, aspect)
    if not found:
        why = Phrase("No answer says which response was presented first and names a winner.")
        yield Figure(key, title, instead=why)
        return
    yield _figure(key, title, found)


def _by_person(source: Source, pairs: Pairs, aspect: Aspect) -> dict[str, Preference]:
    found = {}
    for group in source.arrays.groups:
        for rater in group.raters:
            toward = pairs.people(Group("", "", (rater,)), aspect).toward_first
            decided = toward[~np.isnan(toward) & (toward != 0)]
            if len(decided):
                found[rater.title] = preference(decided > 0)
    return found


def _figure(key: str, title: str, found: dict[str, Preference]) -> Figure:
    columns = (
        Column("annotator", Phrase("Annotator")),
        Column("first", Phrase("For the first"), "share"),
        Column("difference", Phrase("Δ"), "share"),
        Column("p", Phrase("p"), "p"),
        Column("p_holm", Phrase("p for all together"), "p"),
    )
    corrected = holm([it.p.estimate for it in found.values()])
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (name, it.rate, it.difference, it.p, p) for (name, it), p in zip(found.items(), corrected, strict=True)
    )
    picture = Dots(
        tuple(found), {Phrase("For the first"): [it.rate for it in found.values()]}, form="share", mark=0.5,
        x_title=Phrase("Votes for what was presented first"),
    )  # fmt: skip
    return Figure(key, title, Table(columns, rows), picture, (NOTE,))


KIND = ReportKind(
    name="sides",
    title=Phrase("Sides, by annotator"),
    lead=Phrase("How often each annotator preferred the response that was presented first."),
    claims=Phrase(
        "It may be claimed that an annotator preferred one side more often than chance; not why, and with many "
        "annotators some stand out by chance."
    ),
    version="2",
    figures=figures,
    why_not=why_not,
    options=lambda campaign: (compared_option(campaign),),
    about_people=True,
)
