"""The command `earshot` of an installed wheel: the commands of manage.py, and Celery's own as `earshot celery …`.

In the wheel this file is `earshot_server/__init__.py`, and the folders of the checkout are in `app` beside it. `.env`
and the data are in the folder where the command is started, unless EARSHOT_HOME names another.
"""

import os
import runpy
import sys
from pathlib import Path

APP = Path(__file__).resolve().parent / "app"


def main() -> None:
    os.environ.setdefault("EARSHOT_HOME", str(Path.cwd()))
    sys.path.insert(0, str(APP))
    # Programs that it starts import the same folders.
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [str(APP), os.environ.get("PYTHONPATH")]))
    if sys.argv[1:2] == ["celery"]:
        del sys.argv[1]
        runpy.run_module("celery", run_name="__main__")
    else:
        runpy.run_path(str(APP / "manage.py"), run_name="__main__")
