"""Which systems win, by people and by judges, and whether judges rank them as people do."""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from analytics.data.hidden_names import shown_names
from analytics.data.label_arrays import JudgeRun
from analytics.data.ratings import frame_of
from analytics.data.votes.of_people import votes_of_group
from analytics.judged.counting import BOTH_BAD, BOTH_GOOD, JUDGED, OUT, TIE, WINNERS, Counting
from analytics.reports.contract import Option, ReportKind
from analytics.reports.judging.evaluators import evaluators_figure, scores_stamp
from analytics.reports.judging.panel import Panel, counting_options, no_judges, qualifications
from analytics.reports.judging.votes import Pairs, Votes, compares
from analytics.reports.output.figures import (
    Cell,
    Column,
    Dots,
    Figure,
    Heatmap,
    Scatter,
    Table,
    highest_first,
    key_of,
)
from analytics.reports.references import group_title, reference_option
from analytics.reports.source import RESAMPLES, SEED, Source
from campaigns.models import Campaign
from corpus.models import System
from infrastructure.wording.phrases import Phrase, phrased
from infrastructure.wording.reasons import Reason
from protocols import Aspect
from stats import reasons
from stats.arrays import Floats, ratio
from stats.ratings.elo import online_elo
from stats.ratings.table import rate
from stats.ratings.votes import Votes as SystemVotes
from stats.ratings.votes import count_votes
from stats.results import Estimate
from stats.systems.correlation import Coefficient, correlation, mean_ranks
from stats.systems.system_rates import (
    Rates,
    Resampled,
    rank_correlation,
    resample_items,
    win_rate_estimates,
)

VOTE, ORDERS, AGAINST, PEOPLE_AGAINST = "vote", "orders", "against", "people_against"
TOGETHER, RECONCILED, SAME = "together", "reconciled", "same"
KINDS: tuple[Coefficient, ...] = ("spearman", "pearson", "kendall")
NAMES = {
    "spearman": Phrase("Spearman’s ρ"),
    "pearson": Phrase("Pearson’s r"),
    "kendall": Phrase("Kendall’s τ-b"),
}
NO_VOTES = Phrase("Nobody has compared two responses yet.")
RATE_NOTE = Phrase(
    "Wins and half the ties over all votes, as an exact fraction, too; ranks are taken on the fractions, and equal "
    "ones share the mean of theirs. Intervals are percentiles of 1,000 draws of items, the same for everybody; "
    "of a rate that is the same in every draw, Wilson’s over items. With fewer than twenty items each is left out in "
    "turn instead."
)


@dataclass(frozen=True, eq=False)
class Voter:
    """Whose votes these are; `key` names columns."""

    key: str
    name: str
    votes: Votes
    rates: Rates
    is_people: bool = False
    #: Of people's votes on what one judge was asked alone: the key of that judge.
    beside: str = ""


@dataclass
class _Standing:
    """Of one report: everybody who votes, the reference first, and what resampling items makes of their rates."""

    panel: Panel

    @property
    def source(self) -> Source:
        return self.panel.source

    @cached_property
    def pairs(self) -> Pairs:
        return Pairs(self.source, self.panel.counting.ties)

    @cached_property
    def aspects(self) -> list[Aspect]:
        return [aspect for aspect in self.source.aspects if compares(aspect)]

    @cached_property
    def asked(self) -> tuple[Aspect, list[Aspect]]:
        """The aspect of people, and those of judges; several are one vote, and then people's is the first."""
        wanted = self.source.option(VOTE)
        named = {aspect.name: aspect for aspect in self.aspects}
        of_people = named.get(self.panel.counting.people_aspect)
        if wanted == TOGETHER:
            return of_people or self.aspects[0], self.aspects[1:] or self.aspects
        chosen = named.get(wanted, self.aspects[0])
        return of_people or chosen, [chosen]

    @cached_property
    def voters(self) -> tuple[Voter, ...]:
        against, of_people, of_judges = self.source.option(AGAINST), *self.asked
        people_against = against if self.source.option(PEOPLE_AGAINST) == SAME else ""
        found = []
        groups = sorted(self.source.arrays.groups, key=lambda group: group is not self.panel.group)
        for group in groups:
            votes = self.pairs.people(group, of_people)
            rates = self.pairs.rates(votes, against=people_against)
            found.append(Voter(group.key, group_title(group), votes, rates, is_people=True))
        for run in self.panel.runs:
            how = self.source.option(ORDERS)
            differ = 0.5 if how == TIE else np.nan
            votes = self.pairs.judge(run, of_judges, reconciled=how in (RECONCILED, TIE), differ=differ)
            rates = self.pairs.rates(votes, against=against)
            found.append(Voter(key := f"run-{run.run.pk}", self.panel.names[run.run.pk], votes, rates))
            if self.panel.counting.over == JUDGED and self.panel.group:
                votes = self._on(run, self.pairs.people(self.panel.group, of_people))
                rates = self.pairs.rates(votes, against=people_against)
                name = Phrase(
                    "%(people)s, on what %(judge)s judged",
                    people=self.panel.people,
                    judge=self.panel.names[run.run.pk],
                )
                found.append(Voter(f"people-on-{key}", name, votes, rates, beside=key))
        return tuple(voter for voter in found if voter.rates.votes.any())

    def _on(self, run: JudgeRun, votes: Votes) -> Votes:
        """Those of the votes that are on units about which the run was asked."""
        asked = np.array([unit in run.states for unit in self.pairs.units], dtype=bool)[votes.pairs]
        return votes.where(asked)

    def people_beside(self, place: int) -> int:
        """The place of the people with whom a voter is compared: the reference, or its votes on the same pairs."""
        key, reference = self.voters[place].key, self.reference
        return next((at for at, voter in enumerate(self.voters) if voter.beside == key), reference or 0)

    @cached_property
    def resampled(self) -> Resampled:
        rng = np.random.default_rng(SEED)
        return resample_items([voter.rates for voter in self.voters], rng=rng, resamples=RESAMPLES)

    @cached_property
    def estimates(self) -> list[list[Estimate]]:
        drawn = zip(self.voters, self.resampled.rates, strict=True)
        return [win_rate_estimates(voter.rates, rates, self.resampled) for voter, rates in drawn]

    @cached_property
    def order(self) -> list[int]:
        """Places of the systems with votes, the best by the first voter on top."""
        systems = range(len(self.pairs.systems))
        rated = [at for at in systems if any(voter.rates.exact[at] is not None for voter in self.voters)]
        first = self.voters[0].rates.exact
        return sorted(rated, key=lambda at: Fraction(1) if (rate := first[at]) is None else -rate)

    @property
    def reference(self) -> int | None:
        """The place of the reference among those who voted."""
        key = self.panel.group.key if self.panel.group else ""
        return next((place for place, voter in enumerate(self.voters) if voter.key == key), None)


def figures(source: Source) -> Iterator[Figure]:
    standing = _Standing(Panel(source))
    title = Phrase("Win rates")
    if not standing.aspects or not standing.pairs.units:
        yield Figure("win-rates", title, instead=reasons.NOTHING_TO_WIN())
        return
    if not standing.voters:
        yield Figure("win-rates", title, instead=NO_VOTES)
        return
    yield _win_rates(standing)
    yield _correlations(standing)
    yield _ratings(standing)
    yield evaluators_figure(
        standing.source,
        {it.name: dict(zip(standing.pairs.systems, it.rates.exact, strict=True)) for it in standing.voters},
    )
    yield from _scatters(standing)
    for voter in standing.voters:
        yield _matrix(standing, voter)


def _win_rates(standing: _Standing) -> Figure:
    names, order = standing.pairs.systems, standing.order
    columns = [Column("system", Phrase("System"))]
    cells: list[list[Cell]] = []
    for voter, rates in zip(standing.voters, standing.estimates, strict=True):
        ranks, exact = _ranks(voter.rates.exact), voter.rates.exact
        by = {"who": voter.name}
        columns += [
            Column(voter.key, voter.name, "share"),
            Column(f"{voter.key}-exact", Phrase("%(who)s, exactly", **by)),
            Column(f"{voter.key}-rank", Phrase("%(who)s, rank", **by), "number"),
        ]
        cells += [
            [rates[at] for at in order], ["" if exact[at] is None else str(exact[at]) for at in order],
            [ranks[at] for at in order],
        ]  # fmt: skip
    rows = tuple((names[at], *(column[row] for column in cells)) for row, at in enumerate(order))
    series = {
        voter.name: [rates[at] for at in order]
        for voter, rates in zip(standing.voters, standing.estimates, strict=True)
    }
    picture = Dots(tuple(names[at] for at in order), series, form="share", mark=0.5, x_title=Phrase("Win rate"))
    return Figure(
        "win-rates", Phrase("Win rates"), Table(tuple(columns), rows), picture, (RATE_NOTE, *_how(standing))
    )


def _how(standing: _Standing) -> tuple[str, ...]:
    """What was counted, where a choice was made."""
    of_people, of_judges = standing.asked
    notes: list[str] = list(said_of_votes(standing.panel.counting, standing.source.option(ORDERS)))
    if standing.source.option(AGAINST):
        notes.append(
            Phrase("Judges: only votes against %(system)s count.", system=repr(standing.source.option(AGAINST)))
        )
    if len(of_judges) > 1:
        together = Phrase(
            "In each order, a judge’s answers to the dimensions are one vote, their mean; of people the answer to "
            "“%(aspect)s” counts.",
            aspect=of_people.title,
        )
        notes.append(together)
    return tuple(notes)


def said_of_votes(counting: Counting, orders: str) -> Iterator[str]:
    if orders == TIE:
        yield Phrase("Where both orders disagree, the vote is a tie.")
    left_out = {
        OUT: Phrase("Ties do not count, of nobody."),
        WINNERS: Phrase("Ties do not count, of nobody."),
        BOTH_GOOD: Phrase("Votes that find both good do not count."),
        BOTH_BAD: Phrase("Votes that find both bad do not count."),
    }
    if counting.ties in left_out:
        yield left_out[counting.ties]
    if counting.over == JUDGED:
        yield Phrase("Each judge is compared with what people say of the pairs that it was asked about.")
    if counting.people_aspect:
        yield Phrase("Judges are compared with what people say of another aspect.")


def _ranks(exact: list[Fraction | None]) -> list[float | None]:
    """1 is the best."""
    known = [rate for rate in exact if rate is not None]
    ranks = iter((len(known) + 1 - mean_ranks(known)).tolist() if known else [])
    return [None if rate is None else next(ranks) for rate in exact]


def _correlations(standing: _Standing) -> Figure:
    key, title, at = "correlations", Phrase("Do judges rank systems as people do?"), standing.reference
    others = [place for place, voter in enumerate(standing.voters) if place != at and not voter.beside]
    if at is None or not others:
        return Figure(key, title, instead=Phrase("It takes votes of people and of a judge on the same systems."))
    found = {
        standing.voters[place].name: [
            _correlated(standing, place, standing.people_beside(place), kind) for kind in KINDS
        ]
        for place in others
    }
    found = dict(sorted(found.items(), key=lambda it: highest_first(it[1][0])))
    columns = (Column("who", Phrase("Who")), *(Column(kind, NAMES[kind], "coefficient") for kind in KINDS))
    rows: tuple[tuple[Cell, ...], ...] = tuple((name, *estimates) for name, estimates in found.items())
    series: dict[str, list[Estimate | None]] = {
        NAMES[kind]: [estimates[place] for estimates in found.values()] for place, kind in enumerate(KINDS)
    }
    note = Phrase(
        "Win rates of the systems by each judge against those by %(people)s, on exact fractions. n counts systems. "
        "Intervals are about these systems’ true rates, those over all items like these: as rates over finitely many "
        "items correlate less than true ones, an interval may lie higher than its coefficient. It needs five systems "
        "that lie apart by more than noise.", people=standing.voters[at].name,
    )  # fmt: skip
    picture = Dots(tuple(found), series, mark=0.0, x_title=Phrase("Correlation with people"))
    return Figure(key, title, Table(columns, rows), picture, (note, *_without_interval(found)))


def _without_interval(found: dict[str, list[Estimate]]) -> Iterator[Phrase]:
    """Whose points have no whisker, and why."""
    for who, estimates in found.items():
        whys = {it.reason: None for it in estimates if it.estimate is not None and it.interval is None and it.reason}
        for why in whys:
            yield Phrase("No interval of %(who)s: %(why)s.", who=who, why=why)


def _ratings(standing: _Standing) -> Figure:
    """Whether ratings, which allow for whom a system met, rank systems as win rates do."""
    aspect, _ = standing.asked
    key, title = "ratings", Phrase("Do ratings rank systems as win rates do? %(aspect)s", aspect=aspect.title)
    frame = frame_of(standing.source.arrays, standing.source.units)
    groups = {group.key: group for group in standing.source.arrays.groups}
    people = [voter for voter in standing.voters if voter.is_people]
    if standing.source.option(PEOPLE_AGAINST) or not people:
        return Figure(key, title, instead=Phrase("It takes all votes of people."))
    rows: list[tuple[Cell, ...]] = []
    for voter in people:
        votes = votes_of_group(groups[voter.key], aspect, frame).votes(frame.systems)
        rates = dict(zip(standing.pairs.systems, voter.rates.exact, strict=True))
        exact = [rates.get(name) for name in frame.systems]
        elo = [it.estimate for it in online_elo(votes)]
        rows.append((voter.name, correlation(exact, _strengths(votes)), correlation(exact, elo)))
    columns = (
        Column("who", Phrase("Who")),
        Column("bradley_terry", Phrase("ρ of Bradley–Terry"), "coefficient"),
        Column("elo", Phrase("ρ of Elo"), "coefficient"),
    )
    note = Phrase(
        "Spearman’s ρ of ratings and win rates. Win rates count every opponent alike; ratings allow for who was met. "
        "Elo takes the votes in the order in which they came, K = 4 from 1,000. n counts systems."
    )
    return Figure(key, title, Table(columns, tuple(rows)), notes=(note,))


def _strengths(votes: SystemVotes) -> list[float | None]:
    """By Bradley and Terry; none where votes do not connect all systems, as ratings of islands do not compare."""
    tables = [table for table in rate(count_votes(votes)) if len(table.ratings) > 1]
    found = {it.system: it.rating.estimate for it in tables[0].ratings} if len(tables) == 1 else {}
    return [found.get(name) for name in votes.systems]


def _correlated(standing: _Standing, one: int, other: int, kind: Coefficient) -> Estimate:
    voters, drawn = standing.voters, standing.resampled.rates
    both = drawn[one], drawn[other]
    return rank_correlation(voters[one].rates, voters[other].rates, both, standing.resampled, kind=kind)


def _scatters(standing: _Standing) -> Iterator[Figure]:
    """Each judge's win rates over those of people."""
    at = standing.reference
    if at is None:
        return
    for place, voter in enumerate(standing.voters):
        if voter.is_people or voter.beside:
            continue
        people = standing.estimates[standing.people_beside(place)]
        own = standing.estimates[place]
        title = Phrase("Win rates by %(judge)s and by people", judge=voter.name)
        used = [it for it in standing.order if own[it].estimate is not None and people[it].estimate is not None]
        if not used:
            why = Phrase("No system has votes of both.")
            yield Figure(key_of("scatter", voter.key), title, instead=why)
            continue
        columns = (
            Column("system", Phrase("System")), Column("people", standing.voters[at].name, "share"),
            Column("judge", voter.name, "share"), Column("difference", Phrase("Difference"), "share"),
        )  # fmt: skip
        x, y = ([it.estimate or 0.0 for it in (rates[at] for at in used)] for rates in (people, own))
        names = tuple(standing.pairs.systems[it] for it in used)
        rows: tuple[tuple[Cell, ...], ...] = tuple(
            (name, people[it], own[it], two - one) for name, it, one, two in zip(names, used, x, y, strict=True)
        )
        picture = Scatter(
            names,
            tuple(x),
            tuple(y),
            Phrase("By people"),
            Phrase("By %(judge)s", judge=voter.name),
            diagonal=True,
            x_form="share",
            y_form="share",
        )
        yield Figure(key_of("scatter", voter.key), title, Table(columns, rows), picture)


def _matrix(standing: _Standing, voter: Voter) -> Figure:
    """How often the system of the row won against that of the column."""
    names, values = standing.pairs.systems, _shares(standing, voter)
    order = [at for at in standing.order if not np.isnan(values[at]).all() or not np.isnan(values[:, at]).all()]
    cells = tuple(tuple(None if np.isnan(values[i, j]) else float(values[i, j]) for j in order) for i in order)
    title = Phrase("Who wins against whom, by %(who)s", who=voter.name)
    key = key_of("matrix", voter.key)
    if not order:
        return Figure(key, title, instead=Phrase("No two systems met."))
    columns = (Column("system", Phrase("System")), *(Column(f"against-{at}", names[at], "share") for at in order))
    rows: tuple[tuple[Cell, ...], ...] = tuple((names[at], *row) for at, row in zip(order, cells, strict=True))
    shown = tuple(names[at] for at in order)
    picture = Heatmap(
        shown, shown, cells, low=0.0, high=1.0, middle=0.5, form="share", x_title=Phrase("against"),
        y_title=Phrase("wins"),
    )  # fmt: skip
    note = Phrase("Wins of the row and half the ties over all votes between the two. Empty where two never met.")
    return Figure(key, title, Table(columns, rows), picture, (note,))


def _shares(standing: _Standing, voter: Voter) -> Floats:
    known = ~np.isnan(voter.votes.score)
    a, b = (side[voter.votes.pairs[known]] for side in standing.pairs.sides)
    won = np.zeros((len(standing.pairs.systems),) * 2)
    apart = a != b
    np.add.at(won, (a[apart], b[apart]), voter.votes.score[known][apart])
    np.add.at(won, (b[apart], a[apart]), 1 - voter.votes.score[known][apart])
    return ratio(won, won + won.T)


def options(campaign: Campaign) -> tuple[Option, ...]:
    chosen = [aspect for aspect in campaign.protocol.counted_aspects if compares(aspect)]
    chosen.sort(key=lambda aspect: aspect.name != "overall")
    votes = [(aspect.name, phrased(aspect.title)) for aspect in chosen]
    if len(votes) > 2:
        votes.append((TOGETHER, Phrase("Judges: the dimensions together, as one vote")))
    systems = System.objects.filter(dataset=campaign.dataset_id).values_list("name", flat=True)
    names = sorted(shown_names(campaign, systems).values())
    all_opponents = ("", Phrase("All opponents"))
    return (
        reference_option(campaign),
        Option(VOTE, Phrase("Votes on"), tuple(votes)),
        Option(AGAINST, Phrase("Judges’ votes against"), (all_opponents, *((name, name) for name in names))),
        Option(PEOPLE_AGAINST, Phrase("People’s votes against"), (all_opponents, (SAME, Phrase("The same system")))),
        Option(
            ORDERS, Phrase("Verdicts in two orders"),
            (
                ("", Phrase("are a vote each")), (RECONCILED, Phrase("are one vote where they agree, else none")),
                (TIE, Phrase("are one vote, a tie where they disagree")),
            ),
        ),
        *counting_options(campaign, "ties", "over", "people_aspect"),
    )  # fmt: skip


def more_stamps(source: Source) -> tuple[object, ...]:
    return (*qualifications(source), *scores_stamp(source))


def _why_not(campaign: Campaign) -> Reason | None:
    if not any(compares(aspect) for aspect in campaign.protocol.aspects):
        return reasons.NOTHING_TO_WIN()
    return no_judges(campaign)


KIND = ReportKind(
    name="systems",
    title=Phrase("Systems by people and judges"),
    lead=Phrase("How often each system wins, by people and by every judge, and whether they rank systems alike."),
    claims=Phrase(
        "It may be claimed which system these raters preferred on these items, where the intervals say so; not by "
        "how much it is better, and ranks whose intervals overlap must not be read as an order."
    ),
    version="5",
    figures=figures,
    why_not=_why_not,
    options=options,
    more_stamps=more_stamps,
)
