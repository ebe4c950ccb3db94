"""Every address of the API × method × role. What is not in the table fails the test, so that nothing is forgotten."""

from typing import Any
from uuid import UUID

import pytest
from django.db import transaction
from django.urls import resolve, reverse
from rest_framework.test import APIClient

from accounts.models import User
from accounts.tokens.tokens import ANNOTATE, JUDGE, READ, SCOPES, WRITE
from campaigns.models import Campaign, Role
from config.api import urlpatterns
from tests.api.callers import caller
from tests.factories import make_campaign

pytestmark = pytest.mark.django_db

EVERYBODY = {"admin", "researcher", "reviewer", "annotator", "viewer", "outsider", "launcher", "superuser"}
STAFF = {"admin", "researcher", "reviewer", "viewer", "superuser"}
MANAGERS = {"admin", "researcher", "superuser"}
LAUNCHERS = {"launcher", "superuser"}
ADMINS = {"admin", "superuser"}
ANNOTATORS = {"annotator"}

#: (method, name of the address): who may, and with which scope.
WHO_MAY = {
    ("GET", "me-list"): (EVERYBODY, ""),
    ("GET", "dataset-list"): (EVERYBODY, READ),
    ("GET", "dataset-detail"): (STAFF, READ),
    ("GET", "system-list"): (STAFF, READ),
    ("GET", "item-list"): (STAFF, READ),
    ("GET", "item-detail"): (STAFF, READ),
    ("GET", "item-clip"): (STAFF, READ),
    ("GET", "response-list"): (STAFF, READ),
    ("POST", "response-list"): ({"superuser"}, WRITE),
    ("GET", "import-list"): (LAUNCHERS, READ),
    ("POST", "import-list"): (LAUNCHERS, WRITE),
    ("GET", "import-detail"): ({"superuser"}, READ),
    ("POST", "import-confirm"): ({"superuser"}, WRITE),
    ("POST", "import-choices"): ({"superuser"}, WRITE),
    ("GET", "job-detail"): (STAFF, READ),
    ("GET", "protocol-list"): (LAUNCHERS, READ),
    ("POST", "protocol-list"): (LAUNCHERS, WRITE),
    ("GET", "protocol-version"): (LAUNCHERS, READ),
    ("GET", "campaign-list"): (EVERYBODY, READ),
    ("POST", "campaign-list"): (LAUNCHERS, WRITE),
    ("GET", "campaign-detail"): (STAFF, READ),
    ("POST", "campaign-open"): (MANAGERS, WRITE),
    ("POST", "campaign-pause"): (MANAGERS, WRITE),
    ("POST", "campaign-close"): (MANAGERS, WRITE),
    ("POST", "campaign-audio"): (MANAGERS, WRITE),
    ("GET", "unit-list"): (STAFF, READ),
    ("GET", "member-list"): (ADMINS, READ),
    ("POST", "member-list"): (ADMINS, WRITE),
    ("DELETE", "member-detail"): (ADMINS, WRITE),
    ("GET", "webhook-list"): (MANAGERS, READ),
    ("POST", "webhook-list"): (MANAGERS, WRITE),
    ("GET", "webhook-detail"): (MANAGERS, READ),
    ("DELETE", "webhook-detail"): (MANAGERS, WRITE),
    ("POST", "webhook-test"): (MANAGERS, WRITE),
    ("GET", "delivery-list"): (MANAGERS, READ),
    ("POST", "delivery-again"): (MANAGERS, WRITE),
    ("GET", "answer-list"): (MANAGERS, READ),
    ("GET", "comparison-list"): (STAFF, READ),
    ("GET", "export-format-list"): (MANAGERS, READ),
    ("GET", "campaign-export-list"): (MANAGERS, READ),
    ("POST", "campaign-export-list"): (MANAGERS, WRITE),
    ("GET", "export-detail"): (MANAGERS, READ),
    ("GET", "export-file"): (MANAGERS, READ),
    ("DELETE", "export-detail"): (MANAGERS, WRITE),
    ("GET", "report-kind-list"): (STAFF, READ),
    ("GET", "campaign-report-list"): (STAFF, READ),
    ("POST", "campaign-report-list"): (STAFF, WRITE),
    ("GET", "asked-report-detail"): (STAFF, READ),
    ("GET", "report-detail"): (STAFF, READ),
    ("GET", "report-tex"): (STAFF, READ),
    ("GET", "report-figure"): (STAFF, READ),
    ("POST", "report-keep"): (STAFF, WRITE),
    ("GET", "report-share-list"): (MANAGERS, READ),
    ("POST", "report-share-list"): (MANAGERS, WRITE),
    ("DELETE", "report-share-detail"): (MANAGERS, WRITE),
    ("GET", "standing-list"): (STAFF, READ),
    ("GET", "run-list"): (STAFF, READ),
    ("POST", "run-list"): (MANAGERS, JUDGE),
    ("GET", "run-detail"): (STAFF, READ),
    ("POST", "run-estimate"): (MANAGERS, READ),
    ("POST", "run-pause"): (MANAGERS, WRITE),
    ("POST", "run-resume"): (MANAGERS, JUDGE),
    ("POST", "run-cancel"): (MANAGERS, WRITE),
    ("POST", "run-again"): (MANAGERS, JUDGE),
    ("POST", "run-top-up"): (MANAGERS, JUDGE),
    ("GET", "probe-list"): (STAFF, READ),
    ("POST", "probe-list"): (MANAGERS, JUDGE),
    ("GET", "verdict-list"): (STAFF, READ),
    ("POST", "verdict-import-list"): (MANAGERS, WRITE),
    ("GET", "verdict-import-detail"): (MANAGERS, READ),
    ("POST", "verdict-import-cancel"): (MANAGERS, WRITE),
    ("GET", "model-list"): (LAUNCHERS, READ),
    ("POST", "model-list"): (LAUNCHERS, WRITE),
    ("GET", "model-detail"): ({"superuser"}, READ),
    ("POST", "model-terms"): ({"superuser"}, WRITE),
    ("POST", "model-try-"): ({"superuser"}, JUDGE),
    ("DELETE", "model-detail"): ({"superuser"}, WRITE),
    ("GET", "judge-list"): (LAUNCHERS, READ),
    ("POST", "judge-list"): (LAUNCHERS, WRITE),
    ("GET", "judge-detail"): (LAUNCHERS, READ),
    ("DELETE", "judge-detail"): ({"superuser"}, WRITE),
    ("GET", "label-set-list"): (EVERYBODY, READ),
    ("GET", "label-set-detail"): (STAFF, READ),
    ("GET", "label-set-labels"): (STAFF, READ),
    ("GET", "label-set-answers"): (STAFF, READ),
    ("GET", "label-set-trace"): (STAFF, READ),
    ("GET", "label-list"): (EVERYBODY, ANNOTATE),
    ("POST", "label-next"): (ANNOTATORS, ANNOTATE),
    ("POST", "label-take-back"): (ANNOTATORS, ANNOTATE),
    ("GET", "label-consent"): (ANNOTATORS, ANNOTATE),
    ("POST", "label-consent"): (ANNOTATORS, ANNOTATE),
    ("POST", "assignment-heard"): (ANNOTATORS, ANNOTATE),
    ("POST", "assignment-answers"): (ANNOTATORS, ANNOTATE),
    ("POST", "assignment-give-back"): (ANNOTATORS, ANNOTATE),
    ("GET", "clip-detail"): (ANNOTATORS, ANNOTATE),
}
#: The description is everybody's.
OPEN = {("GET", "schema"), ("GET", "nothing")}
#: What stands in addresses below a campaign or a dataset.
WITHIN = {
    pattern.name
    for pattern in urlpatterns
    if {"campaign", "dataset"} & set(pattern.pattern.converters) and len(pattern.pattern.converters) > 1
}
#: What deletes comes last: files do not come back when rows do.
OPERATIONS = sorted(WHO_MAY, key=lambda it: it[0] == "DELETE")


def operations() -> set[tuple[str, str]]:
    """Every address with its methods, as the router has them."""
    found = set()
    for pattern in urlpatterns:
        actions = getattr(pattern.callback, "actions", None) or {"get": "get"}
        found |= {(method.upper(), str(pattern.name)) for method in actions if method != "head"}
    return found


def test_every_operation_is_in_the_table() -> None:
    assert operations() == set(WHO_MAY) | OPEN


def asked(client: APIClient, method: str, address: str) -> Any:
    """The reply; what the request did is undone, so that each meets the same."""
    with transaction.atomic():
        response = client.generic(method, address)
        transaction.set_rollback(True)
    return response


@pytest.mark.parametrize("role", sorted(EVERYBODY))
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
    for name in sorted({name for _, name in WHO_MAY}):
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
