"""Whatever is reported in whatever order: no more is credited than the time that passed, nor than a clip's length."""

import json
import math
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from rest_framework.test import APIClient

from annotation.listening.coverage import Credit, MoreThanTime, credited, seconds
from annotation.models import Annotation, Assignment, ListeningLog
from tests.api.callers import caller
from tests.cases import each
from tests.factories import DIRECT_ANSWERS, make_assignment, make_campaign, make_member

CLIPS = ("0-1", "1-1", "2-1")
DURATIONS = {"0-1": 1.0, "1-1": 3.25, "2-1": 0.4}
#: Sums of numbers with a fraction are not exact.
ROUNDING_S = 1e-6
#: Parts of a clip that a player never reports, and that once counted for more than was played.
ATTACKS = {
    "gaps that were joined": [[k * 0.049, k * 0.049] for k in range(30)],
    "parts beyond the end": [[5000, 5000.9]],
    "many short parts with gaps": [[k * 0.05, k * 0.05 + 0.001] for k in range(30)],
}

edges = st.one_of(
    st.floats(0, 4),
    st.sampled_from([0.0, 0.049, 0.05, 0.4, 1.0, 3.25, 3.3]),
    st.floats(allow_nan=True, allow_infinity=True),
    st.integers(-(10**30), 10**30),
)
honest_edges = st.floats(0, 6, allow_nan=False)


def parts_of(bounds: st.SearchStrategy[Any]) -> st.SearchStrategy[list[Any]]:
    tiny_gaps = st.builds(
        lambda start, step, n, length: [[start + k * step, start + k * step + length] for k in range(n)],
        st.floats(0, 1), st.floats(0.001, 0.06), st.integers(1, 60), st.floats(0, 0.01),
    )  # fmt: skip
    some = st.lists(st.tuples(bounds, bounds).map(list), max_size=8)
    return st.one_of(some, some.map(lambda parts: [sorted(part) for part in parts]), tiny_gaps)


def ranges_of(bounds: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, list[Any]]]:
    return st.dictionaries(st.sampled_from(CLIPS), parts_of(bounds), max_size=3)


def assert_within(credit: Credit, *, passed_s: float, durations: dict[str, float]) -> None:
    heard = {clip: seconds(parts) for clip, parts in credit.ranges.items()}
    assert credit.played_s <= passed_s + ROUNDING_S
    assert sum(heard.values()) <= credit.played_s + ROUNDING_S
    for clip, parts in credit.ranges.items():
        assert all(0 <= start <= end <= durations[clip] for start, end in parts)
        assert heard[clip] <= durations[clip] + ROUNDING_S


@given(steps=st.lists(st.tuples(st.floats(0, 3), ranges_of(edges)), max_size=12))
@settings(max_examples=300)
def test_credit_never_exceeds_the_time_that_passed_nor_a_clip(steps: list[tuple[float, dict[str, Any]]]) -> None:
    credit, passed_s = Credit(), 0.0
    for pause_s, ranges in steps:
        passed_s += pause_s
        try:
            credit = credited(credit, ranges, durations=DURATIONS, passed_s=passed_s)
        except (MoreThanTime, ValueError):
            continue
        assert_within(credit, passed_s=passed_s, durations=DURATIONS)


@given(
    plays=st.lists(st.tuples(st.sampled_from(CLIPS), st.floats(0, 1), st.floats(0, 1), st.floats(0, 2)), max_size=20),
    batch=st.integers(1, 5),
)
def test_honest_listener_is_credited_with_all_that_was_played(
    plays: list[tuple[str, float, float, float]], batch: int
) -> None:
    """One clip at a time, from anywhere to anywhere, with pauses; reported late and several at once."""
    credit, passed_s, waiting, heard = Credit(), 0.0, [], {clip: [] for clip in CLIPS}  # type: ignore[var-annotated]
    for n, (clip, one, other, pause_s) in enumerate(plays, start=1):
        low, high = sorted((one, other))
        part = (low * DURATIONS[clip], high * DURATIONS[clip])
        passed_s += part[1] - part[0] + pause_s
        waiting.append({clip: [part]})
        heard[clip].append(part)
        if n % batch == 0 or n == len(plays):
            for report in waiting:
                credit = credited(credit, report, durations=DURATIONS, passed_s=passed_s)
            waiting.clear()
    for clip in CLIPS:
        assert math.isclose(seconds(credit.ranges.get(clip, ())), seconds(heard[clip]), abs_tol=ROUNDING_S)


@each("parts", ATTACKS.values())
def test_credit_of_an_attack_is_what_was_played(parts: list[Any]) -> None:
    played = sum(end - start for start, end in parts if start < DURATIONS["1-1"])

    credit = credited(Credit(), {"1-1": parts}, durations=DURATIONS, passed_s=100.0)

    assert math.isclose(seconds(credit.ranges["1-1"]), played, abs_tol=ROUNDING_S)


def test_clips_of_a_unit_share_the_time_that_passed() -> None:
    credit = credited(Credit(), {"0-1": [(0, 1)], "1-1": [(0, 3)]}, durations=DURATIONS, passed_s=2.5)

    assert {clip: seconds(parts) for clip, parts in credit.ranges.items()} == {"0-1": 1.0, "1-1": 1.5}


def test_claim_of_much_more_than_time_is_refused() -> None:
    with pytest.raises(MoreThanTime):
        credited(Credit(), {"1-1": [(0, 3)]}, durations=DURATIONS, passed_s=0.5)


@pytest.fixture
def assignment(db: None) -> Assignment:
    """A pair and a prompt of a second each, to be heard in full."""
    campaign = make_campaign(listening="full")
    return make_assignment(campaign, make_member(campaign))


class Sender:
    """An annotator who sends whatever they like, by the page and by the API."""

    def __init__(self, assignment: Assignment) -> None:
        self.assignment, self.slug = assignment, assignment.campaign.slug
        self.page = Client()
        self.page.force_login(assignment.annotator)
        self.api: APIClient = caller(assignment.annotator, ["annotate"])
        self.numbers: Iterator[int] = iter(range(1, 10_000))

    def report(self, ranges: Any, **fields: Any) -> dict[str, Any]:
        return {"number": next(self.numbers), "ranges": ranges, "plays": {}, "switches": 0, "hidden_s": 0} | fields

    def send(self, way: str, reports: list[dict[str, Any]]) -> int:
        """The status of the reply: 500 is raised."""
        of_page = [self.slug, self.assignment.pk]
        of_api = f"/api/v1/label/{self.slug}/assignments/{self.assignment.pk}/"
        text = json.dumps(reports)
        page = {"heard": text}
        if way == "page, heard":
            return self.page.post(reverse("heard", args=of_page), page).status_code
        if way == "page, answer":
            htmx = {"HX-Request": "true"}
            return self.page.post(reverse("answer", args=of_page), DIRECT_ANSWERS | page, headers=htmx).status_code
        if way == "API, heard":
            body = f'{{"reports": {text}}}'
            return int(self.api.post(of_api + "heard/", body, content_type="application/json").status_code)
        body = f'{{"reports": {text}, "answers": {json.dumps(DIRECT_ANSWERS)}}}'
        return int(self.api.post(of_api + "answers/", body, content_type="application/json").status_code)


WAYS = ("page, heard", "page, answer", "API, heard", "API, answers")


@each("way", ["page, answer", "API, answers"], undo=True)
@each("parts", ATTACKS.values(), undo=True)
def test_attack_is_answered_with_what_is_still_to_hear(assignment: Assignment, way: str, parts: list[Any]) -> None:
    Assignment.objects.update(reserved_at=timezone.now() - timedelta(seconds=1))
    sender = Sender(assignment)

    status = sender.send(way, [sender.report(dict.fromkeys(CLIPS, parts))])

    assert status == 422
    assert not Annotation.objects.exists()


@pytest.mark.parametrize("way", ["page, answer", "API, answers"])
def test_everything_claimed_at_once_is_not_heard_before_so_much_time_passed(assignment: Assignment, way: str) -> None:
    sender, everything = Sender(assignment), {clip: [[0, 1]] for clip in CLIPS}
    reported = []
    for seconds_ago in (0.0, 1.5, 4.0):
        ListeningLog.objects.all().delete()
        Assignment.objects.update(reserved_at=timezone.now() - timedelta(seconds=seconds_ago))
        reported.append(sender.send(way, [sender.report(everything)]))

    assert reported[:2] == [422, 422]
    assert reported[2] in {200, 201}


@given(
    sent=st.lists(
        st.tuples(st.sampled_from(WAYS), st.lists(ranges_of(st.one_of(honest_edges, edges)), max_size=3)), max_size=6
    ),
    ago_s=st.floats(0, 5),
)
@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
def test_whatever_is_sent_no_more_is_credited_than_time_passed(
    assignment: Assignment, sent: list[tuple[str, list[dict[str, Any]]]], ago_s: float
) -> None:
    Annotation.objects.all().delete()
    ListeningLog.objects.all().delete()
    since = timezone.now() - timedelta(seconds=ago_s)
    Assignment.objects.update(reserved_at=since, status="reserved")
    sender = Sender(assignment)
    for way, reports in sent:
        status = sender.send(way, [sender.report(ranges) for ranges in reports])
        assert status in {200, 201, 204, 400, 409, 422}
        if log := ListeningLog.objects.first():
            credit = Credit({clip: known["ranges"] for clip, known in log.clips.items()}, log.played_s)
            passed_s = (timezone.now() - since).total_seconds()
            assert_within(credit, passed_s=passed_s, durations=dict.fromkeys(CLIPS, 1.0))
            heard = sum(seconds(parts) for parts in credit.ranges.values())
            assert not Annotation.objects.exists() or heard >= 3 * 0.7


OUT_OF_BOUNDS = [
    {"number": 2**63},
    {"number": 10**400},
    {"number": 0},
    {"number": -1},
    {"number": 1.5},
    {"number": True},
    {"switches": 2**31},
    {"switches": -1},
    {"switches": 10**400},
    {"plays": {"1-1": 10**400}},
    {"plays": {"1-1": -1}},
    {"hidden_s": 1e308},
    {"hidden_s": -1e308},
    {"hidden_s": math.nan},
    {"hidden_s": math.inf},
    {"hidden_s": 10**400},
    {"ranges": {"1-1": [[0, math.nan]]}},
    {"ranges": {"1-1": [[0, 10**400]]}},
    {"ranges": {"1-1": [[0, 0]] * 1001}},
    {"ranges": {"1-1": [[0, 1, 2]]}},
]


@each("way", WAYS, undo=True)
@each("field", OUT_OF_BOUNDS, undo=True)
def test_number_that_no_page_sends_is_a_bad_request(assignment: Assignment, way: str, field: dict[str, Any]) -> None:
    Assignment.objects.update(reserved_at=timezone.now() - timedelta(minutes=1))
    sender = Sender(assignment)

    status = sender.send(way, [sender.report({clip: [[0, 1]] for clip in CLIPS}) | field])

    assert status == 400
    assert not ListeningLog.objects.exists()
    assert not Annotation.objects.exists()
