"""`python -m config.firstrun`: what must be there before settings can be read; what is there stays as it is."""

import os
import secrets
from pathlib import Path

BASE_DIR = Path(__file__).resolve().parent.parent


def prepare(env_file: Path, data_dir: Path) -> None:
    """Make the data folder, and a .env with a random SECRET_KEY, both for their owner alone."""
    data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
    if not env_file.exists():
        env_file.touch(mode=0o600)
        env_file.write_text(f"SECRET_KEY={secrets.token_urlsafe(50)}\n", encoding="utf-8")


if __name__ == "__main__":
    prepare(BASE_DIR / ".env", Path(os.environ.get("EARSHOT_DATA", BASE_DIR / "var")))
