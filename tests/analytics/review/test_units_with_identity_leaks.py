"""Units with identity leaks: found for every kind of unit, shown to staff, never to annotators."""

import html
from pathlib import Path

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from analytics.review.queue import Sign, review_queue
from annotation.answers.submit import record_answers
from arena.board.name_locks import hide_names
from arena.standings.choices import Settings as BoardSettings
from campaigns.models import Campaign, Role
from corpus.datasets.units import single_responses, whole_items
from corpus.imports.uploads.checking import check_upload, write_checked
from corpus.imports.writing import Destination
from corpus.models import Dataset, ResponseTurn, Unit
from infrastructure.models import Job
from infrastructure.tasks import run_job_task
from measurements.identity_leaks.scans import latest_scan, scan_identity
from measurements.identity_leaks.units import IdentityLeak, identity_leaks_of, n_units_with_leaks, units_with_leaks
from measurements.models import IdentityScan
from tests.annotation.test_listening import deliver_fakes
from tests.factories import DIRECT_ANSWERS, UserFactory, make_assignment, make_campaign, make_member
from tests.measurements.measuring import make_dataset, no_progress, responses

pytestmark = pytest.mark.django_db
WORDS = "my name is Quokkatron"


def scan(dataset: Dataset, said: str = WORDS, *, slot: str = "b") -> None:
    """The response in this slot of the first unit says so, and the dataset is searched."""
    unit = dataset.units.order_by("pk").first()
    ResponseTurn.objects.filter(response=getattr(unit, slot)).update(text=f"Hello, {said}.")
    row = IdentityScan.objects.create(dataset=dataset, names=[], started_by=dataset.created_by)
    scan_identity(row, progress=no_progress)


@pytest.fixture
def campaign(media_root: Path) -> Campaign:
    """Three units; in the second slot of the first, the system introduces itself."""
    campaign = make_campaign(units=3, answers_per_unit=2)
    deliver_fakes(campaign)
    ResponseTurn.objects.filter(response__item__dataset=campaign.dataset).update(text="Good morning")
    scan(campaign.dataset)
    return campaign


def test_units_of_every_kind_have_leaks_by_their_responses() -> None:
    dataset = make_dataset(items=2)
    singles, wholes = single_responses(dataset), whole_items(dataset)
    scan(dataset)
    teller = responses(dataset)[1]

    identity_leaks = identity_leaks_of(dataset, dataset.units.all())

    leaky = {unit.pk for unit in singles if unit.a_id == teller.pk} | {
        unit.pk for unit in [*wholes, *dataset.units.filter(kind="pair")] if unit.item_id == teller.item_id
    }
    assert set(identity_leaks) == units_with_leaks(latest_scan(dataset), Unit.objects.all()) == leaky
    assert {said for found in identity_leaks.values() for said in found} == {
        IdentityLeak(slot, WORDS, of_transcript=False) for slot in ("a", "b")
    }
    assert n_units_with_leaks(dataset) == (3, dataset.units.count())


def test_without_scan_and_without_leaks() -> None:
    dataset = make_dataset(items=2)

    assert (identity_leaks_of(dataset, dataset.units.all()), n_units_with_leaks(dataset)) == ({}, (0, 0))
    scan(dataset, "good morning")
    assert (identity_leaks_of(dataset, dataset.units.all()), n_units_with_leaks(dataset)) == ({}, (0, 2))


def test_queue_has_them_for_that_reason(campaign: Campaign, client: Client) -> None:
    client.force_login(make_member(campaign, Role.REVIEWER))

    with CaptureQueriesContext(connection) as queries:
        queue = review_queue(campaign)
        n = len(queries)
        again = review_queue(campaign)
    n_again = len(queries) - n
    page = client.get(reverse("review", args=[campaign.slug]), {"sign": "identity-leak"}).content.decode()

    # Four of the first queries find the last row of each log. With them the queue is not read again whenever it is
    # shown: what follows asks for new rows alone, whatever the number of answers (100,000 take seconds to read).
    assert [(unit.number, unit.signs) for unit in queue] == [(1, (Sign.IDENTITY_LEAK,))]
    assert again is queue
    assert (n, n_again) == (14, 7)
    assert '<span class="state sign-identity-leak">Names its system</span>' in page
    assert WORDS not in page


def test_reviewer_may_open_the_words_of_a_unit(campaign: Campaign, client: Client) -> None:
    client.force_login(make_member(campaign, Role.REVIEWER))
    pages = [
        client.get(reverse("review-unit", args=[campaign.slug, unit.pk])).content.decode()
        for unit in campaign.campaign_units.order_by("position")[:2]
    ]

    assert [f'<mark dir="auto">{WORDS}</mark>' in page for page in pages] == [True, False]


def test_words_are_closed_while_names_are_hidden(campaign: Campaign, client: Client) -> None:
    hide_names(campaign, user=campaign.created_by, settings=BoardSettings("overall"))
    client.force_login(make_member(campaign, Role.REVIEWER))

    page = client.get(reverse("review-unit", args=[campaign.slug, campaign.campaign_units.get(position=0).pk]))

    assert "A response names its system" in page.content.decode()
    assert f'<mark dir="auto">{WORDS}</mark>' not in page.content.decode()


def test_units_behind_the_board_are_flagged(campaign: Campaign, client: Client) -> None:
    for unit in campaign.campaign_units.order_by("position")[:2]:
        assignment = make_assignment(campaign, annotator := make_member(campaign), campaign_unit=unit, seat=1)
        record_answers(assignment.pk, annotator=annotator, clicked=DIRECT_ANSWERS, idempotency_key="k")
    client.force_login(make_member(campaign, Role.VIEWER))
    one, other = campaign.dataset.systems.values_list("name", flat=True)

    page = client.get(reverse("board-units", args=[campaign.slug]), {"one": one, "other": other}).content.decode()

    assert page.count('<section class="panel voted"') == 2
    assert page.count(f'<mark dir="auto">{WORDS}</mark>') == 1


def test_page_of_the_search_has_the_share_of_units(campaign: Campaign, client: Client) -> None:
    client.force_login(campaign.created_by)

    page = html.unescape(client.get(reverse("dataset-identity", args=[campaign.dataset.slug])).content.decode())

    assert "Units with a response that names its system: 1 of 3, 33 %" in page


def test_annotators_are_told_nothing(campaign: Campaign, client: Client) -> None:
    client.force_login(make_member(campaign))

    pages = [client.get(reverse(name, args=[campaign.slug])) for name in ("label", "campaign", "review")]
    pages.append(client.get(reverse("review-unit", args=[campaign.slug, campaign.campaign_units.first().pk])))

    assert [page.status_code for page in pages[2:]] == [403, 403]
    received = "".join(f"{page.headers}{page.content.decode()}" for page in pages).casefold()
    assert not any(word in received for word in ("quokkatron", "names its system", "sign-identity-leak"))


@pytest.mark.parametrize(("text", "told"), [("I am ChatGPT.", 1), ("", None)])
def test_import_that_brings_words_has_them_searched(tmp_path: Path, text: str, told: int | None) -> None:
    user = UserFactory(is_researcher=True)
    manifest = tmp_path / "manifest.csv"
    manifest.write_text(f"item,prompt_text,system,response_text\n1,Hi,Ada,{text}\n1,Hi,Bob,\n", encoding="utf-8")
    options = {"dataset_name": "Told", "label_set_name": "", "progress": no_progress}

    dataset = write_checked(
        check_upload(manifest, None, **options), None, Destination("Told", "", user), progress=no_progress
    )
    while job := Job.objects.filter(status="queued").first():
        run_job_task(str(job.pk))

    assert set(Job.objects.values_list("status", flat=True)) <= {"succeeded"}
    found = latest_scan(dataset)
    assert (found and found.responses.filter(is_hit=True).count()) == told
