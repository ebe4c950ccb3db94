"""A judge that is there already under another title is given as it is, and the status says so."""

import pytest

from judges.models import Judge
from tests.api.callers import caller
from tests.factories import UserFactory

pytestmark = [pytest.mark.django_db, pytest.mark.databases]


def test_title_that_was_not_taken_is_told_by_the_status() -> None:
    client = caller(UserFactory(is_researcher=True))

    replies = [
        client.post("/api/v1/judges/", {"kind": "longest", "title": title, "settings": {}}, format="json")
        for title in ("The longer one", "The longer one", "Another")
    ]

    assert [it.status_code for it in replies] == [201, 201, 200]
    assert {it.json()["title"] for it in replies} == {"The longer one"}
    assert Judge.objects.count() == 1
