"""Ratings at equal context: which covariates there are, what they do, and what is said where there are none."""

import csv
import io
from typing import Any

import numpy as np
import pytest
from django.test import Client
from django.urls import reverse

from analytics.data.votes.cache import kept_ballot
from analytics.data.votes.covariates import EQUALLY_LOUD, UNKNOWN, WITHOUT_ORDER, Context, context_of
from analytics.data.votes.table import Ballot, Selection, ballot
from arena.board.wording import described
from arena.standings.choices import Settings
from arena.standings.refresh import rebuild, refresh
from arena.standings.tables import Json
from campaigns.models import Campaign, Role
from corpus.models import LabelSet, Response, ResponseTurn
from stats.ratings.contextual import rate_in_context
from stats.ratings.elo import POINTS
from stats.ratings.table import rate_votes
from stats.ratings.votes import FIRST, SECOND, Votes
from tests.arena.arenas import read_table
from tests.arena.voting import make_arena, vote
from tests.cases import each
from tests.factories import ClipFactory, make_label, make_member

OVERALL = Selection("overall")
CONTEXTUAL = Settings("overall", method="contextual")
NAMES = ("seconds", "loudness", "rate", "first")


def simulated(n: int = 3_000, *, per_second: float = 0.4) -> tuple[Ballot, Context]:
    """Three systems of equal worth, the first of which makes long responses, which people like."""
    rng = np.random.default_rng(4)
    first = rng.integers(0, 3, n)
    second = (first + rng.integers(1, 3, n)) % 3
    seconds = rng.normal(0, 1, (2, n)) + np.stack([first == 0, second == 0]) * 2.0
    longer = seconds[0] - seconds[1]
    outcome = np.where(rng.random(n) < 1 / (1 + np.exp(-per_second * longer)), FIRST, SECOND)
    votes = Votes(first, second, outcome, ("A", "B", "C"))
    of = np.arange(n)
    made = Ballot(votes, of % 60, of % 40, without_order=0, units=of, swapped=np.zeros(n, dtype=bool))
    return made, Context({"seconds": longer, "first": np.ones(n)}, {"loudness": EQUALLY_LOUD})


def rows(table: Json) -> dict[str, Json]:
    return {row["system"]: row for island in table["islands"] for row in island["rows"]}


def test_lead_that_comes_from_length_alone_is_gone_at_equal_length() -> None:
    made, context = simulated()

    found = rows(read_table(made, CONTEXTUAL, context))

    assert found["A"]["raw"]["ranks"] == [1, 1]
    assert found["A"]["raw"]["rating"]["low"] > found["B"]["raw"]["rating"]["high"]
    assert all(row["rating"]["low"] < 1000 < row["rating"]["high"] for row in found.values())


def test_effects_are_those_of_the_model_in_points_and_raw_ratings_those_without() -> None:
    made, context = simulated()
    (expected,) = rate_in_context(made.votes, context.columns, made.voters, made.items, watched=True)
    (plain,) = rate_votes(made.votes, made.voters, made.items)

    (island,) = read_table(made, CONTEXTUAL, context)["islands"]

    effects = {it["name"]: it for it in island["effects"]}
    seconds = expected.effects["seconds"]
    assert seconds.estimate
    assert seconds.interval
    assert [effects["seconds"][end] for end in ("value", "low", "high")] == pytest.approx(
        [POINTS * it for it in (seconds.estimate, seconds.interval.low, seconds.interval.high)], abs=1e-7
    )
    assert seconds.interval.low < 0.4 < seconds.interval.high
    assert effects["first"]["low"] < 0 < effects["first"]["high"]
    assert (effects["loudness"]["value"], effects["loudness"]["reason"]) == (None, EQUALLY_LOUD)
    raw = {row["system"]: row["raw"]["rating"]["value"] for row in island["rows"]}
    assert raw == {it.system: pytest.approx(it.rating.estimate, abs=1e-7) for it in plain.ratings}


def test_without_any_context_the_ratings_are_the_raw_ones() -> None:
    made, _ = simulated(300)

    found = rows(read_table(made, CONTEXTUAL, Context({}, dict.fromkeys(NAMES, UNKNOWN))))

    assert {name: row["rating"]["value"] for name, row in found.items()} == pytest.approx(
        {name: row["raw"]["rating"]["value"] for name, row in found.items()}, abs=1e-5
    )


def test_votes_without_a_covariate_are_left_out_and_counted() -> None:
    made, context = simulated(300)
    context.columns["seconds"][:7] = np.nan

    (island,) = read_table(made, CONTEXTUAL, context)["islands"]

    assert island["left_out"] == [[7, "a covariate is missing"]]
    assert island["n"] == 293


@each("votes", [[], [(0, 1, FIRST)], [(0, 1, 2)] * 5, [(0, 1, FIRST)] * 5])
def test_few_votes_give_a_board_and_reasons(votes: list[tuple[int, int, int]]) -> None:
    columns = np.array(votes, dtype=np.int64).reshape(-1, 3).T
    n = columns.shape[1]
    made = Ballot(Votes(*columns, ("A", "B", "C")), np.arange(n), np.arange(n), 0)

    table = read_table(made, CONTEXTUAL, Context({"first": np.ones(n), "seconds": np.zeros(n)}, {}))

    assert rows(table)["C"]["rating"]["reason"] == "no votes"
    for island in table["islands"]:
        assert all(it["value"] is not None or it["reason"] for it in island["effects"])


# -- from rows -----------------------------------------------------------------------------------------------------


@pytest.fixture
def campaign() -> Campaign:
    campaign = make_arena(items=1)
    Campaign.objects.filter(pk=campaign.pk).update(target_lufs=None)
    for name, seconds, level, text in [
        ("Aardwolf", 4.0, -20.0, "one two three four"),
        ("Binturong", 2.0, -26.0, "one two three four"),
        ("Cacomistle", 3.0, -23.0, "one two three"),
    ]:
        clip = ClipFactory(seconds=seconds, integrated_lufs=level)
        response = Response.objects.get(system__name=name)
        ResponseTurn.objects.create(response=response, position=1, text=text, clip=clip)
    campaign.refresh_from_db()
    vote(campaign, "Aardwolf", "Binturong", "1")
    vote(campaign, "Aardwolf", "Binturong", "1", order="ba")
    vote(campaign, "Binturong", "Cacomistle", "2")
    return campaign


def columns(subject: Campaign | LabelSet, made: Ballot) -> dict[str, Any]:
    context = context_of(subject, made)
    return {name: it.tolist() for name, it in context.columns.items()} | context.unused


@pytest.mark.django_db
def test_covariates_are_what_the_first_response_has_more_of(campaign: Campaign) -> None:
    expected = {
        "seconds": [2.0, -2.0, -1.0],
        "loudness": [6.0, -6.0, -3.0],
        "rate": [-1.0, 1.0, 1.0],
        "first": [1.0, 1.0, 1.0],
    }

    assert columns(campaign, ballot(campaign, OVERALL)) == expected
    assert columns(campaign, kept_ballot(campaign, OVERALL)) == expected


@pytest.mark.django_db
def test_clips_that_were_made_equally_loud_do_not_differ_in_loudness(campaign: Campaign) -> None:
    campaign.target_lufs = -23.0

    assert columns(campaign, ballot(campaign, OVERALL))["loudness"] == EQUALLY_LOUD


@pytest.mark.django_db
def test_rate_is_unknown_where_texts_are(campaign: Campaign) -> None:
    ResponseTurn.objects.filter(response__system__name="Binturong").update(text="")

    assert columns(campaign, ballot(campaign, OVERALL))["rate"] == UNKNOWN


@pytest.mark.django_db
def test_labels_without_an_order_have_no_position(campaign: Campaign) -> None:
    labels = LabelSet.objects.create(dataset=campaign.dataset, name="labels", created_by=campaign.created_by)
    make_label(labels, campaign.campaign_units.first().unit, "a")

    found = columns(labels, ballot(labels, OVERALL))

    assert (found["first"], found["seconds"]) == (WITHOUT_ORDER, [2.0])


@pytest.mark.django_db
def test_board_at_equal_context_equals_its_rebuild_and_shows_both_ranks(campaign: Campaign, client: Client) -> None:
    client.force_login(make_member(campaign, Role.RESEARCHER))

    page = client.get(reverse("board", args=[campaign.slug]), {"method": "contextual"}).content.decode()

    standing = refresh(campaign, CONTEXTUAL)
    assert standing
    standing.refresh_from_db()
    assert rebuild(campaign, CONTEXTUAL).equals(standing)
    for words in ("Without context", "What the context does", "Duration", "Loudness", "Speaking rate", "Position"):
        assert words in page


def test_board_names_who_is_not_yet_established() -> None:
    made, context = simulated(2_000)
    votes = made.votes
    systems = Votes(
        np.append(votes.first, [3, 0]),
        np.append(votes.second, [0, 3]),
        np.append(votes.outcome, [0, 0]),
        (*"ABC", "Newcomer"),
    )
    of = np.arange(2_002)
    table = read_table(Ballot(systems, of % 60, of % 40, without_order=0), Settings("overall"))

    said = described(table, Settings("overall"))

    assert "at least 10 % of the median number of votes" in said
    assert "Not yet established: Newcomer." in said
    assert "established" not in described(read_table(made, CONTEXTUAL, context), CONTEXTUAL)


@pytest.mark.django_db
def test_csv_has_both_ratings(campaign: Campaign, client: Client) -> None:
    client.force_login(make_member(campaign, Role.RESEARCHER))
    address = reverse("board-file", args=[campaign.slug, "csv"])

    found = {}
    for method in ("contextual", "bradley_terry"):
        text = client.get(address, {"method": method}).content.decode()
        found[method] = {row["raw_rating"] for row in csv.DictReader(io.StringIO(text))}

    assert "" not in found["contextual"]
    assert found["bradley_terry"] == {""}
