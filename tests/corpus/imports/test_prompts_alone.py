"""Items that came without prompts get them from a table of prompts, and nothing else is made."""

import pytest

from corpus.models import Dataset, ItemFigures, Response, Turn
from tests.cases import each
from tests.importing import PAIR, RESPONSES

pytestmark = [pytest.mark.django_db, pytest.mark.databases]
WITHOUT_PROMPTS = [
    {"item": "q1", "system": "alpha", "response_audio": "a1.wav"},
    {"item": "q1", "system": "beta", "response_audio": "b1.wav"},
]
PROMPTS = [{"item": "q1", "prompt_text": "Why?"}]


def codes(found):
    return [(it.severity, it.message.code) for it in found.plan.problems]


def test_prompts_complete_items_that_came_without(checked, imported):
    dataset = imported(WITHOUT_PROMPTS)

    report = checked(PROMPTS, audio=None).report()
    imported(PROMPTS, audio=None)

    assert (report["errors"], report["is_new"]) == (0, True)
    assert report["completed"] == {"words": 1, "recordings": 0}
    assert Turn.objects.get(item__dataset=dataset).text == "Why?"
    assert Response.objects.count() == 2
    assert "why?" in ItemFigures.objects.get(item__dataset=dataset, system=None).words


def test_prompts_that_are_there_change_nothing(checked, imported):
    imported(WITHOUT_PROMPTS)
    imported(PROMPTS, audio=None)

    report = checked(PROMPTS, audio=None).report()

    assert report["is_new"] is False
    assert "completed" not in report


def test_recordings_that_come_later_are_counted(checked, imported):
    imported(RESPONSES, audio=None)

    report = checked(RESPONSES).report()

    assert report["is_new"] is True
    assert report["completed"] == {"words": 0, "recordings": report["clips"]}


@each("rows", [PROMPTS, [{"item": "q1", "prompt_audio": "q1.wav", "category": "c", "turn": 1}]], undo=True)
def test_prompts_may_make_a_dataset_that_has_no_responses_yet(imported, rows):
    imported(rows)

    assert (Dataset.objects.get().items.count(), Turn.objects.count(), Response.objects.count()) == (1, 1, 0)


def test_empty_responses_beside_those_that_are_there_are_warned_of(checked, imported):
    """Responses of pairs go by their files, those of a table by item and system."""
    imported([PAIR | {"instruction_id": "q1", "instruction_text": ""}])

    found = checked([PROMPTS[0] | {"system": "alpha"}, PROMPTS[0] | {"system": "beta"}], audio=None)

    assert [code for code in codes(found) if code[1] == "empty_responses"] == [("warning", "empty_responses")]


def test_prompts_with_the_systems_of_a_table_complete_items_too(checked, imported):
    imported(WITHOUT_PROMPTS)

    found = checked([PROMPTS[0] | {"system": "alpha"}, PROMPTS[0] | {"system": "beta"}], audio=None)

    assert codes(found) == []
    assert found.report()["completed"]["words"] == 1


def test_other_columns_beside_prompts_are_to_be_mapped(checked):
    found = checked([PROMPTS[0] | {"model": "alpha", "file": "a1.wav"}], audio=None)

    assert codes(found)[0][0] == "error"
