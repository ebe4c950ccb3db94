"""The storage in STORAGES where files are objects of the S3 protocol. boto3 takes a second."""

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, Any

from boto3.exceptions import Boto3Error
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError
from s3transfer.exceptions import RetriesExceededError
from storages.backends.s3 import S3Storage

from infrastructure.files.media import Stat, StorageUnavailable

GONE = {"404", "NoSuchKey", "NotFound"}
#: A server that is away is asked again before a request fails: at most three times, in some ten seconds.
CLIENT = Config(
    connect_timeout=5,
    read_timeout=30,
    retries={"mode": "standard", "total_max_attempts": 3},
    signature_version="s3v4",
    max_pool_connections=50,
    # Not every server knows the checksums that newer clients send unasked.
    request_checksum_calculation="when_required",
    response_checksum_validation="when_required",
)


class ObjectStorage(S3Storage):  # type: ignore[misc]  # django-storages brings no types
    """By key below the prefix. Raises FileNotFoundError for what is not there, else StorageUnavailable."""

    def __init__(self, **options: Any) -> None:
        config = CLIENT.merge(Config(s3={"addressing_style": options.pop("addressing_style")}))
        super().__init__(client_config=config, querystring_auth=True, default_acl=None, **options)

    def stat(self, key: str) -> Stat:
        with _asking(key):
            found = self._object(key)
            return Stat(found.content_length, found.last_modified.timestamp())

    def list(self, prefix: str) -> Iterator[tuple[str, Stat]]:
        start = len(self._full(""))
        with _asking(prefix):
            for it in self.bucket.objects.filter(Prefix=self._full(prefix)):
                yield it.key[start:], Stat(it.size, it.last_modified.timestamp())

    def folders(self, prefix: str) -> Iterator[str]:
        """The names up to the next slash."""
        start = self._full(prefix)
        with _asking(prefix):
            pages = self.bucket.meta.client.get_paginator("list_objects_v2")
            for page in pages.paginate(Bucket=self.bucket_name, Prefix=start, Delimiter="/"):
                for it in page.get("CommonPrefixes", ()):
                    yield it["Prefix"].removeprefix(start).rstrip("/")

    def fetch(self, key: str, to: IO[bytes]) -> None:
        with _asking(key):
            self._object(key).download_fileobj(to)

    def read_part(self, key: str, start: int, stop: int) -> bytes:
        with _asking(key):
            found: bytes = self._object(key).get(Range=f"bytes={start}-{stop - 1}")["Body"].read()
            return found

    def pieces(self, key: str, size: int) -> Iterator[bytes]:
        with _asking(key):
            body = self._object(key).get()["Body"]
            yield from iter(lambda: body.read(size), b"")

    def put(self, key: str, file: IO[bytes]) -> None:
        """The object appears whole, or stays as it was."""
        with _asking(key):
            extra = {"ContentType": "application/octet-stream"}
            self._object(key).upload_fileobj(_Open(file), ExtraArgs=extra)

    def remove(self, key: str) -> None:
        """The protocol does not say whether there was one."""
        with _asking(key):
            self._object(key).delete()

    def _object(self, key: str) -> Any:
        return self.bucket.Object(self._full(key))

    def _full(self, key: str) -> str:
        return f"{self.location}/{key}" if self.location else key


class _Open:
    """A file that stays open: boto3 closes what it is given."""

    def __init__(self, file: IO[bytes]) -> None:
        self.read, self.seek, self.tell = file.read, file.seek, file.tell

    def close(self) -> None:
        pass


@contextmanager
def _asking(key: str) -> Iterator[None]:
    try:
        yield
    except ClientError as error:
        if error.response["Error"]["Code"] in GONE:
            raise FileNotFoundError(errno.ENOENT, "There is no such object", key) from error
        raise _unavailable(error) from error
    except (BotoCoreError, Boto3Error, RetriesExceededError) as error:
        raise _unavailable(error) from error


def _unavailable(error: Exception) -> StorageUnavailable:
    return StorageUnavailable(str(error))
