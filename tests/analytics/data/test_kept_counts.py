"""Kept counts and kept votes: the same as those from the answers, at any moment, whatever happened in what order."""

import random
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import Event

import numpy as np
import pytest
from django.db import connection, transaction
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from analytics.data.votes import cache
from analytics.data.votes.cache import kept_ballot
from analytics.data.votes.counts import faults, folded, repair
from analytics.data.votes.table import Selection, ballot, counted_anew, tally
from analytics.models import VoteCount
from annotation.answers.submit import record_answers
from annotation.answers.vote_log import note_votes
from annotation.models import Answer, Assignment, Reason, VoteChange
from annotation.review.exclusions import Decider, exclude_answers
from campaigns.models import Campaign
from tests.arena.test_standings_property import Happenings
from tests.arena.voting import make_arena, vote
from tests.factories import make_assignment, make_member

pytestmark = pytest.mark.django_db
OVERALL = Selection("overall")
SELECTIONS = (OVERALL, Selection("overall", with_excluded=True), Selection("overall", category="music"))
RULE = Decider(rule="too fast")


@pytest.fixture(autouse=True)
def nothing_kept() -> Iterator[None]:
    cache.forget()
    yield
    cache.forget()


def assert_kept_is_true(campaign: Campaign, *selections: Selection) -> None:
    for selection in selections or SELECTIONS:
        assert np.array_equal(tally(campaign, selection).counts.table, counted_anew(campaign, selection).table)
        assert kept_ballot(campaign, selection).digest() == ballot(campaign, selection).digest()


@pytest.mark.databases
@given(
    actions=st.lists(
        st.sampled_from(
            ["vote", "vote", "vote", "change_of_mind", "exclusion", "inclusion", "withdrawal", "fold", "rollback"]
        ),
        max_size=30,
    ),
    seed=st.integers(0, 2**16),
)
@hypothesis_settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
def test_counts_are_those_of_the_answers_after_every_action(actions: list[str], seed: int) -> None:
    campaign = make_arena(items=3, categories=["speech", "music"])
    happen = Happenings(campaign, random.Random(seed))

    for action in actions:
        if action == "fold":
            folded(campaign)
        elif action == "rollback":
            with transaction.atomic():
                happen.vote()
                assert_kept_is_true(campaign)
                transaction.set_rollback(True)
        else:
            getattr(happen, action)()
        selection = happen.rng.choice(SELECTIONS)
        assert np.array_equal(tally(campaign, selection).counts.table, counted_anew(campaign, selection).table)

    assert_kept_is_true(campaign, *SELECTIONS, *(Selection("overall", by=f"A{it.pk}") for it in happen.voters[:2]))
    assert not faults(campaign)


@pytest.mark.databases
def test_change_of_an_answer_is_one_that_goes_and_one_that_comes() -> None:
    campaign = make_arena()
    assignment = vote(campaign, "Aardwolf", "Binturong", "1")
    Assignment.objects.filter(pk=assignment.pk).update(reopened_at=assignment.shown_at)

    record_answers(assignment.pk, annotator=assignment.annotator, clicked={"overall": "2"}, idempotency_key="l")

    assert list(VoteChange.objects.order_by("pk").values_list("value", "change")) == [("a", 1), ("a", -1), ("b", 1)]


def test_votes_of_the_same_answers_are_noted_once() -> None:
    assignment = vote(make_arena(), "Aardwolf", "Binturong", "1")

    assert note_votes([assignment.pk]) == 0
    assert VoteChange.objects.count() == 1


@pytest.mark.databases
def test_answers_to_checks_are_no_votes() -> None:
    campaign = make_arena()
    campaign.campaign_units.update(purpose="gold")
    voter = make_member(campaign)
    assignment = make_assignment(campaign, voter)

    record_answers(assignment.pk, annotator=voter, clicked={"overall": "1"}, idempotency_key="k")

    assert VoteChange.objects.count() == 0


def test_fold_that_was_rolled_back_is_not_taken_for_another() -> None:
    campaign = make_arena()
    vote(campaign, "Aardwolf", "Binturong", "1")
    with transaction.atomic():
        vote(campaign, "Aardwolf", "Cacomistle", "1")
        kept_ballot(campaign, OVERALL)
        transaction.set_rollback(True)

    vote(campaign, "Binturong", "Cacomistle", "2")

    assert_kept_is_true(campaign, OVERALL)


@pytest.mark.databases
def test_changes_that_bypass_the_log_are_found_and_repaired() -> None:
    campaign = make_arena()
    assignments = [vote(campaign, "Aardwolf", "Binturong", "1") for _ in range(3)]
    folded(campaign)
    VoteChange.objects.filter(annotation__assignment=assignments[0]).delete()
    Answer.objects.filter(annotation__assignment=assignments[1]).update(value="b")
    VoteCount.objects.update(n=7)

    assert (faults(campaign).votes, faults(campaign).counts) == (2, 1)
    repair(campaign)

    assert not faults(campaign)
    assert_kept_is_true(campaign, OVERALL)


@pytest.mark.databases
def test_category_that_was_put_right_is_followed_by_a_repair() -> None:
    campaign = make_arena(categories=["speech"])
    vote(campaign, "Aardwolf", "Binturong", "1")
    assert_kept_is_true(campaign)
    campaign.dataset.items.update(category="music")

    repair(campaign)

    assert_kept_is_true(campaign)


def test_nothing_is_wrong_after_changes_through_the_log() -> None:
    campaign = make_arena()
    exclude_answers([vote(campaign, "Aardwolf", "Binturong", "1")], reason=Reason.SPEED, decider=RULE)

    assert not faults(campaign)
    assert not repair(campaign)


@pytest.mark.django_db(transaction=True)
@pytest.mark.skipif(connection.vendor == "sqlite", reason="SQLite has one writer at a time")
def test_vote_that_commits_after_a_later_one_was_counted_is_not_skipped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("infrastructure.live.announcements._sender.add", lambda *_: None)
    campaign = make_arena()
    written, counted = Event(), Event()

    def slow() -> None:
        try:
            with transaction.atomic():
                vote(campaign, "Aardwolf", "Binturong", "1")
                written.set()
                assert counted.wait(20)
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as workers:
        running = workers.submit(slow)
        assert written.wait(20)
        vote(campaign, "Aardwolf", "Cacomistle", "2")
        assert kept_ballot(campaign, OVERALL).votes.outcome.tolist() == [1]
        counted.set()
        running.result()

    early, late = VoteChange.objects.order_by("pk").values_list("fold", flat=True)
    assert (early, late is None) == (None, False)
    assert_kept_is_true(campaign, OVERALL)
    assert tally(campaign, OVERALL).counts.n == 2


@pytest.mark.django_db(transaction=True)
def test_votes_of_many_at_once_are_each_counted_once_while_others_fold(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("infrastructure.live.announcements._sender.add", lambda *_: None)
    campaign = make_arena(items=6)
    voters = [make_member(campaign) for _ in range(4)]
    seen: list[int] = []

    def votes(number: int) -> None:
        rng = random.Random(number)
        try:
            for unit in rng.sample(list(campaign.campaign_units.all()), 8):
                own = make_assignment(campaign, voters[number], campaign_unit=unit, seat=number + 1)
                said = rng.choice(["1", "2", "both_good"])
                record_answers(own.pk, annotator=voters[number], clicked={"overall": said}, idempotency_key="k")
                if rng.random() < 0.3:
                    exclude_answers([own], reason=Reason.SPEED, decider=RULE)
        finally:
            connection.close()

    def folds(_: int) -> None:
        try:
            for _times in range(15):
                seen.append(kept_ballot(campaign, Selection("overall", with_excluded=True)).votes.outcome.size)
        finally:
            connection.close()

    with ThreadPoolExecutor(6) as workers:
        jobs = [workers.submit(votes, number) for number in range(4)] + [workers.submit(folds, n) for n in range(2)]
        for job in jobs:
            job.result()

    assert tally(campaign, Selection("overall", with_excluded=True)).counts.n == 32
    assert_kept_is_true(campaign)
    assert not faults(campaign)
