"""Words that are not to come back: `python -m config.operations.words` names file, line, word and the better word.

`words.toml` has the list. Words `everywhere` are looked for in code as well (names, comments, strings), words of
`texts` only where people read: pages of documentation, templates, scripts and catalogues.
"""

import re
import subprocess
import sys
import tokenize
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]
LIST = Path(__file__).with_name("words.toml")
TEXTS = (".md", ".html", ".txt", ".js", ".po")
IGNORED = (
    "LICENSE",
    "requirements",
    "tests/contact/",
    "benchmarks/results/",
    "config/operations/words",
    "tests/config/operations/test_words",
)


@dataclass(frozen=True)
class Word:
    """A pattern that is not to come back, and what to write instead."""

    pattern: re.Pattern[str]
    better: str


@dataclass(frozen=True)
class Finding:
    file: str
    line: int
    word: str
    better: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: “{self.word}”, better: {self.better}"


def read_list(section: str) -> list[Word]:
    rows: dict[str, str] = tomllib.loads(LIST.read_text(encoding="utf-8"))[section]
    return [Word(re.compile(rf"\b(?:{it})\b", re.IGNORECASE), better) for it, better in rows.items()]


def python_lines(path: Path) -> Iterator[tuple[int, str]]:
    """Names, comments and strings of a module by line; names are split into their words."""
    with path.open("rb") as file:
        for token in tokenize.tokenize(file.readline):
            if token.type == tokenize.NAME:
                yield token.start[0], split_name(token.string)
            elif token.type in {tokenize.COMMENT, tokenize.STRING, getattr(tokenize, "FSTRING_MIDDLE", -1)}:
                for offset, line in enumerate(token.string.splitlines()):
                    yield token.start[0] + offset, line


def split_name(name: str) -> str:
    """The words of an identifier: `takeBack_now` is “take Back now”."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])|_", " ", name)


def text_lines(path: Path) -> Iterator[tuple[int, str]]:
    return enumerate(path.read_text(encoding="utf-8").splitlines(), start=1)


def findings(lines: Iterable[tuple[int, str]], file: str, words: Iterable[Word]) -> Iterator[Finding]:
    words = list(words)
    for number, line in lines:
        for word in words:
            for match in word.pattern.finditer(line):
                yield Finding(file, number, match.group(), word.better)


def tracked_files() -> list[str]:
    """What git would commit, so that nothing of an installation is read."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=PROJECT, capture_output=True, text=True, check=True)  # noqa: S603 - fixed arguments
    return [
        it for it in sorted(set(listed.stdout.split())) if not it.startswith(IGNORED) and (PROJECT / it).is_file()
    ]


def check() -> Iterator[Finding]:
    everywhere = read_list("everywhere")
    texts = [*everywhere, *read_list("texts")]
    for file in tracked_files():
        path = PROJECT / file
        if path.suffix == ".py":
            yield from findings(python_lines(path), file, everywhere)
        elif path.suffix in TEXTS:
            yield from findings(text_lines(path), file, texts)


if __name__ == "__main__":
    found = list(check())
    for finding in found:
        sys.stdout.write(f"{finding}\n")
    sys.exit(f"{len(found)} words that are not to come back" if found else 0)
