"""Whether verdicts stay when the sound is changed, or is not heard at all."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from django.db.models import Q

from analytics.data.label_arrays import JudgeRun, answers_each_way, answers_of, said_by_runs
from analytics.data.label_words import label_words
from analytics.judged.sides import Side
from analytics.reports.output.figures import Cell, Column, Curve, Curves, Dots, Figure, Link, Table
from analytics.reports.swaying.difficulty import BY, parts_of, values_of
from analytics.reports.swaying.voters import Swayed
from infrastructure.wording.phrases import Phrase
from judges.kinds.text_models.transcript_llm import TRANSCRIPT_LLM
from judges.models import Run
from judges.sounds.perturbations import Perturbation
from stats.agreement.labels import LabelTable
from stats.arrays import Bools
from stats.judges.bias import unchanged_share
from stats.results import Estimate

NOISE, TEXT = "white_noise", "transcript_only"
NOTE = Phrase(
    "Of the units that both the run and its probe answered, how many answers are the same, over all and by what the "
    "run said first. Several samples are reconciled before, and both orders where each of the two has both. Else "
    "verdicts are compared in one order that both have."
)


@dataclass(frozen=True, eq=False)
class _Probed:
    """A run and another one that heard less or something else; `changed` says what, `value` how much of it.

    `said` has what both say of each place; `undecided` marks the places where one of them says different things in
    its two orders.
    """

    run: JudgeRun
    other: str | Link
    changed: str
    value: float
    said: LabelTable
    undecided: Bools
    name: str = ""

    @cached_property
    def shares(self) -> dict[str, Estimate]:
        """Of the answers that both have, how many are the same: over all, and by what the run said first."""
        return unchanged_share(self.said, undecided=self.undecided)

    def share_of(self, there: Bools) -> Estimate:
        """The same over some places."""
        some = LabelTable(self.said.codes[there], self.said.categories)
        return unchanged_share(some, undecided=self.undecided[there])[""]

    @property
    def share(self) -> Estimate:
        return self.shares[""]


def noise_figure(swayed: Swayed, probes: list[_Probed]) -> Figure:
    """Every probe that changed the sound; the curves are of noise alone."""
    key, title = "noise", Phrase("Do verdicts stay when the sound is changed?")
    found = [probe for probe in probes if probe.name not in (TEXT, "swapped_order")]
    if not found:
        why = Phrase("No judge was probed with changed sound: on a run that is done, start a probe.")
        return Figure(key, title, instead=why)
    curves = []
    for run in dict.fromkeys(probe.run.run.pk for probe in found):
        noisy = [it for it in found if it.run.run.pk == run and it.name == NOISE and it.share.interval]
        if noisy:
            noisy.sort(key=lambda probe: probe.value)
            curves.append(_curve(swayed.panel.names[run], noisy))
    levels = Phrase("dB of speech over noise")
    picture: Curves | Dots = Curves(tuple(curves), levels, Phrase("Verdicts that stay"))
    if not curves:
        names = tuple(f"{swayed.panel.names[it.run.run.pk]}: {it.changed}" for it in found)
        picture = Dots(names, {Phrase("Verdicts that stay"): [it.share for it in found]}, form="share")
    return Figure(key, title, _table(swayed, found), picture, (NOTE,))


def noise_by_figure(swayed: Swayed, probes: list[_Probed]) -> Figure:
    """The same in parts of the units, by the number that was chosen, such as the noise of the recording itself."""
    key, title = "noise-by", Phrase("Where do verdicts stay when the sound is changed?")
    side, by = swayed.side_of_judges, swayed.source.option(BY)
    found = [probe for probe in probes if probe.name not in (TEXT, "swapped_order")]
    names, parts = parts_of(values_of(swayed, side, by)) if side else ((), [])
    if not found or not parts:
        why = Phrase("It takes units with this number, and a judge’s verdicts on them with and without a change.")
        return Figure(key, title, instead=why)
    columns = (
        Column("judge", Phrase("Judge")),
        Column("against", Phrase("Beside")),
        Column("part", by),
        Column("units", Phrase("Units"), "count"),
        Column("same", Phrase("Verdicts that stay"), "share"),
    )
    shares = {
        (probe, name): probe.share_of(there) for probe in found for name, there in zip(names, parts, strict=True)
    }
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (swayed.panel.link(probe.run), probe.other, name, share.n, share) for (probe, name), share in shares.items()
    )
    who = tuple(f"{swayed.panel.names[probe.run.run.pk]}: {probe.changed}" for probe in found)
    series: dict[str, list[Estimate | None]] = {name: [shares[probe, name] for probe in found] for name in names}
    picture = Dots(who, series, form="share", x_title=Phrase("Verdicts that stay"))
    return Figure(key, title, Table(columns, rows), picture, (NOTE,))


def text_figure(swayed: Swayed, probes: list[_Probed]) -> Figure:
    """Probes that read transcripts, and judges of transcripts beside those that hear."""
    key, title = "text", Phrase("How far do the words alone drive the verdicts?")
    found = [probe for probe in probes if probe.name == TEXT] + _readers(swayed)
    if not found:
        why = Phrase("No judge was probed with transcripts alone, and no judge of transcripts has run here.")
        return Figure(key, title, instead=why)
    names = tuple(swayed.panel.names[it.run.run.pk] for it in found)
    picture = Dots(names, {Phrase("Verdicts that stay"): [it.share for it in found]}, form="share")
    return Figure(key, title, _table(swayed, found), picture, (NOTE,))


def probes_of(swayed: Swayed) -> list[_Probed]:
    """The probes of the runs that have figures, on the chosen aspect; answers are read in one query."""
    side = swayed.side_of_judges
    if side is None:
        return []
    runs = {run.run.pk: run for run in swayed.panel.runs}
    rows = Run.objects.filter(unperturbed__in=runs, status=Run.Status.DONE).select_related("judge").order_by("pk")
    arrays, order = swayed.source.arrays, swayed.source.settings.reading.order
    said = said_by_runs([row.pk for row in rows], order, set(arrays.units), Q(aspect=side.aspect))
    found = []
    for row in rows:
        change, run = Perturbation.from_json(row.perturbation or {}), runs[row.unperturbed_id or 0]
        probe = JudgeRun(row, said[row.pk], {})
        link = Link(change.title, "run", (swayed.source.campaign.slug, row.pk))
        found.append(_Probed(run, link, change.title, change.value, *_both(side, run, probe), change.name))
    return sorted(found, key=lambda probe: (probe.run.run.pk, probe.name, probe.value))


def _readers(swayed: Swayed) -> list[_Probed]:
    side = swayed.side_of_judges
    runs, reads = swayed.panel.runs, TRANSCRIPT_LLM.name
    readers = [run for run in runs if run.run.judge.kind == reads]
    return [
        _Probed(
            run, swayed.panel.link(reader), swayed.panel.names[reader.run.pk], 0.0, *_both(side, run, reader), TEXT
        )
        for reader in readers
        for run in runs
        if side and run.run.judge.kind != reads
    ]


def _both(side: Side, run: JudgeRun, other: JudgeRun) -> tuple[LabelTable, Bools]:
    """What the run and the other one say of each place, in the same orders, and where their orders disagree."""
    ways = [answers_each_way(it, side.aspect, side.places, side.categories) for it in (run, other)]
    asked = ways[0][1] & ways[1][1]
    if asked.sum() == 1 and any(heard.all() for _codes, heard in ways):
        at = int(np.flatnonzero(asked)[0])
        codes = np.column_stack([each[at] for each, _heard in ways])
        return LabelTable(codes, side.categories), np.zeros(len(codes), dtype=bool)
    said = [answers_of(it, side.aspect, side.places, side.categories) for it in (run, other)]
    codes = np.column_stack([it.codes for it in said])
    return LabelTable(codes, side.categories), said[0].inconsistent | said[1].inconsistent


def _table(swayed: Swayed, found: list[_Probed]) -> Table:
    labels = [label for label in found[0].shares if label]
    said = {
        label: label_words(swayed.side_of_judges.scale, label) if swayed.side_of_judges else label for label in labels
    }
    columns = (
        Column("judge", Phrase("Judge")),
        Column("against", Phrase("Beside")),
        Column("same", Phrase("Verdicts that stay"), "share"),
        *(Column(f"same_{label}", Phrase("of those for %(label)s", label=said[label]), "share") for label in labels),
    )
    rows: list[tuple[Cell, ...]] = [
        (swayed.panel.link(it.run), it.other, it.share, *(it.shares[label] for label in labels)) for it in found
    ]
    return Table(columns, tuple(rows))


def _curve(name: str, noisy: list[_Probed]) -> Curve:
    ends = [probe.share.interval for probe in noisy]
    return Curve(
        name,
        tuple(probe.value for probe in noisy),
        tuple(probe.share.estimate or 0.0 for probe in noisy),
        tuple(end.low for end in ends if end),
        tuple(end.high for end in ends if end),
    )
