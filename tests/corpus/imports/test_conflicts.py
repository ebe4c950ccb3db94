import pytest
from django.core.exceptions import PermissionDenied

from campaigns.launch.lifecycle import create_campaign
from campaigns.models import Campaign
from corpus.datasets.units import pairs_of_systems
from corpus.imports.files.audio_files import FolderAudio
from corpus.imports.writing import Destination, PlanRefused, write
from corpus.models import Label, Turn
from protocols import SHIPPED
from tests.cases import each
from tests.factories import DatasetFactory
from tests.importing import FIRST_TURN, LABELS, PAIR, PAIRS, RESPONSES, Listening, problems

pytestmark = pytest.mark.django_db


def test_other_audio_for_the_same_response_is_a_conflict(imported, checked, folder, sound):
    imported(RESPONSES)
    (folder / "b1.wav").write_bytes(sound(1234))

    assert problems(checked(RESPONSES)) == [
        (3, "audio", "beta on q1 is already there with other audio. Give the new one another take or dataset.")
    ]


def test_other_audio_for_a_response_of_a_pair_is_a_conflict(imported, checked, folder, sound):
    imported(PAIRS)
    (folder / "a2.wav").write_bytes(sound(1234))

    assert problems(checked(PAIRS)) == [
        (2, "audio", "gamma on 67 is already there with other audio. Give the new one another take or dataset.")
    ]


@each(
    "row, expected",
    [
        ({"prompt_text": "How?"}, ("prompt_text", "Item q1 is already there with another text.")),
        ({"prompt_audio": "q2.wav"}, ("prompt audio", "Item q1 is already there with another recording.")),
        ({"category": "style"}, ("category", "Item q1 is already there with category ''.")),
        ({"response_text": "Never."}, ("response_text", "alpha on q1 is already there with another text.")),
    ],
    undo=True,
)
def test_response_that_contradicts_what_is_there_is_a_conflict(imported, checked, everything, row, expected):
    imported(RESPONSES)
    before = everything()

    assert problems(checked([RESPONSES[0] | row])) == [(None, *expected)]
    assert everything() == before


def test_row_that_says_less_than_what_is_there_is_no_conflict(imported, checked):
    imported([RESPONSES[0] | {"category": "facts", "response_text": "Because."}])

    assert problems(checked([RESPONSES[0]])) == []


SWAPPED = {"model_a": "beta", "audio1_path": "b1.wav", "model_b": "alpha", "audio2_path": "a1.wav"}
OTHER_PAIR = "Pair 0 is already there with another item, other systems or other recordings."


@each(
    "row, expected",
    [
        ({"model_a": "delta"}, ("index", OTHER_PAIR)),
        ({"instruction_id": 68}, ("index", OTHER_PAIR)),
        (SWAPPED, ("index", OTHER_PAIR)),
        ({"audio1_path": "a2.wav"}, ("index", OTHER_PAIR)),
        (
            {"label": {"content": "2"}},
            ("label content", "Pair 0 is already labelled 'a' here. Give the new labels another name."),
        ),
    ],
    undo=True,
)
def test_pair_that_contradicts_what_is_there_is_a_conflict(imported, checked, everything, row, expected):
    imported(PAIRS)
    before = everything()

    assert problems(checked([PAIR | row])) == [(None, *expected)]
    assert everything() == before


def test_pair_imported_without_paths_is_not_given_other_recordings_silently(imported, checked):
    imported([PAIR | {"audio1_path": "", "audio2_path": ""}], audio=None)

    assert problems(checked([PAIR])) == [(None, "index", OTHER_PAIR)]


def test_pair_under_the_key_of_another_kind_of_unit_is_a_conflict(imported, checked):
    dataset = imported(PAIRS)
    pair = dataset.units.get(key="0")
    dataset.units.create(item=pair.item, kind="single", key="taken", a=pair.a)

    taken = OTHER_PAIR.replace("Pair 0", "Pair taken")
    assert problems(checked([PAIR | {"index": "taken"}])) == [(None, "index", taken)]


def test_conflict_is_refused_by_the_writing_too(imported, checked, everything, folder, researcher):
    imported(PAIRS)
    before = everything()
    found = checked([PAIR | {"label": {"content": "2"}}])

    with pytest.raises(ValueError, match="A plan with errors is not written"):
        write(found, FolderAudio(folder), Destination("Set", LABELS, researcher), progress=Listening())

    assert everything() == before


@pytest.mark.databases
def test_other_labels_come_in_under_another_name(imported):
    imported(PAIRS)

    imported([PAIR | {"label": {"content": "2"}}], labels="Second look")

    values = Label.objects.filter(annotation__unit__key="0", aspect="content").values_list(
        "annotation__label_set__name", "value"
    )
    assert set(values) == {(LABELS, "a"), ("Second look", "b")}


def test_labels_of_another_aspect_join_the_label_set(imported):
    imported([PAIR | {"label": {"content": "1"}}])

    imported([PAIR | {"label": {"overall": "2"}}])

    assert set(Label.objects.values_list("aspect", "value")) == {("content", "a"), ("overall", "b")}


# -- between the check and the writing -------------------------------------------------------------------------


def test_second_of_two_plans_that_were_checked_before_either_was_written_is_refused(
    checked, everything, folder, researcher
):
    first, second = checked([PAIR]), checked([PAIR | {"model_b": "gamma", "audio2_path": "b2.wav"}])
    destination = Destination("Set", LABELS, researcher)
    write(first, FolderAudio(folder), destination, progress=Listening())
    before = everything()

    with pytest.raises(PlanRefused, match=OTHER_PAIR):
        write(second, FolderAudio(folder), destination, progress=Listening())

    assert everything() == before


def test_dataset_name_that_somebody_else_takes_after_the_check_stops_the_import(
    checked, everything, folder, researcher
):
    found = checked(PAIRS)
    DatasetFactory(name="Set")
    before = everything()

    with pytest.raises(PermissionDenied, match="belongs to another user"):
        write(found, FolderAudio(folder), Destination("Set", LABELS, researcher), progress=Listening())

    assert everything() == before


# -- items of campaigns that have opened -----------------------------------------------------------------------

ONE_TURN = [row for row in RESPONSES if row["turn"] == "1"]
PROMPT_IN_WORDS = [row | {"prompt_audio": ""} for row in ONE_TURN]
OPENED = "Item q1 stands in a campaign that has opened; its turns and prompt can no longer change."
changes_what_is_heard = pytest.mark.parametrize(
    ("there", "more"),
    [(ONE_TURN, RESPONSES), (PROMPT_IN_WORDS, ONE_TURN)],
    ids=["another turn", "a recording of the prompt"],
)


@pytest.fixture
def campaign_over(imported, researcher):
    """A function: import these rows, and make a campaign of that status over every pair of systems."""

    def launch(rows, *, status):
        dataset = imported(rows)
        units = pairs_of_systems(dataset)
        campaign = create_campaign(dataset, title="T", protocol=SHIPPED["hcot"], units=units, user=researcher)
        Campaign.objects.filter(pk=campaign.pk).update(status=status)

    return launch


@pytest.mark.parametrize("status", ["open", "paused", "closed"])
@changes_what_is_heard
def test_import_that_changes_what_an_opened_campaign_plays_is_refused(campaign_over, checked, there, more, status):
    campaign_over(there, status=status)

    assert problems(checked(more)) == [(None, "item", OPENED)]


@changes_what_is_heard
def test_campaign_that_opens_after_the_check_stops_the_import(
    campaign_over, checked, everything, folder, researcher, there, more
):
    campaign_over(there, status="draft")
    found = checked(more)
    Campaign.objects.update(status="open")
    before = everything()

    with pytest.raises(PlanRefused, match=OPENED):
        write(found, FolderAudio(folder), Destination("Set", LABELS, researcher), progress=Listening())

    assert everything() == before


@pytest.mark.databases
@changes_what_is_heard
def test_import_that_changes_what_a_draft_plays_is_allowed(campaign_over, checked, imported, there, more):
    campaign_over(there, status="draft")

    assert problems(checked(more)) == []
    prompts = Turn.objects.filter(item__dataset=imported(more))
    assert set(prompts.values_list("path", flat=True)) == {row["prompt_audio"] for row in more}


@pytest.mark.databases
def test_labels_for_an_item_of_an_opened_campaign_are_still_imported(campaign_over, imported):
    campaign_over(PAIRS, status="open")

    imported([PAIR | {"label": {"content": "2"}}], labels="Second look")

    assert Label.objects.get(annotation__label_set__name="Second look").value == "b"


def test_another_system_on_an_item_of_an_opened_campaign_is_still_imported(campaign_over, imported):
    campaign_over(ONE_TURN, status="open")

    dataset = imported([FIRST_TURN | {"system": "gamma", "response_audio": "b2.wav"}])

    assert set(dataset.systems.values_list("name", flat=True)) == {"alpha", "beta", "gamma"}
