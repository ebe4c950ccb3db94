"""Files in answer to requests that want all of them or one range (RFC 9110 §14)."""

from collections.abc import Callable
from dataclasses import dataclass

from django.http import Http404, HttpRequest, HttpResponse
from werkzeug.http import parse_range_header

from infrastructure.files.media import MediaFile, read_part


@dataclass(frozen=True)
class ByteRange:
    """What a request wants of a file. `satisfiable` is False where the range lies outside it."""

    start: int
    stop: int
    partial: bool
    satisfiable: bool = True


def byte_range(header: str | None, size: int) -> ByteRange:
    """One range of a Range header; several ranges, other units and nonsense mean the whole file."""
    whole = ByteRange(0, size, partial=False)
    wanted = parse_range_header(header)
    if wanted is None or wanted.units != "bytes" or len(wanted.ranges) != 1:
        return whole
    span = wanted.range_for_length(size)
    if span is None:
        return ByteRange(0, 0, partial=False, satisfiable=False)
    return ByteRange(span[0], span[1], partial=True)


def private_file(request: HttpRequest, path: MediaFile, *, size: int, content_type: str) -> HttpResponse:
    """The file or the part asked for, for this person's browser alone. Headers tell its length and nothing else.

    Raises Http404 where the file has gone.
    """

    def read(start: int, stop: int) -> bytes:
        try:
            return read_part(path, start, stop)
        except FileNotFoundError as error:
            raise Http404("This recording is not kept any more.") from error

    return _private(request, read, size=size, content_type=content_type)


def private_bytes(request: HttpRequest, content: bytes, *, content_type: str) -> HttpResponse:
    """The same of what was made just now, and is in no file."""
    return _private(request, lambda start, stop: content[start:stop], size=len(content), content_type=content_type)


def _private(
    request: HttpRequest, read: Callable[[int, int], bytes], *, size: int, content_type: str
) -> HttpResponse:
    wanted = byte_range(request.headers.get("Range"), size)
    if not wanted.satisfiable:
        return HttpResponse(status=416, headers={"Content-Range": f"bytes */{size}"})
    response = HttpResponse(content_type=content_type, status=206 if wanted.partial else 200)
    if request.method == "GET":
        response.content = read(wanted.start, wanted.stop)
    response["Accept-Ranges"] = "bytes"
    response["Cache-Control"] = "private, max-age=3600"
    response["Content-Length"] = str(wanted.stop - wanted.start)
    if wanted.partial:
        response["Content-Range"] = f"bytes {wanted.start}-{wanted.stop - 1}/{size}"
    return response
