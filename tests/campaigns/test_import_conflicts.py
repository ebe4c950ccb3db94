import pytest

from campaigns.imports.audio_files import FolderAudio
from campaigns.imports.writing import Destination, write
from campaigns.models import Label
from tests.campaigns.conftest import LABELS, PAIR, PAIRS, RESPONSES, Listening, problems

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


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        ({"prompt_text": "How?"}, ("prompt_text", "Item q1 is already there with another text.")),
        ({"prompt_audio": "q2.wav"}, ("prompt audio", "Item q1 is already there with another recording.")),
        ({"category": "style"}, ("category", "Item q1 is already there with category ''.")),
        ({"response_text": "Never."}, ("response_text", "alpha on q1 is already there with another text.")),
    ],
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


@pytest.mark.parametrize(
    ("row", "expected"),
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


def test_other_labels_come_in_under_another_name(imported):
    imported(PAIRS)

    imported([PAIR | {"label": {"content": "2"}}], labels="Second look")

    values = Label.objects.filter(unit__key="0", aspect="content").values_list("label_set__name", "value")
    assert set(values) == {(LABELS, "a"), ("Second look", "b")}


def test_labels_of_another_aspect_join_the_label_set(imported):
    dataset = imported([PAIR | {"label": {"content": "1"}}])

    imported([PAIR | {"label": {"overall": "2"}}])

    assert set(dataset.label_sets.get().labels.values_list("aspect", "value")) == {("content", "a"), ("overall", "b")}
