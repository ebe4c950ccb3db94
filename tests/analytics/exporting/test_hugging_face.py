"""The dataset for the hub, read by `datasets` itself, without a network."""

import io
import subprocess
import zipfile
from pathlib import Path

import datasets
import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest
import soundfile
import yaml

from analytics.exports.tables.columns import SCHEMA_VERSION, description
from campaigns.models import Campaign
from corpus.models import Clip
from tests.analytics.exporting.exported import written
from tests.analytics.saying import judge_says, people_say
from tests.factories import RARE_A, make_campaign

pytestmark = [
    pytest.mark.django_db,
    # Of datasets, dill, fsspec and multiprocess, which are not ours.
    pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning", "ignore::FutureWarning"),
]


@pytest.fixture
def campaign() -> Campaign:
    """Three pairs with sound: every clip has a tone of its own."""
    campaign = make_campaign(units=3, answers_per_unit=2)
    for n, clip in enumerate(Clip.objects.order_by("pk"), start=1):
        clip.path.parent.mkdir(parents=True, exist_ok=True)
        soundfile.write(clip.path, tone(n), 16_000, format="WAV")
    people_say(campaign, ["a", "b", "both_good"], ["a", "b", "both_bad"])
    judge_says(campaign, {"ab": ["a", "a", "unparsed"]})
    return campaign


def tone(n: int) -> np.ndarray:
    return (0.2 * np.sin(2 * np.pi * 100 * n * np.arange(1600) / 16_000)).astype(np.float32)


@pytest.fixture
def folder(campaign: Campaign, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(datasets.config, "HF_HUB_OFFLINE", True)
    file = written(campaign, "hugging-face", tmp_path, licence="cc-by-4.0", language="en")
    with zipfile.ZipFile(file) as archive:
        archive.extractall(tmp_path / "hub")
    assert list(tmp_path.glob(".*")) == []
    return tmp_path / "hub"


def load(folder: Path, name: str) -> datasets.Dataset:
    return datasets.load_dataset(str(folder), name, split="train", cache_dir=str(folder.parent / "cache"))


def test_datasets_loads_every_table_and_the_sound_plays(folder: Path) -> None:
    sizes = {name: len(load(folder, name)) for name in ("items", "judgements", "verdicts", "standings", "judges")}
    assert sizes == {"items": 3, "judgements": 6, "verdicts": 3, "standings": 8, "judges": 1}

    items = load(folder, "items")
    for name in ("prompt", "response_a", "response_b"):
        assert isinstance(items.features[name], datasets.Audio)
    # Decoded here by hand; tests/contact/consumers/ has `datasets` decode it by torchcodec.
    heard = [
        soundfile.read(io.BytesIO(row[name]["bytes"]))[0]
        for row in items.cast_column("prompt", datasets.Audio(decode=False))
        .cast_column("response_a", datasets.Audio(decode=False))
        .cast_column("response_b", datasets.Audio(decode=False))
        for name in ("prompt", "response_a", "response_b")
    ]
    for n, sound in enumerate(heard, start=1):
        np.testing.assert_allclose(sound, tone(n), atol=1e-4)


def test_card_says_what_a_reader_has_to_know(folder: Path) -> None:
    text = (folder / "README.md").read_text("utf-8")
    front = yaml.safe_load(text.split("---\n")[1])

    assert front["license"] == "cc-by-4.0"
    assert front["language"] == ["en"]
    assert [it["config_name"] for it in front["configs"]] == [
        "items",
        "judgements",
        "verdicts",
        "standings",
        "judges",
    ]
    features = {it["config_name"]: {f["name"]: f["dtype"] for f in it["features"]} for it in front["dataset_info"]}
    assert features["items"]["response_a"] == "audio"
    assert features["judgements"]["recorded_at"] == "timestamp[us, tz=UTC]"
    assert "| 6 | 6 | 0 | 6 |" in text  # assigned, answered, excluded, used
    assert "hcot 1" in text
    assert "Consent class: **none recorded**" in text
    assert "| overall | Krippendorff’s α (typed-tie distance) | 0." in text
    *columns, agreement, counts = tables_of(text)
    assert (len(agreement), len(counts)) == (4, 1)  # a row for each aspect, and from assigned to used
    assert [len(rows) for rows in columns] == [len(it["features"]) for it in front["dataset_info"]]
    assert "| `response_a` | audio | sound of the response in slot a in this turn, as it was imported |" in columns[0]


def tables_of(markdown: str) -> list[list[str]]:
    """The rows below each `|---|` line.

    What is after a blank line is no part of it, and fails as a table without a head.
    """
    lines = [*markdown.splitlines(), ""]
    found, at = [], 0
    while at < len(lines):
        end = next(place for place in range(at, len(lines)) if not lines[place].startswith("|"))
        if end > at:
            found.append(lines[at:end])
        at = end + 1
    for table in found:
        assert len(table) > 2, f"a table without rows, or rows without a table: {table}"
        assert set(table[1]) == {"|", "-"}, f"the second line of a table is {table[1]!r}"
        assert len({line.count("|") for line in table}) == 1, table
    return [table[2:] for table in found]


def test_every_column_of_every_table_is_described_inside_parquet(folder: Path) -> None:
    schemas = {path.parent.name: pq.read_schema(path) for path in folder.glob("*/train.parquet")}

    assert len(schemas) == 5
    for name, schema in schemas.items():
        assert schema.metadata[b"earshot_schema_version"].decode() == SCHEMA_VERSION, name
        assert [it.name for it in schema if not description(it)] == [], name


def test_checksums_are_those_of_the_files(folder: Path) -> None:
    checked = subprocess.run(
        ["sha256sum", "--check", "--strict", "SHA256SUMS"], cwd=folder, capture_output=True, check=False
    )

    assert checked.returncode == 0, checked.stderr
    listed = {line.split("  ")[1] for line in (folder / "SHA256SUMS").read_text("utf-8").splitlines()}
    files = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    assert listed == files - {"SHA256SUMS"}


def test_tables_open_in_pandas(folder: Path) -> None:
    judgements = pd.read_parquet(folder / "judgements" / "train.parquet")
    items = pd.read_parquet(folder / "items" / "train.parquet")

    joined = judgements.merge(items, on="unit")

    assert len(joined) == 6
    assert set(joined["system_a_y"]) == {RARE_A}
    assert list(judgements["value"]) == ["a", "b", "both_good", "a", "b", "both_bad"]


@pytest.mark.parametrize(
    ("protocol", "columns"), [("acr", {"response_a"}), ("dubbing", {"response_a", "response_b"})]
)
def test_units_of_other_kinds_have_their_responses(tmp_path: Path, protocol: str, columns: set[str]) -> None:
    campaign = make_campaign(protocol=protocol, units=1)

    with zipfile.ZipFile(written(campaign, "hugging-face", tmp_path)) as archive:
        items = pd.read_parquet(io.BytesIO(archive.read("items/train.parquet")))
        described = {"README.md", "croissant.json", "SHA256SUMS"}
        assert set(archive.namelist()) == {"items/train.parquet", "protocol.yaml", "study.json"} | described

    assert {name for name in items.columns if name.startswith("response_")} == columns
    assert items["prompt"].isna().all()  # the rows' clips have no files here
