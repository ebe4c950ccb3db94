"""The table of a dataset's items, what is kept for it, and what the dataset's page says of it."""

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import AuditEntry
from corpus.figures.keeping import keep_figures
from corpus.models import (
    Dataset,
    DatasetFigures,
    Item,
    ItemFigures,
    ItemWarning,
    Response,
    ResponseTurn,
    System,
    Turn,
)
from tests.cases import each
from tests.charts import assert_charts
from tests.factories import ClipFactory, DatasetFactory, UserFactory

pytestmark = pytest.mark.django_db


def add(dataset: Dataset, key: str, *, category: str = "", prompt: str = "", **said: Any) -> Item:
    """An item; per system the fields of its response's clip, or its words, or both."""
    item = Item.objects.create(dataset=dataset, key=key, category=category)
    Turn.objects.create(item=item, position=1, text=prompt)
    for name, what in said.items():
        system, _ = System.objects.get_or_create(dataset=dataset, name=name)
        response = Response.objects.create(item=item, system=system, key=key)
        text, clip = (what, None) if isinstance(what, str) else (what.pop("text", ""), ClipFactory(**what))
        ResponseTurn.objects.create(response=response, position=1, text=text, clip=clip)
    return item


@pytest.fixture
def dataset() -> Dataset:
    made = DatasetFactory(name="Zqxv set")
    add(made, "q10", category="maths", prompt="Wie heißt STRASSE?", a={"seconds": 3.0}, b={"seconds": 9.0})
    add(made, "q2", category="facts", prompt="Second", a={"seconds": 5.0, "integrated_lufs": -10.0}, b="words of b")
    add(made, "q3", category="facts", prompt="Third", a={"seconds": 1.0, "leading_silence_s": 1.0})
    keep_figures(made)
    return made


def keys(client: Client, dataset: Dataset, **asked: object) -> list[str]:
    response = client.get(reverse("dataset-items", args=[dataset.slug]), asked)
    return [row.item.key for row in response.context["rows"]]


@pytest.mark.databases
@each(
    "asked, found",
    [
        ({}, ["q10", "q2", "q3"]),
        ({"q": "HEISST strasse"}, ["q10"]),
        ({"q": "words OF"}, ["q2"]),
        ({"q": "maths"}, ["q10"]),
        ({"q": "nothing"}, []),
        ({"q": "100%_"}, []),
        ({"category": "facts"}, ["q2", "q3"]),
        ({"sort": "key"}, ["q10", "q2", "q3"]),
        ({"sort": "-key"}, ["q3", "q2", "q10"]),
        ({"sort": "-seconds"}, ["q10", "q2", "q3"]),
        ({"sort": "-seconds", "system": "a"}, ["q2", "q10", "q3"]),
        ({"sort": "-lufs"}, ["q2", "q10", "q3"]),
        ({"sort": "-warnings"}, ["q2", "q3", "q10"]),
        ({"warning": "silent"}, ["q3"]),
        ({"warning": "any"}, ["q2", "q3"]),
        ({"warning": "any", "system": "a"}, ["q3"]),
        ({"missing": "on"}, ["q3"]),
        ({"missing": "on", "system": "a"}, []),
        ({"system": "b"}, ["q10", "q2"]),
        ({"sort": "nonsense", "size": "-1", "page": "x", "system": "0"}, ["q10", "q2", "q3"]),
    ],
)
def test_items_are_searched_filtered_and_sorted(
    client: Client, dataset: Dataset, asked: dict[str, str], found: list[str]
) -> None:
    client.force_login(dataset.created_by)
    if asked.get("system", "0") != "0":
        asked = asked | {"system": str(dataset.systems.get(name=asked["system"]).pk)}

    assert keys(client, dataset, **asked) == found


@pytest.mark.databases
def test_api_lists_items_by_the_same_filters_in_pages(client: Client, dataset: Dataset) -> None:
    client.force_login(dataset.created_by)
    address = f"/api/v1/datasets/{dataset.slug}/items/"

    first = client.get(address, {"category": "facts", "page_size": 1}).json()
    second = client.get(first["next"]).json()

    assert [it["key"] for page in (first, second) for it in page["results"]] == ["q2", "q3"]
    assert [it["warnings"] for it in second["results"]] == [[{"kind": "silent", "system": "a", "same_as": ""}]]
    assert second["next"] is None
    assert client.get(address, {"warning": "zqxv"}).status_code == 422


@pytest.mark.databases
@each("sort", ["", "key", "-key", "seconds", "-seconds", "lufs", "-lufs", "warnings", "-warnings"], undo=True)
def test_api_lists_items_in_the_order_of_the_page_through_all_pages(
    client: Client, dataset: Dataset, sort: str
) -> None:
    """Items without a length or a level come last, as they do there."""
    add(dataset, "q4", prompt="p")
    keep_figures(dataset)
    client.force_login(dataset.created_by)
    address, found = f"/api/v1/datasets/{dataset.slug}/items/?page_size=1&sort={sort}", []

    while address:
        page = client.get(address).json()
        found += [it["key"] for it in page["results"]]
        address = page["next"]

    assert found == keys(client, dataset, sort=sort)
    assert len(found) == 4


@pytest.mark.databases
@each("size", [1, 30])
def test_page_costs_the_same_queries_however_many_rows(
    client: Client, django_assert_max_num_queries: Any, size: int
) -> None:
    dataset = DatasetFactory()
    for n in range(size):
        add(dataset, f"q{n}", prompt="p", a={"leading_silence_s": 1.0}, b={})
    keep_figures(dataset)
    client.force_login(dataset.created_by)

    with django_assert_max_num_queries(18):
        client.get(reverse("dataset-items", args=[dataset.slug]), {"size": 100})
    with django_assert_max_num_queries(18):
        client.get(dataset.get_absolute_url())


def test_players_come_by_a_link_and_what_is_missing_is_said(client: Client, dataset: Dataset) -> None:
    client.force_login(dataset.created_by)

    page = client.get(reverse("dataset-items", args=[dataset.slug]), headers={"HX-Request": "true"}).content.decode()

    assert page.count("data-listen") == 4
    assert "<audio" not in page
    assert "<html" not in page
    assert "no response" in page
    assert "silent from end to end" in page


def test_what_is_out_of_line_with_its_own_system_is_warned_of() -> None:
    dataset = DatasetFactory()
    for n in range(20):
        add(dataset, f"q{n}", a={"seconds": 4 + n / 10, "text": "x" * (40 + 2 * n)}, b={"seconds": 40.0 + n})
    add(dataset, "odd", a={"seconds": 60.0, "integrated_lufs": -23.0, "text": "x"}, b={"seconds": 50.0})

    keep_figures(dataset)

    found = {(it.item.key, it.system and it.system.name, it.kind) for it in dataset.warnings.all()}
    assert found == {("odd", "a", "long"), ("odd", "a", "slow")}
    kept = DatasetFigures.objects.get(dataset=dataset).document["systems"]
    assert {len(it["measures"]["seconds"]["counts"]) for it in kept.values()} == {24}


def test_pauses_are_shown_and_warned_of_and_clips_from_before_say_not_measured(client: Client) -> None:
    dataset = DatasetFactory()
    for n in range(20):
        add(
            dataset, f"q{n}", a={"seconds": 5.0, "inner_silence_s": 1 + n / 50, "longest_pause_s": 0.4 + n / 50}, b={}
        )
    odd = add(dataset, "odd", a={"seconds": 5.0, "inner_silence_s": 4.0, "longest_pause_s": 4.0}, b={})
    keep_figures(dataset)
    client.force_login(dataset.created_by)

    assert [(it.item.key, it.kind) for it in dataset.warnings.all()] == [("odd", "long_pause")]
    kept = DatasetFigures.objects.get(dataset=dataset).document["systems"]
    a, b = (kept[str(system.pk)]["measures"] for system in dataset.systems.order_by("name"))
    assert (a["inner_silence"]["median"], a["pause"]["median"]) == pytest.approx((0.24, 0.6))
    assert {"inner_silence", "pause"} & b.keys() == set()
    page = client.get(dataset.get_absolute_url()).content.decode()
    assert "not measured" in page
    assert_charts(page, planes=0, marks=page.count("  median "))
    page = client.get(reverse("item", args=[dataset.slug, odd.pk])).content.decode()
    assert ("4.00" in page, page.count("not measured")) == (True, 1)


def test_system_whose_values_are_all_the_same_is_drawn_on_the_scale_of_the_others() -> None:
    dataset = DatasetFactory()
    for n in range(20):
        add(dataset, f"q{n}", a={"seconds": 1.0, "leading_silence_s": 0.4 + n / 500}, b={"seconds": 1.0})
    add(dataset, "odd", a={"seconds": 1.0, "leading_silence_s": 0.9}, b={"seconds": 1.0})

    keep_figures(dataset)

    low, high = DatasetFigures.objects.get(dataset=dataset).document["ranges"]["silence"]
    assert low == 0
    assert 0.438 <= high < 0.9


@pytest.mark.databases
def test_the_same_sound_is_found_across_items_systems_and_containers() -> None:
    dataset = DatasetFactory()
    add(dataset, "q1", a={"sound_sha256": "s" * 64}, b={"sound_sha256": "s" * 64, "container": "FLAC"})
    add(dataset, "q2", a={"sound_sha256": "t" * 64}, b="the same words")
    add(dataset, "q3", a="the same words", b="the  same words")

    keep_figures(dataset)

    found = {(it.item.key, it.system and it.system.name, it.kind, it.same_as) for it in dataset.warnings.all()}
    assert {it for it in found if it[2].startswith("same")} == {
        ("q1", "a", "same_sound", "s" * 16),
        ("q1", "b", "same_sound", "s" * 16),
        ("q3", "a", "same_text", ""),
        ("q3", "b", "same_text", ""),
    }


@pytest.mark.databases
def test_keeping_again_changes_nothing_and_follows_what_changed(dataset: Dataset) -> None:
    def kept() -> list[Any]:
        rows = (ItemFigures.objects.order_by("pk").values(), ItemWarning.objects.order_by("pk").values())
        return [list(it) for it in rows]

    before = kept()
    keep_figures(dataset)
    assert kept() == before

    add(dataset, "q4", a={"seconds": 2.0}, b={})
    dataset.items.get(key="q3").responses.all().delete()
    keep_figures(dataset)

    assert not dataset.warnings.filter(kind="silent").exists()
    assert ItemFigures.objects.get(item__key="q3").seconds is None
    assert ItemFigures.objects.filter(item__key="q4").count() == 3


@pytest.mark.databases
def test_owner_says_what_a_dataset_is_and_hands_it_over(client: Client, dataset: Dataset) -> None:
    other, owner = UserFactory(is_researcher=True), dataset.created_by
    client.force_login(owner)
    said = {"description": "Read <b>aloud</b>.", "licence": "CC-BY-4.0", "source": "Zqxv 2026"}
    address = reverse("dataset-about", args=[dataset.slug])

    refused = client.post(address, said | {"owner": "nobody"})
    client.post(address, said | {"owner": owner.username})
    page = client.get(dataset.get_absolute_url()).content.decode()
    read = client.get(f"/api/v1/datasets/{dataset.slug}/").json()
    unsure = client.post(address, said | {"owner": other.username})
    client.post(address, said | {"owner": other.username, "handed_over": "on"})

    assert (refused.status_code, unsure.status_code) == (422, 422)
    assert "Read &lt;b&gt;aloud&lt;/b&gt;." in page
    assert {name: read[name] for name in (*said, "owner")} == said | {"owner": owner.username}
    dataset.refresh_from_db()
    assert dataset.created_by == other
    assert client.get(address).status_code == 404
    assert set(AuditEntry.objects.values_list("event", flat=True)) == {
        "dataset_licence_changed",
        "dataset_owner_changed",
    }
