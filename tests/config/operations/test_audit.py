from typing import Any

import pytest

from config.operations import audit
from tests.cases import each


def package(name: str, **said: Any) -> dict[str, Any]:
    return {"name": name, "version": "1"} | said


FOUND = {"id": "PYSEC-1", "aliases": ["CVE-1"], "fix_versions": ["2"]}
SAFE, VULNERABLE, UNKNOWN = package("a", vulns=[]), package("b", vulns=[FOUND]), package("c", skip_reason="not found")


@each(
    "packages, code, said",
    [
        ([SAFE], 0, "1 packages have no known vulnerability."),
        ([SAFE, UNKNOWN], 0, "1 packages have no known vulnerability. Not known there: c."),
        ([SAFE, VULNERABLE], audit.VULNERABLE, "VULNERABLE: b 1: PYSEC-1, mended in 2"),
        ([UNKNOWN], audit.NOT_ASKED, "NOT AUDITED"),
        (None, audit.NOT_ASKED, "NOT AUDITED"),
    ],
)
def test_vulnerable_is_not_the_same_as_not_asked(packages: list[dict[str, Any]] | None, code: int, said: str) -> None:
    found, [line] = audit.verdict(None if packages is None else {"dependencies": packages})

    assert (found, line.startswith(said)) == (code, True)


def test_accepted_advisory_is_named_with_its_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(audit, "ACCEPTED", {"CVE-1": "the function is not called"})

    assert audit.verdict({"dependencies": [VULNERABLE]})[0] == 0


def test_build_fails_over_somebody_elses_server_only_where_it_is_to(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(audit, "_report", lambda: None)

    assert [audit.main(must_ask=False), audit.main(must_ask=True)] == [0, audit.NOT_ASKED]
