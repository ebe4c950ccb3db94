"""What every view of the API is made of."""

from collections.abc import Mapping
from typing import Any, NoReturn

from django.utils.translation import gettext as _
from rest_framework.exceptions import Throttled, ValidationError
from rest_framework.permissions import SAFE_METHODS
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.viewsets import GenericViewSet

from accounts.api.rates import Rate
from accounts.api.repetition import HEADER, claim, settle
from accounts.models import KeptReply
from accounts.tokens.tokens import READ, WRITE


class Replayed(Exception):
    """The same request came before, and was replied to."""

    def __init__(self, row: KeptReply) -> None:
        super().__init__()
        self.row = row


class ApiViewSet(GenericViewSet):
    """An app's part of the API. `scopes` names those actions whose scope does not follow from the method."""

    scopes: Mapping[str, str] = {}
    #: Without TRACE, which would find the method of any action that is called `trace`.
    http_method_names = ("get", "post", "put", "patch", "delete", "head", "options")
    #: Secrets in responses: they are shown once and not stored with the response.
    not_stored: tuple[str, ...] = ()
    rate: Rate | None = None
    _claimed: KeptReply | None = None

    def needed_scope(self) -> str:
        by_method = READ if self.request.method in SAFE_METHODS else WRITE
        return self.scopes.get(self.action or "", by_method)

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        key = request.headers.get(HEADER, "")
        if request.method == "POST" and key:
            row = claim(request, key)
            if row.status is not None:
                raise Replayed(row)
            self._claimed = row

    def handle_exception(self, exc: Exception) -> Response:
        if isinstance(exc, Replayed):
            return Response(exc.row.body, status=exc.row.status, headers={"Idempotent-Replayed": "true"})
        try:
            return super().handle_exception(exc)
        except Exception:
            if self._claimed:
                self._claimed.delete()  # a fault of ours is no reply
            raise

    def finalize_response(self, request: Request, response: Any, *args: Any, **kwargs: Any) -> Any:
        response = super().finalize_response(request, response, *args, **kwargs)
        for name, value in self.rate.headers.items() if self.rate else ():
            response[name] = value
        if self._claimed:
            settle(self._claimed, response, without=self.not_stored)
        return response

    def options(self, _request: Request, *_args: Any, **_kwargs: Any) -> Response:
        """Which methods there are, in the header `Allow`; what they take and give is in the API's description."""
        return Response(status=204)

    def throttled(self, _request: Request, wait: float | None) -> NoReturn:
        """Raises Throttled, with how often one may ask and what to do instead."""
        rate = self.rate
        detail = rate and (
            f"This token or person may ask {rate.most} times in {rate.window_s} seconds. Labels that are there "
            "already come in by one request, as a table of answers sent to imports/."
        )
        raise Throttled(wait, detail)

    def checked(self, serializer: type[Any], **kwargs: Any) -> dict[str, Any]:
        """What was sent, as the serializer reads it. Raises ValidationError, in a PATCH also for unknown fields.

        What is not named stays as it is there, so that a name that is misspelt would change nothing, and say nothing.
        """
        read = serializer(data=self.request.data, context=self.get_serializer_context(), **kwargs)
        changes = self.request.method == "PATCH" and isinstance(self.request.data, Mapping)
        if changes and (unknown := sorted(set(self.request.data) - set(read.fields))):
            raise ValidationError(dict.fromkeys(unknown, _("There is no such field to change.")))
        read.is_valid(raise_exception=True)
        found: dict[str, Any] = read.validated_data
        return found

    def page(self, rows: Any, serializer: type[Any]) -> Response:
        """One page of a list."""
        found = self.paginate_queryset(rows)
        read = serializer(found, many=True, context=self.get_serializer_context())
        response: Response = self.get_paginated_response(read.data)
        return response
