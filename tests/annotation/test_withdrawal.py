"""Leaving a study: what ends, what is forgotten, what stays, and that nothing of the person is left anywhere."""

from pathlib import Path
from typing import Any

import pytest
from django.apps import apps
from django.contrib.sessions.models import Session
from django.core.exceptions import PermissionDenied
from django.db import models
from django.test import Client
from django.urls import reverse

from accounts.models import User
from analytics.data.inclusion import WITH_EXCLUDED
from analytics.data.labels import campaign_labels
from annotation.answers.revise import take_back
from annotation.answers.submit import record_answers
from annotation.assignment.next_unit import next_assignment, plan_next
from annotation.models import Annotation, AnnotatorDecision, Assignment, BulkDecision, Reason, UseDecision
from annotation.review.exclusions import Decider, exclude_answers, include_answers, pause_annotator
from annotation.withdrawal.withdraw import NothingToWithdraw, withdraw
from arena.models import Entry
from arena.pairing.drawing import next_pair
from campaigns.models import Arrival, Campaign, Consent, GateTry, Membership, Role
from campaigns.people.consent import new_version
from campaigns.people.invitations import accept_invitation
from campaigns.people.members import add_member, annotators_by_state
from campaigns.people.panels import PanelIds
from tests.annotation.test_listening import deliver_fakes
from tests.arena.arenas import make_open_arena
from tests.factories import DIRECT_ANSWERS, UserFactory, make_campaign, make_invitation

pytestmark = pytest.mark.django_db
NAME, MAIL, PID, STUDY, SESSION = "Rumpelstiltskin", "gold@straw.example", "rarepid", "rarestudy", "raresession"
IDENTITY = [NAME, MAIL, PID, STUDY, SESSION]


@pytest.fixture
def campaign(media_root: Path) -> Campaign:
    campaign = make_campaign(units=3)
    deliver_fakes(campaign)
    return campaign


def named_participant(campaign: Campaign) -> User:
    """Somebody with everything that can be known of a person: a name, an address and a panel's numbers."""
    user = UserFactory(username=NAME, email=MAIL)
    new_version(campaign, text="one", user=campaign.created_by)
    link = make_invitation(campaign, panel="prolific", code_completed="DONE")
    return accept_invitation(link.token, user=user, ids=PanelIds(PID, STUDY, SESSION), click="c" * 32, agreed=1)


def answer_next(campaign: Campaign, annotator: User) -> Assignment:
    assignment = next_assignment(campaign, annotator)
    assert assignment
    record_answers(assignment.pk, annotator=annotator, clicked=DIRECT_ANSWERS, idempotency_key="k")
    return assignment


def everything_kept() -> str:
    """Every value of every row of every table, sessions decoded."""
    rows: list[Any] = [row.get_decoded() for row in Session.objects.all()]
    for model in apps.get_models():
        rows += model._default_manager.values_list()
    return repr(rows)


def raters(campaign: Campaign) -> list[str]:
    return [row.given.annotator for row in campaign_labels(campaign)]


# -- leaving -----------------------------------------------------------------------------------------------------


def test_leaving_ends_the_part_and_keeps_the_answers(campaign: Campaign) -> None:
    annotator = named_participant(campaign)
    answer_next(campaign, annotator)

    left = withdraw(campaign, annotator, identity=False, answers=False)

    assert left.membership.ended_at
    assert not left.account_deleted
    assert raters(campaign) == ["A1"]
    with pytest.raises(PermissionDenied):
        record_answers(
            Assignment.objects.get().pk, annotator=annotator, clicked=DIRECT_ANSWERS, idempotency_key="again"
        )


@pytest.mark.databases
def test_what_is_in_hand_goes_to_somebody_else_at_once(campaign: Campaign) -> None:
    annotator = named_participant(campaign)
    answer_next(campaign, annotator)
    take_back(campaign, annotator)
    held = next_assignment(campaign, annotator)
    assert held
    assert held.reopened_at
    plan_next(campaign, annotator)

    withdraw(campaign, annotator, identity=False, answers=False)

    assert sorted(Assignment.objects.values_list("status", "reopened_at")) == [("answered", None)]


@pytest.mark.databases
def test_reserved_unit_goes_to_somebody_else_at_once() -> None:
    campaign = make_campaign(units=1)
    annotator, other = (add_member(campaign, user=UserFactory(), role=Role.ANNOTATOR).user for _ in range(2))
    next_assignment(campaign, annotator)
    assert next_assignment(campaign, other) is None

    withdraw(campaign, annotator, identity=False, answers=False)

    assert next_assignment(campaign, other)


def test_somebody_without_a_part_has_nothing_to_withdraw(campaign: Campaign) -> None:
    for user in (UserFactory(), add_member(campaign, user=UserFactory(), role=Role.ADMIN).user):
        with pytest.raises(NothingToWithdraw):
            withdraw(campaign, user, identity=True, answers=True)


# -- answers -----------------------------------------------------------------------------------------------------


@pytest.mark.databases
def test_withdrawn_answers_are_not_used_and_their_units_are_asked_again(campaign: Campaign) -> None:
    annotator = named_participant(campaign)
    unit = answer_next(campaign, annotator).campaign_unit_id
    other = add_member(campaign, user=UserFactory(), role=Role.ANNOTATOR).user
    Consent.objects.create(text=campaign.consent_texts.get(), user=other)
    for _ in range(2):
        answer_next(campaign, other)
    assert next_assignment(campaign, other) is None

    withdraw(campaign, annotator, identity=False, answers=True)

    assert raters(campaign) == ["A2", "A2"]
    assert [row.given.annotator for row in campaign_labels(campaign, WITH_EXCLUDED)] == ["A2", "A2"]
    assert Annotation.objects.count() == 3
    assert UseDecision.objects.get().reason == Reason.WITHDRAWN
    assert annotators_by_state(campaign).withdrew == 1
    again = next_assignment(campaign, other)
    assert again
    assert again.campaign_unit_id == unit


@pytest.mark.databases
def test_withdrawn_answers_are_taken_in_again_by_nobody(campaign: Campaign) -> None:
    annotator = named_participant(campaign)
    answered = [answer_next(campaign, annotator) for _ in range(2)]
    exclude_answers(answered[:1], reason=Reason.SPEED, decider=Decider(rule="too fast"))
    withdraw(campaign, annotator, identity=True, answers=True)

    made = include_answers(answered, decider=Decider(person=campaign.created_by))

    assert made == []
    assert raters(campaign) == []
    assert set(Assignment.objects.filter(status="answered").values_list("excluded", flat=True)) == {True}


def test_answers_of_others_are_still_taken_in_again(campaign: Campaign) -> None:
    annotator = named_participant(campaign)
    answered = answer_next(campaign, annotator)
    exclude_answers([answered], reason=Reason.SPEED, decider=Decider(rule="too fast"))
    other = make_campaign(units=1)
    add_member(other, user=annotator, role=Role.ANNOTATOR)
    withdraw(other, annotator, identity=False, answers=True)

    assert include_answers([answered], decider=Decider(person=campaign.created_by))
    assert raters(campaign) == ["A1"]


# -- identity ----------------------------------------------------------------------------------------------------


@pytest.mark.databases
def test_deleted_identity_is_nowhere_and_the_answers_stay_under_the_pseudonym(campaign: Campaign) -> None:
    annotator = named_participant(campaign)
    answer_next(campaign, annotator)
    pause_annotator(campaign, annotator, reason=Reason.SPEED, decider=Decider(rule="too fast"))
    assert [word in everything_kept() for word in IDENTITY] == [True] * len(IDENTITY)

    left = withdraw(campaign, annotator, identity=True, answers=False)

    assert left.account_deleted
    kept = everything_kept().casefold()
    assert [word for word in [*IDENTITY, "c" * 32] if word.casefold() in kept] == []
    assert raters(campaign) == ["A1"]
    assert not User.objects.get(pk=annotator.pk).is_active


@pytest.mark.databases
def test_participant_whose_identity_was_deleted_is_not_recognised(campaign: Campaign) -> None:
    annotator = named_participant(campaign)
    withdraw(campaign, annotator, identity=True, answers=False)

    link = campaign.invitations.get()
    again = accept_invitation(link.token, ids=PanelIds(PID), agreed=1)

    assert again != annotator
    assert Arrival.objects.filter(invitation=link).count() == 2


@pytest.mark.databases
def test_account_that_is_needed_elsewhere_stays_and_is_cut_from_the_study(campaign: Campaign) -> None:
    annotator = named_participant(campaign)
    elsewhere = make_campaign(units=1)
    add_member(elsewhere, user=annotator, role=Role.ANNOTATOR)
    answer_next(campaign, annotator)
    answer_next(elsewhere, annotator)
    pause_annotator(campaign, annotator, reason=Reason.SPEED, decider=Decider(rule="too fast"))

    left = withdraw(campaign, annotator, identity=True, answers=False)

    assert not left.account_deleted
    assert raters(campaign) == ["A1"]
    assert raters(elsewhere) == ["A1"]
    annotator.refresh_from_db()
    assert (annotator.username, annotator.is_active) == (NAME, True)
    kept = everything_kept()
    assert [word for word in (PID, STUDY, SESSION) if word in kept] == []
    assert ties(annotator) == {
        ("Membership", elsewhere.pk),
        ("Assignment", elsewhere.pk),
    }


def ties(user: User) -> set[tuple[str, int]]:
    """Every row that leads to the account, as its table and its campaign."""
    paths = {"Arrival": "invitation__campaign", "Consent": "text__campaign"}
    found = set()
    for relation in User._meta.related_objects:
        model = relation.related_model
        if (model._meta.db_table, relation.field.name) in OF_THE_ACCOUNT:
            continue
        rows = model._default_manager.filter(**{relation.field.name: user})
        for row in rows.values_list(paths.get(model.__name__, "campaign")):
            found.add((model.__name__, row[0]))
    return found


@pytest.mark.databases
def test_researcher_who_took_part_stays_a_researcher(campaign: Campaign) -> None:
    researcher = UserFactory(is_researcher=True)
    add_member(campaign, user=researcher, role=Role.ANNOTATOR)

    left = withdraw(campaign, researcher, identity=True, answers=False)

    researcher.refresh_from_db()
    assert (left.account_deleted, researcher.is_active) == (False, True)
    assert not Membership.objects.filter(user=researcher).exists()


@pytest.mark.databases
def test_admin_of_the_campaign_who_also_labelled_stays_its_admin(campaign: Campaign) -> None:
    admin = add_member(campaign, user=UserFactory(), role=Role.ADMIN).user
    add_member(campaign, user=admin, role=Role.ANNOTATOR)

    withdraw(campaign, admin, identity=True, answers=False)

    assert list(Membership.objects.filter(user=admin).values_list("role", flat=True)) == [Role.ADMIN]


def test_somebody_who_left_asks_for_more_later(campaign: Campaign) -> None:
    annotator = named_participant(campaign)
    answer_next(campaign, annotator)
    first = withdraw(campaign, annotator, identity=False, answers=False).membership.ended_at

    withdraw(campaign, annotator, identity=False, answers=True)
    last = withdraw(campaign, annotator, identity=True, answers=False)

    assert last.membership.ended_at == first
    assert last.account_deleted
    assert raters(campaign) == []


#: Every column that leads to an account. A new one that says who annotated goes into `withdrawal._hand_over`.
OF_ANNOTATORS = {
    (Membership, "user"),
    (Arrival, "user"),
    (Consent, "user"),
    (Assignment, "annotator"),
    (AnnotatorDecision, "annotator"),
    (BulkDecision, "annotator"),
    (GateTry, "annotator"),
}
OF_STAFF = {
    ("analytics_askedreport", "by"),
    ("analytics_export", "by"),
    ("analytics_reportshare", "created_by"),
    ("judges_verdictimport", "created_by"),
    ("annotation_adjudication", "by"),
    ("annotation_answerreview", "by"),
    ("annotation_bulkdecision", "by"),
    ("annotation_namesshown", "by"),
    ("annotation_reviewcomment", "by"),
    ("annotation_unitreview", "by"),
    ("analytics_qualityflag", "by"),
    ("accounts_user_groups", "user"),
    ("accounts_user_user_permissions", "user"),
    ("annotation_annotatordecision", "by"),
    ("annotation_usedecision", "by"),
    ("campaigns_campaign", "created_by"),
    ("campaigns_consenttext", "made_by"),
    ("campaigns_criterion", "created_by"),
    ("campaigns_criteriondecision", "by"),
    ("corpus_dataset", "created_by"),
    ("campaigns_guidelinestext", "made_by"),
    ("corpus_import", "created_by"),
    ("corpus_importrecipe", "owner"),
    ("corpus_version", "made_by"),
    ("campaigns_invitation", "created_by"),
    ("infrastructure_job", "started_by"),
    ("corpus_labelset", "created_by"),
    ("campaigns_namelock", "by"),
    ("campaigns_nocriteria", "by"),
    ("campaigns_protocolversion", "created_by"),
    ("judges_draftrun", "started_by"),
    ("measurements_identityscan", "started_by"),
    ("measurements_likelihoodsequence", "imported_by"),
    ("measurements_metricrun", "started_by"),
    ("judges_judge", "created_by"),
    ("judges_judgequalification", "made_by"),
    ("judges_languagemodel", "created_by"),
    ("judges_price", "set_by"),
    ("judges_run", "started_by"),
    ("campaigns_qualityrules", "made_by"),
    ("campaigns_webhook", "created_by"),
}
#: Of no campaign: they let in, and go when the identity is deleted (tests/accounts/test_guests.py).
OF_THE_ACCOUNT = {
    ("accounts_auditentry", "by"),  # stays: a number that outlives the account
    ("accounts_apitoken", "user"),
    ("accounts_authenticator", "user"),
    ("accounts_identity", "user"),
    ("accounts_keptreply", "user"),
    ("otp_static_staticdevice", "user"),
    ("otp_totp_totpdevice", "user"),
}


@pytest.mark.databases
def test_every_column_that_leads_to_an_account_is_known_to_withdrawal() -> None:
    found = {
        (model._meta.db_table, field.name)
        for model in apps.get_models(include_auto_created=True)
        for field in model._meta.get_fields()
        if isinstance(field, models.ForeignKey) and field.related_model is User
    }

    assert found == OF_STAFF | OF_THE_ACCOUNT | {(model._meta.db_table, name) for model, name in OF_ANNOTATORS}


# -- the page ----------------------------------------------------------------------------------------------------


def withdraw_url(campaign: Campaign) -> str:
    return reverse("withdraw", args=[campaign.slug])


def test_home_leads_to_leaving(client: Client, campaign: Campaign) -> None:
    client.force_login(named_participant(campaign))

    assert f'href="{withdraw_url(campaign)}"' in client.get(reverse("home")).content.decode()


def test_page_of_leaving_says_under_which_name_the_answers_stay(client: Client, campaign: Campaign) -> None:
    client.force_login(named_participant(campaign))

    page = client.get(withdraw_url(campaign)).content.decode()

    assert "under the pseudonym A1" in page
    assert "your account is deleted" in page


def test_leaving_by_the_page_and_deleting_later(client: Client, campaign: Campaign) -> None:
    annotator = named_participant(campaign)
    client.force_login(annotator)

    left = client.post(withdraw_url(campaign)).content.decode()
    assert "You have left" in left
    assert client.get(reverse("label", args=[campaign.slug])).status_code == 404
    assert "You have left already" in client.get(withdraw_url(campaign)).content.decode()

    gone = client.post(withdraw_url(campaign), {"identity": "on", "answers": "on"}).content.decode()
    assert "are deleted" in gone
    assert "not used from now on" in gone
    assert "_auth_user_id" not in client.session
    assert NAME not in everything_kept()


@pytest.mark.databases
def test_other_browsers_of_a_deleted_account_are_logged_out(client: Client, campaign: Campaign) -> None:
    annotator = named_participant(campaign)
    elsewhere = Client()
    for browser in (client, elsewhere):
        browser.force_login(annotator)

    client.post(withdraw_url(campaign), {"identity": "on"})

    assert elsewhere.get(reverse("home")).status_code == 302


def test_account_that_stays_is_told_so(client: Client, campaign: Campaign) -> None:
    annotator = named_participant(campaign)
    add_member(make_campaign(units=0), user=annotator, role=Role.ANNOTATOR)
    client.force_login(annotator)

    assert "your account stays" in client.get(withdraw_url(campaign)).content.decode()
    page = client.post(withdraw_url(campaign), {"identity": "on"}).content.decode()

    assert "is deleted" in page
    assert client.get(reverse("home")).status_code == 200
    assert client.get(withdraw_url(campaign)).status_code == 404


@pytest.mark.databases
def test_participant_who_leaves_is_told_the_way_back(client: Client, campaign: Campaign) -> None:
    annotator = named_participant(campaign)
    client.force_login(annotator)

    without_code = client.post(withdraw_url(campaign)).content.decode()
    campaign.invitations.update(code_no_consent="N0")
    with_code = client.post(withdraw_url(campaign), {"identity": "on"}).content.decode()

    assert "return your submission" in without_code
    assert "cc=N0" in with_code


def test_campaign_says_how_many_withdrew(client: Client, campaign: Campaign) -> None:
    annotator = named_participant(campaign)
    answer_next(campaign, annotator)
    client.force_login(add_member(campaign, user=UserFactory(), role=Role.ADMIN).user)
    assert "withdrawn" not in client.get(campaign.get_absolute_url()).content.decode()

    withdraw(campaign, annotator, identity=False, answers=True)

    assert "The answers of 1 person are left out" in client.get(campaign.get_absolute_url()).content.decode()
    tidy = client.get(reverse("campaign-tidy", args=[campaign.slug])).getvalue().decode()
    assert len(tidy.splitlines()) == 1


def test_network_address_of_a_voter_is_kept_nowhere() -> None:
    arena = make_open_arena(is_public=True)
    slug = arena.campaign.slug
    guest = Client(REMOTE_ADDR="203.0.113.77")
    guest.post(reverse("arena-start", args=[slug]))
    assignment = next_pair(arena, Entry.objects.get().membership.user)
    assert assignment
    guest.post(reverse("arena-vote", args=[slug, assignment.pk]), {"overall": "1"})

    assert Annotation.objects.get().origin == Entry.objects.get().origin != ""
    assert "203.0.113.77" not in everything_kept()
