"""The published HCoT labels, imported, give the published ratings: on the board, and in its files."""

import csv
import io
import json
import re
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import User
from corpus.imports.uploads.checking import check_manifest
from corpus.imports.writing import Destination, write
from corpus.models import LabelSet
from tests.cases import each
from tests.factories import UserFactory

pytestmark = pytest.mark.django_db
ASPECTS = ("overall", "content", "voice_quality", "paralinguistics")
#: The independent script printed so many digits.
ELO, BRADLEY_TERRY = 5.1e-5, 5.1e-4


@pytest.fixture
def researcher() -> User:
    return UserFactory(is_researcher=True)


@pytest.fixture
def labels(shared_data: Path, researcher: User) -> LabelSet:
    manifest = shared_data / "hcot" / "hcot_speakbench.jsonl"
    checked = check_manifest(manifest, None, dataset_name="SpeakBench", label_set_name="Release", progress=quiet)
    return write(checked, None, Destination("SpeakBench", "Release", researcher), progress=quiet).label_sets.get()


@pytest.fixture
def published(shared_data: Path) -> dict[str, Any]:
    truth = json.loads((shared_data / "truth" / "hcot_arena_elo_bt_winrate.json").read_text())
    return truth["reproduced"]["speakbench"]


@pytest.fixture
def client(client: Client, researcher: User) -> Client:
    client.force_login(researcher)
    return client


def quiet(done: int, total: int, note: str) -> None:
    pass


def figure(published: dict[str, Any], aspect: str, name: str) -> dict[str, float]:
    return {system: figures[name] for system, figures in published[aspect]["systems"].items()}


def from_json(client: Client, labels: LabelSet, **settings: str) -> dict[str, Any]:
    response = client.get(reverse("label-set-board-file", args=[labels.pk, "json"]), settings)
    return response.json()["table"]


def ratings(table: dict[str, Any]) -> dict[str, float]:
    (island,) = table["islands"]
    return {row["system"]: row["rating"]["value"] for row in island["rows"]}


@each("aspect", ASPECTS, undo=True)
def test_json_has_the_published_ratings(
    client: Client, labels: LabelSet, published: dict[str, Any], aspect: str
) -> None:
    table = from_json(client, labels, aspect=aspect)
    elo = from_json(client, labels, aspect=aspect, method="elo")

    assert ratings(table) == pytest.approx(figure(published, aspect, "bt_elo_scale"), abs=BRADLEY_TERRY)
    assert ratings(elo) == pytest.approx(figure(published, aspect, "elo_k4"), abs=ELO)
    rates = {it["system"]: round(100 * it["win_rate"]["value"], 4) for it in table["alone"]}
    assert rates == figure(published, aspect, "win_rate_pct")
    assert {it["system"]: it["win_rate"]["n"] for it in table["alone"]} == figure(published, aspect, "n")


def test_csv_has_the_published_ratings(client: Client, labels: LabelSet, published: dict[str, Any]) -> None:
    response = client.get(reverse("label-set-board-file", args=[labels.pk, "csv"]))

    rows = list(csv.DictReader(io.StringIO(response.content.decode())))
    found = {row["system"]: float(row["rating"]) for row in rows}
    assert found == pytest.approx(figure(published, "overall", "bt_elo_scale"), abs=BRADLEY_TERRY)
    rates = {row["system"]: round(100 * float(row["win_rate"]), 4) for row in rows}
    assert rates == figure(published, "overall", "win_rate_pct")


def test_page_has_the_published_ratings(client: Client, labels: LabelSet, published: dict[str, Any]) -> None:
    page = client.get(reverse("label-set-board", args=[labels.pk])).content.decode()

    shown = re.findall(r'<th scope="row"><bdi>([^<]*)</bdi></th>\s*<td class="drawn"><b>([\d]+)</b>', page)
    expected = {name: round(rating) for name, rating in figure(published, "overall", "bt_elo_scale").items()}
    assert {name: int(rating) for name, rating in shown} == expected


@pytest.mark.databases
def test_labels_without_an_order_say_so(client: Client, labels: LabelSet) -> None:
    assert from_json(client, labels)["without_order"] == 497
    page = client.get(reverse("label-set-board", args=[labels.pk])).content.decode()
    assert "497 votes do not say which response was presented first" in page


@pytest.mark.databases
def test_elo_is_to_the_last_digit_that_of_a_plain_loop_over_the_release(
    client: Client, labels: LabelSet, shared_data: Path
) -> None:
    """The published figures end at four decimals; the protocol of MTalk-Bench does not."""
    elo: dict[str, float] = {}
    taken = {"1": 1.0, "2": 0.0, "both_good": 0.5, "both_bad": 0.5}
    for line in (shared_data / "hcot" / "hcot_speakbench.jsonl").read_text(encoding="utf-8").splitlines():
        pair = json.loads(line)
        one, other = pair["model_a"], pair["model_b"]
        mine, theirs = elo.get(one, 1000.0), elo.get(other, 1000.0)
        change = 4 * (taken[pair["label"]["overall"]] - 1 / (1 + 10 ** ((theirs - mine) / 400)))
        elo[one], elo[other] = mine + change, theirs - change

    assert ratings(from_json(client, labels, method="elo")) == pytest.approx(elo, abs=1e-6)
