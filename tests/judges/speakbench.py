"""SpeakBench as a campaign: each system against GPT-4o-Audio, and the verdicts that AudioJudge published of it."""

import csv
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from accounts.models import User
from campaigns.launch.lifecycle import create_campaign
from campaigns.models import Campaign
from corpus.datasets.units import imported_pairs
from corpus.imports.uploads.checking import check_upload, write_checked
from corpus.imports.writing import Destination
from corpus.models import Dataset
from protocols import SHIPPED, Protocol
from protocols.scales.named import UNTYPED_TIE

DATA = Path(__file__).resolve().parents[2].parent / "shared" / "data"
JUDGES = DATA / "audiojudge"
COLUMNS = ("item_id", "instruction_id", "instruction_text", "system_a", "system_b")


def untyped_hcot() -> Protocol:
    """The dimensions of HCoT with SpeakBench's labels."""
    hcot = SHIPPED["hcot"]
    aspects = tuple(replace(aspect, scale=UNTYPED_TIE) for aspect in hcot.aspects)
    return replace(hcot, name="speakbench", aspects=aspects, examples=())


def rows_of(name: str) -> list[dict[str, str]]:
    with (JUDGES / name).open(encoding="utf-8", newline="") as table:
        return list(csv.DictReader(table))


def manifest_of_pairs(verdicts: list[dict[str, str]], path: Path) -> Path:
    """The pairs that verdicts are about, in the shape that datasets are imported from, with people's labels."""
    texts = {row["instruction_id"]: row["instruction_text"] for row in _release()}
    labels: dict[str, dict[str, str]] = {}
    for row in verdicts:
        labels.setdefault(row["item_id"], {})[row["aspect"]] = row["label_human"]
    pairs = {row["item_id"]: row for row in verdicts}
    with path.open("w", encoding="utf-8", newline="") as file:
        aspects = ("content", "voice_quality", "paralinguistics", "overall")
        out = csv.writer(file)
        out.writerow([*COLUMNS, *(f"label_{aspect}" for aspect in aspects)])
        for key, row in pairs.items():
            text = texts.get(row["instruction_id"], f"Instruction {row['instruction_id']}")
            of_pair = [key, row["instruction_id"], text, row["system_a"], row["system_b"]]
            out.writerow([*of_pair, *(labels[key].get(aspect, "") for aspect in aspects)])
    return path


def _release() -> list[dict[str, Any]]:
    lines = (DATA / "hcot" / "hcot_speakbench.jsonl").read_text(encoding="utf-8").splitlines()
    return [{**row, "instruction_id": str(row["instruction_id"])} for row in map(json.loads, lines)]


def import_pairs(manifest: Path, user: User, *, dataset: str = "SpeakBench", labels: str = "HCoT") -> Dataset:
    def quiet(done: int, total: int, note: str) -> None:
        """Nobody watches."""

    checked = check_upload(manifest, None, dataset_name=dataset, label_set_name=labels, progress=quiet)
    assert checked.errors == []
    return write_checked(checked, None, Destination(dataset, labels, user), progress=quiet)


def speakbench_campaign(dataset: Dataset, user: User) -> Campaign:
    units = imported_pairs(dataset)
    return create_campaign(dataset, title="SpeakBench", protocol=untyped_hcot(), units=units, user=user)
