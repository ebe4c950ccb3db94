"""Standings: one row for one state of the votes, made by one worker, equal to the rebuild."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from io import StringIO
from threading import Barrier

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from annotation.models import Annotation, Reason, VoteChange
from annotation.review.exclusions import Decider, exclude_answers, include_answers
from arena.models import Board, Standing
from arena.standings.choices import Settings
from arena.standings.refresh import WATCHED, newest, rebuild, refresh, refresh_watched, watch
from arena.tasks import check_standings_task
from campaigns.models import Campaign
from tests.arena.voting import make_arena, vote
from tests.factories import make_member

pytestmark = pytest.mark.django_db
OVERALL = Settings("overall")
RULE = Decider(rule="too fast")


@pytest.fixture
def campaign() -> Campaign:
    campaign = make_arena()
    vote(campaign, "Aardwolf", "Binturong", "1")
    vote(campaign, "Binturong", "Cacomistle", "2")
    return campaign


def serials() -> list[tuple[int, int]]:
    return list(Standing.objects.order_by("serial").values_list("serial", "n"))


def test_refresh_of_the_same_votes_makes_one_row(campaign: Campaign) -> None:
    first, second = refresh(campaign, OVERALL), refresh(campaign, OVERALL)

    assert first == second
    assert serials() == [(1, 2)]


def test_refresh_without_anything_new_counts_nothing(campaign: Campaign) -> None:
    refresh(campaign, OVERALL)

    with CaptureQueriesContext(connection) as queries:
        refresh(campaign, OVERALL)

    assert not any("GROUP BY" in query["sql"] for query in queries)


def test_vote_that_commits_late_with_an_earlier_key_is_not_overlooked(campaign: Campaign) -> None:
    late = Annotation.objects.earliest("pk")
    kept = [late, late.answers.get(), late.vote_changes.get()]
    Annotation.objects.filter(pk=late.pk).delete()
    refresh(campaign, OVERALL)
    for row in kept:
        row.save(force_insert=True)

    refresh(campaign, OVERALL)

    assert serials() == [(1, 1), (2, 2)]


def test_refresh_after_a_vote_makes_another_row(campaign: Campaign) -> None:
    refresh(campaign, OVERALL)
    vote(campaign, "Aardwolf", "Cacomistle", "both_bad")

    refresh(campaign, OVERALL)

    assert serials() == [(1, 2), (2, 3)]


@pytest.mark.databases
def test_votes_as_they_were_before_are_a_row_again(campaign: Campaign) -> None:
    assignment = vote(campaign, "Aardwolf", "Cacomistle", "1")
    refresh(campaign, OVERALL)
    exclude_answers([assignment], reason=Reason.SPEED, decider=RULE)
    refresh(campaign, OVERALL)
    include_answers([assignment], decider=RULE)

    refresh(campaign, OVERALL)

    assert serials() == [(1, 3), (2, 2), (3, 3)]
    assert newest(campaign, OVERALL).table == Standing.objects.get(serial=1).table


def test_other_settings_are_another_board(campaign: Campaign) -> None:
    refresh(campaign, OVERALL)
    refresh(campaign, Settings("overall", ties="decisive"))

    assert serials() == [(1, 2), (1, 2)]
    assert Board.objects.count() == 2


def test_a_decision_that_changes_nothing_here_makes_no_row(campaign: Campaign) -> None:
    settings = Settings("overall", excluded=True)
    refresh(campaign, settings)
    exclude_answers(campaign.assignments.all()[:1], reason=Reason.SPEED, decider=RULE)

    refresh(campaign, settings)

    assert serials() == [(1, 2)]


@pytest.mark.databases
def test_a_new_version_of_the_method_makes_a_row(campaign: Campaign) -> None:
    refresh(campaign, OVERALL)
    Standing.objects.update(version="0")

    refresh(campaign, OVERALL)

    assert serials() == [(1, 2), (2, 2)]


@pytest.mark.databases
def test_standing_equals_the_rebuild_bit_by_bit(campaign: Campaign) -> None:
    standing = refresh(campaign, OVERALL)
    standing.refresh_from_db()

    assert rebuild(campaign, OVERALL).equals(standing)


def test_resampled_voters_come_out_the_same_at_a_rebuild(campaign: Campaign) -> None:
    people = [make_member(campaign) for _ in range(6)]
    for n, person in enumerate(people):
        vote(campaign, "Aardwolf", "Binturong", "1" if n % 3 else "2", by=person)
        vote(campaign, "Aardwolf", "Cacomistle", "2" if n % 3 else "1", by=person)
        vote(campaign, "Binturong", "Cacomistle", "1" if n % 2 else "2", by=person)
    settings = Settings("overall", errors="cluster_bootstrap")
    standing = refresh(campaign, settings)
    standing.refresh_from_db()

    assert rebuild(campaign, settings).equals(standing)
    assert standing.settings["errors"] == "cluster_bootstrap"
    assert all(row["rating"]["low"] is not None for row in standing.table["islands"][0]["rows"])
    call_command("rebuild_standings", "--check", stdout=StringIO())


@pytest.mark.databases
def test_while_another_worker_is_at_it_the_standing_before_is_taken(campaign: Campaign) -> None:
    before = refresh(campaign, OVERALL)
    vote(campaign, "Aardwolf", "Cacomistle", "1")
    Board.objects.update(claimed_until=timezone.now() + timedelta(minutes=1))

    assert refresh(campaign, OVERALL) == before
    assert serials() == [(1, 2)]


def test_work_that_was_abandoned_is_taken_over(campaign: Campaign) -> None:
    refresh(campaign, OVERALL)
    vote(campaign, "Aardwolf", "Cacomistle", "1")
    Board.objects.update(claimed_until=timezone.now() - timedelta(seconds=1))

    refresh(campaign, OVERALL)

    assert serials() == [(1, 2), (2, 3)]


def test_boards_are_refreshed_while_somebody_watches(campaign: Campaign) -> None:
    watch(campaign, OVERALL)

    assert refresh_watched() == 1
    assert serials() == [(1, 2)]


@pytest.mark.databases
def test_boards_that_nobody_watches_are_left_alone(campaign: Campaign) -> None:
    watch(campaign, OVERALL)
    Board.objects.update(asked_at=timezone.now() - WATCHED)

    assert refresh_watched() == 0
    assert serials() == []


def test_asking_again_keeps_a_board_watched(campaign: Campaign) -> None:
    watch(campaign, OVERALL)
    Board.objects.update(asked_at=timezone.now() - WATCHED)

    watch(campaign, OVERALL)

    assert refresh_watched() == 1


def test_news_is_announced_once_for_each_new_standing(campaign: Campaign, monkeypatch: pytest.MonkeyPatch) -> None:
    heard: list[str] = []
    monkeypatch.setattr("arena.standings.refresh.announce", heard.append)

    refresh(campaign, OVERALL)
    refresh(campaign, OVERALL)

    assert heard == [f"standing:campaign-{campaign.pk}"]


def check() -> str:
    out = StringIO()
    call_command("rebuild_standings", "--check", stdout=out)
    return out.getvalue().split(":")[0]


def test_check_finds_nothing_where_everything_is_equal(campaign: Campaign) -> None:
    refresh(campaign, OVERALL)

    assert check() == "equal"
    assert check_standings_task() == 0


def test_check_names_a_standing_that_is_behind_and_lets_it_pass(campaign: Campaign) -> None:
    refresh(campaign, OVERALL)
    vote(campaign, "Aardwolf", "Cacomistle", "1")

    assert check() == "behind"


@pytest.mark.databases
def test_check_fails_where_a_standing_is_not_what_its_votes_give(
    campaign: Campaign, caplog: pytest.LogCaptureFixture
) -> None:
    standing = refresh(campaign, OVERALL)
    standing.table["islands"][0]["rows"][0]["rating"]["value"] += 1e-8
    standing.save()

    with pytest.raises(CommandError, match="1 of 1 standings are not what their votes give"):
        check()
    assert check_standings_task() == 1
    assert [record.levelname for record in caplog.records] == ["CRITICAL"]


@pytest.mark.databases
def test_check_fails_where_a_vote_was_not_counted_and_a_rebuild_mends_it(
    campaign: Campaign, caplog: pytest.LogCaptureFixture
) -> None:
    VoteChange.objects.filter(annotation=Annotation.objects.latest("pk")).delete()
    refresh(campaign, OVERALL)

    with pytest.raises(CommandError, match="kept counts of 1 campaigns"):
        check()
    check_standings_task()
    assert [record.levelname for record in caplog.records] == ["CRITICAL"]
    out = StringIO()
    call_command("rebuild_standings", stdout=out)

    assert "COUNTS WRONG: Which one?: 1 votes" in out.getvalue()
    assert refresh(campaign, OVERALL).n == 2
    assert check() == "equal"


@pytest.mark.databases
def test_rebuild_appends_what_the_votes_give(campaign: Campaign) -> None:
    standing = refresh(campaign, OVERALL)
    Standing.objects.update(counts_sha256="damaged")

    call_command("rebuild_standings", stdout=StringIO())

    assert check() == "equal"
    assert serials() == [(1, 2), (2, 2)]
    assert newest(campaign, OVERALL).table == standing.table


@pytest.mark.django_db(transaction=True)
def test_workers_that_refresh_at_once_make_one_row(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("infrastructure.live.announcements._sender.add", lambda *_: None)
    campaign = make_arena()
    vote(campaign, "Aardwolf", "Binturong", "1")
    together = Barrier(4)

    def work(_: int) -> None:
        together.wait()
        try:
            refresh(campaign, OVERALL)
        finally:
            connection.close()

    with ThreadPoolExecutor(4) as workers:
        list(workers.map(work, range(4)))

    assert serials() == [(1, 1)]
    assert rebuild(campaign, OVERALL).equals(newest(campaign, OVERALL))
