import shutil
import subprocess

import pytest

from tests.conftest import PROJECT


def test_scripts_without_a_page_hold_their_own_tests() -> None:
    node = shutil.which("node")
    if node is None:
        pytest.skip("Node.js is not installed, so the scripts' own tests were not run")

    files = sorted(str(path) for path in (PROJECT / "tests" / "js").glob("*.test.mjs"))
    ran = subprocess.run([node, "--test", *files], cwd=PROJECT, capture_output=True, text=True, check=False)

    assert files
    assert ran.returncode == 0, ran.stdout
