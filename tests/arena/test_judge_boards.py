"""The board of a judge's run: its verdicts as votes, what is left out and why, who sees it, what makes it anew."""

import csv
import html
import io
import json
import random
import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from accounts.models import User
from analytics.data.label_arrays import label_arrays
from analytics.data.rater_groups import by_run, is_run, run_of
from analytics.data.ratings import Frame
from analytics.data.unit_facts import unit_facts
from analytics.data.votes.covariates import BOTH_ORDERS, EQUALLY_LOUD, context_of
from analytics.data.votes.of_judges import verdict_votes
from analytics.data.votes.of_people import votes_of_run
from analytics.data.votes.table import Selection, ballot, stamp, tally
from arena.board.name_locks import hide_names
from arena.models import Standing
from arena.standings.choices import NoBoardOfRun, NoSuchBoard, Settings, offer_of
from arena.standings.refresh import check_latest, newest, rebuild, refresh, refresh_watched
from campaigns.models import Campaign, Role
from infrastructure.wording.reasons import read_reasons, with_details
from judges.models import Run, Verdict, VerdictAnswer
from judges.runs.lifecycle import judge_again, orders_of
from stats.ratings.acceptability import Clustered, acceptability, win_rates
from stats.ratings.elo import online_elo
from stats.ratings.errors import OverClusters
from stats.ratings.table import rate
from stats.ratings.votes import BOTH_BAD, BOTH_GOOD, FIRST, SECOND, Votes, count_votes
from tests.analytics.saying import judge_says, make_run, people_say, units_of
from tests.arena.voting import SYSTEMS, make_arena, vote
from tests.cases import each
from tests.factories import ClipFactory, make_campaign, make_member

pytestmark = pytest.mark.django_db

A, B, C = range(3)
#: What the run says of the six units, by their keys: of two items, each pair of the systems.
SAID = ("a", "b", "both_good", "a", "both_bad", "b")
UNITS = ((A, B, 0), (A, C, 0), (B, C, 0), (A, B, 1), (A, C, 1), (B, C, 1))
OUTCOME = {"a": FIRST, "b": SECOND, "both_good": BOTH_GOOD, "both_bad": BOTH_BAD}


@pytest.fixture
def campaign() -> Campaign:
    return make_arena(categories=("songs", "news"))


@pytest.fixture
def client(client: Client, campaign: Campaign) -> Client:
    client.force_login(make_member(campaign, Role.RESEARCHER))
    return client


def settings_of(run: Run, **settings: Any) -> Settings:
    return Settings("overall", by=by_run(run), **settings)


def table_of(campaign: Campaign, run: Run, **settings: Any) -> dict[str, Any]:
    standing = refresh(campaign, settings_of(run, **settings))
    assert standing
    return read_reasons(standing.table)


def left_out(campaign: Campaign, run: Run, **settings: Any) -> dict[str, int]:
    return dict(table_of(campaign, run, **settings)["judged"]["left_out"])


def page_of(client: Client, campaign: Campaign, by: str, **asked: str) -> str:
    response = client.get(reverse("board", args=[campaign.slug]), {"by": by} | asked)
    return html.unescape(" ".join(re.sub(r"<[^>]*>", " ", response.content.decode()).split()))


def hand_made(said: Sequence[str] = SAID, *, turned: bool = False) -> tuple[Votes, np.ndarray]:
    """The votes as somebody would write them down, and the item of each."""
    rows = []
    for (a, b, item), value in zip(UNITS, said, strict=True):
        outcome = OUTCOME[value]
        first, second = (b, a) if turned else (a, b)
        rows.append((first, second, SECOND - outcome if turned and outcome <= SECOND else outcome, item))
    first, second, outcomes, items = np.array(rows).T
    return Votes(first, second, outcomes, SYSTEMS, "typed"), items


def written(estimate: Any) -> tuple[Any, ...]:
    ends = (estimate.interval.low, estimate.interval.high) if estimate.interval else (None, None)
    return tuple(None if it is None else round(float(it), 8) for it in (estimate.estimate, *ends))


def shown(rating: Mapping[str, Any]) -> tuple[Any, ...]:
    return rating["value"], rating["low"], rating["high"]


@pytest.mark.parametrize("order", ["ab", "ba"])
def test_figures_are_those_of_the_votes_written_down_by_hand(campaign: Campaign, order: str) -> None:
    run = judge_says(campaign, {order: SAID})
    votes, items = hand_made(turned=order == "ba")
    counts = count_votes(votes)

    table = table_of(campaign, run)

    among = Clustered(votes, (items,))
    (rated,) = rate(counts, errors=OverClusters(votes, items, watched=True))
    (island,) = table["islands"]
    rows = {row["system"]: row for row in island["rows"]}
    assert {it.system: (written(it.rating), it.ranks) for it in rated.ratings} == {
        name: (shown(row["rating"]), tuple(row["ranks"]) if row["ranks"] else None) for name, row in rows.items()
    }
    assert [shown(it["win_rate"]) for it in table["alone"]] == [
        written(it.rate) for it in win_rates(counts, among=among)
    ]
    assert [shown(it["acceptable"]) for it in table["alone"]] == [
        written(it.acceptable) for it in acceptability(counts, among=among)
    ]
    assert np.array_equal(tally(campaign, settings_of(run).selection).counts.table, counts.table)
    assert table["pairs"] == [
        {"one": "Aardwolf", "other": "Binturong", "one_won": 2, "other_won": 0, "tied": 0},
        {"one": "Aardwolf", "other": "Cacomistle", "one_won": 0, "other_won": 1, "tied": 1},
        {"one": "Binturong", "other": "Cacomistle", "one_won": 0, "other_won": 1, "tied": 1},
    ]
    assert (table["n"], table["errors_over"], table["items"], table["without_order"]) == (6, "items", 2, 0)


def test_elo_goes_by_the_keys_of_the_units(campaign: Campaign) -> None:
    run = make_run(campaign)
    for place in (5, 3, 1, 0, 2, 4):  # the order in which workers came to them
        said = [value if at == place else None for at, value in enumerate(SAID)]
        judge_says(campaign, {"ab": said}, run=run)

    table = table_of(campaign, run, method="elo", k=16.0)

    expected = dict(zip(SYSTEMS, online_elo(hand_made()[0], k=16.0), strict=True))
    rows = {row["system"]: row["rating"]["value"] for row in table["islands"][0]["rows"]}
    assert rows == {name: round(float(it.estimate or 0), 8) for name, it in expected.items()}


def test_votes_are_those_of_reports_whatever_the_orders_and_samples(campaign: Campaign) -> None:
    campaign = make_arena(items=8)
    for seed, (orders, samples) in enumerate([("ab", 1), ("ba", 3), ("both", 1), ("both", 3)]):
        rng = random.Random(seed)
        run = make_run(campaign, title=f"Judge {seed}", orders=orders, samples=samples)
        for row in units_of(campaign):
            for order in orders_of("ab", orders):
                for sample in range(samples):
                    value = rng.choice(("a", "a", "a", "b", "both_bad", "unparsed"))
                    said = value in OUTCOME
                    verdict = Verdict.objects.create(
                        run=run, unit=row.unit, order=order, sample=sample, status="ok" if said else value,
                        judged_at=timezone.now(),
                    )  # fmt: skip
                    if said:
                        VerdictAnswer.objects.create(verdict=verdict, aspect="overall", value=value)
    arrays = label_arrays(campaign)
    facts = unit_facts(campaign)
    items = tuple(dict.fromkeys(facts[unit].item for unit in arrays.units))
    frame = Frame(SYSTEMS, items, {unit: facts[unit] for unit in arrays.units})

    for said in arrays.runs:
        reported = votes_of_run(said, campaign.protocol.aspect("overall"), arrays, frame)
        ours = verdict_votes(campaign, by_run(said.run), "overall", category="", preferences=set(OUTCOME))
        assert [(unit, value) for *_, value, _, _, unit in ours.rows] == [
            (arrays.units[unit], list(OUTCOME)[outcome])
            for unit, outcome in zip(reported.units, reported.outcome, strict=True)
        ]
        assert ours.judged
        assert len(ours.rows) + sum(n for _why, n in ours.judged.left_out) == 24
        assert len(ours.rows) > 3


def test_what_has_no_answer_is_left_out_and_counted_and_never_a_tie(campaign: Campaign) -> None:
    run = judge_says(campaign, {"ab": ("a", "unparsed", "refused", "error", None, "b")})

    table = table_of(campaign, run)

    assert (table["n"], sum(it["tied"] for it in table["pairs"])) == (2, 0)
    assert dict(table["judged"]["left_out"]) == {
        "the reply could not be read": 1,
        "the model refused": 1,
        "the judge failed": 1,
        "the run has no verdict on them": 1,
    }
    assert (table["judged"]["units"], table["judged"]["verdicts"]) == (
        6, [["error", 1], ["ok", 2], ["refused", 1], ["unparsed", 1]],
    )  # fmt: skip


def test_both_orders_are_one_vote_where_they_agree_and_none_where_they_do_not(campaign: Campaign) -> None:
    said = {
        "ab": ("a", "a", "both_bad", "b", "a", "a"),
        "ba": ("a", "b", "both_bad", "unparsed", "a", None),
    }
    run = judge_says(campaign, said)

    table = table_of(campaign, run)

    assert table["n"] == 3
    assert dict(table["judged"]["left_out"]) == {
        "the answer hangs on the order in which the responses were heard": 1,
        "the reply could not be read": 1,
        "they were heard in one order, and the run is of both": 1,
    }
    assert table["judged"]["orders"] == "both"
    assert dict(table["judged"]["verdicts"]) == {"ok": 10, "unparsed": 1}


def test_samples_speak_by_majority_and_a_split_is_no_vote(campaign: Campaign) -> None:
    of_units = [("a", "a", "b"), ("a", "b", "unparsed"), ("unparsed", "b", "unparsed"), *[("a", "a", "a")] * 3]
    run = judge_says(campaign, {"ab": [it for unit in of_units for it in unit]}, samples=3)

    table = table_of(campaign, run)

    assert table["n"] == 5
    assert dict(table["judged"]["left_out"]) == {"samples were equally divided": 1}
    assert dict(table["judged"]["verdicts"])["unparsed"] == 3


def test_board_of_a_run_that_never_answered_this_question_says_so() -> None:
    campaign = make_arena(protocol="hcot")
    run = judge_says(campaign, {"ab": SAID}, aspect="content")

    found = refresh(campaign, settings_of(run))

    assert found
    assert (found.n, read_reasons(found.table["judged"]["left_out"])) == (
        0,
        [["the verdict has no answer to this question", 6]],
    )


def test_categories_narrow_a_judges_board_as_they_do_peoples(campaign: Campaign) -> None:
    run = judge_says(campaign, {"ab": ("a", "b", "unparsed", "a", "both_bad", "b")})

    table = table_of(campaign, run, category="songs")

    assert (table["n"], table["judged"]["units"], left_out(campaign, run, category="news")) == (2, 3, {})


def test_people_are_not_in_a_judges_board_nor_a_judge_in_theirs(campaign: Campaign) -> None:
    vote(campaign, "Aardwolf", "Binturong", "2")
    run = judge_says(campaign, {"ab": SAID})
    everybody = refresh(campaign, Settings("overall"))

    assert everybody
    assert (everybody.n, "judged" in everybody.table) == (1, False)
    assert table_of(campaign, run)["n"] == 6


def test_runs_that_are_done_and_heard_unchanged_pairs_here_are_offered(campaign: Campaign) -> None:
    done = judge_says(campaign, {"ab": SAID}, title="Ear")
    judge_says(campaign, {"ab": SAID}, title="Half", status="running")
    judge_says(campaign, {"ab": SAID}, title="Abandoned", status="cancelled")
    judge_says(campaign, {"ab": SAID}, title="Noisy", perturbation={"name": "swapped_order"})
    judge_says(campaign, {"ab": SAID}, title="Of words", aspect="reason")
    make_run(campaign, title="Silent")
    judge_says(make_arena(), {"ab": SAID}, title="Elsewhere")

    assert {by: it.judge for by, it in offer_of(campaign).boards_of_runs.items()} == {by_run(done): "Ear"}


def test_judge_that_has_to_qualify_and_did_not_has_no_board(campaign: Campaign) -> None:
    run = judge_says(campaign, {"ab": SAID}, kind="embedding")

    with pytest.raises(NoBoardOfRun, match="not put before labelled prompts"):
        offer_of(campaign).settings({"by": by_run(run)})


def test_excluded_answers_are_no_choice_of_a_judge(campaign: Campaign) -> None:
    run = judge_says(campaign, {"ab": SAID})

    assert settings_of(run, excluded=True) == settings_of(run)
    assert offer_of(campaign).settings({"by": by_run(run), "excluded": "1"}) == settings_of(run)


def test_page_offers_the_run_and_says_what_its_votes_are(client: Client, campaign: Campaign) -> None:
    run = judge_says(campaign, {"ab": ("a", "b", "a", "unparsed", "b", "a")}, title="Ear")

    page = client.get(reverse("board", args=[campaign.slug]), {"by": by_run(run)}).content.decode()
    words = page_of(client, campaign, by_run(run))

    assert f'<option value="{by_run(run)}" selected>Judge Ear (run {run.pk})</option>' in page
    assert f'<a href="{reverse("run", args=[campaign.slug, run.pk])}">Ear (run {run.pk})</a>' in page
    assert "5 votes; standing 1" in words
    assert "Units with a vote: 5 of 6; what has none is not counted as a tie." in words
    assert "Left out: 1 (the reply could not be read)." in words
    assert "sandwich errors over 2 items alone: a judge’s run is one voter" in words
    assert "Over items (sandwich)" in words
    assert 'name="excluded"' not in page
    assert "voters and items" not in words
    assert f"by={by_run(run)}" in page.split('class="matrix"')[1]


def test_page_without_a_judge_is_as_it_was(client: Client, campaign: Campaign) -> None:
    vote(campaign, "Aardwolf", "Binturong", "1")

    words = page_of(client, campaign, "")

    assert "Units with a vote" not in words
    assert "Judge" not in words.split("Answers of")[1].split("Show")[0]


def test_page_of_both_orders_says_how_they_were_joined(client: Client, campaign: Campaign) -> None:
    run = judge_says(campaign, {"ab": SAID, "ba": ("unparsed", *SAID[1:])})

    words = page_of(client, campaign, by_run(run))

    assert "It heard each pair in both orders; a vote is what both say" in words
    assert "Verdicts without an answer: 1 (the reply could not be read)." in words
    assert "do not say which response was presented first" not in words


def test_board_speaks_german(client: Client, campaign: Campaign) -> None:
    run = judge_says(campaign, {"ab": ("a", "b", "a", "unparsed", "b", "a")}, title="Ear")
    address = reverse("board", args=[campaign.slug])

    page = client.get(address, {"by": by_run(run)}, headers={"Accept-Language": "de"}).content.decode()

    words = " ".join(re.sub(r"<[^>]*>", " ", page).split())
    assert "Einheiten mit einer Stimme" in words
    assert "die Modellantwort war nicht zu lesen" in words
    assert "could not be read" not in words
    assert "Units with" not in words


@pytest.mark.parametrize("form", ["csv", "json", "tex"])
def test_files_hold_what_the_board_shows_and_name_the_run(client: Client, campaign: Campaign, form: str) -> None:
    run = judge_says(campaign, {"ab": ("a", "b", "a", "unparsed", "b", "a")}, title="Ear")

    response = client.get(reverse("board-file", args=[campaign.slug, form]), {"by": by_run(run)})

    assert response["Content-Disposition"] == f'attachment; filename="board-{campaign.slug}-{by_run(run)}.{form}"'
    text, table = response.content.decode(), table_of(campaign, run)
    if form == "json":
        document = json.loads(text)
        assert (document["table"], document["settings"]["by"]) == (with_details(table), by_run(run))
    elif form == "csv":
        ratings = {row["system"]: float(row["rating"]) for row in csv.DictReader(io.StringIO(text))}
        assert ratings == {it["system"]: it["rating"]["value"] for it in table["islands"][0]["rows"]}
    else:
        assert f"% votes: verdicts of Ear, run {run.pk}, orders ab" in text
        assert "% units without a vote: 1, for the reply could not be read" in text


def test_api_gives_the_board_of_a_run_and_refuses_others_in_words(client: Client, campaign: Campaign) -> None:
    run = judge_says(campaign, {"ab": SAID})
    foreign = judge_says(make_arena(), {"ab": SAID}, title="Elsewhere")
    address = reverse("api:standing-list", args=[campaign.slug])

    found = client.get(address, {"by": by_run(run)})
    refused = client.get(address, {"by": by_run(foreign)})

    assert found.json()["table"] == with_details(table_of(campaign, run))
    assert (refused.status_code, "No run of this number" in refused.content.decode()) == (400, True)


@each("by", ["judge-0", "judge-", "judge-x", "judge-²", "judge-99999999999999999999", "foreign"], undo=True)
def test_unknown_run_is_not_found_and_the_page_says_so(client: Client, campaign: Campaign, by: str) -> None:
    if by == "foreign":
        by = by_run(judge_says(make_arena(), {"ab": SAID}))
    page = client.get(reverse("board", args=[campaign.slug]), {"by": by})

    assert page.status_code == 404
    assert "No run of this number judged pairs of this campaign." in page.content.decode()
    assert client.get(reverse("board-file", args=[campaign.slug, "csv"]), {"by": by}).status_code == 404
    asked = {"by": by, "one": "Aardwolf", "other": "Binturong"}
    assert client.get(reverse("board-units", args=[campaign.slug]), asked).status_code == 404
    assert client.post(reverse("board-lock", args=[campaign.slug]), {"by": by}).status_code == 400
    assert Standing.objects.count() == 0


@each("role", Role.values, undo=True)
def test_judges_board_is_for_those_who_see_the_board(client: Client, campaign: Campaign, role: str) -> None:
    run = judge_says(campaign, {"ab": SAID})
    person: User = make_member(campaign, role)
    client.force_login(person)
    asked = {"by": by_run(run), "one": "Aardwolf", "other": "Binturong"}

    found = [
        client.get(reverse("board", args=[campaign.slug]), asked).status_code,
        client.get(reverse("board-units", args=[campaign.slug]), asked).status_code,
        client.get(reverse("board-file", args=[campaign.slug, "json"]), asked).status_code,
    ]

    assert set(found) == ({200} if role != Role.ANNOTATOR else {403})


def test_names_stay_hidden_in_a_judges_board(client: Client, campaign: Campaign) -> None:
    run = judge_says(campaign, {"ab": SAID}, verdict={"reasoning": "because Aardwolf"})
    hide_names(campaign, user=campaign.created_by, settings=Settings("overall"))
    asked = {"by": by_run(run), "one": "A", "other": "B"}

    found = {
        form: client.get(reverse("board-file", args=[campaign.slug, form]), asked).content.decode()
        for form in ("csv", "json", "tex")
    }
    found["page"] = client.get(reverse("board", args=[campaign.slug]), asked).content.decode()
    found["api"] = client.get(reverse("api:standing-list", args=[campaign.slug]), asked).content.decode()

    assert [name for name, text in found.items() for system in SYSTEMS if system in text] == []
    assert "Units with a vote" in found["page"]
    named = asked | {"one": "Aardwolf", "other": "Binturong"}
    assert client.get(reverse("board-units", args=[campaign.slug]), named).status_code == 403


def test_judges_board_under_names_counts_as_one_that_had_shown_them(campaign: Campaign) -> None:
    refresh(campaign, settings_of(judge_says(campaign, {"ab": SAID})))

    assert hide_names(campaign, user=campaign.created_by, settings=Settings("overall")).names_were_shown


def test_standing_equals_the_rebuild_and_the_same_verdicts_are_one_row(campaign: Campaign) -> None:
    run = judge_says(campaign, {"ab": SAID, "ba": ("unparsed", *SAID[1:])})
    for settings in (settings_of(run), settings_of(run, method="elo"), settings_of(run, errors="bootstrap")):
        standing = refresh(campaign, settings)
        again = refresh(campaign, settings)

        assert standing
        standing.refresh_from_db()
        assert (again, standing.serial) == (standing, 1)
        assert rebuild(campaign, settings).equals(standing)
    assert all(it.equal for it in check_latest())


def test_refresh_without_anything_new_reads_no_verdict(campaign: Campaign) -> None:
    run = judge_says(campaign, {"ab": SAID})
    refresh(campaign, settings_of(run))

    with CaptureQueriesContext(connection) as queries:
        refresh(campaign, settings_of(run))

    assert not any("judges_verdictanswer" in it["sql"] for it in queries)


def test_run_at_work_again_has_no_board_until_it_is_done(client: Client, campaign: Campaign) -> None:
    run = judge_says(campaign, {"ab": ("a", "b", "a", "unparsed", "b", "a")})
    settings, address = settings_of(run), reverse("board", args=[campaign.slug])
    before = client.get(address, {"by": by_run(run)}, headers={"HX-Request": "true"}).content.decode()
    judge_again(run)

    refused = client.get(address, {"by": by_run(run)})
    fragment = client.get(address, {"by": by_run(run)}, headers={"HX-Request": "true"})
    refresh_watched()

    assert "being computed for the first time" in before
    assert refused.status_code == 404
    assert "this one is not: waiting for a worker." in html.unescape(refused.content.decode())
    assert fragment.status_code == 200
    assert 'id="no-run"' in fragment.content.decode()
    assert newest(campaign, settings) is None

    waiting = Verdict.objects.get(run=run, status="waiting")
    Verdict.objects.filter(pk=waiting.pk).update(status="ok", judged_at=timezone.now())
    VerdictAnswer.objects.create(verdict=waiting, aspect="overall", value="b")
    Run.objects.filter(pk=run.pk).update(status="done", finished_at=timezone.now())
    assert refresh_watched() == 1
    standing = newest(campaign, settings)
    assert standing
    assert (standing.n, standing.table["judged"]["left_out"]) == (6, [])


def test_standings_stay_while_a_run_is_at_work_again_and_move_when_it_is_done(campaign: Campaign) -> None:
    run = judge_says(campaign, {"ab": ("a", "b", "a", "unparsed", "b", "a")})
    settings = settings_of(run)
    refresh(campaign, settings)
    stamped = stamp(campaign, by_run(run))
    judge_again(run)
    assert stamp(campaign, by_run(run)) != stamped
    assert refresh(campaign, settings) == newest(campaign, settings)
    assert list(check_latest()) == []

    Verdict.objects.filter(run=run, status="waiting").update(status="refused", judged_at=timezone.now())
    Run.objects.filter(pk=run.pk).update(status="done", finished_at=timezone.now())
    after = refresh(campaign, settings)

    assert after
    assert (after.serial, after.n, read_reasons(after.table["judged"]["left_out"])) == (
        2,
        5,
        [["the model refused", 1]],
    )


def test_standing_that_knows_other_reasons_is_behind_and_not_wrong(campaign: Campaign) -> None:
    run = judge_says(campaign, {"ab": ("a", "b", "a", "unparsed", "b", "a")})
    refresh(campaign, settings_of(run))
    Verdict.objects.filter(run=run, status="unparsed").update(status="refused")

    (found,) = check_latest()

    assert (found.equal, found.behind) == (False, True)


def test_run_that_is_gone_leaves_its_standings_and_no_board(client: Client, campaign: Campaign) -> None:
    run = judge_says(campaign, {"ab": SAID})
    settings, by = settings_of(run), by_run(run)
    refresh(campaign, settings)
    run.delete()

    assert client.get(reverse("board", args=[campaign.slug]), {"by": by}).status_code == 404
    assert refresh(campaign, settings) == newest(campaign, settings)
    assert list(check_latest()) == []
    assert run_of(campaign, by) is None


def test_units_behind_a_cell_come_with_the_verdicts_and_their_reasons(client: Client, campaign: Campaign) -> None:
    run = judge_says(campaign, {"ab": SAID, "ba": ("b", *SAID[1:])}, verdict={"reasoning": "1 was <b>warmer</b>."})
    asked = {"by": by_run(run), "one": "Binturong", "other": "Aardwolf"}

    page = client.get(reverse("board-units", args=[campaign.slug]), asked).content.decode()

    words = html.unescape(" ".join(re.sub(r"<[^>]*>", " ", page).split()))
    assert page.count('<section class="panel voted"') == 1  # the other hangs on the order, and is no vote
    assert "The judge heard Aardwolf first: Aardwolf" in words
    assert "The judge heard Binturong first: Aardwolf" in words
    assert "1 was &lt;b&gt;warmer&lt;/b&gt;." in page
    last = run.verdicts.get(unit__key="1: Aardwolf Binturong", order="ba")
    assert reverse("run-verdict", args=[campaign.slug, run.pk, last.pk]) in page


def test_units_behind_a_cell_are_as_many_as_its_votes(client: Client, campaign: Campaign) -> None:
    run = judge_says(campaign, {"ab": ("a", "both_bad", "unparsed", "b", "both_good", "a")})
    address = reverse("board-units", args=[campaign.slug])

    found = {}
    for pair in table_of(campaign, run)["pairs"]:
        asked = {"by": by_run(run), "one": pair["one"], "other": pair["other"]}
        n = client.get(address, asked).content.decode().count('<section class="panel voted"')
        found[pair["one"], pair["other"]] = (n, pair["one_won"] + pair["other_won"] + pair["tied"])

    assert found == {
        ("Aardwolf", "Binturong"): (2, 2),
        ("Aardwolf", "Cacomistle"): (2, 2),
        ("Binturong", "Cacomistle"): (1, 1),
    }


def test_pages_take_the_same_number_of_queries_however_much_there_is(client: Client) -> None:
    def queries(items: int, runs: int) -> list[int]:
        campaign = make_arena(items=items)
        client.force_login(make_member(campaign, Role.RESEARCHER))
        made = [judge_says(campaign, {"ab": SAID[:3] * items}, title=f"J{n}") for n in range(runs)]
        asked = {"by": by_run(made[-1]), "one": "Aardwolf", "other": "Binturong"}
        counted = []
        for name in ("board", "board-units"):
            client.get(reverse(name, args=[campaign.slug]), asked)
            with CaptureQueriesContext(connection) as found:
                client.get(reverse(name, args=[campaign.slug]), asked)
            counted.append(len(found))
        return counted

    assert queries(1, 1) == queries(4, 3)


def test_judges_hear_clips_as_they_came_so_loudness_counts_at_equal_context(campaign: Campaign) -> None:
    Campaign.objects.update(target_lufs=-23.0)
    campaign.refresh_from_db()
    for place, row in enumerate(units_of(campaign)):
        for response, level in ((row.unit.a, -20.0 - place), (row.unit.b, -25.0)):
            clip = ClipFactory(seconds=2.0, integrated_lufs=level)
            response.turns.update_or_create(position=1, defaults={"clip": clip, "text": "one two"})
    people_say(campaign, SAID)
    once = judge_says(campaign, {"ab": SAID}, title="once")
    both = judge_says(campaign, {"ab": SAID, "ba": SAID}, title="both")

    def context(by: str) -> Any:
        return context_of(campaign, ballot(campaign, Selection("overall", by=by)))

    assert context("").unused["loudness"] == EQUALLY_LOUD
    assert "loudness" in context(by_run(once)).columns
    assert "first" in context(by_run(once)).columns
    assert context(by_run(both)).unused["first"] == BOTH_ORDERS


def test_run_cannot_be_a_board_where_nothing_compares() -> None:
    campaign = make_campaign(protocol="acr")
    judge_says(campaign, {"a": ("3", "4")})

    assert offer_of(campaign).runs == {}
    with pytest.raises(NoSuchBoard):
        offer_of(campaign).settings({"by": "judge-1"})


def test_names_of_runs_are_no_names_of_people() -> None:
    campaign = make_arena()
    run = judge_says(campaign, {"ab": SAID})
    person = make_member(campaign)

    assert is_run(by_run(run))
    assert not is_run(campaign.memberships.get(user=person).pseudonym)
