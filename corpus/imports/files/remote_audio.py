"""Audio that a manifest names by `https://`, `http://` or `s3://`: fetched once, by the job that checks it.

What arrived stays in the import's folder until the import is over; a fetch that broke off goes on where it stopped.
"""

import hashlib
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any
from urllib.parse import quote, urljoin, urlsplit

import httpx
from django.conf import settings

from corpus.imports import reasons
from corpus.imports.files.audio_files import MAX_FILE_BYTES, AudioFiles, MissingAudio
from infrastructure.outgoing.addresses import AddressRefused, NotFound, check_url
from infrastructure.outgoing.bodies import ACCEPTED, BodyRefused, pieces
from infrastructure.outgoing.pinned import PinnedTransport
from infrastructure.whole_numbers import whole_number
from infrastructure.wording.reasons import reason_of

SCHEMES = ("https://", "http://", "s3://")
ALLOWED_BY = "AUDIO_ON_PRIVATE_ADDRESSES"
#: A broken transfer is taken up again so often, after so many seconds.
TRIES, PAUSE_S = 4, 1.0
MOST_REDIRECTS = 5
STOPPED = "the import ended"
LOOKED_AT = 4 * 1024**2
TIMEOUT = httpx.Timeout(30, connect=10)
TO_BE_TRIED_AGAIN = (408, 425, 429, 500, 502, 503, 504)


def is_address(path: str) -> bool:
    return path.lower().startswith(SCHEMES)


def names_addresses(manifest: IO[bytes]) -> bool:
    """Whether it has an address in its first megabytes, as its texts stand there; it is left at its beginning."""
    manifest.seek(0)
    head = manifest.read(LOOKED_AT).lower()
    manifest.seek(0)
    return any(it.encode() in head or it.replace("/", "\\/").encode() in head for it in SCHEMES)


def audio_of(manifest: Path, packed: AudioFiles | None, folder: Path) -> AudioFiles | None:
    """Where the audio of a manifest is: in `packed`, and at the addresses that it names, fetched into `folder`."""
    with manifest.open("rb") as file:
        has_addresses = names_addresses(file)
    return RemoteAudio(packed, folder, settings.MAX_ARCHIVE_BYTES) if has_addresses else packed


class BrokeOff(Exception):
    """The transfer ended before its end; it may go on."""


@dataclass
class RemoteAudio:
    """Addresses from where they are, all else from `files`, where there are any."""

    files: AudioFiles | None
    folder: Path
    most_bytes: int
    _total: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _stopped: bool = False

    @contextmanager
    def open(self, path: str) -> Iterator[IO[bytes]]:
        if is_address(path):
            with self._fetched(path).open("rb") as file:
                yield file
        elif self.files is None:
            raise MissingAudio(reasons.NO_ADDRESS_AND_NO_ZIP(path=path))
        else:
            with self.files.open(path) as file:
                yield file

    def stop(self) -> None:
        """From another thread: what is being fetched ends at its next piece, as broken off for good."""
        self._stopped = True

    def _fetched(self, address: str) -> Path:
        """The whole file on this disk. Raises MissingAudio, with what to do."""
        kept = self.folder / hashlib.sha256(address.encode()).hexdigest()
        if kept.exists():
            return kept
        self.folder.mkdir(parents=True, exist_ok=True)
        part = kept.with_suffix(".part")
        try:
            self._fetch(address, part)
        except (AddressRefused, NotFound) as refusal:
            raise MissingAudio(reasons.ADDRESS_NOT_FETCHED(path=address, why=reason_of(refusal))) from refusal
        part.replace(kept)
        return kept

    def _fetch(self, address: str, part: Path) -> None:
        url, headers = _request(address)
        for attempt in range(1, TRIES + 1):
            try:
                with _client() as client:
                    return self._continue(client, address, url, headers, part)
            except (BrokeOff, httpx.TransportError) as error:
                if attempt == TRIES or self._stopped:
                    raise MissingAudio(reasons.ADDRESS_BROKE_OFF(path=address, why=str(error))) from error
                time.sleep(PAUSE_S * attempt)
        return None

    def _continue(self, client: httpx.Client, address: str, url: str, headers: dict[str, str], part: Path) -> None:
        """From where it stopped, if the server still has the same file; else from its beginning."""
        tag = part.with_suffix(".tag")
        there = part.stat().st_size if part.exists() and tag.exists() else 0
        asked = {"Range": f"bytes={there}-", "If-Range": tag.read_text()} if there else {}
        with _redirected(client, url, headers | asked) as answer:
            if answer.status_code == httpx.codes.REQUESTED_RANGE_NOT_SATISFIABLE and there:
                part.unlink()
                raise BrokeOff("416")
            goes_on = answer.status_code == httpx.codes.PARTIAL_CONTENT and bool(there)
            if not goes_on and answer.status_code != httpx.codes.OK:
                if answer.status_code in TO_BE_TRIED_AGAIN:
                    raise BrokeOff(f"HTTP {answer.status_code}")
                raise MissingAudio(reasons.ADDRESS_ANSWERS(path=address, status=answer.status_code))
            begin = there if goes_on else 0
            if strong := _strong_tag(answer):
                tag.write_text(strong)
            else:
                tag.unlink(missing_ok=True)
            said = answer.headers.get("Content-Length", "")
            length = whole_number(said) or 0
            self._refuse_too_much(address, begin + length)
            self._keep(answer, address, part, begin=begin, length=length)
            tag.unlink(missing_ok=True)

    def _keep(self, answer: httpx.Response, address: str, part: Path, *, begin: int, length: int) -> None:
        with part.open("r+b" if begin else "wb") as file:
            file.seek(begin)
            written = 0
            try:
                for piece in pieces(answer, most_bytes=MAX_FILE_BYTES - begin):
                    if self._stopped:
                        raise BrokeOff(STOPPED)
                    file.write(piece)
                    written += len(piece)
                    self._count(address, len(piece))
            except BodyRefused as refusal:
                raise MissingAudio(
                    reasons.ADDRESS_TOO_LARGE(path=address, most=MAX_FILE_BYTES // 1024**2)
                ) from refusal
        if length and written < length and "Content-Encoding" not in answer.headers:
            raise BrokeOff(f"{begin + written} B")

    def _refuse_too_much(self, address: str, size: int) -> None:
        if size > MAX_FILE_BYTES:
            raise MissingAudio(reasons.ADDRESS_TOO_LARGE(path=address, most=MAX_FILE_BYTES // 1024**2))

    def _count(self, address: str, n: int) -> None:
        with self._lock:
            self._total += n
            if self._total > self.most_bytes:
                raise MissingAudio(reasons.ADDRESSES_TOO_MUCH(path=address, most=self.most_bytes // 1024**2))


def _request(address: str) -> tuple[str, dict[str, str]]:
    """Where it is asked for, and with which headers. Raises AddressRefused, MissingAudio."""
    if not address.lower().startswith("s3://"):
        check_url(address)
        return address, {}
    parts = urlsplit(address)
    if parts.netloc not in settings.AUDIO_BUCKETS:
        raise MissingAudio(reasons.BUCKET_NOT_ALLOWED(path=address, bucket=parts.netloc))
    # Imported only here: botocore takes a while, and few imports name a bucket.
    from botocore.auth import S3SigV4Auth  # noqa: PLC0415
    from botocore.awsrequest import AWSRequest  # noqa: PLC0415
    from botocore.credentials import Credentials  # noqa: PLC0415

    storage: dict[str, Any] = settings.OBJECT_STORAGE
    region = storage["region_name"]
    server = storage["endpoint_url"] or f"https://s3.{region}.amazonaws.com"
    url = f"{server.rstrip('/')}/{parts.netloc}{quote(parts.path)}"
    check_url(url)
    if not storage["access_key"]:
        return url, {}
    request = AWSRequest("GET", url)
    S3SigV4Auth(Credentials(storage["access_key"], storage["secret_key"]), "s3", region).add_auth(request)
    return url, dict(request.headers.items())


@contextmanager
def _client() -> Iterator[httpx.Client]:
    transport = PinnedTransport(private_allowed=settings.AUDIO_ON_PRIVATE_ADDRESSES, allowed_by=ALLOWED_BY)
    sent_as = {"User-Agent": "Earshot", "Accept-Encoding": ACCEPTED}
    with httpx.Client(
        transport=transport, timeout=TIMEOUT, headers=sent_as, follow_redirects=False, trust_env=False
    ) as client:
        yield client


@contextmanager
def _redirected(client: httpx.Client, url: str, headers: dict[str, str]) -> Iterator[httpx.Response]:
    """The answer at the end of redirects; each server is checked, and gets no signature of another."""
    for _ in range(MOST_REDIRECTS):
        with client.stream("GET", url, headers=headers) as answer:
            if not answer.is_redirect:
                yield answer
                return
            following = urljoin(url, answer.headers["Location"])
        if url.startswith("https:") and not following.startswith("https:"):
            raise BrokeOff("https → http")
        url, headers = following, {name: it for name, it in headers.items() if name in ("Range", "If-Range")}
    raise BrokeOff(f"{MOST_REDIRECTS} × 3xx")


def _strong_tag(answer: httpx.Response) -> str:
    """By which the server tells one content from another; empty where it has none, so that a fetch begins anew."""
    tag: str = answer.headers.get("ETag", "")
    return "" if tag.startswith("W/") else tag
