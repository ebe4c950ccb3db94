import json
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Event
from typing import Any

import pytest
from django.db import connection, transaction
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotation.answers.submit import NotHeard, record_answers
from annotation.listening.coverage import merged, share
from annotation.listening.reports import (
    ListeningRefused,
    Report,
    clip_seconds,
    log_of,
    read_reports,
    record_listening,
    still_to_hear,
)
from annotation.models import Assignment, ListeningLog
from protocols import Listening
from tests.cases import each
from tests.factories import DIRECT_ANSWERS, make_assignment, make_campaign, make_member

pytestmark = pytest.mark.django_db
EVERYTHING = {"0-1": [(0.0, 1.0)], "1-1": [(0.0, 1.0)], "2-1": [(0.0, 1.0)]}


@pytest.fixture
def assignment() -> Assignment:
    """A pair of one-second clips and a prompt of one second, reserved ten seconds ago, to be heard in full."""
    campaign = make_campaign(listening="full")
    return make_assignment(campaign, make_member(campaign), reserved_at=timezone.now() - timedelta(seconds=10))


def report(number: int = 1, ranges: dict[str, Any] | None = None, **fields: Any) -> Report:
    return Report(
        number, EVERYTHING if ranges is None else ranges, **({"plays": {}, "switches": 0, "hidden_s": 0.0} | fields)
    )


def add(assignment: Assignment, said: Report) -> ListeningLog:
    return record_listening(assignment.pk, annotator=assignment.annotator, reports=[said])


@pytest.mark.databases
def test_merged_ranges_are_sorted_and_do_not_touch() -> None:
    assert merged([(2.0, 3.0), (0.0, 1.0), (0.5, 1.5), (1.5, 1.8)]) == [(0.0, 1.8), (2.0, 3.0)]


@pytest.mark.databases
def test_merged_ranges_that_are_close_stay_apart() -> None:
    assert merged([(1.0, 2.0), (0.0, 0.999)]) == [(0.0, 0.999), (1.0, 2.0)]


@pytest.mark.databases
def test_share_counts_a_second_once_however_often_it_was_heard() -> None:
    assert share([(0.0, 1.0), (0.0, 1.0), (3.0, 9.0)], 4.0) == 0.5


def test_answer_is_refused_until_every_clip_was_heard(assignment: Assignment) -> None:
    add(assignment, report(ranges={"0-1": [(0.0, 1.0)], "2-1": [(0.0, 0.5)]}))

    with pytest.raises(NotHeard) as refusal:
        record_answers(assignment.pk, annotator=assignment.annotator, clicked=DIRECT_ANSWERS, idempotency_key="k")

    assert refusal.value.clips == ["1-1", "2-1"]


def test_answer_is_taken_once_every_clip_was_heard_in_pieces(assignment: Assignment) -> None:
    add(assignment, report(1, {"0-1": [(0.0, 1.0)], "1-1": [(0.0, 1.0)], "2-1": [(0.4, 1.0)]}))
    add(assignment, report(2, {"2-1": [(0.0, 0.41)]}))

    said = record_answers(assignment.pk, annotator=assignment.annotator, clicked=DIRECT_ANSWERS, idempotency_key="k")

    assert {clip: heard["coverage"] for clip, heard in said.listening["clips"].items()} == {
        "prompt-1": 1.0,
        "a-1": 1.0,
        "b-1": 1.0,
    }


@pytest.mark.parametrize(
    ("rule", "missing"),
    [(Listening("none"), []), (Listening("seconds", 0.5), ["2-1"]), (Listening("full"), ["1-1", "2-1"])],
)
def test_still_to_hear_follows_the_rule(assignment: Assignment, rule: Listening, missing: list[str]) -> None:
    add(assignment, report(ranges={"0-1": [(0.0, 1.0)], "1-1": [(0.0, 0.5)], "2-1": [(0.0, 0.1)]}))

    assert still_to_hear(log_of(assignment), rule, durations=clip_seconds(assignment)) == missing


@pytest.mark.databases
def test_report_faster_than_time_allows_is_refused_and_leaves_nothing(assignment: Assignment) -> None:
    Assignment.objects.update(reserved_at=timezone.now())

    with pytest.raises(ListeningRefused, match="than time has passed"):
        add(assignment, report())

    assert not ListeningLog.objects.exists()


def test_reports_that_add_up_to_more_than_time_are_refused(assignment: Assignment) -> None:
    for number in range(1, 5):
        add(assignment, report(number))

    with pytest.raises(ListeningRefused, match="than time has passed"):
        add(assignment, report(5))


def test_report_that_arrives_twice_counts_once(assignment: Assignment) -> None:
    add(assignment, report(7))

    assert add(assignment, report(7)).played_s == 3.0


def test_report_of_a_clip_that_is_not_there_is_refused(assignment: Assignment) -> None:
    with pytest.raises(ListeningRefused, match="no clip 3-1"):
        add(assignment, report(ranges={"3-1": [(0.0, 1.0)]}))


@pytest.mark.databases
def test_report_after_the_answer_changes_nothing(assignment: Assignment) -> None:
    Assignment.objects.update(status="answered")

    assert add(assignment, report()).clips == {}


def test_replays_switches_and_hidden_time_only_grow(assignment: Assignment) -> None:
    add(assignment, report(1, {}, plays={"1-1": 3}, switches=5, hidden_s=2.0))

    log = add(assignment, report(2, {}, plays={"1-1": 1}, switches=2, hidden_s=0.5))

    assert (log.clips["1-1"]["plays"], log.switches, log.hidden_s) == (3, 5, 2.0)


@pytest.mark.databases
@each(
    "text",
    [
        "",
        "5",
        "[5]",
        "[" + ", ".join(["{}"] * 101) + "]",
        '[{"number": 1}]',
        '[{"number": 1, "ranges": {"1-1": [[1, 0]]}, "plays": {}, "switches": 0, "hidden_s": 0}]',
        '[{"number": 1, "ranges": {"1-1": [[-1, 0]]}, "plays": {}, "switches": 0, "hidden_s": 0}]',
        '[{"number": 1, "ranges": {"1-1": [[0, NaN]]}, "plays": {}, "switches": 0, "hidden_s": 0}]',
        '[{"number": 1, "ranges": {"1-1": [[0, Infinity]]}, "plays": {}, "switches": 0, "hidden_s": 0}]',
        '[{"number": 1, "ranges": {"1-1": 5}, "plays": {}, "switches": 0, "hidden_s": 0}]',
        '[{"number": "x", "ranges": {}, "plays": {}, "switches": 0, "hidden_s": 0}]',
        "[" * 100_000,
    ],
    undo=True,
)
def test_anything_else_is_no_report(text: str) -> None:
    with pytest.raises(ListeningRefused):
        read_reports(text)


def test_page_reports_and_then_answers(client: Client, assignment: Assignment) -> None:
    client.force_login(assignment.annotator)
    slug = assignment.campaign.slug
    said = {"number": 1, "ranges": {"1-1": [[0, 1]]}, "plays": {"1-1": 1}, "switches": 0, "hidden_s": 0}
    rest = said | {"number": 2, "ranges": {"0-1": [[0, 1]], "2-1": [[0, 1]]}}
    answer = reverse("answer", args=[slug, assignment.pk])

    heard = client.post(reverse("heard", args=[slug, assignment.pk]), {"heard": json.dumps([said])})
    too_early = client.post(answer, DIRECT_ANSWERS, headers={"HX-Request": "true"})
    taken = client.post(answer, DIRECT_ANSWERS | {"heard": json.dumps([rest])}, headers={"HX-Request": "true"})

    assert (heard.status_code, too_early.status_code, taken.status_code) == (204, 422, 200)
    assert "Listen to as much of response 2 as this campaign requires." in too_early.content.decode()


def test_reports_that_come_again_are_counted_once(assignment: Assignment) -> None:
    first, second = report(1, {"1-1": [(0.0, 1.0)]}), report(2, {"1-1": [(0.0, 1.0)]})
    record_listening(assignment.pk, annotator=assignment.annotator, reports=[first])

    log = record_listening(assignment.pk, annotator=assignment.annotator, reports=[second, first])

    assert log.played_s == 2.0


def test_one_false_report_among_several_leaves_none(assignment: Assignment) -> None:
    reports = [report(1, {"1-1": [(0.0, 1.0)]}), report(2, {"1-1": [(0.0, 99.0)]})]

    with pytest.raises(ListeningRefused):
        record_listening(assignment.pk, annotator=assignment.annotator, reports=reports)

    assert not ListeningLog.objects.exists()


@pytest.mark.databases
def test_page_that_claims_too_much_is_told_so(client: Client, assignment: Assignment) -> None:
    client.force_login(assignment.annotator)
    said = {"number": 1, "ranges": {"1-1": [[0, 99]]}, "plays": {}, "switches": 0, "hidden_s": 0}

    response = client.post(
        reverse("heard", args=[assignment.campaign.slug, assignment.pk]), {"heard": json.dumps([said])}
    )

    assert (response.status_code, response.content) == (422, b"More was reported as played than time has passed.")


def test_page_knows_after_a_reload_what_was_heard(client: Client, assignment: Assignment) -> None:
    add(assignment, report(ranges={"1-1": [(0.0, 0.75)]}))
    client.force_login(assignment.annotator)

    page = client.get(reverse("label", args=[assignment.campaign.slug]))

    assert page.context["screen"].heard == '{"1-1": [[0.0, 0.75]]}'


@pytest.mark.skipif(connection.vendor == "sqlite", reason="SQLite lets one writer in at a time, and locks no rows")
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("n_before", [0, 1])
def test_reports_that_arrive_at_once_are_all_credited(assignment: Assignment, n_before: int) -> None:
    """The second waits for the first one's lock, and adds to what the first has kept; so with the very first two."""
    for number in range(1, n_before + 1):
        add(assignment, report(number, {"0-1": [(0.0, 0.1)]}))
    kept = Event()

    def add_slowly() -> None:
        try:
            with transaction.atomic():
                add(assignment, report(10, {"1-1": [(0.0, 1.0)]}))
                kept.set()
                time.sleep(0.5)  # until the second one stands before the lock
        finally:
            connection.close()

    def add_second() -> None:
        try:
            kept.wait(10)
            add(assignment, report(11, {"2-1": [(0.0, 1.0)]}))
        finally:
            connection.close()

    with ThreadPoolExecutor(2) as pool:
        for done in [pool.submit(add_slowly), pool.submit(add_second)]:
            done.result()

    log = ListeningLog.objects.get(assignment=assignment)
    assert (log.clips["1-1"]["ranges"], log.clips["2-1"]["ranges"]) == ([[0.0, 1.0]], [[0.0, 1.0]])
    assert log.number == 11
