"""What the tests of other tools' files share: the path of an upload, from the file as it is to rows."""

from pathlib import Path

import pytest

from accounts.models import User
from corpus.imports.manifest.choices import NOTHING_CHOSEN, Choices
from corpus.imports.uploads.checking import check_upload, write_checked
from corpus.imports.writing import Destination
from corpus.models import Dataset, Label
from tests.factories import UserFactory

NAME = "Zqxv"


def quiet(done: int, total: int, note: str) -> None:
    """Nobody watches."""


def look(path: Path, files=None, choices: Choices = NOTHING_CHOSEN):
    return check_upload(path, files, dataset_name=NAME, label_set_name="L", progress=quiet, choices=choices)


def bring_in(path: Path, files=None, choices: Choices = NOTHING_CHOSEN) -> Dataset:
    checked = look(path, files, choices)
    assert [f"{it.row} {it.field}: {it.message}" for it in checked.errors] == []
    user = User.objects.filter(username="ruth").first() or UserFactory(username="ruth", is_researcher=True)
    return write_checked(checked, files, Destination(NAME, "L", user), progress=quiet)


def answers_of(dataset: Dataset) -> list[tuple[str, str, str, str, str]]:
    """(item, systems, rater, aspect, value), as it was given."""
    rows = Label.objects.filter(annotation__label_set__dataset=dataset).order_by("pk")
    return [
        (
            it.annotation.unit.item.key,
            _systems(it.annotation.unit),
            it.annotation.label_set.rater,
            it.aspect,
            it.value,
        )
        for it in rows.select_related("annotation__unit__item", "annotation__label_set")
    ]


def _systems(unit) -> str:
    return " / ".join(str(response.system) for response in (unit.a, unit.b) if response)


@pytest.fixture
def told():
    """A function: what the report of a check says of the tool, as sentences."""

    def of(checked) -> list[str]:
        tool = checked.report()["tool"]
        return [str(tool["told"]), *map(str, tool["lost"])]

    return of
