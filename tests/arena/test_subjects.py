"""Who may hear that a board has changed."""

import pytest
from django.core.exceptions import PermissionDenied
from django.http import Http404

from arena.standings.refresh import topic_of
from arena.standings.subjects import watched_subject
from campaigns.models import Campaign, Role
from corpus.models import LabelSet
from infrastructure.live.announcements import group_of
from tests.arena.voting import make_arena
from tests.cases import each
from tests.factories import UserFactory, make_member

pytestmark = pytest.mark.django_db


@pytest.fixture
def campaign() -> Campaign:
    return make_arena()


def name_of(subject: Campaign | LabelSet) -> str:
    return topic_of(subject).removeprefix("standing:")


def test_members_who_view_may_watch(campaign: Campaign) -> None:
    viewer = make_member(campaign, Role.VIEWER)
    labels = LabelSet.objects.create(dataset=campaign.dataset, name="labels", created_by=campaign.created_by)

    assert watched_subject(viewer, name_of(campaign)) == campaign
    assert watched_subject(viewer, name_of(labels)) == labels


def test_annotators_and_strangers_may_not_watch(campaign: Campaign) -> None:
    labels = LabelSet.objects.create(dataset=campaign.dataset, name="labels", created_by=campaign.created_by)
    annotator = make_member(campaign)

    with pytest.raises(PermissionDenied):
        watched_subject(annotator, name_of(campaign))
    for user, subject in ((UserFactory(), campaign), (annotator, labels)):
        with pytest.raises(Http404):
            watched_subject(user, name_of(subject))


@each("name", ["", "campaign-", "campaign-0", "labels-x", "job-1", "campaign-1-1"], undo=True)
def test_what_is_not_there_is_not_found(campaign: Campaign, name: str) -> None:
    with pytest.raises(Http404):
        watched_subject(UserFactory(is_superuser=True), name)


def test_topic_fits_the_name_of_a_group(campaign: Campaign) -> None:
    campaign.pk = 2**63 - 1

    assert len(group_of(topic_of(campaign))) < 100
