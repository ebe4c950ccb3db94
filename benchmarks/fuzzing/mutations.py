"""Sound files made unsound: what arrives cut off, damaged, lying about itself, or made by somebody who means harm."""

import random
from collections.abc import Callable

Mutation = Callable[[random.Random, bytes], bytes]

#: Where headers are; most lies are told here.
HEAD = 96
MOST_BYTES = 3_000_000
NUMBERS = (0, 1, 2, 127, 128, 255, 256, 32_767, 32_768, 65_535, 2**31 - 1, 2**31, 2**32 - 1, 2**63 - 1, 2**64 - 1)
TOKENS = tuple(
    token.encode("utf-8", "surrogatepass")
    for token in (
        '"', '""', "'", ",", ";", "\t", "\r", "\n", "\r\n", "\0", "\ufeff", "\ud800", "\u2028", "\x85", "\\ud800",
        "\\u0000", "NaN", "Infinity", "-1e999", "1e308", "9" * 400, "1" * 5_000, "-0", "null", "true", "[]", "{}",
        "[" * 30, "[" * 100_000, '{"a":' * 30, "{" * 5_000, "]", "}", "../../etc/passwd", "/etc/passwd", "C:\\x",
        "=cmd()", "<script>", "%s", "{{ 7*7 }}", "&a [*a]", "*a", "!!python/object/apply:os.system [ls]", "? ",
        "- " * 200, "---\n", "%YAML 9.9\n", ": ", "|\n", ">\n", "<<: *a\n", "x" * 1_000, "x" * 140_000, "😀", "ʼ",
        "１", "²", "both_good", "ab", "ba", "1", "2", "tie", "item", "system", "system_a", "criteria", "label",
        "2026-02-30T00:00:00", "9999-12-31T23:59:59+23:59", "0001-01-01T00:00:00-23:59",
    )
)  # fmt: skip
ENCODINGS = ("utf-16", "utf-16-le", "utf-32", "utf-8-sig", "cp500", "utf-7")


def mutated(rng: random.Random, seed: bytes, others: list[bytes]) -> bytes:
    """The seed after one to four faults; one time in ten with a piece of another seed in it."""
    data = seed
    for _ in range(rng.choice((1, 1, 1, 2, 2, 3, 4))):
        data = rng.choice(MUTATIONS)(rng, data)[:MOST_BYTES]
    if rng.random() < 0.1:
        data = _spliced(rng, data, rng.choice(others))
    return data


def _place(rng: random.Random, data: bytes) -> int:
    end = min(len(data), HEAD) if rng.random() < 0.5 else len(data)
    return rng.randrange(end) if end else 0


def _cut_off(rng: random.Random, data: bytes) -> bytes:
    return data[: rng.randrange(len(data) + 1)]


def _beheaded(rng: random.Random, data: bytes) -> bytes:
    return data[_place(rng, data) :]


def _bits_flipped(rng: random.Random, data: bytes) -> bytes:
    found = bytearray(data)
    for _ in range(rng.choice((1, 1, 2, 8, 64)) if data else 0):
        found[_place(rng, data)] ^= 1 << rng.randrange(8)
    return bytes(found)


def _number_lied(rng: random.Random, data: bytes) -> bytes:
    """An integer of a header, in either order of bytes, becomes another."""
    size = rng.choice((1, 2, 4, 8))
    lie = (rng.choice(NUMBERS) % (1 << 8 * size)).to_bytes(size, rng.choice(("little", "big")))
    place = _place(rng, data)
    return data[:place] + lie + data[place + size :]


def _token_put_in(rng: random.Random, data: bytes) -> bytes:
    place = rng.randrange(len(data) + 1)
    return data[:place] + rng.choice(TOKENS) + data[place + rng.choice((0, 0, 1, 4)) :]


def _cell_replaced(rng: random.Random, data: bytes) -> bytes:
    """One piece between separators becomes a token."""
    separator = rng.choice((b",", b"\n", b":", b'"', b" "))
    pieces = data.split(separator)
    pieces[rng.randrange(len(pieces))] = rng.choice(TOKENS)
    return separator.join(pieces)


def _piece_gone(rng: random.Random, data: bytes) -> bytes:
    place = _place(rng, data)
    return data[:place] + data[place + rng.choice((1, 2, 4, 16, 256)) :]


def _piece_again(rng: random.Random, data: bytes) -> bytes:
    place = _place(rng, data)
    piece = data[place : place + rng.choice((1, 4, 64, 1024))]
    return data[:place] + piece * rng.choice((2, 2, 10, 500)) + data[place:]


def _pieces_swapped(rng: random.Random, data: bytes) -> bytes:
    a, b, c = sorted(rng.randrange(len(data) + 1) for _ in range(3))
    return data[:a] + data[b:c] + data[a:b] + data[c:]


def _noise_put_in(rng: random.Random, data: bytes) -> bytes:
    place = rng.randrange(len(data) + 1)
    return data[:place] + rng.randbytes(rng.choice((1, 4, 64, 4096))) + data[place:]


def _garbage_after(rng: random.Random, data: bytes) -> bytes:
    return data + rng.choice((rng.randbytes(500), bytes(5000), data, b"\n\n", b"PK\x05\x06" + bytes(18)))


def _said_otherwise(rng: random.Random, data: bytes) -> bytes:
    return data.decode("utf-8", "replace").encode(rng.choice(ENCODINGS), "replace")


def _spliced(rng: random.Random, data: bytes, other: bytes) -> bytes:
    return data[: rng.randrange(len(data) + 1)] + other[rng.randrange(len(other) + 1) :]


MUTATIONS: tuple[Mutation, ...] = (
    _cut_off, _beheaded, _bits_flipped, _bits_flipped, _number_lied, _number_lied, _token_put_in, _token_put_in,
    _cell_replaced, _cell_replaced, _piece_gone, _piece_again, _pieces_swapped, _noise_put_in, _garbage_after,
    _said_otherwise,
)  # fmt: skip
