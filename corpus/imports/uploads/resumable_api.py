"""Large files by the API in parts, by tus 1.0.0: https://tus.io/protocols/resumable-upload."""

import base64
import binascii
import io
import uuid
from collections.abc import Mapping
from typing import Any

from django.conf import settings
from django.http import Http404
from django.utils.http import http_date
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers, status
from rest_framework.exceptions import UnsupportedMediaType
from rest_framework.parsers import BaseParser
from rest_framework.request import Request
from rest_framework.response import Response as Reply
from rest_framework.reverse import reverse

from accounts.api.problems import Conflict, Refused
from accounts.api.views import ApiViewSet
from accounts.people.rights import require_launcher
from accounts.tokens.tokens import WRITE
from corpus.imports.files.resumable import InUse, NotThere, ResumableUpload, UploadRefused, begin_upload, upload_of
from infrastructure.files.upload_limits import PART, takes_files
from infrastructure.whole_numbers import whole_number

VERSION = "1.0.0"
#: Requests that need not say which version of the protocol they speak; GET is none of the protocol.
WITHOUT_VERSION = ("GET", "OPTIONS")
MOST_TEXT = 10_000


class Locked(Refused):
    status_code = status.HTTP_423_LOCKED
    default_code = "locked"


class TooLarge(Refused):
    status_code = status.HTTP_413_REQUEST_ENTITY_TOO_LARGE
    default_code = "too_large"


class OtherVersion(Refused):
    status_code = status.HTTP_412_PRECONDITION_FAILED
    default_code = "other_version"


class Part(BaseParser):
    """The bytes of a part are read by the view, block by block."""

    media_type = PART

    def parse(self, stream: Any, media_type: Any = None, parser_context: Any = None) -> Any:  # noqa: ARG002
        return stream


class ResumableUploadSerializer(serializers.Serializer):
    id = serializers.UUIDField(source="pk")
    name = serializers.CharField()
    size = serializers.IntegerField(help_text="bytes announced")
    received = serializers.IntegerField(help_text="bytes that are kept: where the next part begins")
    expires_at = serializers.DateTimeField(help_text="unless a part comes before")


def _header(name: str, kind: Any, description: str, *, required: bool = True) -> OpenApiParameter:
    return OpenApiParameter(name, kind, OpenApiParameter.HEADER, required=required, description=description)


TUS = _header("Tus-Resumable", OpenApiTypes.STR, f"the version of the protocol, {VERSION}")
TUS_OF_HEAD = _header("Tus-Resumable", OpenApiTypes.STR, f"{VERSION}; needed by HEAD alone", required=False)
LENGTH = _header("Upload-Length", OpenApiTypes.INT, "bytes of the whole file")
METADATA = _header(
    "Upload-Metadata", OpenApiTypes.STR, "`filename` and, in Base64, the name of the file", required=False
)
OFFSET = _header("Upload-Offset", OpenApiTypes.INT, "where this part begins: what `received` says")


class ResumableUploadViewSet(ApiViewSet):
    """A manifest or a ZIP in parts. Once it is whole, `imports/` takes its id instead of the file."""

    lookup_value_converter = "uuid"
    parser_classes = [Part]
    scopes = {"retrieve": WRITE}

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        require_launcher(request.user)
        said = request.headers.get("Tus-Resumable", VERSION if request.method in WITHOUT_VERSION else "")
        if self.action and said != VERSION:  # another method is refused as that
            sent = f"not {said[:20]}" if said else "and the request names no version"
            raise OtherVersion(f"This server speaks tus {VERSION}, {sent}. Send Tus-Resumable: {VERSION}.")

    def finalize_response(self, request: Request, response: Any, *args: Any, **kwargs: Any) -> Any:
        response = super().finalize_response(request, response, *args, **kwargs)
        response["Tus-Resumable"] = response["Tus-Version"] = VERSION
        return response

    def options(self, _request: Request, *args: Any, **kwargs: Any) -> Reply:
        """Which parts of the protocol there are, and the largest file."""
        reply = super().options(_request, *args, **kwargs)
        reply["Tus-Extension"] = "creation,expiration,termination"
        reply["Tus-Max-Size"] = str(settings.MAX_ARCHIVE_BYTES)
        return reply

    @extend_schema(request=None, parameters=[LENGTH, METADATA, TUS], responses={201: ResumableUploadSerializer})
    def create(self, request: Request) -> Reply:
        """Announce a file. Its parts go to the address in `Location`."""
        name = _metadata(request.headers.get("Upload-Metadata", "")).get("filename", "")
        if "\0" in name:
            raise serializers.ValidationError({"Upload-Metadata": ["The name of a file holds no NUL."]})
        try:
            upload = begin_upload(request.user, name=name, size=_number(request, "Upload-Length"))
        except UploadRefused as refusal:
            raise TooLarge(refusal) from refusal
        address = reverse("api:resumable-upload-detail", args=[upload.pk], request=request)
        return self._said(upload, status=201, headers={"Location": address})

    @extend_schema(parameters=[TUS_OF_HEAD], responses=ResumableUploadSerializer)
    def retrieve(self, _request: Request, pk: uuid.UUID) -> Reply:
        """How much of it is there. HEAD says it in `Upload-Offset`."""
        upload = self._upload(pk)
        return self._said(upload, headers={"Upload-Length": str(upload.size), "Cache-Control": "no-store"})

    @takes_files(most=lambda: int(settings.MAX_ARCHIVE_BYTES))
    @extend_schema(parameters=[OFFSET, TUS], request={PART: OpenApiTypes.BINARY}, responses={204: None})
    def partial_update(self, request: Request, pk: uuid.UUID) -> Reply:
        """Add a part. It is kept once this is answered; what the connection lost is sent again."""
        upload = self._upload(pk)
        if request.content_type != PART:
            raise UnsupportedMediaType(request.content_type)
        try:
            received = upload.append(request.data or io.BytesIO(), at=_number(request, "Upload-Offset"))
        except NotThere as refusal:
            raise Conflict(refusal) from refusal
        except InUse as refusal:
            raise Locked(refusal) from refusal
        except UploadRefused as refusal:
            raise TooLarge(refusal) from refusal
        expires = http_date(upload.expires_at.timestamp())
        return Reply(status=204, headers={"Upload-Offset": str(received), "Upload-Expires": expires})

    @extend_schema(parameters=[TUS], responses={204: None})
    def destroy(self, _request: Request, pk: uuid.UUID) -> Reply:
        """Throw away what is there."""
        self._upload(pk).delete()
        return Reply(status=204)

    def _upload(self, pk: uuid.UUID) -> ResumableUpload:
        if (upload := upload_of(self.request.user, pk)) is None:
            raise Http404("There is no such upload among yours. It may have expired.")
        return upload

    def _said(self, upload: ResumableUpload, *, headers: Mapping[str, str], status: int = 200) -> Reply:
        expires = http_date(upload.expires_at.timestamp())
        headers = {"Upload-Offset": str(upload.received), "Upload-Expires": expires, **headers}
        return Reply(ResumableUploadSerializer(upload).data, status=status, headers=headers)


def _number(request: Request, header: str) -> int:
    said = request.headers.get(header, "")
    if (number := whole_number(said)) is None:
        raise serializers.ValidationError({header: ["A number of bytes is missing here."]})
    return number


def _metadata(header: str) -> dict[str, str]:
    """The pairs of `Upload-Metadata`: a key, a space, the value in Base64; commas between them."""
    found = {}
    for pair in filter(None, header[:MOST_TEXT].split(",")):
        key, _space, encoded = pair.strip().partition(" ")
        try:
            found[key] = base64.b64decode(encoded, validate=True).decode()
        except (binascii.Error, UnicodeDecodeError) as error:
            raise serializers.ValidationError({"Upload-Metadata": [f"{key} is not Base64 of UTF-8."]}) from error
    return found
