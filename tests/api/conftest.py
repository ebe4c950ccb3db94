"""A campaign with everything that the API tells of, and people of every role."""

from dataclasses import replace
from pathlib import Path

import pytest
from pytest_django import Settings

from accounts.models import User
from accounts.tokens.tokens import make_token
from analytics import tasks as _jobs_of_analytics  # noqa: F401 - registers what jobs do
from annotation.models import BulkDecision
from campaigns import tasks as _jobs_of_campaigns  # noqa: F401
from campaigns.models import Campaign, Role
from campaigns.protocol_composer.own_protocols import save_version
from campaigns.rubrics.reviewing import add_criterion
from corpus.imports.files.resumable import begin_upload
from corpus.imports.mapping.mapping import TableMapping
from corpus.imports.mapping.page.recipes import keep_recipe
from protocols import SHIPPED
from tests.config.test_administration import kept_backup
from tests.factories import UserFactory
from tests.world import Values, campaign, people, routes, values

__all__ = ["addresses", "campaign", "people", "values"]


@pytest.fixture
def addresses(
    campaign: Campaign, values: Values, people: dict[str, User], settings: Settings, tmp_path: Path
) -> dict[str, str]:
    settings.BACKUP_FOLDER = kept_backup(tmp_path / "backups").parent
    recipe = keep_recipe(user=people["superuser"], name="Mine", columns=["a"], mapping=TableMapping("pairs", {}))
    values.common["recipes/<int:pk>"] = recipe.pk
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
    values.own.update(in_rubric(values, people["superuser"]))
    mine = replace(SHIPPED["hcot"], name="mine", version="1")
    save_version(mine, user=people["superuser"])
    values.own.update(
        {f"api:protocol-{it}": {"protocols/<slug:name>": "mine"} for it in ("detail", "archive", "restore")}
    )
    described = [
        (name, route) for name, route, _view in routes() if name.startswith("api:") and name != "api:nothing"
    ]
    return {name.removeprefix("api:"): values.fill(name, route) for name, route in described}


def in_rubric(values: Values, by: User) -> dict[str, dict[str, object]]:
    """The draft whose items bring criteria, for the operations that are about these."""
    of_rubric = Campaign.objects.get(slug=values.own["rubric"]["campaigns/<slug:slug>"])
    item = of_rubric.dataset.items.get()
    criterion = add_criterion(of_rubric, item, "Is it clear?", by=by)
    there = {
        "campaigns/<slug:campaign>": of_rubric.slug,
        "rubric-items/<int:pk>": item.pk,
        "criteria/<int:criterion>": criterion.pk,
    }
    about = ("campaigns/<slug:campaign>/rubric", "campaigns/<slug:campaign>/criteria-drafts")
    return {name: there for name, route, _view in routes() if route.removeprefix("api/v1/").startswith(about)}
