"""Every URL × every role. A URL that is not in the table fails the test, so that none is forgotten."""

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import User
from campaigns.models import Campaign, Role
from tests.cases import undone
from tests.world import (
    ADMINS,
    ANNOTATORS,
    EVERYBODY,
    LAUNCHERS,
    MANAGERS,
    REVIEWERS,
    STAFF,
    Values,
    campaign,
    filled,
    mail,
    on_databases,
    pages,
    people,
    values,
)  # fmt: skip

pytestmark = pytest.mark.django_db
__all__ = ["campaign", "mail", "people", "values"]

#: Who may, by which method, where. Nobody may where a page needs what is not here, or a row is its owner's alone.
TABLE: list[tuple[set[str], str, str]] = [
    (EVERYBODY, "GET", """
        home password tokens datasets protocol-schema rights account account-delete email email-confirm second-factor
        second-factor-off
    """),
    (STAFF, "GET", """
        dataset dataset-items dataset-metrics dataset-metrics-table dataset-likelihoods dataset-identity
        dataset-identity-pairs item item-clip dataset-features item-features job campaign results report
        report-figures report-print kept-report
        report-file figure-file comparison comparison-file runs run run-verdicts run-verdict run-verdict-clip
        probe-report label-set label-set-trace label-set-tidy label-set-all-raters board board-units board-file
        board-fragility label-set-board-fragility
        campaign-arena baselines label-set-board label-set-board-units label-set-board-file campaign-pulse labels
    """),
    (STAFF, "POST", "keep-report"),
    (REVIEWERS, "GET", """
        rubric rubric-item rubric-table rubric-acceptance quality quality-favour quality-annotator
        review review-unit review-clip disagreements disagreement
    """),
    (REVIEWERS, "POST", """
        quality-decide quality-favour-decide review-mark review-undo review-use-many review-stop-many review-undo-many
        review-adjudicate review-settle review-comment review-names review-use
        review-accept
    """),
    (MANAGERS, "GET", """
        launch-systems launch-protocol launch-units launch-answers launch-open campaign-later-units preview
        planning planning-ratings stopping-rehearsal judge-rehearsal checks gates gold-template traps trap-clip
        rubric-drafts verdicts-import verdict-import verdict-import-columns
        verdict-import-template run-new run-probe run-file quality-rules webhooks webhook arena-votes exports
        export-file campaign-trace campaign-tidy manage delete manage delete
    """),
    (MANAGERS, "POST", """
        dataset-metrics-compute dataset-metrics-import dataset-likelihoods-import dataset-identity-scan preview-answer
        dataset-numbers-import
        preview-heard preview-skip campaign-turn campaign-audio guidelines-text trap-recordings rubric-upload
        rubric-drafts-stop verdict-import-cancel share-report unshare-report comparison-qualify run-turn webhook-test
        baselines baselines-cancel
        webhook-disable delivery-again board-lock arena-let-in export-delete archive restore
    """),
    (ADMINS, "GET", "members retention"),
    (ADMINS, "POST", "member-end invitation-new invitation-revoke consent-text"),
    (LAUNCHERS, "GET", """
        imports import-new import-recipes import-template health protocols protocol protocol-yaml protocol-answers
        protocol-new protocol-upload campaign-new models model-proposal judges judge-new
    """),
    (LAUNCHERS, "POST", "protocol-preview"),
    (ANNOTATORS, "GET", "consent withdraw label listen messages volume volume-noise gate gate-sound guidelines"),
    (ANNOTATORS, "POST", "answer heard give-back take-back leave-as-it-was ahead arena-vote arena-ahead"),
    ({"superuser"}, "GET", """
        people people-invite person person-delete demo person-second-factor audit-log audit-log-csv import
        dataset-about
        import-columns import-columns
        model-terms member-second-factor administration administration-jobs
        administration-backups administration-settings administration-health
        administration-storage administration-retention administration-models
    """),
    ({"superuser"}, "POST", """
        job-cancel job-again backup-test backup-remove storage-clear
        person-right person-password person-disable person-enable person-log-out
        import-confirm import-cancel import-choices campaign-clone model-test model-disable
        member-password
    """),
    (set(), "GET", "import-recipe-file preview-listen sign-on-link keep-account"),
    (set(), "POST", "import-recipe-rename import-recipe-delete token-revoke person-token-revoke sign-on-unlink"),
]  # fmt: skip
WHO_MAY = {name: (method, who) for who, method, names in TABLE for name in names.split()}
WITHOUT_LOGIN = {
    "shared-report", "shared-file", "shared-figure",
    "setup", "login", "login-code", "logout", "sign-on", "sign-on-back",
    "forgotten", "forgotten-sent", "new-password",
    "join", "set_language", "healthz", "readyz", "metrics", "arena", "arena-start",
}  # fmt: skip
#: What a guest reaches, who is an annotator without a name: the way to the units, the units, and the ways out.
FOR_GUESTS = {
    "home", "label", "answer", "heard", "give-back", "take-back", "leave-as-it-was", "ahead", "listen", "volume",
    "volume-noise", "gate", "gate-sound", "guidelines", "consent", "withdraw", "keep-account", "messages",
    "arena-vote", "arena-ahead",
}  # fmt: skip


@pytest.fixture
def addresses(values: Values) -> dict[str, str]:
    """Of the pages that want somebody who is logged in."""
    return {name: address for name, address in filled(values).items() if name not in WITHOUT_LOGIN}


def test_every_url_is_in_the_table() -> None:
    assert {name for name, _route, _view in pages()} == set(WHO_MAY) | WITHOUT_LOGIN


def statuses(client: Client, addresses: dict[str, str]) -> dict[str, int]:
    """What each URL answers by its method, each as if it were the first."""
    found = {}
    for name, address in addresses.items():
        with undone():
            found[name] = client.generic(WHO_MAY[name][0], address).status_code
    return found


def let_in(client: Client, addresses: dict[str, str]) -> set[str]:
    return {name for name, status in statuses(client, addresses).items() if status not in (403, 404)}


@pytest.mark.parametrize("role", on_databases(EVERYBODY))
def test_url_is_open_to_those_who_may_and_to_nobody_else(
    client: Client, people: dict[str, User], addresses: dict[str, str], role: str
) -> None:
    client.force_login(people[role])

    assert let_in(client, addresses) == {name for name, (_method, allowed) in WHO_MAY.items() if role in allowed}


@pytest.mark.parametrize("other_role", [None, *sorted(set(Role) - {Role.ANNOTATOR})])
def test_url_is_open_to_a_guest_only_for_labelling(
    client: Client, campaign: Campaign, people: dict[str, User], addresses: dict[str, str], other_role: str | None
) -> None:
    """Not even a guest who was given another role gets further."""
    guest = people["annotator"]
    User.objects.filter(pk=guest.pk).update(is_guest=True, is_researcher=True)
    if other_role:
        campaign.memberships.create(user=guest, role=other_role)
    client.force_login(guest)

    assert let_in(client, addresses) == FOR_GUESTS


def test_url_leads_the_logged_out_to_the_login(client: Client, addresses: dict[str, str]) -> None:
    replies = {name: client.generic(WHO_MAY[name][0], address) for name, address in addresses.items()}

    led = {name for name, reply in replies.items() if reply.get("Location", "").startswith(reverse("login"))}
    assert led == set(WHO_MAY)
    assert {reply.status_code for reply in replies.values()} == {302}


def test_url_refuses_another_method(client: Client, people: dict[str, User], addresses: dict[str, str]) -> None:
    client.force_login(people["superuser"])

    got = {name: client.delete(address).status_code for name, address in addresses.items() if name != "password"}
    assert {name: status for name, status in got.items() if status != 405} == {}
