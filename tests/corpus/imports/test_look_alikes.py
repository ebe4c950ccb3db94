"""The check of an import warns of names that look like others, in another script."""

from pathlib import Path

import pytest

from corpus.imports.manifest.choices import NOTHING_CHOSEN, Choices
from corpus.imports.uploads.checking import check_upload
from corpus.models import Dataset, System
from tests.factories import UserFactory

pytestmark = [pytest.mark.django_db, pytest.mark.databases]
CYRILLIC_O, CYRILLIC_A = "\u043e", "\u0430"


def warnings(folder: Path, name: str, systems: list[str], choices: Choices = NOTHING_CHOSEN) -> list[tuple[str, str]]:
    """Codes and sentences."""
    manifest = folder / "m.csv"
    rows = [f"q{n},Why?,{system},a{n}.wav" for n, system in enumerate(systems)]
    head = "item,prompt_text,system,response_audio" if choices is NOTHING_CHOSEN else "what,said,who,sound"
    manifest.write_text("\n".join([head, *rows]), encoding="utf-8")
    checked = check_upload(
        manifest, None, dataset_name=name, label_set_name="", progress=lambda *_said: None, choices=choices
    )
    found = [it for it in checked.plan.problems if it.message.code in ("dataset_looks_like", "systems_look_alike")]
    assert all(it.severity == "warning" for it in found)
    return [(it.message.code, str(it.message)) for it in found]


def test_dataset_called_like_another_in_another_script_is_warned_of(tmp_path: Path) -> None:
    Dataset.objects.create(name="Tomato pairs", slug="tomato", created_by=UserFactory())

    (found,) = warnings(tmp_path, f"T{CYRILLIC_O}mato pairs", ["alpha", "beta"])

    assert found[0] == "dataset_looks_like"
    assert "'Tomato pairs'" in found[1]
    assert warnings(tmp_path, "Tomato pairs", ["alpha"]) == []
    assert warnings(tmp_path, "Potato pairs", ["alpha"]) == []


def test_systems_that_look_alike_are_warned_of_in_one_file_and_beside_those_that_are_there(tmp_path: Path) -> None:
    dataset = Dataset.objects.create(name="D", slug="d", created_by=UserFactory())
    System.objects.create(dataset=dataset, name="beta")

    assert [code for code, _said in warnings(tmp_path, "New", ["alpha", f"{CYRILLIC_A}lpha"])] == [
        "systems_look_alike"
    ]
    assert [code for code, _said in warnings(tmp_path, "D", ["b\u0435ta"])] == ["systems_look_alike"]
    assert warnings(tmp_path, "D", ["beta", "alpha", "Alpha"]) == []
