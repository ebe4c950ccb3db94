"""After a test that commits every table is as it was before: tests/emptying.py asks only those that hold rows."""

import pytest
from django.contrib.auth.models import Permission
from django.core.management import call_command
from django.db import connection

from annotation.models import Assignment
from tests.emptying import SAME_IN_EACH_TEST, with_rows
from tests.factories import make_assignment, make_campaign, make_member


@pytest.mark.django_db(transaction=True)
def test_every_table_is_emptied_but_those_that_are_always_the_same() -> None:
    tables = set(connection.introspection.django_table_names(only_existing=True))
    permissions = set(Permission.objects.values_list("content_type__model", "codename"))
    campaign = make_campaign()
    make_assignment(campaign, make_member(campaign))
    assert {Assignment._meta.db_table, *SAME_IN_EACH_TEST} <= set(with_rows(tables))

    call_command("flush", verbosity=0, interactive=False, reset_sequences=False)

    assert set(with_rows(tables)) == SAME_IN_EACH_TEST
    assert set(Permission.objects.values_list("content_type__model", "codename")) == permissions
