"""Known vulnerabilities of what is installed here, by pip-audit; `make check` runs it.

    python -m config.operations.audit [--must-ask]

A vulnerability ends it with 1. That nobody could be asked (no network, an index without advisories) is said loudly
and ends it with 0, so that no build fails over somebody else's server; with `--must-ask` with 2.
"""

import json
import subprocess
import sys
from collections.abc import Mapping
from typing import Any

#: Advisories that do not concern us, each with its reason.
ACCEPTED: Mapping[str, str] = {}
COMMAND = ("-m", "pip_audit", "--local", "--format", "json", "--progress-spinner", "off", "--timeout", "10")
TIMEOUT_S = 300
VULNERABLE, NOT_ASKED = 1, 2


def main(*, must_ask: bool) -> int:
    code, lines = verdict(_report())
    sys.stderr.writelines(f"{line}\n" for line in lines)
    return 0 if code == NOT_ASKED and not must_ask else code


def verdict(report: Mapping[str, Any] | None) -> tuple[int, list[str]]:
    """What pip-audit's report comes to, in lines to be read; None is no report at all."""
    packages = report["dependencies"] if report else []
    asked = [it for it in packages if "vulns" in it]
    lines = [
        f"VULNERABLE: {it['name']} {it['version']}: {found['id']}, mended in {', '.join(found['fix_versions'])}"
        for it in asked
        for found in it["vulns"]
        if not {found["id"], *found.get("aliases", ())} & ACCEPTED.keys()
    ]
    if lines:
        return VULNERABLE, lines
    if not asked:
        return NOT_ASKED, ["NOT AUDITED: nobody could be asked for known vulnerabilities. Run it where PyPI answers."]
    unknown = sorted(it["name"] for it in packages if "vulns" not in it)
    left_out = f" Not known there: {', '.join(unknown)}." if unknown else ""
    return 0, [f"{len(asked)} packages have no known vulnerability.{left_out}"]


def _report() -> Mapping[str, Any] | None:
    command = [sys.executable, *COMMAND]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT_S, check=False)  # noqa: S603
        report: Mapping[str, Any] = json.loads(done.stdout)
    except (subprocess.TimeoutExpired, ValueError):
        return None
    return report


if __name__ == "__main__":
    sys.exit(main(must_ask="--must-ask" in sys.argv))
