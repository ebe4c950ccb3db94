"""Published, expected and obtained figures side by side, printed when the tests of this folder are through."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.acceptance.told import all_paths, matching, paths, promised

ROWS = pytest.StashKey[list[tuple[str, str, str, str]]]()
SEEN = pytest.StashKey[set[str]]()
Beside = Callable[..., None]


def pytest_configure(config: pytest.Config) -> None:
    config.stash.setdefault(ROWS, [])
    config.addinivalue_line("markers", "holds(*patterns): the figures of truth/ that a test has to compare")


@pytest.fixture
def beside(request: pytest.FixtureRequest) -> Beside:
    """`beside(what, published=…, expected=…, obtained=…)`: noted for the table, and compared.

    `expected` comes from `truth/`, `published` from a paper (None where it prints nothing), `obtained` from a report
    of the product. They are compared within `within`; without it they have to be equal.
    """
    rows = request.config.stash.setdefault(ROWS, [])
    seen = request.node.stash.setdefault(SEEN, set())

    def note(what: str, *, expected: Any, obtained: Any, published: Any = None, within: float = 0.0) -> None:
        rows.append((what, *("–" if it is None else str(it) for it in (published, expected, obtained))))
        seen.update(paths(published), paths(expected))
        if within:
            assert obtained == pytest.approx(expected, abs=within), what
        else:
            assert obtained == expected, what

    return note


@pytest.fixture(autouse=True)
def what_is_promised_is_held(request: pytest.FixtureRequest) -> Iterator[None]:
    """A test that is marked as holding figures has to have compared each of them."""
    yield
    call = getattr(request.node, "callspec", None)
    wanted = promised(request.node.iter_markers(), call.params if call else {})
    if wanted and SEEN in request.node.stash:
        folder: Path = request.getfixturevalue("shared_data")
        assert sorted(matching(wanted, all_paths(folder / "truth")) - request.node.stash[SEEN]) == []


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    rows = config.stash.get(ROWS, [])
    if not rows:
        return
    heads = ("figure", "published", "expected", "obtained")
    widths = [max(len(row[at]) for row in (heads, *rows)) for at in range(len(heads))]
    terminalreporter.section("published, expected and obtained")
    for row in (heads, *rows):
        terminalreporter.line("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)))
