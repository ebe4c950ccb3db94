"""Things of one campaign asked for by way of another, things of one's own, topics of live pages, and files."""

from collections.abc import Callable

import pytest
from django.core.exceptions import PermissionDenied
from django.http import Http404
from django.test import Client
from django.urls import resolve, reverse

from accounts.models import User
from campaigns.models import Campaign, Role
from infrastructure.live.topics import TOPICS
from infrastructure.models import Job
from judges.models import Run
from tests.cases import each
from tests.config.pages.test_access import WHO_MAY
from tests.factories import UserFactory, make_campaign
from tests.world import STAFF

pytestmark = pytest.mark.django_db

#: Whose second part is a word and not a row.
WORDS = {"campaign-turn", "report", "report-figures", "gate", "board-file", "label-set-board-file", "comparison-file",
         "arena-votes"}  # fmt: skip
#: Units of the preview are kept nowhere, and judges are the installation's.
ANYTHING = {"preview-answer", "preview-heard", "preview-skip", "run-new"}
#: Of the installation, and of who made them.
OWNED = {"import", "import-confirm", "import-cancel", "job", "model-test", "model-disable", "model-terms",
         "token-revoke", "dataset", "dataset-metrics-compute", "dataset-identity-scan"}  # fmt: skip


def crossed(addresses: dict[str, str], *, campaign: str, dataset: str) -> dict[str, str]:
    """Every address of a row within a campaign or dataset, with another campaign or dataset before it."""
    found = {}
    for name, address in addresses.items():
        match = resolve(address)
        others = {key: value for key, value in match.kwargs.items() if key != "slug"}
        if "slug" in match.kwargs and others and name not in WORDS | ANYTHING:
            mine = dataset if address.startswith("/datasets/") else campaign
            found[name] = reverse(name, kwargs={"slug": mine} | others)
    return found


@pytest.mark.databases
def test_row_of_another_campaign_is_not_reached_by_way_of_ones_own(addresses: dict[str, str]) -> None:
    """Whoever has every role in one campaign, and owns its dataset, has none in others by that."""
    mine = make_campaign(units=1)
    me = UserFactory(is_researcher=True)
    type(mine.dataset).objects.filter(pk=mine.dataset_id).update(created_by=me)
    for role in Role:
        mine.memberships.create(user=me, role=role, pseudonym="A1" if role == Role.ANNOTATOR else "")
    client = Client()
    client.force_login(me)
    tried = crossed(addresses, campaign=mine.slug, dataset=mine.dataset.slug)
    assert {"webhook", "export-file", "review-unit", "review-clip", "answer", "run", "item-clip", "trap-clip"} <= set(
        tried
    )

    got = {name: client.generic(WHO_MAY[name][0], address).status_code for name, address in tried.items()}

    # These two look into what was sent before they look for an assignment, of which each annotator has their own.
    assert {name: status for name, status in got.items() if status != 404} == {"heard": 400, "give-back": 422}


@pytest.mark.databases
def test_own_things_are_open_to_their_owner(campaign: Campaign, addresses: dict[str, str]) -> None:
    owner = campaign.created_by
    User.objects.filter(pk=owner.pk).update(is_researcher=True)
    client = Client()

    got = {}
    for name in sorted(OWNED, key=lambda it: "disable" in it or "archive" in it):  # what ends a thing comes last
        client.force_login(User.objects.get(pk=owner.pk))
        got[name] = client.generic(WHO_MAY[name][0], addresses[name]).status_code

    assert {name: status for name, status in got.items() if status in (403, 404, 500)} == {}


@pytest.fixture
def topics(campaign: Campaign, addresses: dict[str, str]) -> dict[str, str]:
    job = Job.objects.get(kind="prepare-audio", subject=str(campaign.pk))
    run = Run.objects.filter(campaign=campaign).order_by("pk")[0]
    return {"campaign": campaign.slug, "job": str(job.pk), "run": str(run.pk), "standing": f"campaign-{campaign.pk}"}


@pytest.mark.databases
def test_every_topic_of_a_live_page_is_open_to_staff_of_the_campaign_alone(
    people: dict[str, User], topics: dict[str, str]
) -> None:
    assert set(topics) == set(TOPICS), "a new kind of topic is to be tried here, too"
    heard = {
        kind: {role for role, user in people.items() if may(TOPICS[kind], user, name)}
        for kind, name in topics.items()
    }

    assert heard == dict.fromkeys(topics, STAFF)


def may(guard: Callable[[User, str], object], user: User, name: str) -> bool:
    try:
        guard(user, name)
    except (Http404, PermissionDenied):
        return False
    return True


@each(
    "path",
    ["/media/", "/media/clips/", "/var/", "/static/../media/", "/static/%2e%2e/config/settings.py", "/.env",
     "/static/..%2f..%2f.env", "//etc/passwd", "/clips/0.wav", "/earshot.sqlite3"],
    undo=True,
)  # fmt: skip
def test_no_file_has_an_address_of_its_own(people: dict[str, User], path: str) -> None:
    """Every recording and every export goes through a view that asks who wants it."""
    client = Client()
    client.force_login(people["superuser"])

    assert client.get(path).status_code == 404
