"""Every route of WebSockets × every topic × every role, over a socket as a browser opens it."""

from typing import Any

import pytest
from asgiref.sync import async_to_sync
from channels.layers import channel_layers
from channels.routing import URLRouter
from pytest_django import Settings

from accounts.models import User
from campaigns.models import Campaign, Role
from config.serving.requests.origins import Refusal, SameOrigin
from config.serving.routing import live_pages
from infrastructure.live.announcements import campaign_topic, job_topic
from infrastructure.live.topics import TOPICS
from infrastructure.models import Job
from judges.definitions.judges import make_judge
from judges.kinds import KINDS
from judges.runs.lifecycle import Plan, start_run
from tests.factories import make_campaign
from tests.infrastructure.test_live import asked, layer, socket
from tests.world import EVERYBODY, STAFF, make_people

pytestmark = pytest.mark.databases

__all__ = ["layer"]


def routes(inner: Any) -> list[Any]:
    """Of the router that stands behind the layers of an application."""
    while not isinstance(inner, URLRouter):
        inner = inner.application if isinstance(inner, SameOrigin) else inner.inner
    return list(inner.routes)


def test_every_route_is_the_one_that_is_tried_here_or_refuses() -> None:
    known, *others = routes(live_pages)

    assert str(known.pattern) == "live/"
    assert [route.callback.consumer_class for route in others] == [Refusal]


def topics_of(campaign: Campaign) -> set[str]:
    """One of each kind that a socket may ask for."""
    owner = campaign.created_by
    job = Job.objects.create(kind="prepare-audio", subject=str(campaign.pk), started_by=owner)
    judge = make_judge(KINDS["random"], title="Random", settings={}, language_model=None, user=owner)
    run = start_run(campaign, judge, plan=Plan(), user=owner)
    found = {campaign_topic(campaign.slug), job_topic(job.pk), f"run:{run.pk}", f"standing:campaign-{campaign.pk}"}
    assert {topic.partition(":")[0] for topic in found} == set(TOPICS), "a new kind is to be tried here, too"
    return found


@pytest.mark.django_db(transaction=True)
def test_socket_tells_each_role_of_its_own_campaign_and_of_no_other(layer: None, settings: Settings) -> None:
    campaign, other = make_campaign(), make_campaign()
    people = make_people(campaign)
    assert set(people) == EVERYBODY
    ours, theirs = topics_of(campaign), topics_of(other)

    heard = {role: set(asked(user, *ours, *theirs)["watching"]) for role, user in people.items()}

    allowed = {role: ours if role in STAFF else set() for role in EVERYBODY}
    assert heard == allowed | {"superuser": ours | theirs}


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("who", ["nobody", "guest"])
def test_socket_does_not_open_to_guests_and_the_logged_out(layer: None, who: str) -> None:
    person = make_people(make_campaign())[Role.ADMIN] if who == "guest" else None
    if person:
        User.objects.filter(pk=person.pk).update(is_guest=True)

    assert not async_to_sync(socket(person).open)()
    assert channel_layers["default"].groups == {}
