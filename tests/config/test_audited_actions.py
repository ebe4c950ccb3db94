"""What changes rights or the secrecy of names appends one entry to the audit log, which names no account."""

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from django.core import signing
from django.utils import timezone
from pytest_django import Settings as DjangoSettings

from accounts.emails import SALT, confirm_email
from accounts.login.guests import keep_account, make_guest
from accounts.login.password_links import password_link
from accounts.login.second_factor import begin, confirm, switch_off, take_away
from accounts.models import AuditEntry, User
from accounts.people.accounts import (
    change_account,
    disable_account,
    enable_account,
    log_out_everywhere,
    make_account,
)
from accounts.people.rights import InstallationRight, give_right, take_right
from accounts.setup.first_administrator import make_first_administrator, new_setup_code
from accounts.sign_on.openid import account_of, link, unlink
from accounts.tokens.tokens import make_token, revoke_token
from analytics.exports.making import begin_exports
from analytics.exports.request import Wanted
from analytics.quality import decisions
from analytics.reports.kinds import KINDS
from analytics.reports.source import Settings as ReportSettings
from analytics.reports.storage import report_of, share, take_back
from analytics.retention.deletion import Due, carry_out, set_retention
from annotation.models import Assignment
from annotation.review.comments import show_names
from annotation.review.exclusions import Decider, exclude_answers, include_answers
from annotation.withdrawal.withdraw import withdraw
from arena.board.name_locks import hide_names
from arena.settings.setup import Terms, set_arena
from arena.standings.choices import Settings
from campaigns.audit_log import record_download, record_in_once_a_day
from campaigns.entry_gates.guidelines import new_guidelines
from campaigns.launch.api import UNITS_NAMED
from campaigns.launch.lifecycle import close_campaign, create_campaign, pause_campaign
from campaigns.models import Campaign, Membership, NameLock, Role, Webhook
from campaigns.people import consent
from campaigns.people.invitations import Terms as LinkTerms
from campaigns.people.invitations import accept_invitation, make_invitations, revoke_invitation
from campaigns.people.members import add_member, create_account, end_membership
from campaigns.protocol_composer.own_protocols import save_version
from campaigns.webhooks.hooks import add_webhook, disable_webhook
from judges.language_models.registry import add_model, disable_model
from judges.models import LanguageModel
from protocols import SHIPPED
from tests.accounts.test_second_factor import code_of
from tests.cases import each
from tests.factories import UserFactory, make_assignment, make_campaign, make_invitation, make_member

pytestmark = [pytest.mark.django_db, pytest.mark.databases]
RARE = "zqxv"
TOKEN = {"name": RARE, "scopes": ["read"], "days": 1}


@dataclass(frozen=True)
class Given:
    admin: User
    person: User
    campaign: Campaign

    @property
    def account(self) -> dict[str, Any]:
        return {"username": f"{RARE}-new", "email": f"{RARE}@new.example", "by": self.admin}


@pytest.fixture
def given(media_root: Path, settings: DjangoSettings) -> Given:
    settings.OIDC_ISSUER, settings.OIDC_SIGN_UP = "https://sso.example", ["*"]
    admin = UserFactory(username=f"{RARE}-admin", is_superuser=True)
    person = UserFactory(username=f"{RARE}-person", email=f"{RARE}@lab.example", password="listen-closely-1")
    campaign = make_campaign(units=1)
    make_member(campaign, Role.ADMIN)
    return Given(admin, person, campaign)


def claims(subject: str, email: str) -> dict[str, Any]:
    return {"sub": subject, "email": email, "email_verified": True, "preferred_username": RARE}


def second_factor(user: User) -> list[str] | None:
    begin(user)
    return confirm(user, code_of(user))


def email_of(it: Given) -> str | None:
    token = signing.dumps([it.person.pk, it.person.email, f"{RARE}@new.example"], salt=SALT)
    return confirm_email(it.person, token)


def first_administrator(it: Given) -> None:
    User.objects.filter(is_superuser=True).update(is_superuser=False)
    make_first_administrator(new_setup_code(), username=f"{RARE}-first", password="listen-closely-1")


def locked(campaign: Campaign) -> Campaign:
    NameLock.objects.create(campaign=campaign, by=campaign.created_by)
    return campaign


def reveal(it: Given) -> None:
    draft = make_campaign(status="draft")
    set_arena(draft, terms=Terms(reveals_names=True), by=it.admin)
    set_arena(draft, terms=Terms(reveals_names=True), by=it.admin)


def shared(it: Given) -> Any:
    return share(report_of(it.campaign, KINDS["labels"], ReportSettings()), user=it.admin)


def member(it: Given, role: str) -> Any:
    return it.campaign.memberships.get(user=make_member(it.campaign, role))


def leave(it: Given, *, answers: bool) -> None:
    withdraw(it.campaign, make_member(it.campaign), identity=True, answers=answers)


def webhook(it: Given) -> Webhook:
    url = f"https://93.184.215.14/{RARE}"
    return add_webhook(it.campaign, url=url, events=["answer.recorded"], user=it.admin)[0]


def model(it: Given) -> LanguageModel:
    return add_model(
        title="M", base_url="http://127.0.0.1:9/v1", model="m", api_key=RARE, timeout_s=5, shared=True, user=it.admin
    )


def answered(it: Given) -> tuple[Assignment, Membership]:
    """An answer, the same at each call, and the membership of who gave it."""
    annotator = User.objects.filter(username=f"{RARE}-annotator").first()
    annotator = annotator or make_member(it.campaign, username=f"{RARE}-annotator")
    there = Assignment.objects.filter(annotator=annotator).first()
    there = there or make_assignment(it.campaign, annotator, status="answered")
    return there, it.campaign.memberships.get(user=annotator)


def use_answer(it: Given, *, use: bool, by: User | None) -> None:
    decide, decider = (include_answers if use else exclude_answers), Decider(by, rule="" if by else "rule")
    decide([answered(it)[0]], reason="other", decider=decider)


#: What is done, and the events that it appends.
ACTIONS: dict[str, tuple[Callable[[Given], Any], list[str]]] = {
    "make account": (lambda it: make_account(**it.account, is_researcher=False), ["account_made"]),
    "make researcher": (lambda it: make_account(**it.account, is_researcher=True), ["account_made_researcher"]),
    "make account in a campaign": (lambda it: create_account(f"{RARE}-new", by=it.admin), ["account_made"]),
    "rename": (
        lambda it: change_account(it.person, username=f"{RARE}-new", email=it.person.email, by=it.admin),
        ["account_renamed"],
    ),
    "change nothing": (
        lambda it: change_account(it.person, username=it.person.username, email=it.person.email, by=it.admin), []
    ),
    "change the address": (
        lambda it: change_account(it.person, username=it.person.username, email="", by=it.admin),
        ["account_email_changed"],
    ),
    "confirm an address": (email_of, ["account_email_changed"]),
    "keep a guest's account": (
        lambda _it: keep_account(make_guest(), username=f"{RARE}-kept", password="listen-closely-1"), ["account_kept"]
    ),
    "disable": (lambda it: disable_account(it.person, by=it.admin), ["account_disabled"]),
    "disable twice": (
        lambda it: disable_account(disable_account(it.person, by=it.admin), by=it.admin), ["account_disabled"]
    ),
    "enable": (
        lambda it: enable_account(disable_account(it.person, by=it.admin), by=it.admin),
        ["account_disabled", "account_enabled"],
    ),
    "log out": (lambda it: log_out_everywhere(it.person, by=it.admin), ["account_logged_out"]),
    "give and take researcher": (
        lambda it: [
            turn(it.person, InstallationRight.RESEARCHER, by=it.admin)
            for turn in (give_right, give_right, take_right, take_right)
        ],
        ["researcher_given", "researcher_taken"],
    ),
    "give and take administrator": (
        lambda it: [
            turn(it.person, InstallationRight.ADMINISTRATOR, by=it.admin) for turn in (give_right, take_right)
        ],
        ["administrator_given", "administrator_taken"],
    ),
    "password link": (lambda it: password_link(it.person, by=it.admin), ["password_link_made"]),
    "second factor": (lambda it: second_factor(it.person), ["second_factor_added"]),
    "second factor off": (
        lambda it: (second_factor(it.person), switch_off(it.person, by=it.person)),
        ["second_factor_added", "second_factor_removed"],
    ),
    "second factor lost": (
        lambda it: (second_factor(it.person), take_away(it.person, by=it.admin)),
        ["second_factor_added", "second_factor_removed"],
    ),
    "tokens": (
        lambda it: [revoke_token(row, by=it.admin) for row in [make_token(it.person, **TOKEN)[0]] * 2],
        ["token_made", "token_revoked"],
    ),
    "sign-on linked and unlinked": (
        lambda it: (link(it.person, RARE), link(it.person, RARE), unlink(it.person), unlink(it.person)),
        ["sign_on_linked", "sign_on_unlinked"],
    ),
    "sign-on by address": (lambda it: account_of(claims(RARE, it.person.email)), ["sign_on_linked"]),
    "sign up": (lambda _it: account_of(claims(RARE, f"{RARE}@else.example")), ["sign_on_signed_up"]),
    "first administrator": (first_administrator, ["first_administrator"]),
    "give roles": (
        lambda it: [add_member(it.campaign, user=it.person, role=role, by=it.admin) for role in ("viewer", "viewer")],
        ["role_given_viewer"],
    ),
    "add an annotator": (
        lambda it: add_member(it.campaign, user=it.person, role="annotator", by=it.admin), ["role_given_annotator"]
    ),
    "take a role": (lambda it: end_membership(member(it, "reviewer"), by=it.admin), ["role_taken_reviewer"]),
    "end an annotator": (lambda it: end_membership(member(it, "annotator"), by=it.admin), ["role_taken_annotator"]),
    "invite": (
        lambda it: make_invitations(it.campaign, terms=LinkTerms(note=RARE), user=it.admin, how_many=3),
        ["invitations_made"],
    ),
    "close an invitation": (
        lambda it: [revoke_invitation(row, by=it.admin) for row in [make_invitation(it.campaign)] * 2],
        ["invitation_closed"],
    ),
    "join": (lambda it: accept_invitation(make_invitation(it.campaign).token, user=it.person), []),
    "hide names": (
        lambda it: [hide_names(it.campaign, user=it.admin, settings=Settings("overall")) for _ in "ab"],
        ["names_locked"],
    ),
    "close with hidden names": (
        lambda it: close_campaign(locked(it.campaign), by=it.admin), ["campaign_closed", "names_unlocked"]
    ),
    "close": (lambda it: close_campaign(it.campaign, by=it.admin), ["campaign_closed"]),
    "pause": (lambda it: [pause_campaign(it.campaign, by=it.admin) for _ in "ab"], ["campaign_paused"]),
    "create a campaign": (
        lambda it: create_campaign(
            it.campaign.dataset, title="C", protocol=it.campaign.protocol, units=[], user=it.admin
        ),
        ["campaign_created"],
    ),
    "reveal in an arena": (reveal, ["arena_reveals_names"]),
    "list units with their systems": (
        lambda it: [record_in_once_a_day(it.campaign, UNITS_NAMED, by=it.admin) for _ in "ab"], ["units_named"]
    ),
    "see names at review": (
        lambda it: [show_names(it.campaign.campaign_units.get(), reviewer=it.admin) for _ in "ab"], ["names_seen"]
    ),
    "export": (
        lambda it: [begin_exports(it.campaign, ["csv"], wanted=Wanted(), user=it.admin) for _ in "ab"],
        ["answers_exported"],
    ),
    "download answers": (
        lambda it: [record_download(it.campaign, name, by=it.admin) for name in ("csv", "csv", "api")],
        ["answers_exported", "answers_exported"],
    ),
    "download labels of a dataset": (
        lambda it: [record_download(it.campaign.dataset, "label-set-1.csv", by=it.admin) for _ in "ab"],
        ["answers_exported"],
    ),
    "leave out an answer and take it in again": (
        lambda it: [use_answer(it, use=use, by=it.admin) for use in (False, False, True)],
        ["single_answers_left_out", "single_answers_taken_in"],
    ),
    "a rule leaves out an answer": (lambda it: use_answer(it, use=False, by=None), []),
    "leave out an annotator": (
        lambda it: decisions.exclude_all(answered(it)[1], by=it.admin, reason="other", comment=""),
        ["single_answers_left_out"],
    ),
    "save a protocol": (
        lambda it: [
            save_version(replace(SHIPPED["hcot"], name="own", version=version), user=it.admin) for version in "112"
        ],
        ["protocol_saved", "protocol_saved"],
    ),
    "change the guidelines": (
        lambda it: [new_guidelines(it.campaign, text=text, user=it.admin) for text in ("A", "A", "B")],
        ["guidelines_changed", "guidelines_changed"],
    ),
    "change the consent text": (
        lambda it: [consent.new_version(it.campaign, text=text, user=it.admin) for text in ("A", "A", "B")],
        ["consent_text_changed", "consent_text_changed"],
    ),
    "second factor off where there is none": (lambda it: take_away(it.person, by=it.admin), []),
    "webhook": (
        lambda it: [disable_webhook(hook, by=it.admin) for hook in [webhook(it)] * 2],
        ["webhook_added", "webhook_disabled"],
    ),
    "model": (
        lambda it: [disable_model(row, user=it.admin) for row in [model(it)] * 2], ["model_added", "model_disabled"]
    ),
    "share a report": (shared, ["report_shared"]),
    "take a report back": (
        lambda it: [take_back(row, by=it.admin) for row in [shared(it)] * 2], ["report_shared", "report_unshared"]
    ),
    "set retention": (
        lambda it: [set_retention(it.campaign, identity_days=days, audio_days=None, by=it.admin) for days in (7, 7)],
        ["retention_set"],
    ),
    "carry out retention": (
        lambda it: carry_out([Due(it.campaign, people=[make_member(it.campaign)])], now=timezone.now()),
        ["retention_carried_out"],
    ),
    "leave": (lambda it: leave(it, answers=False), ["annotator_left"]),
    "withdraw answers": (lambda it: leave(it, answers=True), ["answers_withdrawn"]),
}  # fmt: skip


@each("done", sorted(ACTIONS), undo=True)
def test_action_appends_one_entry_without_the_name_of_an_account(given: Given, done: str) -> None:
    action, events = ACTIONS[done]
    rows = (given.admin, given.person, given.campaign)

    action(Given(*(type(row).objects.get(pk=row.pk) for row in rows)))

    entries = list(AuditEntry.objects.order_by("pk"))
    assert [entry.event for entry in entries] == events
    kept = [[it.subject_name if it.subject_kind == "account" else "", it.params] for it in entries]
    assert RARE not in json.dumps(kept)


def test_log_does_not_tell_which_account_was_an_annotator(given: Given) -> None:
    """An identity that is deleted later, by its owner or by retention, would otherwise be found in the log."""
    row = add_member(given.campaign, user=given.person, role=Role.ANNOTATOR, by=given.admin)
    end_membership(row, by=given.admin)
    add_member(given.campaign, user=given.person, role=Role.ANNOTATOR, by=given.admin)
    withdraw(given.campaign, given.person, identity=False, answers=True)

    about = AuditEntry.objects.filter(subject_kind="campaign")
    assert about.count() == 4
    assert [it for it in about if it.by_id == given.person.pk or given.person.pk in it.params.values()] == []
