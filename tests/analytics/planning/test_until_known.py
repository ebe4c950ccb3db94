"""The rehearsal of the rule about judges: studies stop as they should, and its page says when."""

from dataclasses import replace

import numpy as np
import pytest
from django.test import Client
from django.urls import reverse

from analytics.planning.precision.until_known import Known, OutOfReach, World, rehearse
from campaigns.models import Role
from tests.factories import make_campaign, make_member

WORLD = World(kappa=0.4, between=0.5, people=30, answers=1, categories=4, units=2_000)


def rehearsed(world: World = WORLD, width: float = 0.15) -> Known:
    return rehearse(world, width, rng=np.random.default_rng(1), studies=8)


def test_smaller_widths_take_more_units_and_few_people_never_get_there() -> None:
    wide, narrow = rehearsed(), rehearsed(width=0.1)
    few = rehearsed(replace(WORLD, people=5))

    assert (wide.stopped, narrow.stopped) == (8, 8)
    medians = [it.quantile(0.5) for it in (wide, narrow)]
    assert medians[0] is not None
    assert medians[1] is not None
    assert medians[0] < medians[1]
    assert wide.wrong + narrow.wrong <= 1
    assert few.stopped < 8


def test_an_interval_at_the_stop_is_as_wide_as_was_asked() -> None:
    assert rehearsed(width=1.0).units.tolist() == [100.0] * 8


def test_a_judge_can_agree_with_people_no_more_than_the_truth_does() -> None:
    with pytest.raises(OutOfReach) as refused:
        rehearsed(replace(WORLD, kappa=0.9))

    assert refused.value.most == pytest.approx(0.7, abs=0.05)


def test_quantiles_count_studies_that_never_stopped() -> None:
    found = Known(np.array([100.0, np.inf, 300.0, 200.0]), 0)

    assert [found.quantile(share) for share in (0.1, 0.5, 0.75, 0.9)] == [100.0, 200.0, 300.0, None]


@pytest.mark.django_db
class TestPage:
    def test_units_answers_and_their_price(self, client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
        campaign = make_campaign(units=3, answers_per_unit=2)
        client.force_login(make_member(campaign, Role.RESEARCHER))
        simulated = Known(np.array([1_250.0]), 0)
        monkeypatch.setattr("analytics.planning.judges_known.rehearse", lambda *_args, **_options: simulated)
        asked: dict[str, str | int] = {"width": "0.1", "kappa": "0.4", "between": "0.5", "people": 30, "price": "0.5"}
        address = reverse("judge-rehearsal", args=[campaign.slug])
        page = client.get(address, asked).content.decode()

        assert "1,250" in page
        assert "2,500" in page
        assert "1,250.00" in page
        assert "What you can expect" not in client.get(address).content.decode()
        assert client.get(address, asked | {"people": 1}).status_code == 422

    def test_a_kappa_out_of_reach_is_refused_with_the_highest(self, client: Client) -> None:
        campaign = make_campaign(units=3)
        client.force_login(make_member(campaign, Role.RESEARCHER))
        asked = {"width": "0.1", "kappa": "0.9", "between": "0.2", "people": "30"}
        response = client.get(reverse("judge-rehearsal", args=[campaign.slug]), asked)

        assert response.status_code == 422
        assert "leave a judge with 0.4" in response.content.decode()

    def test_a_campaign_with_fewer_units_is_told(self, client: Client) -> None:
        short, endless = make_campaign(units=3), make_campaign(units=3, label_page="vote")
        asked = {"width": "0.2", "kappa": "0.4", "between": "0.5", "people": "30"}
        pages = []
        for campaign in (short, endless):
            client.force_login(make_member(campaign, Role.RESEARCHER))
            pages.append(client.get(reverse("judge-rehearsal", args=[campaign.slug]), asked).content.decode())

        told = "This campaign has 3 units, too few for half of the studies or more."
        assert [told in page for page in pages] == [True, False]

    def test_where_labels_cannot_be_counted_it_is_said(self, client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
        campaign = make_campaign(protocol="acr")
        monkeypatch.setattr("protocols.kinds.kind.QuestionKind.has_few_values", False)
        client.force_login(make_member(campaign, Role.RESEARCHER))

        page = client.get(reverse("judge-rehearsal", args=[campaign.slug])).content.decode()

        assert "There is nothing to simulate with" in page
