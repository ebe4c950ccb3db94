"""What Earshot is installed with, and under which licences: the list in NOTICE, and the bill of materials.

    python -m config.operations.packages.licences

It writes the list in NOTICE anew, from what the packages installed here say of themselves.
"""

from collections.abc import Iterable, Mapping
from importlib.metadata import Distribution, PackageNotFoundError, distribution

from config.operations.packages.lock import EARSHOT, ROOT, pins

NOTICE, WEIGHTS = ROOT / "NOTICE", ROOT / "requirements-weights.txt"
HEAD = "Licences as the packages themselves state them\n"
#: Where a package's metadata say nothing, its licence file does.
SAID_IN_A_FILE: Mapping[str, str] = {"py-nanotts": "Apache-2.0"}
STATED = ("License-Expression", "License", "Classifier")
_LONGEST = 60  # some have the whole text of their licence in its place


def locked() -> dict[str, str]:
    """The packages of the lock and of the weights, with their versions; CUDA's are not among them."""
    return pins(EARSHOT.read_text(encoding="utf-8")) | pins(WEIGHTS.read_text(encoding="utf-8"))


def installed() -> list[Distribution]:
    """Those of them that are there: some belong to other systems or Pythons."""
    found = []
    for name in sorted(locked()):
        try:
            found.append(distribution(name))
        except PackageNotFoundError:
            continue
    return found


def licence_of(package: Distribution) -> str:
    """The licence that the package states; empty where it states none."""
    said = {name: package.metadata.get_all(name) or [] for name in STATED}
    classifiers = (it.split(" :: ")[-1] for it in said["Classifier"] if it.startswith("License ::"))
    short = [it for it in said["License"] if len(it) < _LONGEST and "\n" not in it]
    in_a_file = SAID_IN_A_FILE.get(package.metadata["Name"].lower(), "")
    return "".join(said["License-Expression"]) or in_a_file or "".join(short) or ", ".join(classifiers)


def listed(notice: str) -> dict[str, str]:
    """The list at the end of NOTICE."""
    lines = notice.partition(HEAD)[2].splitlines()
    return {name: licence for name, _, licence in (line.partition(": ") for line in lines) if licence}


def rewritten(notice: str, packages: Iterable[Distribution]) -> str:
    """NOTICE with the list as it is now. Of packages that are not installed here it keeps what it has."""
    known = listed(notice) | {it.metadata["Name"].lower().replace("_", "-"): licence_of(it) for it in packages}
    lines = [f"{name}: {known.get(name, '')}\n" for name in sorted(locked())]
    return f"{notice.partition(HEAD)[0]}{HEAD}\n{''.join(lines)}"


if __name__ == "__main__":
    NOTICE.write_text(rewritten(NOTICE.read_text(encoding="utf-8"), installed()), encoding="utf-8")
