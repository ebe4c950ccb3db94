r"""Lists as people write them: `value | label | anchor`, `question = answer`, `one, two`.

A backslash takes a separator as it is (`\|`), and `\n` is a new line inside a part.
"""

from collections.abc import Iterable, Iterator, Mapping

BAR, EQUALS, COMMA, NEW_LINE = "|", "=", ",", "\n"


class LineFault(ValueError):
    """A line that cannot be read, by its number from 1."""

    def __init__(self, line: int) -> None:
        super().__init__(f"line {line}")
        self.line = line


def write_options(options: Iterable[Mapping[str, str]]) -> str:
    r"""One line per choice; the anchor only where there is one.

    >>> write_options([{"value": "1", "label": "Poor", "help": ""}, {"value": "2", "label": "Good", "help": "So."}])
    '1 | Poor\n2 | Good | So.'
    """
    rows = ([option["value"], option["label"], option.get("help", "")] for option in options)
    return "\n".join(_joined(row if row[-1] else row[:-1], BAR) for row in rows)


def read_options(text: str) -> list[dict[str, str]]:
    r"""The choices; one that is a single word is its own label.

    >>> read_options("yes\n2 | Good | Clear.")
    [{'value': 'yes', 'label': 'yes', 'help': ''}, {'value': '2', 'label': 'Good', 'help': 'Clear.'}]
    """
    return [_option(cells, number) for number, cells in _lines(text, BAR)]


def _option(cells: list[str], number: int) -> dict[str, str]:
    if len(cells) > 3:
        raise LineFault(number)
    value, label, anchor = [*cells, *cells[:1], ""][:3] if len(cells) == 1 else [*cells, ""][:3]
    return {"value": value, "label": label, "help": anchor}


def write_pairs(pairs: Mapping[str, str]) -> str:
    r"""One line per pair.

    >>> write_pairs({"heard": "yes", "tone": "a = b"})
    'heard = yes\ntone = a \\= b'
    """
    return "\n".join(_joined(pair, EQUALS) for pair in pairs.items())


def read_pairs(text: str) -> dict[str, str]:
    """The pairs; a name that stands twice is a fault of its second line."""
    pairs: dict[str, str] = {}
    for number, cells in _lines(text, EQUALS):
        if len(cells) != 2 or cells[0] in pairs:
            raise LineFault(number)
        pairs[cells[0]] = cells[1]
    return pairs


def write_words(words: Iterable[str]) -> str:
    """All on one line.

    >>> write_words(["dimension", "capability"])
    'dimension, capability'
    """
    return ", ".join(_escaped(word, COMMA) for word in words)


def read_words(text: str) -> list[str]:
    """The words, with commas or new lines between them."""
    return [word for _number, cells in _lines(text, COMMA) for word in cells if word]


def _joined(cells: Iterable[str], separator: str) -> str:
    return f" {separator} ".join(_escaped(cell, separator) for cell in cells)


def _escaped(text: str, separator: str) -> str:
    return text.replace("\\", "\\\\").replace(separator, f"\\{separator}").replace(NEW_LINE, "\\n")


def _lines(text: str, separator: str) -> Iterator[tuple[int, list[str]]]:
    """Every line that is not blank, with its number, cut into parts."""
    for number, line in enumerate(text.replace("\r\n", NEW_LINE).replace("\r", NEW_LINE).split(NEW_LINE), 1):
        if line.strip():
            yield number, list(_cells(line, separator))


def _cells(line: str, separator: str) -> Iterator[str]:
    cell, signs = "", iter(line)
    for sign in signs:
        if sign == "\\":
            cell += _unescaped(next(signs, ""), separator)
        elif sign == separator:
            yield cell.strip()
            cell = ""
        else:
            cell += sign
    yield cell.strip()


def _unescaped(sign: str, separator: str) -> str:
    meant: dict[str, str] = {"n": NEW_LINE, "\\": "\\", separator: separator}
    return meant.get(sign, f"\\{sign}")
