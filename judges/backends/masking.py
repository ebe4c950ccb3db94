"""Secrets are removed from everything a server sends back, before any of it is stored or shown."""

import base64
import html
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

MASK = "[secret]"
#: Shorter ones protect nothing ("no"), and would be found in any text.
SHORTEST = 4
#: So many characters of a longer secret in a row are masked as well, and so many of its base64 or hexadecimal form.
FRAGMENT, CODED_FRAGMENT = 12, 16
#: Fragments are looked for at every so manieth place of a text, by so many characters: one falls within each of them.
STRIDE = 6
#: Characters as URLs, JSON and HTML write them, URLs once or several times.
ESCAPE = re.compile(
    r"%(?:25)*(?P<url>[0-9a-f]{2})|(?<!\\)\\++(?:u(?P<json>[0-9a-f]{4})|(?P<bare>[^\\u]))"
    r"|(?P<html>&(?:#x?[0-9a-f]{1,7}|[a-z]{2,8});)",
    re.IGNORECASE,
)
#: Digits of hexadecimal, the length of the text that is stored.
SMALL = str.maketrans("ABCDEF", "abcdef")
#: One way of escaping within another, so many deep.
MOST_LAYERS = 3


class Masker:
    """Knows the secrets that are sent to one server.

    A secret is found as it is; with any of its characters escaped as in URLs, JSON or HTML; in hexadecimal; in
    base64, wherever it begins within what was encoded; and, where it is long enough, by any twelve of its characters
    in a row, or any sixteen of one of these two forms. A server that hides it in some other way on purpose is not
    caught.
    """

    def __init__(self, secrets: Iterable[str]) -> None:
        known = {secret for secret in secrets if len(secret) >= SHORTEST}
        coded = {form for secret in known for form in _in_any_base64(secret.encode())}
        self._plain = _Needles([(known, FRAGMENT), (coded, CODED_FRAGMENT)])
        self._hex = _Needles([({secret.encode().hex() for secret in known}, CODED_FRAGMENT)])

    def text(self, text: str) -> str:
        """
        >>> Masker(["sk-12/34"]).text("key=sk-12%2F34, in JSON sk-12\\\\/34")
        'key=[secret], in JSON [secret]'
        """
        if not self._plain:
            return text
        found: list[tuple[int, int]] = []
        layer = _Layer(text, (), ())
        for _depth in range(MOST_LAYERS):
            found += [layer.outer(*place) for place in self._places(layer.text)]
            if (inner := _unescaped(layer)) is None:
                break
            layer = inner
        return _masked(text, found)

    def data(self, value: Any) -> Any:
        """The same for every text in JSON data."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, Mapping):
            return {self.text(str(name)): self.data(part) for name, part in value.items()}
        return [self.data(part) for part in value] if isinstance(value, list) else value

    def _places(self, text: str) -> Iterator[tuple[int, int]]:
        yield from self._plain.places(text)
        yield from self._hex.places(text.translate(SMALL))


class _Needles:
    """What is looked for in a text: short forms as a whole, of longer ones every fragment of a length of their own.

    However many fragments there are, the time grows with the text alone: only where six of its characters belong to
    one of them are the fragments around that place looked up.
    """

    def __init__(self, forms: Iterable[tuple[Iterable[str], int]]) -> None:
        self._whole: set[str] = set()
        self._fragments: dict[int, set[str]] = {}
        for texts, length in forms:
            for text in texts:
                if len(text) <= length:
                    self._whole.add(text)
                else:
                    self._fragments.setdefault(length, set()).update(_windows(text, length))
        fragments = (fragment for found in self._fragments.values() for fragment in found)
        self._grams = {gram for fragment in fragments for gram in _windows(fragment, STRIDE)}

    def __bool__(self) -> bool:
        return bool(self._whole or self._fragments)

    def places(self, text: str) -> Iterator[tuple[int, int]]:
        yield from _found(text, self._whole)
        if self._grams:
            for at in range(0, len(text) - STRIDE + 1, STRIDE):
                if text[at : at + STRIDE] in self._grams:
                    yield from self._around(text, at)

    def _around(self, text: str, at: int) -> Iterator[tuple[int, int]]:
        for length, fragments in self._fragments.items():
            for start in range(max(0, at + STRIDE - length), at + 1):
                if text[start : start + length] in fragments:
                    yield start, start + length


@dataclass(frozen=True)
class _Layer:
    """A text with its escapes undone. From `starts[i]` on it is at `places[i]` of the original."""

    text: str
    starts: tuple[int, ...]
    places: tuple[int, ...]

    def outer(self, start: int, end: int) -> tuple[int, int]:
        """The position of the piece in the original; the whole of an escape belongs to it."""
        return self._place(start), self._place(end)

    def _place(self, at: int) -> int:
        nearest = bisect_right(self.starts, at) - 1
        return at if nearest < 0 else self.places[nearest] + at - self.starts[nearest]


def _unescaped(layer: _Layer) -> _Layer | None:
    """One layer of escapes less; None where there is none."""
    parts: list[str] = []
    starts, places, length, since = [0], [layer.outer(0, 0)[0]], 0, 0
    for escape in ESCAPE.finditer(layer.text):
        before = layer.text[since : escape.start()]
        character = _character(escape)
        parts += [before, character]
        starts += [length + len(before), length + len(before) + len(character)]
        places += [layer.outer(escape.start(), 0)[0], layer.outer(escape.end(), 0)[0]]
        length, since = starts[-1], escape.end()
    if not parts:
        return None
    return _Layer("".join([*parts, layer.text[since:]]), tuple(starts), tuple(places))


def _character(escape: re.Match[str]) -> str:
    if code := escape["url"] or escape["json"]:
        return chr(int(code, 16))
    return escape["bare"] or html.unescape(escape["html"])


def _windows(text: str, length: int) -> Iterator[str]:
    return (text[at : at + length] for at in range(len(text) - length + 1))


def _in_any_base64(secret: bytes) -> Iterator[str]:
    for before in range(3):
        if inner := _in_base64(secret, before):
            yield inner
            yield inner.translate(str.maketrans("+/", "-_"))


def _in_base64(secret: bytes, before: int) -> str:
    """What base64 has for the secret alone, where `before` bytes of something else precede it in a group of three."""
    encoded = base64.b64encode(b"\0" * before + secret).decode()
    inner = encoded[-(-before * 8 // 6) : (before + len(secret)) * 8 // 6]
    return inner if len(inner) >= SHORTEST else ""


def _found(text: str, needles: Iterable[str]) -> Iterator[tuple[int, int]]:
    for needle in needles:
        at = text.find(needle)
        while at != -1:
            yield at, at + len(needle)
            at = text.find(needle, at + 1)


def _masked(text: str, found: list[tuple[int, int]]) -> str:
    parts: list[str] = []
    since = 0
    for start, end in _joined(found):
        parts += [text[since:start], MASK]
        since = end
    return "".join([*parts, text[since:]])


def _joined(found: list[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """The same places, those that overlap or touch as one."""
    start, end = -1, -1
    for left, right in sorted(found):
        if left > end:
            if end >= 0:
                yield start, end
            start, end = left, right
        end = max(end, right)
    if end >= 0:
        yield start, end
