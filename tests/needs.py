"""What some tests need and not every machine has: without it they are skipped, and fail where CI=true is set."""

import os
from typing import NoReturn

import pytest


def lacking(what: str) -> NoReturn:
    """End this test or fixture: skipped on a developer's machine, failed where everything has to be there."""
    if os.environ.get("CI") == "true":
        pytest.fail(f"{what}; where CI=true is set, nothing is skipped for that", pytrace=False)
    pytest.skip(what)


def needs(there: object, missing: str) -> pytest.MarkDecorator:
    """The mark of tests that end by `lacking(missing)` unless it is there; tests/conftest.py looks at it."""
    return pytest.mark.needs(bool(there), missing)
