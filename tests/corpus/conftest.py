"""What the tests of imports share."""

from tests.importing import (
    archive,
    checked,
    checked_upload,
    confirm,
    contents,
    everything,
    folder,
    imported,
    page,
    post,
    researcher,
    sound,
    uploaded,
    zip_of,
)

__all__ = [
    "archive",
    "checked",
    "checked_upload",
    "confirm",
    "contents",
    "everything",
    "folder",
    "imported",
    "page",
    "post",
    "researcher",
    "sound",
    "uploaded",
    "zip_of",
]
