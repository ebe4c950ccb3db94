"""Files sent as responses: whole, or a piece at a time where they may be too long to be held in memory."""

from collections.abc import AsyncIterator, Iterator
from itertools import islice

from asgiref.sync import sync_to_async
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse

from infrastructure.files.media import MediaFile, pieces_of

PIECE = 256 * 1024
LINES = 500


def download(content: str | bytes | Iterator[str], *, name: str, content_type: str) -> HttpResponse:
    disposition = {"Content-Disposition": f'attachment; filename="{name}"'}
    return HttpResponse(content, content_type=content_type, headers=disposition)


def send_lines(request: HttpRequest, lines: Iterator[str], *, name: str, content_type: str) -> StreamingHttpResponse:
    pieces = ("".join(some).encode() for some in iter(lambda: list(islice(lines, LINES)), []))
    return _sent(request, pieces, name=name, content_type=content_type)


def send_file(request: HttpRequest, path: MediaFile, *, content_type: str) -> StreamingHttpResponse:
    """The file; deleting it while it is sent does not cut it off. Raises FileNotFoundError."""
    size = path.stat().st_size

    # Opened only once it is read: what is asked for by HEAD never is.
    response = _sent(request, pieces_of(path, PIECE), name=path.name, content_type=content_type)
    response["Content-Length"] = str(size)
    return response


def _sent(request: HttpRequest, pieces: Iterator[bytes], *, name: str, content_type: str) -> StreamingHttpResponse:
    # Under ASGI, Django would read a plain iterator to its end before it sends anything.
    content = _one_by_one(pieces) if hasattr(request, "scope") else pieces
    response = StreamingHttpResponse(content, content_type=content_type)
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    response["Cache-Control"] = "private, no-store"
    response["X-Content-Type-Options"] = "nosniff"
    return response


async def _one_by_one(pieces: Iterator[bytes]) -> AsyncIterator[bytes]:
    following = sync_to_async(lambda: next(pieces, b""))
    while piece := await following():
        yield piece
