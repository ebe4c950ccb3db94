"""A campaign with everything that the API tells of, and people of every role."""

import pytest

from accounts.models import User
from analytics import tasks as _jobs_of_analytics  # noqa: F401 - registers what jobs do
from campaigns import tasks as _jobs_of_campaigns  # noqa: F401
from corpus.imports.files.resumable import begin_upload
from tests.world import Values, campaign, people, routes, values

__all__ = ["addresses", "campaign", "people", "values"]


@pytest.fixture
def addresses(values: Values, people: dict[str, User]) -> dict[str, str]:
    values.common["uploads/<uuid:pk>"] = begin_upload(people["superuser"], name="m.csv", size=1).pk
    described = [
        (name, route) for name, route, _view in routes() if name.startswith("api:") and name != "api:nothing"
    ]
    return {name.removeprefix("api:"): values.fill(name, route) for name, route in described}
