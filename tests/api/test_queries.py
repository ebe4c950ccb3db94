"""Lists take the same number of queries, however long they are."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from rest_framework.test import APIClient

from annotation.models import Annotation, Answer, Assignment
from campaigns.models import Campaign
from corpus.models import LabelSet
from judges.definitions.judges import make_judge
from judges.kinds import KINDS
from judges.runs.lifecycle import Plan, start_run
from tests.api.callers import caller
from tests.cases import each
from tests.factories import UserFactory, make_assignment, make_campaign, make_label, make_member

pytestmark = [pytest.mark.django_db, pytest.mark.databases]


def make_study(n: int) -> Campaign:
    """So many of everything."""
    campaign = make_campaign(units=n)
    owner = campaign.created_by
    labels = [LabelSet.objects.create(dataset=campaign.dataset, name=f"set {k}", created_by=owner) for k in range(n)]
    judge = make_judge(KINDS["random"], title="Random", settings={}, language_model=None, user=owner)
    for row in campaign.campaign_units.all():
        assignment = make_assignment(
            campaign, make_member(campaign), campaign_unit=row, status=Assignment.Status.ANSWERED
        )
        annotation = Annotation.objects.create(
            assignment=assignment, shown_at=assignment.shown_at, idempotency_key="k"
        )
        Answer.objects.create(annotation=annotation, aspect="overall", value="a")
        make_label(labels[0], row.unit, "a")
        start_run(campaign, judge, plan=Plan(), user=owner)
    return campaign


@each(
    "path",
    ["campaigns/", "label-sets/", "campaigns/{slug}/units/", "campaigns/{slug}/members/", "campaigns/{slug}/answers/",
     "campaigns/{slug}/runs/", "campaigns/{slug}/runs/{run}/verdicts/", "label-sets/{labels}/labels/"],
    undo=True,
)  # fmt: skip
def test_list_takes_the_same_queries_for_one_row_and_for_three(path: str) -> None:
    client = caller(UserFactory(is_superuser=True))
    client.get("/api/v1/me/")

    taken = [_taken(client, path, n) for n in (1, 3)]

    assert taken[0] == taken[1]


def _taken(client: APIClient, path: str, n: int) -> int:
    campaign = make_study(n)
    run, labels = campaign.runs.first().pk, campaign.dataset.label_sets.first().pk
    address = "/api/v1/" + path.format(slug=campaign.slug, run=run, labels=labels)
    with CaptureQueriesContext(connection) as queries:
        rows = client.get(address).json()["results"]
    assert len(rows) >= min(n, 2)
    return len(queries)
