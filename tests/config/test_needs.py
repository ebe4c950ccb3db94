"""What is missing skips a test on a developer's machine, and fails it where CI=true is set."""

import pytest

from tests.needs import lacking


@pytest.mark.parametrize("ci", ["", "false"])
def test_missing_program_skips_elsewhere(monkeypatch: pytest.MonkeyPatch, ci: str) -> None:
    monkeypatch.setenv("CI", ci)

    with pytest.raises(pytest.skip.Exception, match="no npm"):
        lacking("no npm")


def test_missing_program_fails_in_ci(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CI", "true")

    with pytest.raises(pytest.fail.Exception, match="no npm; where CI=true is set"):
        lacking("no npm")
