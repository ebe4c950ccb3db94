import pytest
from django.test import Client
from django.urls import reverse

from corpus.models import Dataset, ResponseTurn
from infrastructure.models import Job
from infrastructure.tasks import run_job_task
from measurements.models import IdentityHit, IdentityScan
from tests.factories import RARE_A, RARE_B, make_campaign, make_member
from tests.measurements.measuring import make_dataset, responses

pytestmark = pytest.mark.django_db


@pytest.fixture
def dataset(client: Client) -> Dataset:
    dataset = make_dataset(items=4)
    ResponseTurn.objects.filter(response=responses(dataset)[0]).update(text="Hello, my name is <b>Siri</b>.")
    client.force_login(dataset.created_by)
    return dataset


def page(client: Client, dataset: Dataset) -> str:
    return client.get(reverse("dataset-identity", args=[dataset.slug])).content.decode()


def test_scan_shows_shares_and_words(client: Client, dataset: Dataset) -> None:
    before = page(client, dataset)
    client.post(reverse("dataset-identity-scan", args=[dataset.slug]), {"names": "Siri\n\n Alexa \n"})
    run_job_task(str(Job.objects.get(kind="scan-identity").pk))

    after = page(client, dataset)

    assert "Not searched yet." in before
    assert all(name in before for name in (RARE_A, RARE_B, "ChatGPT"))
    assert IdentityScan.objects.get().names == ["Siri", "Alexa"]
    assert IdentityHit.objects.filter(matched="Siri").count() == 1
    assert all(said in after for said in ("1 of 4", "0 of 4", "25 %", '<mark dir="auto">Siri</mark>'))


def test_pairs_without_the_telling_are_taken_out(client: Client, dataset: Dataset) -> None:
    client.post(reverse("dataset-identity-scan", args=[dataset.slug]), {"names": "Siri"})
    run_job_task(str(Job.objects.get(kind="scan-identity").pk))

    table = client.get(reverse("dataset-identity-pairs", args=[dataset.slug])).content.decode().splitlines()

    assert table[0] == "item,system_a,system_b,take_a,take_b"
    assert sorted(line.split(",")[0] for line in table[1:]) == ["item-1", "item-2", "item-3"]


def test_dataset_page_fetches_it(client: Client, dataset: Dataset) -> None:
    shown = client.get(dataset.get_absolute_url()).content.decode()
    fragment = client.get(reverse("dataset-identity", args=[dataset.slug]), headers={"HX-Request": "true"})

    assert f'hx-get="{reverse("dataset-identity", args=[dataset.slug])}"' in shown
    assert "<html" not in fragment.content.decode()


def test_annotators_have_no_way_to_it(client: Client) -> None:
    campaign = make_campaign()
    client.force_login(make_member(campaign, "annotator"))

    for name in ("dataset-identity", "dataset-identity-pairs", "dataset-metrics", "dataset-likelihoods"):
        assert client.get(reverse(name, args=[campaign.dataset.slug])).status_code == 404


def test_viewers_see_it_and_may_not_search(client: Client) -> None:
    campaign = make_campaign()
    client.force_login(make_member(campaign, "viewer"))

    assert "Search texts and transcripts" not in page(client, campaign.dataset)
    answer = client.post(reverse("dataset-identity-scan", args=[campaign.dataset.slug]), {"names": "x"})
    assert (answer.status_code, Job.objects.exists()) == (403, False)
