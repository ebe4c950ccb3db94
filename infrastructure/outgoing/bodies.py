"""Bodies of answers: decoded piece by piece, and never more of them than is wanted."""

import zlib
from collections.abc import Iterator

import httpx

#: What is asked for. A server that compresses all the same is decoded within the limit.
ACCEPTED = "identity"
#: So much is decoded at once: nothing is held beyond the limit and this.
PIECE_BYTES = 65_536
#: zlib's window, with the header of gzip or of zlib found out by itself.
ANY_HEADER = 32 + zlib.MAX_WBITS


class BodyRefused(ValueError):
    """A body that is not read. `fault` is `too_long`, `encoding` or `broken`."""

    def __init__(self, fault: str) -> None:
        super().__init__(fault)
        self.fault = fault


def pieces(response: httpx.Response, *, most_bytes: int) -> Iterator[bytes]:
    """The decoded body of a streamed answer, at most `most_bytes` of it.

    One encoding is decoded, gzip or deflate, never one within another; what comes after the end of the compressed
    stream is neither read nor waited for. A piece may be empty, so that the reader can check the time. Raises
    BodyRefused, and what httpx raises.
    """
    total = 0
    for piece in _decoded(response):
        total += len(piece)
        if total > most_bytes:
            raise BodyRefused("too_long")
        yield piece


def _decoded(response: httpx.Response) -> Iterator[bytes]:
    named = [name.strip().lower() for name in response.headers.get("Content-Encoding", "").split(",")]
    encodings = [name for name in named if name not in ("", "identity")]
    if not encodings:
        yield from response.iter_raw()
    elif encodings in (["gzip"], ["x-gzip"], ["deflate"]):
        yield from _inflated(response.iter_raw(), zlib.decompressobj(ANY_HEADER))
    else:
        raise BodyRefused("encoding")


def _inflated(raw: Iterator[bytes], inflating: "zlib._Decompress") -> Iterator[bytes]:
    try:
        for compressed in raw:
            waiting = compressed
            while waiting and not inflating.eof:
                yield inflating.decompress(waiting, PIECE_BYTES)
                waiting = inflating.unconsumed_tail
            if inflating.eof:
                return
    except zlib.error as error:
        raise BodyRefused("broken") from error
    raise BodyRefused("broken")
