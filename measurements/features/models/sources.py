"""Where models come from: carried by an installed package, in a folder, in a cache, or from a hub when allowed."""

from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path

from infrastructure.wording.reasons import Reason
from measurements import reasons
from measurements.features.contract import Unavailable


@dataclass(frozen=True)
class Sources:
    """What this installation has beside its packages.

    `folder` holds a folder per model; `cache` is the hub's own cache. `may_download` lets a worker fetch what is in
    neither. `whisper` names the recogniser of faster-whisper to use in place of the carried one ("" for none).
    """

    folder: Path | None = None
    cache: Path | None = None
    may_download: bool = False
    whisper: str = ""


NOTHING = Sources()


def installed(package: str) -> str | None:
    """The version of an installed distribution; None where it is not there. Imports nothing."""
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def carried(module: str, *parts: str) -> Path | None:
    """A file inside an installed package, found without importing the package; None where it is not there."""
    spec = find_spec(module)
    if spec is None or not spec.submodule_search_locations:
        return None
    path = Path(spec.submodule_search_locations[0], *parts)
    return path if path.exists() else None


def need(module: str, *parts: str) -> Path:
    """The carried file. Raises Unavailable."""
    if (path := carried(module, *parts)) is None:
        raise Unavailable(reasons.NOT_CARRIED(module=module, file="/".join(parts)))
    return path


def local_model(sources: Sources, name: str, *, must_have: str) -> Path | None:
    """The folder of a model that is on disk: `<folder>/<last part of its name>`, or a snapshot in the hub's cache."""
    places = [sources.folder / name.rsplit("/", 1)[-1]] if sources.folder else []
    if sources.cache:
        places += sorted(sources.cache.glob(f"models--{name.replace('/', '--')}/snapshots/*"))
    return next((place for place in places if (place / must_have).is_file()), None)


def why_not_there(sources: Sources, name: str, *, must_have: str) -> Reason | None:
    """Why a model cannot be had; None where it is on disk or may be fetched."""
    if sources.may_download or local_model(sources, name, must_have=must_have):
        return None
    return reasons.MODEL_ABSENT(name=name)


def model_at(sources: Sources, name: str, *, must_have: str) -> str:
    """A path, or the model's name where a hub may be asked. Raises Unavailable."""
    if place := local_model(sources, name, must_have=must_have):
        return str(place)
    if reason := why_not_there(sources, name, must_have=must_have):
        raise Unavailable(reason)
    return name
