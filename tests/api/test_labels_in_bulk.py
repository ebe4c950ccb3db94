"""Labels that are there already come in by one request, however few a token may send."""

import csv
import io
import json
from collections.abc import Iterator

import pytest
from django.core.cache import caches
from django.core.files.uploadedfile import SimpleUploadedFile
from pytest_django import Settings

from accounts.models import User
from campaigns.models import Membership, Role
from corpus.models import Label, LabelSet
from tests.api.callers import caller
from tests.factories import make_campaign
from tests.importing import work_off

pytestmark = [pytest.mark.django_db, pytest.mark.databases]
COLUMNS = ["unit", "kind", "item", "systems", "annotator", "aspect", "value"]
ASPECTS = ("content", "voice_quality", "paralinguistics", "overall")


@pytest.fixture
def few_requests(settings: Settings) -> Iterator[None]:
    local = {"BACKEND": "django.core.cache.backends.locmem.LocMemCache", "LOCATION": "bulk"}
    settings.CACHES = settings.CACHES | {"rates": local}
    settings.API_RATE = "6/hour"
    yield
    caches["rates"].clear()


@pytest.mark.usefixtures("few_requests")
def test_table_of_answers_brings_in_thousands_of_labels_within_the_rate() -> None:
    campaign = make_campaign(units=25)
    User.objects.filter(pk=campaign.created_by_id).update(is_researcher=True)
    Membership.objects.create(campaign=campaign, user=campaign.created_by, role=Role.ADMIN)
    client = caller(User.objects.get(pk=campaign.created_by_id))
    units = client.get(f"/api/v1/campaigns/{campaign.slug}/units/").json()["results"]
    table = io.StringIO()
    rows = csv.DictWriter(table, COLUMNS)
    rows.writeheader()
    for unit in units:
        known = {
            "unit": unit["key"],
            "kind": unit["kind"],
            "item": unit["item"],
            "systems": json.dumps(unit["systems"]),
        }
        for n in range(20):
            for aspect in ASPECTS:
                rows.writerow(known | {"annotator": f"listener {n}", "aspect": aspect, "value": "a"})

    sent = client.post(
        "/api/v1/imports/",
        {
            "dataset_name": campaign.dataset.name,
            "label_set_name": "Another lab",
            "manifest": SimpleUploadedFile("labels.csv", table.getvalue().encode()),
        },
        format="multipart",
    )
    work_off()
    address = f"/api/v1/imports/{sent.json()['id']}/"
    checked = client.get(address).json()
    confirmed = client.post(f"{address}confirm/")
    work_off()

    assert (sent.status_code, checked["status"], confirmed.status_code) == (202, "checked", 202)
    assert client.get(address).json()["status"] == "imported"
    assert LabelSet.objects.filter(name="Another lab").count() == 20
    assert Label.objects.count() == 25 * 20 * len(ASPECTS)
    assert client.get(address).status_code == 200
    assert client.get(address).status_code == 429
