"""`python -m config.firstrun`: what must be there before settings can be read; what is there stays as it is.

`manage.py serve` and `manage.py demo` do the same by themselves, unless the environment brings its own settings.
"""

import os
import re
import secrets
import sys
from collections.abc import Mapping
from pathlib import Path

#: As in config/settings.py, which cannot be read before there is a key.
HOME_DIR = Path(os.environ.get("EARSHOT_HOME") or Path(__file__).resolve().parent.parent)
ENV_FILE = HOME_DIR / ".env"
#: Whoever sets one of these runs a deployment with settings of its own: a missing key is a fault there, and is said.
OF_DEPLOYMENTS = ("SECRET_KEY", "DATABASE_URL", "REDIS_URL", "ALLOWED_HOSTS", "HTTPS")
KEY = re.compile(r"^\s*(?:export\s+)?SECRET_KEY\s*=\s*\S", re.MULTILINE)


def prepare(env_file: Path, data_dir: Path) -> None:
    """Make the data folder, and a .env with a random SECRET_KEY; both can be read by their owner alone."""
    data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
    if not env_file.exists():
        _write_once(env_file, f"SECRET_KEY={secrets.token_urlsafe(50)}\n")
    elif not KEY.search(env_file.read_text(encoding="utf-8")):
        with env_file.open("a", encoding="utf-8") as file:
            file.write(f"\nSECRET_KEY={secrets.token_urlsafe(50)}\n")
    else:
        return
    sys.stdout.write(
        f"A random SECRET_KEY was written into {env_file}. Backups do not hold it: store a copy apart.\n"
    )


def prepare_if_bare(environment: Mapping[str, str], env_file: Path = ENV_FILE) -> None:
    """Prepare where nobody has set anything up; leave a deployment as it is, which names its settings itself."""
    if not any(environment.get(name) for name in OF_DEPLOYMENTS):
        prepare(env_file, data_folder(environment))


def data_folder(environment: Mapping[str, str]) -> Path:
    return Path(environment.get("EARSHOT_DATA") or HOME_DIR / "var")


def _write_once(path: Path, text: str) -> None:
    """Write the file whole, unless another process that started at the same moment was first."""
    mine = path.with_name(f"{path.name}.{secrets.token_hex(4)}")
    try:
        mine.touch(mode=0o600)
        mine.write_text(text, encoding="utf-8")
        os.link(mine, path)
    except FileExistsError:
        pass  # theirs is whole, too
    finally:
        mine.unlink(missing_ok=True)


if __name__ == "__main__":
    prepare(ENV_FILE, data_folder(os.environ))
