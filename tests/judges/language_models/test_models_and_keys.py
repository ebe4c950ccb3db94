"""Models and keys, as an administrator sees them."""

from datetime import timedelta
from decimal import Decimal

import pytest
from django.test import Client
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from infrastructure.wording.reasons import TEXT
from judges.language_models.use import use_of_models
from judges.models import Call, LanguageModel
from tests.factories import UserFactory

pytestmark = [pytest.mark.django_db, pytest.mark.databases]


def made(model: LanguageModel, *, days_ago: int = 0, **fields: object) -> Call:
    row = Call.objects.create(key="k", language_model=model, request={}, **{"status": "ok", **fields})
    Call.objects.filter(pk=row.pk).update(made_at=timezone.now() - timedelta(days=days_ago))
    return row


def test_page_says_what_each_model_cost_and_whether_it_fails(
    client: Client, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    owner = UserFactory(username="zqxv-owner", is_superuser=True)
    failing, well, _unused, disabled = (
        LanguageModel.objects.create(
            title=title, base_url="https://x", model="m", created_by=owner, sealed_key="s3cret"
        )
        for title in ("failing", "well", "unused", "disabled")
    )
    LanguageModel.objects.filter(pk=disabled.pk).update(disabled_at=timezone.now())
    made(failing, cost_usd=Decimal("0.5"))
    made(failing, cost_usd=Decimal("9"), days_ago=40)
    made(failing, status="error", message=TEXT(text="The key was refused."))
    made(well, status="error", message=TEXT(text="A pause."))
    made(well)
    client.force_login(owner)

    with django_assert_max_num_queries(10):
        page = client.get("/administration/models/").content.decode()

    found = {it.model.title: it for it in use_of_models()}
    assert set(found) == {"failing", "well", "unused"}
    assert (found["failing"].spent_usd, found["failing"].n_failed) == (Decimal("0.5"), 1)
    assert (found["well"].last_fault, found["well"].n_failed, found["well"].n_unpriced) == (None, 1, 2)
    assert found["unused"].last_used is None
    assert "The key was refused." in page
    assert "A pause." not in page
    assert "zqxv-owner" in page
    assert "s3cret" not in page
