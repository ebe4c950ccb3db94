"""Where the project and the published research data are, which is not part of it."""

from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent
SHARED_DATA = PROJECT.parent / "shared" / "data"
