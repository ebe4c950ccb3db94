"""Judges that answer dimensions: what their fused label hangs on, and which policy serves them best."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import product

import numpy as np

from analytics.data.label_arrays import JudgeRun, answers_of, table_of
from analytics.judged.sides import Side
from analytics.reports.contract import Option
from analytics.reports.judging.panel import Panel
from analytics.reports.output.figures import Cell, Column, Dots, Figure, Heatmap, Table, highest_first
from infrastructure.wording.phrases import Phrase, phrased
from protocols.fusion import FUSED, OVERALL, POLICIES, is_fusible
from stats.agreement.labels import MISSING, LabelTable
from stats.arrays import Bools, Ints
from stats.judges.comparison import accuracy
from stats.judges.diagnostics import Fusion, WinnerSlices, counterfactual, flip_rates, winner_slices
from stats.judges.judged import majority
from stats.results import Estimate

POLICY = "policy"
TYPED = ("a", "b", "both_good", "both_bad")
NOT_FUSIBLE = Phrase(
    "This needs a protocol that asks for content, voice quality, paralinguistics and an overall label as typed ties."
)
NO_RATERS = Phrase("No judge, and nobody else, answered all three dimensions of a unit that has an overall label.")
#: A policy always decides where it has a fallback; these are those by which an overall label can be told at all.
_DECIDING = {name: policy for name, policy in POLICIES.items() if policy.always_decides}


@dataclass(frozen=True, eq=False)
class Dimensions:
    """What one rater says of the units with an overall label: codes of TYPED or MISSING.

    `labels`, shape (units, 3), has the dimensions, `own` the overall label as it was said, `reference` that of most
    people. `used` says which places of the overall aspect those are.
    """

    name: str
    labels: Ints
    own: Ints
    reference: Ints
    used: Bools

    @property
    def whole(self) -> Bools:
        return np.asarray((self.labels >= 0).all(axis=1))


def policy_option() -> Option:
    return Option(POLICY, Phrase("Fusion policy"), tuple((it.name, phrased(it.title)) for it in _DECIDING.values()))


def policy_figures(panel: Panel) -> Iterator[Figure]:
    """P1, P2 and P3 under the chosen policy, then every policy on every judge's dimensions."""
    raters = _raters(panel)
    policy = _DECIDING.get(panel.source.option(POLICY)) or next(iter(_DECIDING.values()))
    why = "" if raters else NO_RATERS if is_fusible(panel.source.campaign.protocol) else NOT_FUSIBLE
    by = {"policy": policy.title}
    for key, title, make in (
        ("p1", Phrase("P1: content made equal, what decides? %(policy)s", **by), _p1),
        ("p2", Phrase("P2: which dimension turns the label? %(policy)s", **by), _p2),
        ("p3", Phrase("P3: winners where both are bad, and where there is one: %(policy)s", **by), _p3),
    ):
        yield Figure(key, title, instead=why) if why else make(key, title, raters, policy.name)
    title = Phrase("Voting against tree fusion")
    yield Figure("fusion", title, instead=why) if why else _fusion(title, panel, raters)


def _raters(panel: Panel) -> list[Dimensions]:
    """People together, then every judge with a whole set of dimensions anywhere."""
    if OVERALL not in panel.sides or not is_fusible(panel.source.campaign.protocol) or panel.group is None:
        return []
    side = panel.sides[OVERALL]
    reference = _typed(side.reference, side.categories)
    used = np.asarray(reference >= 0)
    by_people = [_people_say(panel, side, panel.sides[name]) for name in FUSED]
    found = [Dimensions(panel.people, np.column_stack(by_people)[used], reference[used], reference[used], used)]
    for run in panel.runs:
        asked = used & ~side.to_do(run)
        said = [_judge_says(side, panel.sides[name], run) for name in FUSED]
        own = _typed(side.answers(run).codes, side.categories)
        found.append(
            Dimensions(panel.names[run.run.pk], np.column_stack(said)[asked], own[asked], reference[asked], asked)
        )
    return [rater for rater in found if rater.whole.any()]


def _people_say(panel: Panel, side: Side, dimension: Side) -> Ints:
    columns = [rater.said.get(dimension.aspect, {}) for rater in panel.group.raters] if panel.group else []
    table = table_of(columns, side.places, dimension.categories)
    return _typed(majority(table), dimension.categories)


def _judge_says(side: Side, dimension: Side, run: JudgeRun) -> Ints:
    same = dimension.places == side.places
    said = dimension.answers(run) if same else answers_of(run, dimension.aspect, side.places, dimension.categories)
    return _typed(said.codes, dimension.categories)


def _typed(codes: Ints, categories: tuple[str, ...]) -> Ints:
    """Codes of TYPED; what is none of them is missing."""
    place = {label: at for at, label in enumerate(TYPED)}
    new = np.array([place.get(category, MISSING) for category in categories] + [MISSING], dtype=np.int64)
    found: Ints = new[codes]
    return found


@cache
def _fused(policy: str) -> Ints:
    """The policy as a table of codes, shape (4, 4, 4), MISSING where it does not decide."""
    rule = POLICIES[policy].rule
    found = np.full((len(TYPED),) * 3, MISSING, dtype=np.int64)
    for triple in product(range(len(TYPED)), repeat=3):
        label = rule(*(TYPED[code] for code in triple))
        found[triple] = MISSING if label is None else TYPED.index(label)
    return found


def fused_codes(rater: Dimensions, policy: str) -> Ints:
    """The overall labels of this policy, MISSING where a dimension is."""
    fused = _fused(policy)[tuple(np.maximum(rater.labels, 0).T)]
    found: Ints = np.where(rater.whole, fused, MISSING)
    return found


def _words(rater: Dimensions) -> tuple[list[tuple[str, str, str]], list[str]]:
    """The dimensions and the reference of the units on which all three dimensions were answered."""
    rows = rater.labels[rater.whole].tolist()
    return [(TYPED[c], TYPED[v], TYPED[p]) for c, v, p in rows], [TYPED[it] for it in rater.reference[rater.whole]]


def _rule(policy: str) -> Fusion:
    rule = POLICIES[policy].rule

    @cache
    def fusion(content: str, voice_quality: str, paralinguistics: str) -> str:
        return rule(content, voice_quality, paralinguistics) or ""

    return fusion


DIMENSIONS = {
    "content": Phrase("Content"),
    "voice_quality": Phrase("Voice quality"),
    "paralinguistics": Phrase("Paralinguistics"),
}
RESOLVERS = {
    "paralinguistics": DIMENSIONS["paralinguistics"],
    "voice_quality": DIMENSIONS["voice_quality"],
    "tie": Phrase("Nothing: a tie"),
    "capped_both_bad": Phrase("Capped: both bad"),
}


def _p1(key: str, title: str, raters: list[Dimensions], policy: str) -> Figure:
    rows: list[tuple[Cell, ...]] = []
    for rater in raters:
        found = counterfactual(*_words(rater), _rule(policy))
        rows += [(rater.name, RESOLVERS[name], found[name].share, found[name].right) for name in RESOLVERS]
    columns = (
        Column("who", Phrase("Who")),
        Column("resolved_by", Phrase("What decides")),
        Column("share", Phrase("Share of units"), "share"),
        Column("right", Phrase("Right where it decides"), "share"),
    )
    note = Phrase(
        "Content is set to both good and the label is fused again (TRACE §4.2). Units on which a dimension is "
        "missing are left out."
    )
    series: dict[str, list[Estimate | None]] = {
        resolver: [row[2] for row in rows if row[1] == resolver and isinstance(row[2], Estimate)]
        for resolver in RESOLVERS.values()
    }
    picture = Dots(tuple(rater.name for rater in raters), series, form="share", x_title=Phrase("Share of units"))
    return Figure(key, title, Table(columns, tuple(rows)), picture, (note,))


def _p2(key: str, title: str, raters: list[Dimensions], policy: str) -> Figure:
    titles = {name: DIMENSIONS[name] for name in FUSED}
    found = {rater.name: flip_rates(_words(rater)[0], _rule(policy)) for rater in raters}
    columns = (Column("who", Phrase("Who")), *(Column(name, titles[name], "share") for name in FUSED))
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (who, *(rates[name] for name in FUSED)) for who, rates in found.items()
    )
    series: dict[str, list[Estimate | None]] = {
        titles[name]: [rates[name] for rates in found.values()] for name in FUSED
    }
    note = Phrase("How often the fused label turns when one dimension alone is set to both good.")
    picture = Dots(tuple(found), series, form="share", x_title=Phrase("Flip rate"))
    return Figure(key, title, Table(columns, rows), picture, (note,))


def _p3(key: str, title: str, raters: list[Dimensions], policy: str) -> Figure:
    found: dict[str, WinnerSlices] = {}
    for rater in raters:
        fused = [TYPED[code] if code >= 0 else None for code in fused_codes(rater, policy)]
        found[rater.name] = winner_slices(fused, [TYPED[code] for code in rater.reference])
    on_bad, of_winners = Phrase("Names a winner where both are bad"), Phrase("Right where there is a winner")
    columns = (
        Column("who", Phrase("Who")),
        Column("winner_on_bad", on_bad, "share"),
        Column("winner_slice", of_winners, "share"),
    )
    rows = tuple((who, it.winner_on_bad, it.winner_slice) for who, it in found.items())
    series: dict[str, list[Estimate | None]] = {
        on_bad: [it.winner_on_bad for it in found.values()],
        of_winners: [it.winner_slice for it in found.values()],
    }
    note = Phrase("The label is fused from the dimensions. One that cannot be fused names no winner.")
    return Figure(key, title, Table(columns, rows), Dots(tuple(found), series, form="share"), (note,))


def _fusion(title: str, panel: Panel, raters: list[Dimensions]) -> Figure:
    """How often each policy's label is that of people, on every rater's dimensions; first comes the one as said.

    People stand first, then judges by the label as they said it, the best first.
    """
    side = panel.sides[OVERALL]
    columns = (
        Column("who", Phrase("Who")), Column("said", Phrase("As it was said"), "share"),
        *(Column(policy.name, phrased(policy.title), "share") for policy in POLICIES.values()),
    )  # fmt: skip
    rows = [(rater, _accuracies(rater, side, own=rater.name != panel.people)) for rater in raters]
    rows.sort(key=lambda it: highest_first(it[1][0]) if it[1][0] else (False, -math.inf))
    picture = Heatmap(
        tuple(rater.name for rater, _ in rows), tuple(column.title for column in columns[1:]),
        tuple(tuple(it.estimate if it else None for it in found) for _, found in rows),
        low=0.0, high=1.0, form="share", x_title=Phrase("Fusion policy"), y_title=Phrase("Who"),
    )  # fmt: skip
    note = Phrase(
        "Agreement of the fused label with the overall label of most people. Where a dimension is missing, or a "
        "majority without a fallback has none, the label is wrong."
    )
    table = Table(columns, tuple((rater.name, *found) for rater, found in rows))
    return Figure("fusion", title, table, picture, (note,))


def _accuracies(rater: Dimensions, side: Side, *, own: bool) -> list[Estimate | None]:
    columns: list[Ints | None] = [rater.own if own else None]
    columns += [fused_codes(rater, name) for name in POLICIES]
    return [
        None
        if codes is None
        else accuracy(
            LabelTable(np.column_stack([codes, rater.reference]), TYPED), bootstrap=side.bootstrap(rater.used)
        )
        for codes in columns
    ]
