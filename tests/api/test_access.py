"""Every address of the API × method × role. What is not in the table fails the test, so that nothing is forgotten."""

from typing import Any
from uuid import UUID

import pytest
from django.urls import resolve, reverse
from rest_framework.test import APIClient

from accounts.models import User
from accounts.tokens.tokens import ANNOTATE, JUDGE, PEOPLE, READ, SCOPES, WRITE
from campaigns.models import Campaign, Role
from tests.api.callers import caller
from tests.cases import undone
from tests.factories import make_campaign
from tests.world import (
    ADMINS,
    ANNOTATORS,
    EVERYBODY,
    LAUNCHERS,
    MANAGERS,
    PARAMETER,
    REVIEWERS,
    STAFF,
    api_routes,
    on_databases,
)

pytestmark = pytest.mark.django_db

#: Who may, with which scope, by which method, where.
TABLE: list[tuple[set[str], str, str, str]] = [
    (EVERYBODY, "", "GET", "me-list"),
    (EVERYBODY, READ, "GET", "dataset-list campaign-list label-set-list"),
    (EVERYBODY, ANNOTATE, "GET", "label-list"),
    (STAFF, READ, "GET", """
        dataset-detail system-list item-list item-detail item-clip response-list job-detail campaign-detail unit-list
        comparison-list report-kind-list campaign-report-list asked-report-detail report-detail report-tex
        report-figure standing-list run-list run-detail probe-list verdict-list label-set-detail label-set-labels
        label-set-answers label-set-trace unit-number-list label-set-standing-list arena-list progress-list
        metric-list likelihood-list feature-list identity-leak-list identity-leak-pairs
    """),
    (STAFF, WRITE, "POST", "campaign-report-list report-keep"),
    (MANAGERS, READ, "GET", """
        webhook-list webhook-detail delivery-list answer-list export-format-list campaign-export-list export-detail
        export-file report-share-list verdict-import-detail checks-list quality-rules-list arena-votes
        entry-gates-list criteria-drafts-list rating-plan-list
    """),
    (REVIEWERS, READ, "GET", """
        annotator-list favour-list review-list review-detail review-decisions rubric-list rubric-table
        rubric-item-list rubric-item-detail
    """),
    (REVIEWERS, WRITE, "POST", """
        annotator-decide review-adjudicate review-comment review-names review-use review-accept review-mark
        review-undo-mark review-use-many rubric-item-criteria rubric-item-none rubric-item-decide
    """),
    (MANAGERS, READ, "POST", "run-estimate"),
    (MANAGERS, WRITE, "POST", """
        campaign-open campaign-pause campaign-close campaign-audio webhook-list webhook-test delivery-again
        campaign-export-list report-share-list run-pause run-cancel verdict-import-list verdict-import-cancel
        unit-number-list campaign-archive campaign-restore campaign-later-units standing-hide-names checks-list
        checks-traps quality-rules-list arena-list arena-end arena-let-in checks-recordings entry-gates-list
        entry-gates-guidelines rubric-list criteria-drafts-stop comparison-qualify run-cancel-baselines metric-list
        metric-scores likelihood-list feature-list identity-leak-list
    """),
    (MANAGERS, WRITE, "PATCH", "campaign-detail"),
    (MANAGERS, WRITE, "DELETE", "webhook-detail export-detail report-share-detail checks-recordings"),
    (MANAGERS, JUDGE, "POST", """
        run-list run-resume run-again run-top-up run-baselines probe-list criteria-drafts-list
    """),
    (ADMINS, READ, "GET", "member-list invitation-list consent-text-list retention-list"),
    (ADMINS, WRITE, "POST", "member-list invitation-list consent-text-list retention-list"),
    (ADMINS, WRITE, "DELETE", "member-detail campaign-detail invitation-detail"),
    (LAUNCHERS, READ, "GET", """
        import-list protocol-list protocol-version model-list judge-list judge-detail recipe-list
    """),
    (LAUNCHERS, READ, "POST", "protocol-preview-list"),
    (LAUNCHERS, WRITE, "POST", """
        import-list protocol-list campaign-list model-list judge-list resumable-upload-list recipe-list
    """),
    (ANNOTATORS, ANNOTATE, "GET", "label-consent clip-detail"),
    (ANNOTATORS, ANNOTATE, "POST", """
        label-next label-take-back label-consent label-withdraw assignment-heard assignment-answers
        assignment-give-back
    """),
    ({"superuser"}, READ, "GET", """
        audit-log-list import-detail model-detail recipe-detail backup-list storage-list
        campaign-retention-list import-mapping
    """),
    ({"superuser"}, WRITE, "POST", """
        response-list import-confirm import-cancel import-choices import-mapping model-terms job-cancel job-again
        dataset-archive dataset-restore import-archive import-restore judge-archive judge-restore campaign-clone
        protocol-archive protocol-restore review-undo-use review-stop-use backup-list backup-test
        storage-list storage-clear
    """),
    ({"superuser"}, WRITE, "GET", "resumable-upload-detail"),
    ({"superuser"}, WRITE, "PATCH", """
        dataset-detail judge-detail resumable-upload-detail protocol-detail recipe-detail
    """),
    ({"superuser"}, WRITE, "DELETE", """
        model-detail judge-detail dataset-detail import-detail resumable-upload-detail protocol-detail
        recipe-detail backup-detail
    """),
    ({"superuser"}, JUDGE, "POST", "model-try-"),
    ({"superuser"}, PEOPLE, "GET", "person-list person-detail person-tokens"),
    ({"superuser"}, PEOPLE, "POST", "person-list person-disable person-enable person-log-out person-password"),
    ({"superuser"}, PEOPLE, "PATCH", "person-detail"),
    ({"superuser"}, PEOPLE, "DELETE", "person-detail person-token"),
]  # fmt: skip
WHO_MAY = {(method, name): (who, scope) for who, scope, method, names in TABLE for name in names.split()}
#: The description is everybody's.
OPEN = {("GET", "schema"), ("GET", "nothing")}
#: What stands in addresses below a campaign or a dataset.
WITHIN = {
    name
    for name, route, _view in api_routes()
    if len(within := PARAMETER.findall(route)) > 1 and {"<slug:campaign>", "<slug:dataset>"} & set(within)
}
#: What deletes comes last: files do not come back when rows do.
OPERATIONS = sorted(WHO_MAY, key=lambda it: it[0] == "DELETE")


def operations() -> set[tuple[str, str]]:
    """Every address with its methods, as the router has them."""
    found = set()
    for name, _route, view in api_routes():
        actions = getattr(view, "actions", None) or {"get": "get"}
        found |= {(method.upper(), name) for method in actions if method != "head"}
    return found


def test_every_operation_is_in_the_table() -> None:
    assert operations() == set(WHO_MAY) | OPEN


def asked(client: APIClient, method: str, address: str) -> Any:
    with undone():
        return client.generic(method, address, HTTP_TUS_RESUMABLE="1.0.0")


@pytest.mark.parametrize("role", on_databases(EVERYBODY))
def test_operation_is_open_to_those_who_may_and_to_nobody_else(
    people: dict[str, User], addresses: dict[str, str], role: str
) -> None:
    client = caller(people[role])
    replies = {it: asked(client, it[0], addresses[it[1]]) for it in OPERATIONS}

    refused = {it: reply for it, reply in replies.items() if reply.status_code in (401, 403, 404)}
    assert set(refused) == {it for it, (allowed, _scope) in WHO_MAY.items() if role not in allowed}
    assert [it for it, reply in refused.items() if reply["Content-Type"] != "application/problem+json"] == []
    assert [it for it, reply in replies.items() if reply.status_code >= 500] == []


def test_operation_needs_a_token_of_its_scope(people: dict[str, User], addresses: dict[str, str]) -> None:
    for method, name in OPERATIONS:
        allowed, scope = WHO_MAY[method, name]
        others = [it for it in SCOPES if it != scope]

        assert asked(APIClient(), method, addresses[name]).status_code == 401, f"{method} {name}"
        response = asked(caller(people[min(allowed)], others), method, addresses[name])
        people[min(allowed)].api_tokens.all().delete()  # nobody may have as many as there are operations

        assert response.status_code == (403 if scope else 200), f"{method} {name}"
        assert scope in response.content.decode()


def test_operation_is_closed_to_guests_but_for_labelling(people: dict[str, User], addresses: dict[str, str]) -> None:
    """A guest has no token, and may come with a session."""
    guest = people["annotator"]
    User.objects.filter(pk=guest.pk).update(is_guest=True, is_researcher=True)
    client = APIClient()
    client.force_login(guest)

    open_to_guests = {it for it in OPERATIONS if asked(client, it[0], addresses[it[1]]).status_code not in (403, 404)}

    for_annotators = {it for it, (allowed, _scope) in WHO_MAY.items() if allowed == ANNOTATORS}
    assert open_to_guests == for_annotators | {("GET", "me-list"), ("GET", "label-list")}


def test_operation_refuses_another_method_in_the_same_shape(
    people: dict[str, User], addresses: dict[str, str]
) -> None:
    client = caller(people["superuser"])
    for name in sorted({name for _, name in WHO_MAY if ("PATCH", name) not in WHO_MAY}):
        response = client.patch(addresses[name])

        assert (response.status_code, response.json()["code"]) == (405, "method_not_allowed"), name


def test_what_belongs_to_one_campaign_is_not_found_under_another(
    campaign: Campaign, people: dict[str, User], addresses: dict[str, str]
) -> None:
    """Whoever has every right in their own campaign and dataset reaches nothing of others by way of them."""
    mine, client = make_campaign(), caller(people["launcher"])
    own = {campaign.slug: mine.slug, campaign.dataset.slug: mine.dataset.slug}
    for role in Role:
        mine.memberships.create(user=people["launcher"], role=role, pseudonym="A1" if role == Role.ANNOTATOR else "")
    within = [it for it in OPERATIONS if it[1] in WITHIN]

    for method, name in within:
        arguments = {key: own.get(value, value) for key, value in resolve(addresses[name]).kwargs.items()}
        response = asked(client, method, reverse(f"api:{name}", kwargs=arguments))

        assert response.status_code == 404, f"{method} {name}: {response.content!r}"
    assert len(within) > 10


def test_job_of_somebody_else_is_not_there(people: dict[str, User]) -> None:
    assert caller(people["superuser"]).get(reverse("api:job-detail", args=[UUID(int=1)])).status_code == 404


def test_options_says_everywhere_which_methods_there_are(people: dict[str, User], addresses: dict[str, str]) -> None:
    client = caller(people["superuser"])
    for name, address in addresses.items():
        response = client.options(address)
        if name == "schema":
            assert response.status_code == 200
            continue
        methods = {method for method, of in WHO_MAY if of == name} | {"OPTIONS"}
        assert (name, response.status_code) == (name, 204)
        assert {it.strip() for it in response["Allow"].split(",")} - {"HEAD"} == methods, name
        assert response.content == b"", name


def test_options_wants_somebody_who_is_known(addresses: dict[str, str]) -> None:
    assert {APIClient().options(addresses[name]).status_code for name in addresses if name != "schema"} == {401}
