"""`Idempotency-Key`: a POST that is sent again, because its reply was lost, gets the reply of the first time."""

import hashlib
import json
from collections.abc import Collection, Iterator, Mapping
from datetime import timedelta
from typing import Any

from django.core.files.uploadedfile import UploadedFile
from django.db import IntegrityError, transaction
from django.db.models import Q
from django.utils import timezone
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.api.problems import Conflict, NotYet, Unprocessable
from accounts.models import KeptReply

HEADER = "Idempotency-Key"
MAX_KEY = 255
KEPT = timedelta(hours=24)
#: A request without a response by then was interrupted.
ABANDONED = timedelta(minutes=10)


def claim(request: Request, key: str) -> KeptReply:
    """The row of this key: a new one without a status, or that of an earlier request, with its stored response.

    Raises Unprocessable where the key came with something else before, NotYet while that is under way, and Conflict
    where its response is no longer stored.
    """
    if not key.isprintable() or len(key) > MAX_KEY:
        raise Unprocessable(f"{HEADER} has at most {MAX_KEY} printable characters.")
    asked = fingerprint(request)
    KeptReply.objects.filter(_forgettable(), user=request.user, key=key).delete()
    try:
        with transaction.atomic():
            return KeptReply.objects.create(user=request.user, key=key, request=asked)
    except IntegrityError:
        earlier = KeptReply.objects.filter(user=request.user, key=key).first()
    if earlier is None:
        raise NotYet("The request with this key has just ended. Send it again.")
    if earlier.request != asked:
        raise Unprocessable(f"This {HEADER} came with another request before.")
    if earlier.status is None:
        raise NotYet("The request with this key is still under way.")
    if earlier.is_emptied:
        raise Conflict(
            "This request was carried out before. Its reply is no longer stored, since something was deleted later."
        )
    return earlier


def settle(row: KeptReply, response: Response, *, without: Collection[str] = ()) -> None:
    """Store a successful response; a refused request may be repeated under its key. `without` is not stored."""
    if 200 <= response.status_code < 300:
        body = json.loads(response.rendered_content) if response.data is not None else None
        if isinstance(body, dict):
            body |= dict.fromkeys(body.keys() & set(without), "")
        rows = KeptReply.objects.filter(pk=row.pk)
        if not rows.filter(is_emptied=False).update(status=response.status_code, body=body):
            rows.update(status=response.status_code)
    else:
        KeptReply.objects.filter(pk=row.pk).delete()


def empty_replies() -> None:
    """Remove the bodies of all stored replies, and of those under way: any could name what is being deleted now.

    The rows stay, so that no request is carried out twice.
    """
    KeptReply.objects.filter(is_emptied=False).update(body=None, is_emptied=True)


def forget_replies() -> int:
    """Delete expired rows; return how many."""
    return KeptReply.objects.filter(_forgettable()).delete()[0]


def fingerprint(request: Request) -> str:
    """SHA-256 of what is asked: a file by its content, and JSON whatever the order of its fields."""
    digest = hashlib.sha256(f"{request.method} {request.get_full_path()}\n".encode())
    if isinstance(request.data, Mapping):
        for name in sorted(request.data):
            digest.update(json.dumps(name).encode())
            for part in _values(request.data, name):
                digest.update(part)
    else:
        digest.update(_json(request.data))
    return digest.hexdigest()


def _values(data: Any, name: str) -> Iterator[bytes]:
    values = data.getlist(name) if hasattr(data, "getlist") else [data[name]]
    for value in values:
        if isinstance(value, UploadedFile):
            yield hashlib.sha256(b"".join(hashlib.sha256(chunk).digest() for chunk in value.chunks())).digest()
            value.seek(0)
        else:
            yield _json(value)


def _json(value: Any) -> bytes:
    return json.dumps(value, sort_keys=True).encode()


def _forgettable() -> Q:
    now = timezone.now()
    return Q(created_at__lt=now - KEPT) | Q(status=None, created_at__lt=now - ABANDONED)
