"""The locks: every package that Earshot is installed with, also those that others bring, with its hashes.

    python -m config.operations.packages.lock

It resolves requirements.txt once for every platform and Python, by uv and what PyPI has. What a lock has already
stays at its version as long as that fits. Needed after each change of requirements.txt; it needs no settings.
"""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
REQUIREMENTS = ROOT / "requirements.txt"
FOLDER = ROOT / "locks"
#: Everything but CUDA · what PyPI's PyTorch for Linux wants besides · PyTorch without it, which is kept by hand.
EARSHOT, CUDA, TORCH_CPU = (FOLDER / name for name in ("earshot.txt", "cuda.txt", "torch-cpu.txt"))
COMMAND = (
    "pip", "compile", "--no-config", "--universal", "--python-version", "3.11", "--generate-hashes", "--no-header",
    "--quiet", "--default-index", "https://pypi.org/simple",
)  # fmt: skip
HEADS = {
    EARSHOT: "# Made by `make lock` from requirements.txt. PyTorch's CPU build comes from torch-cpu.txt before it.\n",
    CUDA: "# Made by `make lock`. Only PyPI's PyTorch for Linux wants these, to compute on graphics cards.\n",
}
_OF_CUDA = re.compile(r"(nvidia|cuda)-|triton==")
_PIN = re.compile(r"^([A-Za-z0-9._-]+)(?:\[[^\]]*\])?==([^\s;]+)", re.MULTILINE)


def pins(text: str) -> dict[str, str]:
    """The versions that requirements or a lock pin, by the normal form of the names.

    >>> pins("Django==5.2.19  # the framework")
    {'django': '5.2.19'}
    """
    return {normal(name): version for name, version in _PIN.findall(text)}


def normal(name: str) -> str:
    """As PEP 503 has it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def entries(text: str) -> list[str]:
    """The packages of a lock, each with its hashes and with who wants it."""
    return re.split(r"^(?=[A-Za-z0-9])", text, flags=re.MULTILINE)[1:]


def main() -> int:
    wanted, kept = pins(REQUIREMENTS.read_text(encoding="utf-8")), pins(TORCH_CPU.read_text(encoding="utf-8"))
    if kept["torch"].partition("+")[0] != wanted["torch"]:
        sys.stderr.write(f"{TORCH_CPU} pins torch {kept['torch']}, requirements.txt {wanted['torch']}.\n")
        return 1
    before = "".join(path.read_text(encoding="utf-8") for path in (EARSHOT, CUDA) if path.exists())
    with tempfile.TemporaryDirectory() as folder:
        whole = Path(folder) / "lock.txt"
        whole.write_text(before, encoding="utf-8")
        uv = Path(sys.executable).with_name("uv")
        command = [str(uv), *COMMAND, "--output-file", str(whole), REQUIREMENTS.name]
        subprocess.run(command, cwd=ROOT, check=True)  # noqa: S603 - a fixed command
        found = entries(whole.read_text(encoding="utf-8"))
    for path, of_cuda in ((EARSHOT, False), (CUDA, True)):
        there = "".join(it for it in found if bool(_OF_CUDA.match(it)) is of_cuda)
        path.write_text(HEADS[path] + there, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
