"""A bill of materials of this installation as CycloneDX: `python -m config.operations.packages.sbom FILE`.

It lists what Earshot runs with – not what only its development needs – as it is installed here: versions, licences,
the hashes of the lock, and who wants whom.
"""

import re
import sys
import tomllib
from importlib.metadata import Distribution
from pathlib import Path

from cyclonedx.contrib.license.factories import LicenseFactory
from cyclonedx.model import HashAlgorithm, HashType
from cyclonedx.model.bom import Bom
from cyclonedx.model.component import Component, ComponentType
from cyclonedx.output import make_outputter
from cyclonedx.schema import OutputFormat, SchemaVersion
from packageurl import PackageURL
from packaging.requirements import Requirement

from config.operations.packages.licences import WEIGHTS, installed, licence_of
from config.operations.packages.lock import EARSHOT, REQUIREMENTS, ROOT, TORCH_CPU, entries, normal, pins

VERSION = SchemaVersion.V1_6


def bill_of_materials() -> str:
    """The document, as JSON."""
    about = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    bom, packages, hashes = Bom(), installed(), _hashes()
    whole = _component(about["name"], about["version"], about["license"], kind=ComponentType.APPLICATION)
    bom.metadata.component = whole
    parts = {
        name: _component(name, it.version, licence_of(it), hashes=hashes.get(name, ()))
        for it in packages
        for name in [normal(it.metadata["Name"])]
    }
    for part in parts.values():
        bom.components.add(part)
    direct = pins(REQUIREMENTS.read_text(encoding="utf-8")) | pins(WEIGHTS.read_text(encoding="utf-8"))
    bom.register_dependency(whole, [parts[name] for name in direct if name in parts])
    for package in packages:
        wanted = [parts[name] for name in _wanted_by(package) if name in parts]
        bom.register_dependency(parts[normal(package.metadata["Name"])], wanted)
    return make_outputter(bom, OutputFormat.JSON, VERSION).output_as_string(indent=2)


def _component(
    name: str,
    version: str,
    licence: str,
    *,
    hashes: tuple[str, ...] = (),
    kind: ComponentType = ComponentType.LIBRARY,
) -> Component:
    return Component(
        type=kind,
        name=name,
        version=version,
        bom_ref=f"{name}@{version}",
        purl=PackageURL("pypi", name=name, version=version) if kind is ComponentType.LIBRARY else None,
        licenses=[LicenseFactory().make_from_string(licence)] if licence else [],
        hashes=[HashType(alg=HashAlgorithm.SHA_256, content=content) for content in hashes],
    )


def _wanted_by(package: Distribution) -> set[str]:
    """What this package says that it needs, whatever the extras by which it was asked for."""
    wanted = (Requirement(it) for it in package.requires or ())
    return {normal(it.name) for it in wanted if it.marker is None or it.marker.evaluate({"extra": ""})}


def _hashes() -> dict[str, tuple[str, ...]]:
    """By package, of every file that the locks allow."""
    locks = "".join(path.read_text(encoding="utf-8") for path in (EARSHOT, TORCH_CPU, WEIGHTS))
    found: dict[str, tuple[str, ...]] = {}
    for entry in entries(locks):
        (name,) = pins(entry)
        found[name] = found.get(name, ()) + tuple(re.findall(r"sha256:([0-9a-f]{64})", entry))
    return found


if __name__ == "__main__":
    target = Path(sys.argv[1])
    target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    target.write_text(bill_of_materials(), encoding="utf-8")
