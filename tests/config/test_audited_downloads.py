"""Every file that names systems beside answers or standings is in the audit log, once a day for each user."""

import pytest
from django.test import Client

from accounts.models import AuditEntry, User
from tests.world import Values, campaign, mail, pages, people, values

__all__ = ["campaign", "mail", "people", "values"]
pytestmark = [pytest.mark.django_db, pytest.mark.databases]
DOWNLOADS = {
    "campaign-tidy": "answers.csv",
    "campaign-trace": "answers.jsonl",
    "arena-votes": "votes.csv",
    "board-file": "board.csv",
    "run-file": "verdicts.csv",
    "gold-template": "gold.csv",
    "verdict-import-template": "verdicts/import/template.csv",
    "label-set-tidy": "label-set-{pk}.csv",
    "label-set-trace": "label-set-{pk}.jsonl",
    "label-set-all-raters": "label-set-{pk}-all-raters.csv",
}
ROUTES = {name: route for name, route, _view in pages()}


def test_downloads_are_recorded(client: Client, values: Values, people: dict[str, User]) -> None:
    client.force_login(people["superuser"])
    recorded, expected = {}, {}
    for name, file in DOWNLOADS.items():
        address = values.fill(name, ROUTES[name])
        before = set(AuditEntry.objects.values_list("pk", flat=True))

        replies = [client.get(address) for _ in "ab"]

        assert {it.status_code for it in replies} == {200}, address
        made = AuditEntry.objects.exclude(pk__in=before)
        recorded[name] = [(it.event, it.by_id, it.params) for it in made]
        named = file.format(pk=values.common["label-sets/<int:pk>"])
        expected[name] = [("answers_exported", people["superuser"].pk, {"format": named})]
    assert recorded == expected
