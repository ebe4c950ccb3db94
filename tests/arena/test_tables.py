"""What a board says where there is little to say: each undefined case, with its reason."""

import numpy as np
import pytest

from analytics.data.votes.table import Ballot
from arena.standings.choices import BOOTSTRAPS, Settings, not_resampled
from arena.standings.tables import SEED, Json
from stats.confidence_sequences import reaches
from stats.ratings.bradley_terry import bradley_terry
from stats.ratings.elo import POINTS
from stats.ratings.errors import OverClusters
from stats.ratings.table import rate, rate_votes
from stats.ratings.votes import BOTH_BAD, BOTH_GOOD, FIRST, SECOND, Votes, count_votes
from tests.arena.arenas import read_table
from tests.cases import each

SYSTEMS = ("A", "B", "C")
OVERALL = Settings("overall")
OVER_VOTERS = Settings("overall", errors="cluster_bootstrap")
EVERY_WAY = [
    OVERALL,
    Settings("overall", ties="decisive"),
    Settings("overall", ties="davidson"),
    Settings("overall", method="elo"),
    Settings("overall", errors="votes"),
    Settings("overall", errors="bootstrap"),
    OVER_VOTERS,
]


def ballot(*votes: tuple[int, int, int], systems: tuple[str, ...] = SYSTEMS, each: int = 1) -> Ballot:
    """Votes as (first, second, outcome), each by a voter of its own on an item of its own."""
    columns = np.array(votes * each, dtype=np.int64).reshape(-1, 3).T
    n = columns.shape[1]
    return Ballot(Votes(*columns, systems), np.arange(n), np.arange(n), without_order=0)


def rows(table: Json) -> dict[str, Json]:
    return {row["system"]: row for island in table["islands"] for row in island["rows"]}


def values(table: Json) -> dict[str, float | None]:
    return {name: row["rating"]["value"] for name, row in rows(table).items()}


@each("way", EVERY_WAY)
def test_without_votes_nobody_has_a_rating(way: Settings) -> None:
    table = read_table(ballot(), way)

    assert values(table) == dict.fromkeys(SYSTEMS)
    assert {row["rating"]["reason"] for row in rows(table).values()} == {"no votes"}
    assert [len(island["rows"]) for island in table["islands"]] == [1, 1, 1]
    assert (table["n"], table["decisive"]["value"]) == (0, None)


def test_one_vote_is_provisional_and_says_nothing_of_who_is_ahead() -> None:
    table = read_table(ballot((0, 1, FIRST)), OVERALL)

    found = rows(table)
    assert [(found[name]["provisional"], found[name]["ranks"]) for name in "AB"] == [(True, [1, 2])] * 2
    assert found["A"]["rating"]["low"] < found["B"]["rating"]["value"] < found["A"]["rating"]["value"]
    assert [it["beats"] for it in table["islands"][0]["differences"]] == ["not enough data"]
    assert found["C"]["rating"] == {"value": None, "low": None, "high": None, "n": 0, "reason": "no votes"}


@each("way", EVERY_WAY)
def test_islands_have_a_table_each(way: Settings) -> None:
    votes = ballot((0, 1, FIRST), (0, 1, SECOND), (2, 3, FIRST), (2, 3, SECOND), systems=tuple("ABCDE"), each=5)

    table = read_table(votes, way)

    assert [sorted(row["system"] for row in it["rows"]) for it in table["islands"]] == [["A", "B"], ["C", "D"], ["E"]]
    assert [it["n"] for it in table["islands"]] == [10, 10, 0]


def test_unbeaten_system_is_provisional_and_the_others_are_not() -> None:
    votes = ballot((0, 1, FIRST), (0, 2, FIRST), (1, 2, FIRST), (1, 2, SECOND), each=4)

    table = read_table(votes, OVERALL)

    assert {name: row["provisional"] for name, row in rows(table).items()} == {"A": True, "B": False, "C": False}
    assert "votes alone set no distance" in table["islands"][0]["reason"]
    assert rows(table)["A"]["rating"]["high"] is not None


def test_ties_alone_give_equal_ratings_without_an_interval() -> None:
    table = read_table(ballot((0, 1, BOTH_GOOD), (1, 2, BOTH_BAD), each=3), OVERALL)

    assert values(table) == dict.fromkeys(SYSTEMS, 1000.0)
    assert {row["rating"]["low"] for row in rows(table).values()} == {None}
    assert {row["rating"]["reason"] for row in rows(table).values()} == {
        "all its votes were ties, which say nothing of how far they could vary"
    }
    assert table["decisive"]["value"] == 0


def test_ties_alone_leave_nothing_to_rate_where_ties_are_left_out() -> None:
    table = read_table(ballot((0, 1, BOTH_GOOD), each=3), Settings("overall", ties="decisive"))

    assert values(table) == dict.fromkeys(SYSTEMS)
    assert {it["system"]: it["acceptable"]["value"] for it in table["alone"]} == {"A": 1.0, "B": 1.0, "C": None}


def test_ties_alone_have_no_tie_parameter() -> None:
    table = read_table(ballot((0, 1, BOTH_GOOD), each=3), Settings("overall", ties="davidson"))

    assert [it["tie"]["reason"] for it in table["islands"]] == ["every vote was a tie", "no votes"]


def test_system_without_votes_stands_apart_and_moves_nobody() -> None:
    votes = ((0, 1, FIRST), (0, 1, FIRST), (1, 0, FIRST))
    with_it = read_table(ballot(*votes), OVERALL)
    without = read_table(ballot(*votes, systems=("A", "B")), OVERALL)

    assert with_it["islands"][0] == without["islands"][0]
    assert values(with_it)["C"] is None
    assert [it["win_rate"]["value"] for it in with_it["alone"]][2] is None


def test_two_systems_with_identical_records_share_everything() -> None:
    votes = ballot((0, 1, FIRST), (1, 0, FIRST), (0, 2, FIRST), (1, 2, FIRST), (0, 2, SECOND), (1, 2, SECOND), each=5)

    table = read_table(votes, OVERALL)

    found = rows(table)
    assert found["A"]["rating"]["value"] == pytest.approx(found["B"]["rating"]["value"], abs=1e-8)
    assert found["A"]["ranks"] == found["B"]["ranks"]
    (between,) = [it for it in table["islands"][0]["differences"] if {it["of"], it["to"]} == {"A", "B"}]
    assert between["beats"] == "not enough data"


def test_newcomer_moves_and_widens_nobody_else() -> None:
    rng = np.random.default_rng(3)
    old = [(int(a), int((a + step) % 4), int(out)) for a, step, out in zip(
        rng.integers(0, 4, 4_000), rng.integers(1, 4, 4_000), rng.integers(0, 3, 4_000), strict=True
    )]  # fmt: skip
    new = [(4, 0, FIRST), (1, 4, FIRST), (4, 2, SECOND), (3, 4, SECOND)]
    five = tuple("ABCDE")

    before = rows(read_table(ballot(*old, systems=five), OVERALL))
    after = rows(read_table(ballot(*old, *new, systems=five), OVERALL))

    assert [after[name]["established"] for name in five] == [True, True, True, True, False]
    for name in "ABCD":
        was, now = before[name]["rating"], after[name]["rating"]
        assert now["value"] == pytest.approx(was["value"], abs=1.5)
        assert now["high"] - now["low"] == pytest.approx(was["high"] - was["low"], rel=0.02)
    assert after["E"]["rating"]["high"] - after["E"]["rating"]["low"] > 200


def test_default_is_sandwich_errors_over_voters_and_items() -> None:
    rng = np.random.default_rng(1)
    n = 300
    first, second = rng.integers(0, 3, n), rng.integers(0, 3, n)
    votes = Votes(first, second, rng.integers(0, 4, n), SYSTEMS)
    voters, items = rng.integers(0, 9, n), rng.integers(0, 20, n)

    table = read_table(Ballot(votes, voters, items, 0), OVERALL)

    (expected,) = rate(count_votes(votes), errors=OverClusters(votes, voters, items, watched=True))
    assert table["errors_over"] == "voters and items"
    for rating in expected.ratings:
        found = rows(table)[rating.system]["rating"]
        assert rating.rating.interval is not None
        assert [found["value"], found["low"], found["high"]] == pytest.approx(
            [rating.rating.estimate, rating.rating.interval.low, rating.rating.interval.high], abs=1e-8
        )


@each("voters, items, over", [(1, 24, "items"), (24, 1, "voters"), (1, 1, "votes")])
def test_one_voter_or_item_alone_is_no_cluster(voters: int, items: int, over: str) -> None:
    n = np.arange(24)
    votes = Votes(n % 2, 1 - n % 2, np.where(n % 5, FIRST, SECOND), ("A", "B"))

    table = read_table(Ballot(votes, n % voters, n % items, 0), OVERALL)

    assert table["errors_over"] == over
    assert rows(table)["A"]["rating"]["low"] is not None


def test_three_votes_have_no_interval_that_holds_at_every_look_and_the_table_says_so() -> None:
    table = read_table(ballot((0, 1, FIRST), (1, 0, FIRST), (0, 1, FIRST), systems=("A", "B")), OVERALL)

    says = "too few votes, voters or items so far for an interval that holds at every look"
    assert [(row["rating"]["low"], row["rating"]["reason"], row["ranks"]) for row in table["islands"][0]["rows"]] == [
        (None, says, [1, 2]), (None, says, [1, 2]),
    ]  # fmt: skip
    (difference,) = table["islands"][0]["differences"]
    assert (difference["beats"], difference["low"], difference["reason"]) == ("not enough data", None, says)


@each("way", EVERY_WAY)
def test_same_votes_give_the_same_table(way: Settings) -> None:
    votes = ballot((0, 1, FIRST), (1, 2, SECOND), (0, 2, SECOND), (0, 1, SECOND), (1, 2, FIRST), (0, 2, 2), each=6)

    assert read_table(votes, way) == read_table(votes, way)


def test_votes_of_a_system_against_itself_are_left_out_and_counted() -> None:
    table = read_table(ballot((0, 0, FIRST), (0, 1, FIRST), (1, 0, FIRST)), OVERALL)

    assert (table["n"], table["against_itself"]) == (2, 1)


def ballot_of_tastes(voters: int = 12, each: int = 20) -> Ballot:
    """Voters who mostly go by tastes of their own, and sometimes tie."""
    rng = np.random.default_rng(5)
    tastes, voter = rng.normal(0, 1, (voters, 3)), np.repeat(np.arange(voters), each)
    n = len(voter)
    first = rng.integers(0, 3, n)
    second = (first + rng.integers(1, 3, n)) % 3
    gap = tastes[voter, first] - tastes[voter, second] + rng.logistic(0, 0.7, n)
    outcome = np.select([gap > 0.3, gap < -0.3], [FIRST, SECOND], rng.choice([BOTH_GOOD, BOTH_BAD], n))
    return Ballot(Votes(first, second, outcome, SYSTEMS), voter, np.arange(n) % 7, 0)


def intervals(table: Json) -> dict[str, list[float]]:
    return {name: [row["rating"]["low"], row["rating"]["high"]] for name, row in rows(table).items()}


@each("ties", ["half", "decisive"])
def test_resampled_voters_are_those_of_a_plain_loop(ties: str) -> None:
    votes = ballot_of_tastes()

    table = read_table(votes, Settings("overall", errors="cluster_bootstrap", ties=ties))

    rated = votes.votes.outcome < BOTH_GOOD if ties == "decisive" else np.ones(len(votes.voters), dtype=bool)
    rng, values = np.random.default_rng(SEED), []
    for _ in range(1_000):
        times = rng.multinomial(12, np.full(12, 1 / 12))
        places = np.concatenate(
            [np.flatnonzero(rated & (votes.voters == one)).repeat(times[one]) for one in range(12)]
        )
        drawn = votes.votes
        resample = Votes(drawn.first[places], drawn.second[places], drawn.outcome[places], SYSTEMS)
        values.append(1000 + POINTS * bradley_terry(count_votes(resample).scores()).log_odds)
    reach = POINTS * reaches(np.var(values, axis=0, ddof=1) / POINTS**2, freedom=11)
    for place, name in enumerate(SYSTEMS):
        rating = rows(table)[name]["rating"]
        ends = [rating["value"] - reach[place], rating["value"] + reach[place]]
        assert [rating["low"], rating["high"]] == pytest.approx(ends, abs=1e-3)
    assert table["errors_over"] == "cluster_bootstrap"


def test_resampled_voters_with_tastes_leave_more_open_than_resampled_votes() -> None:
    votes = ballot_of_tastes()

    over_voters = intervals(read_table(votes, OVER_VOTERS))
    over_votes = intervals(read_table(votes, Settings("overall", errors="bootstrap")))

    for name in SYSTEMS:
        assert np.ptp(over_voters[name]) > 1.5 * np.ptp(over_votes[name])


def test_one_voter_alone_cannot_be_resampled() -> None:
    table = read_table(ballot_of_tastes(voters=1, each=60), OVER_VOTERS)

    assert set(map(tuple, intervals(table).values())) == {(None, None)}
    assert {row["rating"]["reason"] for row in rows(table).values()} == {
        "one cluster alone says nothing of how others would vary"
    }
    assert {tuple(row["ranks"]) for row in rows(table).values()} == {(1, 3)}


@each("other", [{"ties": "davidson"}, {"method": "contextual"}, {"method": "contextual", "ties": "decisive"}])
@each("errors", BOOTSTRAPS)
def test_what_is_not_resampled_has_sandwich_errors_and_says_so(errors: str, other: dict[str, str]) -> None:
    settings = Settings("overall", errors=errors, **other)

    assert settings.errors == "clusters"
    assert not_resampled({"errors": errors}, settings)
    assert not not_resampled({"errors": "votes"}, settings)
    assert not not_resampled({"errors": errors}, Settings("overall", errors=errors))


def test_equal_systems_are_seldom_called_different_however_often_one_looks() -> None:
    called = {"every look": 0, "one look": 0}
    for seed in range(40):
        votes = votes_on_equals(np.random.default_rng(seed), 400)
        tables = [read_table(some, OVERALL) for some in votes]
        one_look = [rate_votes(some.votes, some.voters, some.items) for some in votes]
        called["every look"] += any(it["islands"][0]["differences"][0]["beats"] != "not enough data" for it in tables)
        called["one look"] += any(table.beats("A", "B") != "not enough data" for (table,) in one_look)

    assert called["every look"] <= 2
    assert called["one look"] >= 6


def votes_on_equals(rng: np.random.Generator, n: int) -> list[Ballot]:
    """A look at every fortieth vote of 40 voters with tastes, on 60 items."""
    tastes, item_tastes = rng.normal(0, 0.5, (40, 2)), rng.normal(0, 0.5, (60, 2))
    voter, item, first = rng.integers(40, size=n), rng.integers(60, size=n), rng.integers(2, size=n)
    better = (tastes[voter] + item_tastes[item]) @ np.array([1, -1]) * (1 - 2 * first)
    outcome = np.where(rng.random(n) < 0.3, BOTH_GOOD, rng.random(n) > 1 / (1 + np.exp(-better)))
    return [
        Ballot(Votes(first[:m], 1 - first[:m], outcome[:m], ("A", "B")), voter[:m], item[:m], 0)
        for m in range(40, n + 1, 40)
    ]
