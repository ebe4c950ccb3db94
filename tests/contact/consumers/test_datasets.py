"""The dataset for the hub in `datasets`, with torchcodec and without, and in Croissant's own library.

torchcodec needs FFmpeg's libraries, and is in the tests' own environment.
"""

import re
import zipfile
from pathlib import Path

import datasets
import numpy as np
import pytest
import soundfile

from corpus.models import Clip
from tests.analytics.exporting.exported import written
from tests.analytics.saying import judge_says, people_say
from tests.contact.consumers.consumed import consumed
from tests.factories import RARE_A, RARE_B, make_campaign
from tests.needs import lacking
from tests.paths import PROJECT

pytestmark = pytest.mark.django_db

DATASETS = """
import sys
from datasets import config, load_dataset
assert not config.TORCHCODEC_AVAILABLE
items = load_dataset(sys.argv[1], "items", split="train", cache_dir=sys.argv[2])
{documented}
import json
print(json.dumps([rate, len(samples), float(abs(samples).max())]))
"""


TONE = 0.5 * np.sin(2 * np.pi * 100 * np.arange(1600) / 16_000)


@pytest.fixture
def hub(tmp_path: Path) -> Path:
    """The folder of a Hugging Face dataset whose clips are all one tone."""
    campaign = make_campaign(protocol="blind_overall", units=2, answers_per_unit=2)
    people_say(campaign, ["a", "b"], ["a", "a"])
    judge_says(campaign, {"ab": ["a", "unparsed"]})
    for clip in Clip.objects.all():
        clip.path.parent.mkdir(parents=True, exist_ok=True)
        soundfile.write(clip.path, TONE, 16_000, format="WAV")
    with zipfile.ZipFile(written(campaign, "hugging-face", tmp_path, licence="cc-by-4.0")) as archive:
        archive.extractall(tmp_path / "hub")
    return tmp_path / "hub"


# Of datasets, dill, fsspec and multiprocess, which are not ours.
@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning", "ignore::FutureWarning")
def test_sound_is_decoded_by_torchcodec(hub: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    try:
        import torchcodec.decoders  # noqa: F401, PLC0415 - loads FFmpeg's libraries
    except (ImportError, OSError, RuntimeError) as missing:
        lacking(f"torchcodec cannot load FFmpeg's libraries: {missing}")
    monkeypatch.setattr(datasets.config, "HF_HUB_OFFLINE", True)

    items = datasets.load_dataset(str(hub), "items", split="train", cache_dir=str(tmp_path / "cache"))
    heard = items[0]["prompt"].get_all_samples()

    assert heard.sample_rate == 16_000
    np.testing.assert_allclose(heard.data[0].numpy(), TONE, atol=1e-4)


def test_sound_is_read_without_torchcodec_as_the_documentation_says(hub: Path, tmp_path: Path) -> None:
    how_to = (PROJECT / "docs" / "how-to" / "export.md").read_text("utf-8")
    documented = next(it for it in re.findall(r"```python\n(.*?)```", how_to, re.S) if "cast_column" in it)

    found = consumed(DATASETS.format(documented=documented), hub, tmp_path / "cache")

    assert found == [16_000, 1600, pytest.approx(0.5, abs=1e-3)]


CROISSANT = """
import itertools, json, logging, sys
import mlcroissant as mlc
logging.disable()
dataset = mlc.Dataset(jsonld=sys.argv[1])
issues, described = dataset.metadata.ctx.issues, dataset.metadata
def plain(value):
    return len(value) if isinstance(value, bytes) and value[:4] == b"RIFF" else (
        value.decode() if isinstance(value, bytes) else value)
records = {
    it.id: [{name.split("/")[1]: plain(value) for name, value in row.items()} for row in dataset.records(it.id)]
    for it in described.record_sets
}
undescribed = [field.id for it in described.record_sets for field in it.fields if not field.description]
print(json.dumps([sorted(issues.errors), sorted(issues.warnings), undescribed, records], default=str))
"""


def test_croissant_is_accepted_by_its_validator_and_gives_the_records(hub: Path) -> None:
    errors, warnings, undescribed, records = consumed(CROISSANT, hub / "croissant.json")

    assert errors == []
    assert [it for it in warnings if "citeAs" not in it] == []  # nobody said how to cite this
    assert undescribed == []
    assert {name: len(rows) for name, rows in records.items()} == {
        "items": 2, "judgements": 4, "verdicts": 2, "standings": 2, "judges": 1,
    }  # fmt: skip
    item, answer = records["items"][0], records["judgements"][0]
    assert (item["system_a"], item["system_b"], item["item_number"]) == (RARE_A, RARE_B, 1)
    assert item["response_a"] == 44 + 2 * len(TONE)  # the bytes of a WAV
    assert (answer["aspect"], answer["value"], answer["revision"]) == ("overall", "a", 1)
    run = records["judges"][0]["run"]
    assert [(it["value"], it["status"], it["run"]) for it in records["verdicts"]] == [
        ("a", "ok", run),
        ("", "unparsed", run),
    ]
    assert type(records["standings"][0]["votes"]) is int


def test_croissant_notices_a_file_that_was_changed(hub: Path) -> None:
    with (hub / "judges" / "train.parquet").open("ab") as file:
        file.write(b"more")

    with pytest.raises(AssertionError, match="is not identical with the"):
        consumed(CROISSANT, hub / "croissant.json")
