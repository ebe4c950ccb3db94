"""Backups by the API, for administrators of the installation."""

from typing import Any

from django.conf import settings
from drf_spectacular.helpers import forced_singular_serializer
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.decorators import action
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response as Reply

from accounts.api.problems import Conflict
from accounts.api.views import ApiViewSet
from accounts.people.rights import require_administrator
from config.administration import backups as of_backups
from infrastructure.background.api import JobSerializer
from infrastructure.models import Job


class BackupSerializer(serializers.Serializer):
    name = serializers.CharField()
    made_at = serializers.DateTimeField()
    rows = serializers.IntegerField(help_text="of the database")
    files = serializers.IntegerField()
    bytes = serializers.IntegerField()
    tested_at = serializers.DateTimeField(allow_null=True)
    fault = serializers.CharField(help_text="why its test failed; empty otherwise")


class BackupsSerializer(serializers.Serializer):
    backups = BackupSerializer(many=True, help_text="the newest first")
    every_hours = serializers.FloatField(help_text="0: there is no schedule")
    keep = serializers.IntegerField(help_text="so many; 0: all")
    next_at = serializers.DateTimeField(allow_null=True)
    missing_program = serializers.CharField(help_text="that has to be installed first; empty where none is")
    job = JobSerializer(allow_null=True, help_text="that made or tested one last")


class RemovalSerializer(serializers.Serializer):
    even_the_last = serializers.BooleanField(default=False)


class BackupViewSet(ApiViewSet):
    pagination_class = None
    lookup_field = "name"
    lookup_value_converter = "slug"

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        require_administrator(request.user)

    @extend_schema(responses=forced_singular_serializer(BackupsSerializer), operation_id="backups")
    def list(self, _request: Request) -> Reply:
        """The backups that are there, and when the next one is made."""
        there = of_backups.backups()
        jobs = Job.objects.filter(kind__in=[of_backups.BACK_UP, of_backups.TEST])
        found = {
            "backups": there,
            "every_hours": settings.BACKUP_EVERY_HOURS,
            "keep": settings.BACKUPS_TO_KEEP,
            "next_at": of_backups.next_at(there),
            "missing_program": of_backups.missing_program(),
            "job": jobs.order_by("-created_at").first(),
        }
        return Reply(BackupsSerializer(found).data)

    @extend_schema(request=None, responses={202: JobSerializer})
    def create(self, request: Request) -> Reply:
        """Make a backup, while people go on working."""
        return Reply(JobSerializer(of_backups.start_backup(by=request.user)).data, status=202)

    @extend_schema(
        parameters=[OpenApiParameter("even_the_last", bool, description="also where it is the last good one")],
        responses={204: None},
    )
    def destroy(self, request: Request, name: str) -> Reply:
        """Remove a backup, with what was deleted since it was made."""
        asked = RemovalSerializer(data=request.query_params.dict())
        asked.is_valid(raise_exception=True)
        try:
            of_backups.remove_backup(name, even_the_last=asked.validated_data["even_the_last"], by=request.user)
        except of_backups.NoBackup as refusal:
            raise NotFound(str(refusal)) from refusal
        except of_backups.CannotRemove as refusal:
            raise Conflict(refusal) from refusal
        return Reply(status=204)

    @extend_schema(request=None, responses={202: JobSerializer})
    @action(detail=True, methods=["post"])
    def test(self, request: Request, name: str) -> Reply:
        """Restore a backup aside and compare it."""
        try:
            job = of_backups.start_test(name, by=request.user)
        except of_backups.NoBackup as refusal:
            raise NotFound(str(refusal)) from refusal
        return Reply(JobSerializer(job).data, status=202)
