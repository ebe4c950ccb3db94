"""The list of models that ships: every entry can be used, and a model's terms name it and can be changed."""

from datetime import date
from decimal import Decimal

import pytest
from django.test import Client
from django.urls import reverse

from judges.backends.parameters import Parameters
from judges.language_models.model_list import HOSTS, PRICES, about, models, proposal_for
from tests.factories import UserFactory
from tests.judges.drafting import make_model

KNOWN = {"provider", "efforts", "hears", *PRICES}


def test_every_entry_loads_and_is_proposed() -> None:
    assert len(models()) > 100
    for name, entry in models().items():
        assert set(entry) <= KNOWN, name
        proposed = proposal_for(name, f"https://{HOSTS[entry['provider']][0]}/v1")
        assert proposed.listed == name
        assert proposed.prices == {price: Decimal(str(entry[price])) for price in PRICES if price in entry}
        assert all(price >= 0 for price in proposed.prices.values()), name
        assert proposed.prices.keys() >= {"usd_in", "usd_out"}, name
        assert proposed.efforts == tuple(entry.get("efforts", ()))
        assert proposed.parameters.limit_name in ("max_tokens", "max_completion_tokens")


@pytest.mark.django_db
def test_terms_of_a_model_say_where_the_list_is_from_and_every_field_can_be_changed(client: Client) -> None:
    user = UserFactory(is_researcher=True)
    row = make_model(user, "https://api.openai.com/v1", model="gpt-5")
    client.force_login(user)
    terms = reverse("model-terms", args=[row.pk])
    limits = {"at_once": 3, "requests_per_minute": 40, "tokens_per_minute": 5000}
    prices = {name: Decimal(at) / 8 for at, name in enumerate(PRICES, start=1)}
    parameters = Parameters(
        "max_completion_tokens", sends_temperature=False, reasoning_effort="high", thinking_tokens=77,
        extra_body={"top_k": 1},
    )  # fmt: skip
    posted = {
        **limits, **prices, "limit_name": "max_completion_tokens", "sends_temperature": "no",
        "reasoning_effort": "high", "thinking_tokens": 77, "extra_body": '{"top_k": 1}', "extra_headers": "X-Team: a",
    }  # fmt: skip

    page = client.get(terms)
    saved = client.post(terms, posted)

    assert set(page.context["form"].fields) == set(posted), "a field that this test does not change"
    assert about()["source"] in page.content.decode()
    assert about()["date"] in page.content.decode()
    assert date.fromisoformat(about()["date"])
    assert saved.status_code == 302
    row.refresh_from_db()
    price = row.prices.latest("pk")
    assert {name: getattr(row, name) for name in limits} == limits
    assert row.parameters == parameters
    assert {name: getattr(price, name) for name in PRICES} == prices
    assert row.sealed_headers
