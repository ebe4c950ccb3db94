"""Whether the overall label follows from the dimensions: by a model, by stated policies, and what they hang on."""

from collections.abc import Iterator
from functools import cache

import numpy as np

from analytics.data.label_words import TITLES
from analytics.reports.kinds.hcot.passes import listed
from analytics.reports.kinds.hcot.study import LABELS, Study, named
from analytics.reports.output.figures import Cell, Column, Dots, Figure, Heatmap, Table
from analytics.reports.source import SEED
from charts.axes import steps
from infrastructure.wording.phrases import Phrase
from protocols.fusion import FUSED, POLICIES, fuse
from stats.agreement.labels import LabelTable
from stats.arrays import Floats
from stats.judges.coherence import Coherence, coherence
from stats.judges.diagnostics import Fusion, counterfactual, flip_rates, winner_slices
from stats.proportions import proportion
from stats.results import Estimate

#: The rule with which the coherence of single units is looked at: App. E.1 as the authors released it.
LISTED_BY = "speakbench_dominant"
NO_UNITS = Phrase("No unit has all four labels.")
RESOLVERS = {
    "capped_both_bad": Phrase("nothing: both stay bad"),
    "paralinguistics": Phrase("paralinguistics"),
    "voice_quality": Phrase("voice quality"),
    "tie": Phrase("nothing: it stays a tie"),
}


def fusing(study: Study) -> Iterator[Figure]:
    if not study.rows.units:
        yield Figure("coherence", Phrase("Coherence"), instead=NO_UNITS)
        return
    yield from _coherence(study)
    yield _policies(study)
    yield _resolved(study)
    yield _flips(study)
    yield _slices(study)
    yield _unlike_their_dimensions(study)


def _rule(policy: str) -> Fusion:
    @cache
    def rule(content: str, voice_quality: str, paralinguistics: str) -> str | None:
        return fuse(policy, content=content, voice_quality=voice_quality, paralinguistics=paralinguistics)

    return rule


def _codes(labels: tuple[tuple[str, ...], ...]) -> LabelTable:
    place = {label: at for at, label in enumerate(LABELS)}
    return LabelTable(np.array([[place[label] for label in row] for row in labels], dtype=np.int64), LABELS)


def _coherence(study: Study) -> Iterator[Figure]:
    rows = study.rows
    found = coherence(
        _codes(rows.dimensions), _codes(tuple((it,) for it in rows.overall)), rng=np.random.default_rng(SEED)
    )
    columns = (Column("model", Phrase("Predicted by")), Column("right", Phrase("Right"), "share"))
    estimates: dict[str, Estimate] = {
        Phrase("a model that had not seen the unit (5 parts, 20 times)"): found.cross_validated,
        Phrase("a model of all other units"): found.leave_one_out,
        Phrase("a model of all units, this one too"): found.in_sample,
        Phrase("always the most frequent label"): found.majority,
    }
    notes = study.notes(
        Phrase(
            "Multinomial logistic regression from the labels of the dimensions to the overall one (TRACE/HCoT §4.1)."
        )
    )
    table = Table(columns, tuple(estimates.items()))
    picture = Dots(tuple(estimates), {Phrase("Right"): list(estimates.values())}, "share")
    yield Figure("coherence", Phrase("Coherence: the overall label from the dimensions"), table, picture, notes)
    if found.weights is not None:
        yield _weights(study, found.weights, found)


def _weights(study: Study, weights: Floats, found: Coherence) -> Figure:
    columns = (
        Column("dimension", Phrase("Dimension")),
        Column("label", Phrase("Its label")),
        *(Column(f"overall_{label}", TITLES[label], "coefficient") for label in LABELS),
    )
    shown = [(study.aspects[name].title, label) for name in FUSED for label in LABELS]
    values = [
        tuple(None if np.isnan(it) else float(it) for it in row) for row in weights.reshape(len(shown), len(LABELS))
    ]
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (title, TITLES[label], *row) for (title, label), row in zip(shown, values, strict=True)
    )
    reach = steps(0.0, float(np.nanmax(np.abs(weights))))[-1]
    names = tuple(Phrase("%(dimension)s: %(label)s", dimension=title, label=TITLES[label]) for title, label in shown)
    overall = tuple(TITLES[label] for label in LABELS)
    picture = Heatmap(
        names,
        overall,
        tuple(values),
        -reach,
        reach,
        0.0,
        "number",
        x_title=Phrase("Overall label"),
        y_title=Phrase("Label of a dimension"),
        title=Phrase("Log-odds"),
    )
    notes = (
        Phrase("What each label of a dimension adds to the log-odds of each overall label, around their mean."),
        Phrase("The model is of all %(n)s units, with a ridge penalty of 1.", n=found.in_sample.n),
    )
    return Figure(
        "coherence-weights", Phrase("What the overall label hangs on"), Table(columns, rows), picture, notes
    )


def _policies(study: Study) -> Figure:
    rows, n = study.rows, len(study.rows.units)
    columns = (
        Column("policy", Phrase("Rule")),
        Column("equal", Phrase("As the overall label"), "count"),
        Column("share", Phrase("Share"), "share"),
        Column("undefined", Phrase("No label"), "count"),
        Column("source", Phrase("Source")),
    )
    rules: list[tuple[str, int, int, str | None]] = []
    for policy in POLICIES.values():
        rule = _rule(policy.name)
        said = [rule(*triple) for triple in rows.dimensions]
        rules.append((Phrase(policy.title), _equal(said, rows.overall), said.count(None), policy.source))
    for at, name in enumerate(FUSED):
        alone = [triple[at] for triple in rows.dimensions]
        title = Phrase("%(dimension)s alone", dimension=study.aspects[name].title)
        rules.append((title, _equal(alone, rows.overall), 0, None))
    rules.sort(key=lambda it: -it[1])
    rules.append((Phrase("The best that any rule could do on these units"), _best(study), 0, None))
    shares = [proportion(equal, n, method=f"as the overall label: {title}") for title, equal, _, _ in rules]
    table = tuple(
        (title, equal, share, none, source) for (title, equal, none, source), share in zip(rules, shares, strict=True)
    )
    picture = Dots(tuple(title for title, *_ in rules), {Phrase("As the overall label"): shares}, "share")
    notes = study.notes(
        Phrase(
            "Rules are applied to the dimensions of %(who)s and compared with the overall label.",
            who=named(study.title),
        ),
        Phrase("Where a rule gives no label, that counts as another one."),
    )
    return Figure(
        "fusion", Phrase("Rules from the dimensions to the overall label"), Table(columns, table), picture, notes
    )


def _equal(said: list[str | None] | list[str], overall: tuple[str, ...]) -> int:
    return sum(one == other for one, other in zip(said, overall, strict=True))


def _best(study: Study) -> int:
    """Of each triple of labels, the most frequent overall label: a rule that looked the answers up."""
    import pandas as pd  # noqa: PLC0415 - 0.7 s and 27 MB, which no web process pays at its start

    labels = pd.DataFrame(study.rows.dimensions).assign(overall=study.rows.overall)
    return int(labels.value_counts().groupby(level=[0, 1, 2]).max().sum())


def _resolved(study: Study) -> Figure:
    columns = [Column("policy", Phrase("Rule"))]
    for name, title in RESOLVERS.items():
        columns.append(Column(f"{name}_share", Phrase("Resolved by %(what)s", what=title), "share"))
        columns.append(Column(f"{name}_right", Phrase("right"), "share"))
    rows: list[tuple[Cell, ...]] = []
    shares: dict[str, list[Estimate]] = {title: [] for title in RESOLVERS.values()}
    for policy in POLICIES.values():
        found = counterfactual(study.rows.dimensions, study.rows.overall, _rule(policy.name))
        cells = [cell for name in RESOLVERS for cell in (found[name].share, found[name].right)]
        rows.append((Phrase(policy.title), *cells))
        for name, title in RESOLVERS.items():
            shares[title].append(found[name].share)
    titles = tuple(Phrase(policy.title) for policy in POLICIES.values())
    notes = study.notes(
        Phrase(
            "Content is set to both good and fused again (TRACE/HCoT §4.2): which dimension decides then, and how "
            "often it is right."
        )
    )
    title = Phrase("P1: what decides where content is equal")
    return Figure("p1", title, Table(tuple(columns), tuple(rows)), Dots(titles, shares, "share"), notes)


def _flips(study: Study) -> Figure:
    columns = (
        Column("policy", Phrase("Rule")),
        *(Column(name, study.aspects[name].title, "share") for name in FUSED),
    )
    found = [flip_rates(study.rows.dimensions, _rule(name)) for name in POLICIES]
    titles = tuple(Phrase(policy.title) for policy in POLICIES.values())
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (title, *(it[name] for name in FUSED)) for title, it in zip(titles, found, strict=True)
    )
    series = {study.aspects[name].title: [it[name] for it in found] for name in FUSED}
    notes = study.notes(
        Phrase("How often the fused label changes when one dimension is set to both good (TRACE/HCoT §4.2).")
    )
    title = Phrase("P2: what the fused label hangs on")
    return Figure("p2", title, Table(columns, rows), Dots(titles, series, "share"), notes)


def _slices(study: Study) -> Figure:
    columns = (
        Column("policy", Phrase("Rule")),
        Column("winner_on_bad", Phrase("A winner where both are bad"), "share"),
        Column("winner_slice", Phrase("The right winner where there is one"), "share"),
    )
    found = []
    for name in POLICIES:
        rule = _rule(name)
        found.append(winner_slices([rule(*triple) for triple in study.rows.dimensions], study.rows.overall))
    titles = tuple(Phrase(policy.title) for policy in POLICIES.values())
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (title, it.winner_on_bad, it.winner_slice) for title, it in zip(titles, found, strict=True)
    )
    series: dict[str, list[Estimate]] = {
        Phrase("A winner where both are bad"): [it.winner_on_bad for it in found],
        Phrase("The right winner where there is one"): [it.winner_slice for it in found],
    }
    notes = study.notes(
        Phrase("Of units whose overall label is both bad, and of those that have a winner (TRACE/HCoT §4.2).")
    )
    title = Phrase("P3: winners that are made up, and winners that are found")
    return Figure("p3", title, Table(columns, rows), Dots(titles, series, "share"), notes)


def _unlike_their_dimensions(study: Study) -> Figure:
    rule, rows = _rule(LISTED_BY), study.rows
    fused = {unit: rule(*triple) for unit, triple in zip(rows.units, rows.dimensions, strict=True)}
    unlike = [unit for unit, label in zip(rows.units, rows.overall, strict=True) if fused[unit] != label]
    title = Phrase("Units whose overall label does not follow from the dimensions")
    labels = {unit: label for unit, label in fused.items() if label is not None}
    return listed(study, "unlike", title, unlike, {Phrase(POLICIES[LISTED_BY].title): labels})
