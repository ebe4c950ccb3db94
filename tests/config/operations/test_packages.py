"""What Earshot is installed with: locks, licences, the bill of materials."""

import json
import re
import subprocess
from importlib.metadata import distribution

import pytest
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
from packaging.requirements import Requirement

from config.operations.packages import lock
from config.operations.packages.licences import NOTICE, installed, licence_of, listed, locked, rewritten
from config.operations.packages.sbom import bill_of_materials
from tests.cases import each
from tests.paths import PROJECT

LOCKS = (lock.EARSHOT, lock.CUDA, lock.TORCH_CPU)


def locked_in(*paths: object) -> dict[str, str]:
    return {name: version for path in paths for name, version in lock.pins(path.read_text()).items()}  # type: ignore[attr-defined]


def test_lock_has_what_requirements_pin() -> None:
    wanted = lock.pins(lock.REQUIREMENTS.read_text())

    assert {name: locked_in(lock.EARSHOT).get(name) for name in wanted} == wanted, "run `make lock`"


def test_lock_has_what_every_locked_package_wants() -> None:
    """Read from the metadata of what is installed here, so that nothing comes in without a version and a hash."""
    names = set(locked_in(lock.EARSHOT, lock.CUDA))
    wanted = {
        lock.normal(needed.name)
        for package in installed()
        if lock.normal(package.metadata["Name"]) in locked_in(lock.EARSHOT)
        for needed in map(Requirement, package.requires or ())
        if needed.marker is None or needed.marker.evaluate({"extra": ""})
    }

    assert wanted - names == set()


@each("path", LOCKS)
def test_every_locked_package_has_hashes(path: object) -> None:
    without = [it for it in lock.entries(path.read_text()) if not re.search(r"--hash=sha256:[0-9a-f]{64}", it)]  # type: ignore[attr-defined]

    assert without == []


def test_cuda_is_apart_and_nothing_but_torch_wants_it() -> None:
    cuda, rest = locked_in(lock.CUDA), locked_in(lock.EARSHOT)

    assert len(cuda) > 10
    assert not [name for name in rest if name.startswith(("nvidia-", "cuda-", "triton"))]
    wanting = set(re.findall(r"#(?: via|  )\s+(\S+)$", lock.CUDA.read_text(), re.MULTILINE))
    assert wanting - set(cuda) == {"torch"}


def test_torch_without_cuda_is_of_the_version_that_is_pinned() -> None:
    assert locked_in(lock.TORCH_CPU)["torch"] == f"{locked_in(lock.EARSHOT)['torch']}+cpu"


def test_what_is_tested_here_is_what_is_locked() -> None:
    here = {lock.normal(it.metadata["Name"]): it.version.partition("+")[0] for it in installed()}

    assert {name: version for name, version in here.items() if locked()[name] != version} == {}


def test_make_without_cuda_installs_by_hashes_alone() -> None:
    """What `make` would do; nothing is installed."""
    made = {
        torch: subprocess.run(
            ["make", "--dry-run", "--always-make", ".venv/installed", f"TORCH={torch}"],
            cwd=PROJECT, capture_output=True, text=True, check=True,
        ).stdout
        for torch in ("cpu", "cuda")
    }  # fmt: skip
    installs = {torch: [it for it in out.splitlines() if " install " in it] for torch, out in made.items()}

    assert [len(it) for it in installs.values()] == [3, 2]
    assert all("--require-hashes" in it for lines in installs.values() for it in lines)
    assert "locks/torch-cpu.txt" in made["cpu"]
    assert "locks/cuda.txt" not in made["cpu"]
    assert "locks/cuda.txt" in made["cuda"]


def test_notice_lists_every_package_with_the_licence_it_states() -> None:
    notice = NOTICE.read_text()

    assert rewritten(notice, installed()) == notice, "run `python -m config.operations.packages.licences`"
    assert sorted(listed(notice)) == sorted(locked())
    assert all(listed(notice).values())


def test_notice_explains_each_licence_that_asks_for_more_than_a_name() -> None:
    explained = NOTICE.read_text().partition("Licences as")[0]
    asking = {name for name, licence in listed(NOTICE.read_text()).items() if re.search(r"GPL|MPL|Mozilla", licence)}

    assert asking == {"krippendorff", "psycopg", "psycopg-binary", "psycopg-pool", "soxr", "certifi", "tqdm"}
    assert [name for name in asking if f"`{name}`" not in explained] == []


@each(
    "name, licence",
    [
        ("krippendorff", "GPL-3.0-or-later"),  # an expression
        ("certifi", "MPL-2.0"),  # the older field
        ("contourpy", "BSD License"),  # the older field holds the whole text, the classifier the name
        ("py-nanotts", "Apache-2.0"),  # only a file says it
    ],
)
def test_licence_is_read_where_a_package_states_it(name: str, licence: str) -> None:
    assert licence_of(distribution(name)) == licence


def test_licence_file_says_what_the_metadata_leave_out() -> None:
    (text,) = [it for it in distribution("py-nanotts").files or () if it.name == "LICENSE.md"]

    assert "Apache License" in text.read_text()


@pytest.fixture(scope="module")
def bill() -> str:
    return bill_of_materials()


def test_bill_of_materials_is_valid_cyclonedx(bill: str) -> None:
    assert JsonStrictValidator(SchemaVersion.V1_6).validate_str(bill) is None


def test_bill_of_materials_has_what_is_installed_and_what_wants_it(bill: str) -> None:
    document = json.loads(bill)
    parts = {it["name"]: it for it in document["components"]}
    wants = {it["ref"]: it.get("dependsOn", []) for it in document["dependencies"]}

    assert {it["name"]: it["version"] for it in document["components"]} == {
        lock.normal(it.metadata["Name"]): it.version for it in installed()
    }
    assert "pytest" not in parts
    assert [name for name, it in parts.items() if not it.get("hashes") or not it.get("licenses")] == []
    assert any(ref.startswith("s3transfer@") for ref in wants[f"boto3@{parts['boto3']['version']}"])
    assert f"django@{parts['django']['version']}" in wants[document["metadata"]["component"]["bom-ref"]]
