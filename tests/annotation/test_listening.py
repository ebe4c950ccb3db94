from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from django.core import signing
from django.core.exceptions import PermissionDenied
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from annotation.listening.clips import clip_token
from annotation.listening.reports import Report, record_listening
from annotation.models import Assignment, ListeningLog
from campaigns.audio.delivery import clips_of
from campaigns.models import Campaign, Membership, Role
from corpus.models import DeliveredClip
from infrastructure.files.byte_ranges import ByteRange, byte_range
from tests.cases import each
from tests.factories import make_assignment, make_campaign, make_member

pytestmark = pytest.mark.django_db


def deliver_fakes(campaign: Campaign) -> None:
    """Deliver every clip as bytes that tell which clip they are of."""
    for clip in clips_of(campaign):
        content = f"{clip.pk:08d}".encode() * 4
        row = DeliveredClip.objects.create(clip=clip, form=campaign.delivery_form, gain_db=0, bytes=len(content))
        row.path.parent.mkdir(parents=True, exist_ok=True)
        row.path.write_bytes(content)


@pytest.fixture
def assignment(media_root: Path) -> Assignment:
    campaign = make_campaign()
    deliver_fakes(campaign)
    return make_assignment(campaign, make_member(campaign), order="ba")


@pytest.fixture
def annotator(client: Client, assignment: Assignment) -> Client:
    client.force_login(assignment.annotator)
    return client


def url(assignment: Assignment, place: int = 1) -> str:
    return reverse("listen", args=[clip_token(assignment, place, 1)])


@pytest.mark.parametrize("place", [0, 1, 2])
def test_listen_gives_the_clip_at_the_place(annotator: Client, assignment: Assignment, place: int) -> None:
    unit = assignment.campaign_unit.unit
    turns = {0: unit.item.turns, 1: unit.b.turns, 2: unit.a.turns}

    response = annotator.get(url(assignment, place))

    assert response.status_code == 200
    assert response.content == f"{turns[place].get().clip_id:08d}".encode() * 4


def test_listen_gives_a_range(annotator: Client, assignment: Assignment) -> None:
    whole = annotator.get(url(assignment)).content

    response = annotator.get(url(assignment), headers={"Range": "bytes=4-11"})

    assert response.status_code == 206
    assert response.content == whole[4:12]
    assert response["Content-Range"] == "bytes 4-11/32"
    assert response["Content-Length"] == "8"


@pytest.mark.databases
@pytest.mark.parametrize("place", [0, 1])
def test_listen_costs_five_short_queries_the_session_and_the_person_included(
    annotator: Client, assignment: Assignment, place: int, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    address = url(assignment, place)

    with django_assert_num_queries(5):
        annotator.get(address)


def test_listen_beyond_the_end_is_416(annotator: Client, assignment: Assignment) -> None:
    response = annotator.get(url(assignment), headers={"Range": "bytes=32-"})

    assert (response.status_code, response["Content-Range"]) == (416, "bytes */32")


def test_listen_tells_nothing_in_its_headers(annotator: Client, assignment: Assignment) -> None:
    headers = annotator.get(url(assignment)).headers

    assert headers["Cache-Control"] == "private, max-age=3600"
    assert not {"ETag", "Last-Modified", "Content-Disposition"} & set(headers)


@pytest.mark.databases
def test_listen_head_has_length_and_no_body(annotator: Client, assignment: Assignment) -> None:
    response = annotator.head(url(assignment))

    assert (response.status_code, response["Content-Length"], response.content) == (200, "32", b"")


def test_listen_for_another_annotator_is_404(client: Client, assignment: Assignment) -> None:
    client.force_login(make_member(assignment.campaign))

    assert client.get(url(assignment)).status_code == 404


def test_listen_logged_out_leads_to_the_login(client: Client, assignment: Assignment) -> None:
    assert client.get(url(assignment)).status_code == 302


def test_listen_after_the_answer_is_404(annotator: Client, assignment: Assignment) -> None:
    Assignment.objects.update(status=Assignment.Status.ANSWERED)

    assert annotator.get(url(assignment)).status_code == 404


@each("status", ["reserved", "planned"], undo=True)
@each(
    "change",
    [{"status": "closed"}, {"status": "paused"}, {"closes_at": datetime(2026, 1, 1, tzinfo=UTC)}],
    undo=True,
)
def test_listen_of_a_campaign_that_takes_no_answers_is_404(
    annotator: Client, assignment: Assignment, change: dict[str, Any], status: str
) -> None:
    Assignment.objects.update(status=status)
    before = annotator.get(url(assignment)).status_code
    Campaign.objects.update(**change)

    assert (before, annotator.get(url(assignment)).status_code) == (200, 404)


@pytest.mark.databases
def test_listen_with_an_expired_address_is_404(
    annotator: Client, assignment: Assignment, monkeypatch: pytest.MonkeyPatch
) -> None:
    address = url(assignment)
    now = signing.time.time()
    monkeypatch.setattr(signing.time, "time", lambda: now + 3 * 3600)

    assert annotator.get(address).status_code == 404


def test_listen_with_a_forged_address_is_404(annotator: Client, assignment: Assignment) -> None:
    token = clip_token(assignment, 1, 1)
    forged = token.replace(f"{assignment.pk.hex}01", f"{assignment.pk.hex}02", 1)

    assert forged != token
    assert annotator.get(reverse("listen", args=[forged])).status_code == 404


def test_listen_to_a_turn_that_is_not_there_is_404(annotator: Client, assignment: Assignment) -> None:
    assert annotator.get(reverse("listen", args=[clip_token(assignment, 1, 7)])).status_code == 404


def test_the_same_clip_has_another_address_in_another_assignment(assignment: Assignment) -> None:
    other = make_assignment(assignment.campaign, make_member(assignment.campaign), seat=2)

    assert url(assignment) != url(other)


@pytest.mark.databases
@each(
    "header, wanted",
    [
        (None, ByteRange(0, 100, partial=False)),
        ("bytes=0-0", ByteRange(0, 1, partial=True)),
        ("bytes=10-", ByteRange(10, 100, partial=True)),
        ("bytes=-5", ByteRange(95, 100, partial=True)),
        ("bytes=90-500", ByteRange(90, 100, partial=True)),
        ("bytes=0-1,5-6", ByteRange(0, 100, partial=False)),
        ("lines=0-1", ByteRange(0, 100, partial=False)),
        ("bytes=x-y", ByteRange(0, 100, partial=False)),
        ("bytes=100-", ByteRange(0, 0, partial=False, satisfiable=False)),
    ],
    undo=True,
)
def test_byte_range_reads_one_range(header: str | None, wanted: ByteRange) -> None:
    assert byte_range(header, 100) == wanted


@pytest.mark.parametrize("labels_elsewhere", [False, True])
def test_listen_of_a_removed_annotator_is_404(
    annotator: Client, assignment: Assignment, labels_elsewhere: bool
) -> None:
    assignment.campaign.memberships.update(ended_at=timezone.now())
    if labels_elsewhere:
        Membership.objects.create(
            campaign=make_campaign(), user=assignment.annotator, role=Role.ANNOTATOR, pseudonym="A1"
        )

    assert annotator.get(url(assignment)).status_code == 404


def test_record_listening_of_a_removed_annotator_is_refused(assignment: Assignment) -> None:
    assignment.campaign.memberships.update(ended_at=timezone.now())
    report = Report(1, ranges={}, plays={"1-1": 1}, switches=0, hidden_s=0.0)

    with pytest.raises(PermissionDenied):
        record_listening(assignment.pk, annotator=assignment.annotator, reports=[report])

    assert not ListeningLog.objects.exists()
