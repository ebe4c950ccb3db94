"""Addresses that take files, each with the most that a request to it may hold. All others take little."""

from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest
from django.urls import Resolver404, resolve

from analytics.measured import forms as metric_forms
from campaigns.control_units import forms as check_forms
from campaigns.control_units.attention_checks import recordings
from campaigns.imports import audio_files, rows
from campaigns.launch import forms as launch_forms
from campaigns.rubrics import tables
from judges.imported import forms as imported_forms
from protocols.documents import yaml_files

MB = 1_000_000
#: Other fields, and what a form has around a file.
AROUND = MB


def _import_bytes() -> int:
    return int(settings.MAX_ARCHIVE_BYTES) + rows.MAX_MANIFEST_BYTES + AROUND


#: By the name of the address: how many bytes a request with files may have.
UPLOADS: dict[str, Callable[[], int]] = {
    "import-new": _import_bytes,
    "api:import-list": _import_bytes,
    "api:response-list": lambda: audio_files.MAX_FILE_BYTES + AROUND,
    "verdicts-import": lambda: imported_forms.MAX_BYTES + AROUND,
    "api:verdict-import-list": lambda: imported_forms.MAX_BYTES + AROUND,
    "dataset-metrics-import": lambda: metric_forms.MAX_TABLE_BYTES + AROUND,
    "dataset-likelihoods-import": lambda: metric_forms.MAX_TABLE_BYTES + AROUND,
    "trap-recordings": lambda: recordings.MOST_FILES * recordings.LARGEST_BYTES + AROUND,
    "launch-units": lambda: launch_forms.MAX_TABLE_BYTES + AROUND,
    "checks": lambda: check_forms.MAX_GOLD_BYTES + AROUND,
    "gates": lambda: 2 * check_forms.MAX_GOLD_BYTES + AROUND,  # a table for the training, one for the test
    "rubric-upload": lambda: tables.MAX_BYTES + AROUND,
    "protocol-upload": lambda: 2 * yaml_files.MAX_BYTES + AROUND,  # as a file and as text
}


def upload_limit(request: HttpRequest) -> int | None:
    """The most bytes that a form with files may have at this address; None where it takes no files."""
    if request.content_type != "multipart/form-data":
        return None
    try:
        name = resolve(request.path_info).view_name
    except Resolver404:
        return None
    most = UPLOADS.get(name)
    return most() if most else None
