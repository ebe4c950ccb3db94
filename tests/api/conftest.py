"""A campaign with everything that the API tells of, and people of every role."""

from dataclasses import replace

import pytest

from accounts.models import User
from accounts.tokens.tokens import make_token
from analytics import tasks as _jobs_of_analytics  # noqa: F401 - registers what jobs do
from annotation.models import BulkDecision
from campaigns import tasks as _jobs_of_campaigns  # noqa: F401
from campaigns.models import Campaign, Role
from campaigns.protocol_composer.own_protocols import save_version
from corpus.imports.files.resumable import begin_upload
from protocols import SHIPPED
from tests.factories import UserFactory
from tests.world import Values, campaign, people, routes, values

__all__ = ["addresses", "campaign", "people", "values"]


@pytest.fixture
def addresses(campaign: Campaign, values: Values, people: dict[str, User]) -> dict[str, str]:
    values.common["uploads/<uuid:pk>"] = begin_upload(people["superuser"], name="m.csv", size=1).pk
    person = UserFactory()
    values.common.update(
        {
            "v1/people/<int:pk>": person.pk,
            "tokens/<int:token>": make_token(person, name="t", scopes=["read"], days=1)[0].pk,
            "label-sets/<int:label_set>": values.common["label-sets/<int:pk>"],
        }
    )
    annotator = campaign.memberships.get(role=Role.ANNOTATOR)
    values.common.update(
        {
            "annotators/<int:pk>": annotator.pk,
            "votes.<slug:form>": "csv",
            "decisions/<int:decision>": BulkDecision.objects.create(
                campaign=campaign, by=people["superuser"], use=False, reason="other", units=[], n_answers=0
            ).pk,
        }
    )
    in_arena = {"campaigns/<slug:campaign>": values.common["arena/<slug:slug>"]}
    values.own.update({f"api:arena-{it}": in_arena for it in ("list", "end", "let-in", "votes")})
    mine = replace(SHIPPED["hcot"], name="mine", version="1")
    save_version(mine, user=people["superuser"])
    values.own.update(
        {f"api:protocol-{it}": {"protocols/<slug:name>": "mine"} for it in ("detail", "archive", "restore")}
    )
    described = [
        (name, route) for name, route, _view in routes() if name.startswith("api:") and name != "api:nothing"
    ]
    return {name.removeprefix("api:"): values.fill(name, route) for name, route in described}
