"""How large a request with files may be: what the view at its address says."""

from django.http import HttpRequest
from django.urls import Resolver404, resolve

from infrastructure.files.upload_limits import PART, most_file_bytes

#: Other fields, and what a form has around a file.
AROUND = 1_000_000


def upload_limit(request: HttpRequest) -> int | None:
    """The most bytes that files, or a part of one, may have at this address; None where it takes none."""
    if request.content_type not in ("multipart/form-data", PART):
        return None
    try:
        view = resolve(request.path_info).func
    except Resolver404:
        return None
    most = most_file_bytes(view, request.method or "")
    return None if most is None else most + AROUND
