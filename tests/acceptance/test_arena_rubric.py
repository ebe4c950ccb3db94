"""Elo and win rates of the HCoT release, as the report on an arena against a rubric shows them."""

from pathlib import Path

import pytest

from analytics.reports.kinds.arena_rubric import KIND
from campaigns.models import Campaign, CampaignUnit
from corpus.imports.uploads.checking import check_manifest
from corpus.imports.writing import Destination, write
from corpus.models import Dataset
from protocols import SHIPPED, digest, to_document
from tests.acceptance.conftest import Beside
from tests.acceptance.told import truth
from tests.analytics.reports.studies import cells, figures_of
from tests.factories import UserFactory

pytestmark = pytest.mark.django_db


def bring_in(manifest: Path) -> Dataset:
    found = check_manifest(
        manifest, None, dataset_name="SpeakBench", label_set_name="Release", progress=lambda *_said: None
    )
    destination = Destination("SpeakBench", "Release", UserFactory(is_researcher=True))
    return write(found, None, destination, progress=lambda *_said: None)


def make_study(dataset: Dataset, protocol: str) -> Campaign:
    """A campaign over the imported units of the protocol's kind: the release has pairs alone."""
    document = to_document(SHIPPED[protocol])
    campaign = Campaign.objects.create(
        dataset=dataset, title=protocol, slug=protocol, protocol_document=document, protocol_digest=digest(document),
        delivery_rate=16_000, created_by=dataset.created_by,
    )  # fmt: skip
    units = dataset.units.filter(kind=document["unit"]).order_by("pk")
    CampaignUnit.objects.bulk_create(
        CampaignUnit(campaign=campaign, unit=unit, position=at) for at, unit in enumerate(units)
    )
    return campaign


def test_elo_and_win_rates_of_the_release(shared_data: Path, beside: Beside) -> None:
    expected = truth(shared_data, "hcot_arena_elo_bt_winrate")["reproduced"]["speakbench"]["overall"]["systems"]
    dataset = bring_in(shared_data / "hcot" / "hcot_speakbench.jsonl")
    arena = make_study(dataset, "hcot")
    make_study(dataset, "rubric")

    found = figures_of(KIND, arena)["scores-people"]

    elo, rates = cells(found, "elo_0"), cells(found, "win_rate")
    assert set(elo) == set(expected)
    for name, system in expected.items():
        beside(f"Elo of {name}", expected=system["elo_k4"], obtained=round(elo[name].estimate, 4), within=1e-3)
        rate = round(100 * rates[name].estimate, 4)
        beside(f"win rate of {name}, %", expected=system["win_rate_pct"], obtained=rate, within=1e-3)
