import json
from collections import Counter

import pytest

from analytics.data.label_counts import label_counts
from analytics.data.labels import imported_labels
from analytics.exports.labels import trace_lines
from corpus.imports.files.audio_files import FolderAudio
from corpus.imports.uploads.checking import check_manifest
from corpus.imports.writing import Destination, write
from corpus.models import Clip, Dataset, Label

pytestmark = pytest.mark.django_db


@pytest.fixture
def bring_in(researcher):
    """A function: import a manifest of the release and return its dataset."""

    def run(manifest, files, name):
        found = check_manifest(manifest, files, dataset_name=name, label_set_name="Release", progress=quiet)
        assert found.plan.problems == []
        return write(found, files, Destination(name, "Release", researcher), progress=quiet)

    return run


def quiet(done, total, note):
    pass


@pytest.fixture
def speakbench(bring_in, shared_data):
    return bring_in(shared_data / "hcot" / "hcot_speakbench.jsonl", None, "SpeakBench")


def counts_of(dataset):
    return Counter(
        items=dataset.items.count(),
        systems=dataset.systems.count(),
        units=dataset.units.count(),
        labels=Label.objects.count(),
    )


@pytest.mark.databases
def test_release_is_imported_whole(speakbench):
    assert counts_of(speakbench) == {"items": 81, "systems": 13, "units": 497, "labels": 4 * 497}


@pytest.mark.databases
def test_release_has_the_published_label_counts(speakbench, shared_data):
    published = json.loads((shared_data / "truth" / "hcot_table6_counts.json").read_text())["published"]["speakbench"]

    counts = label_counts(speakbench.label_sets.get())

    assert {
        aspect: [found["both_bad"], found["a"] + found["b"], found["both_good"]] for aspect, found in counts.items()
    } == published


@pytest.mark.databases
def test_release_is_exported_as_it_was_imported(speakbench, shared_data):
    with (shared_data / "hcot" / "hcot_speakbench.jsonl").open(encoding="utf-8") as file:
        released = list(file)

    assert list(trace_lines(imported_labels(speakbench.label_sets.get()))) == released


def test_export_imported_again_is_the_same_dataset(speakbench, bring_in, contents, tmp_path):
    exported = tmp_path / "exported.jsonl"
    exported.write_text("".join(trace_lines(imported_labels(speakbench.label_sets.get()))), encoding="utf-8")

    assert contents(bring_in(exported, None, "Again")) == contents(speakbench)


@pytest.mark.databases
def test_release_imported_twice_changes_nothing(speakbench, bring_in, shared_data, everything):
    before = everything()

    bring_in(shared_data / "hcot" / "hcot_speakbench.jsonl", None, "SpeakBench")

    assert everything() == before
    assert Dataset.objects.count() == 1


def test_real_clips_are_imported_with_their_pairs(bring_in, shared_data, everything):
    audio = shared_data / "audio"

    dataset = bring_in(audio / "manifest.csv", FolderAudio(audio), "Tomato")

    assert counts_of(dataset) == {"items": 1, "systems": 10, "units": 11, "labels": 11}
    assert Clip.objects.count() == len(everything()[1]) == 11
    labels = Label.objects.values_list("annotation__unit__key", "aspect", "value")
    assert {key: value for key, aspect, value in labels if aspect == "overall"} == human_labels(audio)


def human_labels(audio):
    stored = {"1": "a", "2": "b", "tie": "tie"}
    rows = (audio / "manifest.csv").read_text(encoding="utf-8").splitlines()[1:]
    return {row.split(",")[0]: stored[row.rsplit(",", 1)[1]] for row in rows}
