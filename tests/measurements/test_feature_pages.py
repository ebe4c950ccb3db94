import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from pytest_django import DjangoCaptureOnCommitCallbacks

import judges.tasks  # noqa: F401 - registers the work of jobs
from campaigns.models import Campaign
from charts.planes import contour
from corpus.models import Dataset
from infrastructure.background.jobs import run_job
from infrastructure.models import Job
from infrastructure.wording.reasons import Reason
from measurements.clip_features.jobs import KIND, start_extracting
from measurements.clip_features.rows import keep_feature
from measurements.features.contract import Feature
from measurements.features.registry import extractors
from measurements.models import ClipFeature
from measurements.reasons import BELOW_GATE
from tests.charts import assert_charts
from tests.factories import UserFactory, make_campaign, make_member
from tests.measurements.features.speech import tone
from tests.measurements.test_feature_rows import stored

pytestmark = pytest.mark.django_db


@pytest.fixture
def campaign() -> Campaign:
    return make_campaign(units=1)


@pytest.fixture
def manager(client: Client, campaign: Campaign) -> Client:
    client.force_login(make_member(campaign, "researcher", is_researcher=True))
    return client


def page(campaign: Campaign, pk: int | None = None) -> str:
    slug = campaign.dataset.slug
    return reverse("item-features", args=[slug, pk]) if pk else reverse("dataset-features", args=[slug])


def with_sound(dataset: Dataset) -> list[int]:
    """Every response has a clip that can be read."""
    ids = []
    for n, item in enumerate(dataset.items.all()):
        for m, response in enumerate(item.responses.all()):
            clip = stored(tone(150.0 + 20 * n + 50 * m, seconds=1.0))
            response.turns.update(clip=clip)
            ids.append(clip.pk)
    return ids


def keep(clip: object, name: str, value: object, status: str = "ok", reason: Reason | None = None) -> None:
    keep_feature(clip, Feature(name, extractors()[name].version, status, value, reason), seconds=0.1)


def test_button_queues_the_job_and_the_job_extracts(
    manager: Client, campaign: Campaign, django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks
) -> None:
    with_sound(campaign.dataset)

    response = manager.post(page(campaign), follow=True)
    job = Job.objects.get(kind=KIND)
    run_job(job.pk)

    assert "progress" in response.content.decode()
    job.refresh_from_db()
    assert (job.status, job.done, job.total) == ("succeeded", 2, 2)
    assert ClipFeature.objects.filter(name="pitch", status="ok").count() == 2
    told = manager.get(page(campaign)).content.decode()
    assert "Extract what is missing" in told
    assert "funasr" in told


def test_job_that_could_extract_nothing_fails_and_says_so(campaign: Campaign) -> None:
    job = start_extracting(campaign.dataset, user=campaign.created_by)

    run_job(job.pk)

    job.refresh_from_db()
    assert (job.status, "No feature could be extracted" in job.error) == ("failed", True)


def test_viewer_sees_the_numbers_and_no_button(client: Client, campaign: Campaign) -> None:
    client.force_login(make_member(campaign, "viewer"))

    assert "Extract what is missing" not in client.get(page(campaign)).content.decode()
    assert client.post(page(campaign)).status_code == 403
    assert not Job.objects.exists()


def test_outsider_and_annotator_see_nothing(client: Client, campaign: Campaign) -> None:
    for user in (UserFactory(), make_member(campaign)):
        client.force_login(user)
        assert client.get(page(campaign)).status_code == 404
        assert client.post(page(campaign)).status_code == 404


def test_dataset_without_audio_says_so(manager: Client, campaign: Campaign) -> None:
    for response in campaign.dataset.items.get().responses.all():
        response.turns.update(clip=None)

    told = manager.get(page(campaign)).content.decode()

    assert "No response of this dataset has audio." in told
    assert "Extract what is missing" not in told


def test_item_page_shows_words_scores_contours_and_reasons(manager: Client, campaign: Campaign) -> None:
    item = campaign.dataset.items.get()
    clip = item.responses.first().turns.get().clip
    words = [[0.0, 0.4, "Hello"], [0.5, 0.9, "there."]]
    keep(
        clip,
        "transcript",
        {"text": "Hello there.", "lines": [[0, 1, "Hello there."]], "words": words, "repeats": False},
    )
    keep(clip, "pitch", {"mean_hz": 181.4, "sd_hz": 20.0, "contour_hz": [150.0, None] + [200.0] * 18})
    keep(clip, "loudness", None, "undefined", BELOW_GATE())

    told = manager.get(page(campaign, item.pk)).content.decode()

    assert '<span title="0.5–0.9 s">there.</span>' in told
    assert "181 ± 20 Hz" in told
    assert told.count('class="series"') == 2
    assert_charts(told, planes=1)
    assert "undefined: Nothing rises above the gate" in told
    assert "&quot;Mean_Pitch_Hz&quot;: 181.4" in told
    assert "not there: It was not extracted." in told


def test_item_page_asks_the_same_for_few_and_many_responses(manager: Client, campaign: Campaign) -> None:
    item = campaign.dataset.items.get()
    counts = []
    for _ in range(2):
        with CaptureQueriesContext(connection) as queries:
            manager.get(page(campaign, item.pk))
        counts.append(len(queries))
        for name in (f"System {len(counts)}-{n}" for n in range(2)):
            system = campaign.dataset.systems.create(name=name)
            response = item.responses.create(system=system, key=name)
            response.turns.create(position=1, clip=stored(tone(100.0 + item.responses.count(), seconds=0.5)))

    assert counts[0] == counts[1]


def test_contour_of_nothing_is_no_drawing() -> None:
    titles = {"x_title": "Time (s)", "y_title": "Pitch (Hz)"}
    assert contour([None] * 20, 2.0, **titles) is None
    assert {y.value for _, y in contour([5.0] * 20, 2.0, **titles).rows} == {5.0}
