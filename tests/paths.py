"""Where the project and the published research data are, which is not part of it."""

from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent
SHARED_DATA = PROJECT.parent / "shared" / "data"
#: The packages of the project, the pure ones too.
APPS = frozenset(path.parent.name for path in PROJECT.glob("*/__init__.py")) - {"tests", "benchmarks"}
