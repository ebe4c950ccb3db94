"""The HCoT study's two passes (TRACE/HCoT §4.1): overall without dimensions first, then HCoT, on the same units."""

import csv
import io

import pytest
from django.test import Client
from django.urls import reverse

from annotation.models import Assignment
from campaigns.models import Campaign, Membership, Role
from corpus.models import Dataset
from tests.campaigns.launch.launching import launched as launched_draft
from tests.factories import DIRECT_ANSWERS, DatasetFactory, UserFactory, make_unit

pytestmark = pytest.mark.django_db
HTMX = {"HX-Request": "true"}


def launched(client: Client, dataset: Dataset, protocol: str) -> Campaign:
    """A campaign made through its steps by the dataset's owner, and opened as if its audio were prepared."""
    campaign = launched_draft(client, dataset, title=f"Pass {protocol}", protocol=protocol, listening="none")
    Campaign.objects.filter(pk=campaign.pk).update(status="open", delivery_rate=16_000)
    return Campaign.objects.get(pk=campaign.pk)


def label_all(client: Client, campaign: Campaign, answers: dict[str, str]) -> None:
    for _ in campaign.campaign_units.all():
        client.get(reverse("label", args=[campaign.slug]))
        assignment = Assignment.objects.get(campaign=campaign, status="reserved")
        url = reverse("answer", args=[campaign.slug, assignment.pk])
        assert client.post(url, answers, headers=HTMX).status_code == 200


def overall_by_unit(client: Client, campaign: Campaign) -> dict[str, str]:
    table = client.get(reverse("campaign-tidy", args=[campaign.slug])).getvalue().decode()
    rows = csv.DictReader(io.StringIO(table))
    return {row["unit"]: row["value"] for row in rows if row["aspect"] == "overall"}


@pytest.mark.parametrize("same_person", [True, False])
def test_both_passes_are_set_up_and_labelled_on_the_same_units(client: Client, same_person: bool) -> None:
    owner = UserFactory(is_researcher=True)
    dataset = DatasetFactory(created_by=owner)
    for key in "123":
        make_unit(dataset, key)
    client.force_login(owner)
    passes = [launched(client, dataset, protocol) for protocol in ("blind_overall", "hcot")]
    people = [UserFactory()] * 2 if same_person else [UserFactory(), UserFactory()]
    answers = [{"overall": "both_good"}, DIRECT_ANSWERS | {"overall": "both_bad"}]

    for campaign, person, said in zip(passes, people, answers, strict=True):
        Membership.objects.create(campaign=campaign, user=person, role=Role.ANNOTATOR, pseudonym="A1")
        annotator = Client()
        annotator.force_login(person)
        label_all(annotator, campaign, said)

    first, second = (overall_by_unit(client, campaign) for campaign in passes)
    assert first.keys() == second.keys()
    assert len(first) == 3
    assert (set(first.values()), set(second.values())) == ({"both_good"}, {"both_bad"})
