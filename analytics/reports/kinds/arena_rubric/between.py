"""Whether evaluators agree with themselves and with each other (MTalk-Bench §7, App. F)."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np

from analytics.data.label_arrays import PEOPLE
from analytics.data.rubric_checks import Checked
from analytics.data.votes.of_people import PairVotes
from analytics.monitoring.annotator_sources import users_of
from analytics.reports.kinds.arena_rubric.evaluators import Both, Evaluator
from analytics.reports.kinds.arena_rubric.scores import correlated, values
from analytics.reports.output.figures import Cell, Column, Dots, Figure, Heatmap, Scatter, Table
from analytics.reports.source import RESAMPLES, SEED
from infrastructure.wording.phrases import Phrase
from stats import reasons
from stats.agreement.coefficients import cohen_kappa, percent_agreement
from stats.agreement.labels import LabelTable
from stats.arrays import Floats, Ints
from stats.intervals import Bootstrap
from stats.proportions import proportion
from stats.ratings.acceptability import meetings, win_rate_matrix
from stats.results import Estimate
from stats.systems.rubrics import PSEUDO_AGREEMENT, implied_winners, internal_consistency, pseudo_agreement

_EVALUATOR = Column("evaluator", Phrase("Evaluator"))
#: By rater (0 for all together), system and item, the share of criteria met.
Cases = Mapping[tuple[int, ...], float]
#: What was labelled, each once and in ascending order, and the labels as codes.
Labels = tuple[Ints, Ints]


def between(both: Both) -> Iterator[Figure]:
    yield _consistency(both)
    yield _agreement(both, "agreement-arena", Phrase("Agreement in the arena"), _arena_labels(both))
    yield _agreement(both, "agreement-rubric", Phrase("Agreement on criteria"), _rubric_labels(both))
    judges = [it for it in both.evaluators if it.key != PEOPLE and len(it.votes)]
    if judges and len(both.people.votes):
        pairs = [pair for judge in judges for pair in _pseudo_pairs(both, judge)]
        yield _pseudo(pairs)
        yield _pseudo_table(pairs)
    yield _gaps(both)


def _consistency(both: Both) -> Figure:
    columns = (
        _EVALUATOR,
        Column("kappa", Phrase("Cohen’s κ"), "coefficient"),
        Column("same", Phrase("Same winner"), "share"),
    )
    rows: list[tuple[Cell, ...]] = []
    titles, dots = [], []
    for name, votes, cases in _sides(both):
        explicit, implied = _explicit(votes), _implied(votes, cases)
        bootstrap = Bootstrap(np.random.default_rng(SEED), resamples=RESAMPLES, clusters=votes.items)
        kappa = internal_consistency(explicit, implied, bootstrap=bootstrap)
        decided = [(a, b) for a, b in zip(explicit, implied, strict=True) if {a, b} <= {"a", "b"}]
        same = proportion(
            sum(a == b for a, b in decided), len(decided), method="same winner", reason=reasons.NO_PAIR_DECIDED()
        )
        rows.append((name, kappa, same))
        titles.append(name)
        dots.append(kappa)
    notes = (
        Phrase(
            "The winner that was named in the arena beside the one with the higher rubric score, by the same "
            "evaluator on the same item; pairs with a tie on either side are left out, and counted (MTalk-Bench "
            "App. F.1)."
        ),
        Phrase(
            "“Each person” compares people with themselves, over all who did both; “People” compares their majority."
        ),
    )
    title = Phrase("Does the winner have the better rubric score?")
    if not rows:
        return Figure("consistency", title, instead=Phrase("Nobody did both."))
    picture = Dots(tuple(titles), {Phrase("Cohen’s κ"): dots}, mark=0.0)
    return Figure("consistency", title, Table(columns, tuple(rows)), picture, notes)


def _sides(both: Both) -> Iterator[tuple[str, PairVotes, Cases]]:
    own, cases = _each_person(both)
    if len(own):
        yield Phrase("Each person"), own, cases
    for one in both.evaluators:
        if len(one.votes) and len(one.checks):
            votes = _majority(one.votes) if one.key == PEOPLE else one.votes
            yield one.title, votes, _cases(one.checks, np.zeros_like(one.checks.raters))


def _each_person(both: Both) -> tuple[PairVotes, Cases]:
    """The votes of those who checked criteria, too, and their own scores, by person, system and item."""
    voters = users_of(both.source.campaign, both.arena_people.raters)
    checkers = users_of(both.rubric_campaign, both.rubric_people.raters)
    who = {user: place for place, user in enumerate(sorted(set(voters.values()) & set(checkers.values())))}
    as_voter = [who.get(voters.get(rater.key, -1), -1) for rater in both.arena_people.raters]
    as_checker = [who.get(checkers.get(rater.key, -1), -1) for rater in both.rubric_people.raters]
    votes, checks = both.people.votes, both.people.checks
    of_votes, of_checks = _renamed(votes.raters, as_voter), _renamed(checks.raters, as_checker)
    kept = votes.where(of_votes >= 0)
    own = PairVotes(kept.ties, kept.units, kept.items, kept.a, kept.b, _renamed(kept.raters, as_voter), kept.outcome)
    return own, _cases(checks, of_checks)


def _renamed(raters: Ints, names: Sequence[int]) -> Ints:
    return np.asarray([*names, -1], dtype=np.int64)[raters]


def _cases(checks: Checked, raters: Ints) -> Cases:
    """The share of criteria met, by rater, system and item; those of raters below 0 are left out."""
    import pandas as pd  # noqa: PLC0415 - 0.7 s and 27 MB, which no web process pays at its start

    table = pd.DataFrame({"rater": raters, "system": checks.systems, "item": checks.items, "met": checks.met})
    shares = table[table["rater"] >= 0].groupby(["rater", "system", "item"])["met"].mean()
    cases: dict[Any, float] = shares.round(12).to_dict()  # equal shares stay equal
    return cases


def _explicit(votes: PairVotes) -> list[str | None]:
    return [("a", "b", "tie", "tie")[outcome] for outcome in votes.outcome.tolist()]


def _implied(votes: PairVotes, cases: Cases) -> list[str | None]:
    who = votes.raters.tolist()
    sides = (
        [cases.get(key) for key in zip(who, side.tolist(), votes.items.tolist(), strict=True)]
        for side in (votes.a, votes.b)
    )
    return implied_winners(*sides)


def _majority(votes: PairVotes) -> PairVotes:
    """One vote per unit: who has more than half of what was given on it, else a tie; all as of one voter."""
    units, first, which = np.unique(votes.units, return_index=True, return_inverse=True)
    score = np.bincount(which.reshape(-1), weights=votes.scores()) / np.bincount(which.reshape(-1))
    outcome = np.where(score > 0.5, 0, np.where(score < 0.5, 1, 2)).astype(np.int64)
    return PairVotes(
        "untyped", units, votes.items[first], votes.a[first], votes.b[first], np.zeros(len(units), dtype=np.int64),
        outcome,
    )  # fmt: skip


def _arena_labels(both: Both) -> dict[str, Labels]:
    """By evaluator, each unit's winner."""
    found = {}
    for one in both.evaluators:
        votes = _majority(one.votes) if one.key == PEOPLE else one.votes
        units, first = np.unique(votes.units, return_index=True)
        found[one.title] = units, np.minimum(votes.outcome[first], 2)
    return {title: labels for title, labels in found.items() if len(labels[0])}


def _rubric_labels(both: Both) -> dict[str, Labels]:
    """By evaluator, each criterion of each response, met or not; of several people what most say."""
    found = {}
    size = max((int(one.checks.criteria.max(initial=0)) for one in both.evaluators), default=0) + 1
    for one in both.evaluators:
        keys, which = np.unique(one.checks.units * size + one.checks.criteria, return_inverse=True)
        met = np.bincount(which.reshape(-1), weights=one.checks.met.astype(np.float64), minlength=len(keys))
        share = met / np.maximum(np.bincount(which.reshape(-1), minlength=len(keys)), 1)
        found[one.title] = keys[share != 0.5], (share > 0.5)[share != 0.5].astype(np.int64)
    return {title: labels for title, labels in found.items() if len(labels[0])}


def _agreement(both: Both, key: str, title: str, labels: dict[str, Labels]) -> Figure:
    columns = (
        Column("one", Phrase("Evaluator")),
        Column("other", Phrase("Against")),
        Column("same", Phrase("Same answer"), "share"),
        Column("kappa", Phrase("Cohen’s κ"), "coefficient"),
    )
    rows: list[tuple[Cell, ...]] = []
    among = _among_people(both, arena=key == "agreement-arena")
    if among.estimate is not None:
        rows.append((Phrase("People"), Phrase("each other"), among, None))
    titles = list(labels)
    shares: dict[tuple[str, str], float | None] = {}
    for one, other in combinations(titles, 2):
        table = _side_by_side(labels[one], labels[other])
        same = percent_agreement(table)
        rows.append((one, other, same, cohen_kappa(table)))
        shares[one, other] = shares[other, one] = same.estimate
    if not rows:
        return Figure(key, title, instead=Phrase("There are no two evaluators of the same."))
    people = both.people.title
    shares[people, people] = among.estimate
    picture = Heatmap(
        tuple(titles), tuple(titles), tuple(tuple(shares.get((a, b)) for b in titles) for a in titles), 0.0, 1.0, 0.5,
        form="share", x_title=Phrase("Who"), y_title=Phrase("Who"),
    )  # fmt: skip
    notes = (
        Phrase("Of people, what most of them say counts, and where they are divided, nothing."),
        Phrase("People against each other is the ceiling: how often two of them say the same."),
    )
    return Figure(key, title, Table(columns, tuple(rows)), picture, notes)


def _side_by_side(one: Labels, other: Labels) -> LabelTable:
    """On what both said something about."""
    _common, first, second = np.intersect1d(one[0], other[0], assume_unique=True, return_indices=True)
    return LabelTable(np.column_stack([one[1][first], other[1][second]]), ("0", "1", "2"))


def _among_people(both: Both, *, arena: bool) -> Estimate:
    """How often two people say the same, over what several answered."""
    votes, checks = both.people.votes, both.people.checks
    if arena:
        places, raters, codes, categories = votes.units, votes.raters, np.minimum(votes.outcome, 2), ("a", "b", "tie")
    else:
        size = int(checks.criteria.max(initial=0)) + 1
        places, raters, codes = checks.units * size + checks.criteria, checks.raters, checks.met.astype(np.int64)
        categories = ("no", "yes", "")
    names, row = np.unique(places, return_inverse=True)
    table = np.full((len(names), int(raters.max(initial=0)) + 1), -1, dtype=np.int64)
    table[row.reshape(-1), raters] = codes
    return percent_agreement(LabelTable(table, categories))


def _pseudo_pairs(both: Both, judge: Evaluator) -> Iterator[tuple[Evaluator, str, float, float]]:
    """Judge, pair of systems, and both win rates of the first of the two."""
    rates = [win_rate_matrix(it.votes.counts(both.systems)) for it in (both.people, judge)]
    for one, other in combinations(range(len(both.systems)), 2):
        people, judged = (float(rate[one, other]) for rate in rates)
        if not np.isnan(people) and not np.isnan(judged):
            yield judge, f"{both.systems[one]} – {both.systems[other]}", people, judged


def _pseudo(pairs: list[tuple[Evaluator, str, float, float]]) -> Figure:
    title = Phrase("Pseudo agreement with people")
    if not pairs:
        return Figure("pseudo-agreement", title, instead=Phrase("No two systems met both before people and a judge."))
    columns = (
        Column("judge", Phrase("The judge")),
        Column("above", Phrase("Pairs of systems above %(n)s", n=PSEUDO_AGREEMENT), "share"),
        Column("spearman", Phrase("ρ with people’s win-rate difference"), "coefficient"),
    )
    rows: list[tuple[Cell, ...]] = []
    for judge in dict.fromkeys(it[0] for it in pairs):
        own = [(people, judged) for whose, _, people, judged in pairs if whose is judge]
        agreed = [pseudo_agreement(*rates) for rates in own]
        above = proportion(sum(it > PSEUDO_AGREEMENT for it in agreed), len(agreed), method="pairs of systems")
        rows.append((judge.title, above, correlated(agreed, [abs(2 * people - 1) for people, _ in own])))
    picture = Scatter(
        tuple(f"{judge.title}: {names}" for judge, names, *_ in pairs),
        tuple(abs(2 * people - 1) for *_, people, _ in pairs),
        tuple(pseudo_agreement(people, judged) for *_, people, judged in pairs),
        Phrase("Difference of people’s win rates"),
        Phrase("Pseudo agreement"),
        x_form="share",
        y_form="share",
    )
    note = Phrase(
        "The chance that both name the same winner of an item drawn at random, from their win rates alone, as if "
        "they judged independently: p·q + (1 − p)(1 − q) (MTalk-Bench App. F.3)."
    )
    return Figure("pseudo-agreement", title, Table(columns, tuple(rows)), picture, (note,))


def _pseudo_table(pairs: list[tuple[Evaluator, str, float, float]]) -> Figure:
    title = Phrase("Pseudo agreement, pair by pair")
    if not pairs:
        return Figure("pseudo-pairs", title, instead=Phrase("No two systems met both before people and a judge."))
    columns = (
        Column("systems", Phrase("Systems")),
        Column("judge", Phrase("The judge")),
        Column("people_rate", Phrase("Win rate of the first, by people"), "share"),
        Column("judge_rate", Phrase("Win rate of the first, by the judge"), "share"),
        Column("agreement", Phrase("Pseudo agreement"), "share"),
    )
    rows = tuple(
        (names, judge.title, people, judged, pseudo_agreement(people, judged))
        for judge, names, people, judged in pairs
    )
    return Figure("pseudo-pairs", title, Table(columns, rows))


def _gaps(both: Both) -> Figure:
    """Elo difference against win-rate difference of every two systems that met (Fig. 12)."""
    title = Phrase("Elo difference and win-rate difference")
    columns = (
        _EVALUATOR,
        Column("pairs", Phrase("Pairs of systems"), "count"),
        Column("spearman", Phrase("Spearman’s ρ"), "coefficient"),
        Column("pearson", Phrase("Pearson’s r"), "coefficient"),
    )
    rows: list[tuple[Cell, ...]] = []
    picture = None
    for one in (it for it in both.evaluators if len(it.votes)):
        names, elo, rate = _differences(both, one)
        rows.append((one.title, len(names), correlated(elo, rate), correlated(elo, rate, "pearson")))
        if one is both.chosen:
            axes = (Phrase("Elo difference"), Phrase("Win-rate difference"))
            picture = Scatter(tuple(names), tuple(elo), tuple(rate), *axes, y_form="share")
    if not rows:
        return Figure("gaps", title, instead=Phrase("Nobody has voted yet."))
    note = Phrase("Of every two systems that met; intervals are from resamples of pairs of systems.")
    return Figure("gaps", title, Table(columns, tuple(rows)), picture, (note,))


def _differences(both: Both, one: Evaluator) -> tuple[list[str], list[float], list[float]]:
    counts = one.votes.counts(both.systems)
    rates: Floats = win_rate_matrix(counts)
    met, elo = meetings(counts), values(both.elo(one.votes))
    found = [
        (f"{both.systems[a]} – {both.systems[b]}", (elo[a] or 0.0) - (elo[b] or 0.0), 2 * float(rates[a, b]) - 1)
        for a, b in combinations(range(len(both.systems)), 2)
        if met[a, b]
    ]
    return [it[0] for it in found], [it[1] for it in found], [it[2] for it in found]
