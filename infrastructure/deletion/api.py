"""Rename, archive, restore and delete by the API: the same actions, with the same refusals, as the pages have."""

from collections.abc import Callable
from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response as Reply

from accounts.api.problems import Conflict
from accounts.api.views import ApiViewSet
from infrastructure.background.api import JobSerializer
from infrastructure.deletion import actions
from infrastructure.deletion.actions import CannotDo
from infrastructure.deletion.subjects import Subject, subject_of


class RenameSerializer(serializers.Serializer):
    name = serializers.CharField(max_length=200, help_text="its address stays")


class ArchivedSerializer(serializers.Serializer):
    name = serializers.CharField()
    archived_at = serializers.DateTimeField(allow_null=True)


class DeletableViewSet(ApiViewSet):
    """What can be archived and deleted, by its kind in infrastructure.deletion."""

    subject_kind: str

    def turned(self, turn: Callable[..., Any], *given: Any, **named: Any) -> Any:
        """Raises Conflict with the reason of a refusal, Http404, PermissionDenied."""
        row = self._row()
        try:
            return turn(self._subject(), row, *given, by=self.request.user, **named)
        except CannotDo as refusal:
            raise Conflict(refusal) from refusal

    def _subject(self) -> Subject:
        subject = subject_of(self.subject_kind)
        assert subject, self.subject_kind  # noqa: S101 - registered by its app
        return subject

    def _row(self) -> Any:
        return self._subject().find(self.request.user, str(self.kwargs[self.lookup_field]))

    def _said(self, row: Any) -> Reply:
        return Reply(ArchivedSerializer({"name": self._subject().name_of(row), "archived_at": row.archived_at}).data)

    @extend_schema(request=None, responses=ArchivedSerializer)
    @action(detail=True, methods=["post"])
    def archive(self, _request: Request, **_where: Any) -> Reply:
        """Take it out of the lists; it stays readable, and gets no new work. Can be undone."""
        return self._said(self.turned(actions.archive))

    @extend_schema(request=None, responses=ArchivedSerializer)
    @action(detail=True, methods=["post"])
    def restore(self, _request: Request, **_where: Any) -> Reply:
        """Put it back into the lists."""
        return self._said(self.turned(actions.restore))

    @extend_schema(responses={202: JobSerializer})
    def destroy(self, _request: Request, **_where: Any) -> Reply:
        """Delete it for good, with all that goes with it, in the background. Only what is archived can be deleted."""
        return Reply(JobSerializer(self.turned(actions.delete, typed=None)).data, status=202)


class RenamableViewSet(DeletableViewSet):
    @extend_schema(request=RenameSerializer, responses=ArchivedSerializer)
    def partial_update(self, _request: Request, **_where: Any) -> Reply:
        """Give it another name."""
        self._row()  # those who may not rename it learn nothing of the body
        return self._said(self.turned(actions.rename, self.checked(RenameSerializer)["name"]))
