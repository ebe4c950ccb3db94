"""Audio that a manifest names by `https://`, `http://` or `s3://`: fetched once, by the job that checks it.

What arrived stays in the import's folder until the import is over; a fetch that broke off goes on where it stopped.
A server that takes too long is given up, and after three such files all its others are, so that it holds up nothing.
"""

import hashlib
import re
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, contextmanager
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
from infrastructure.outgoing.deadlines import EXTENSION, deadline_in
from infrastructure.outgoing.pinned import PinnedTransport
from infrastructure.whole_numbers import whole_number
from infrastructure.wording.reasons import Reason, reason_of

SCHEMES = ("https://", "http://", "s3://")
ALLOWED_BY = "AUDIO_ON_PRIVATE_ADDRESSES"
#: A broken transfer is taken up again so often, after so many seconds.
TRIES, PAUSE_S = 4, 1.0
MOST_REDIRECTS = 5
STOPPED = "the import ended"
LOOKED_AT = 4 * 1024**2
TIMEOUT = httpx.Timeout(30, connect=10)
#: An answer begins within so long (s), and brings so many bytes a second, reckoned over so long (s).
BEGIN_S, LEAST_RATE, RATE_OVER_S = 30.0, 10_000, 60.0
#: One file, with all its tries, and all files of an import take no longer (s).
FILE_S, ALL_S = 900.0, 6 * 3600.0
#: Once so many files of one server in turn were too slow, the others are not asked for.
MOST_SLOW = 3
CONTENT_RANGE = re.compile(r"bytes (\d{1,18})-(\d{1,18})/(\d{1,18})")
TO_BE_TRIED_AGAIN = (408, 425, 429, 500, 502, 503, 504)


def is_address(path: str) -> bool:
    return path.lower().startswith(SCHEMES)


def without_secrets(address: str) -> str:
    """The address as it may be shown: without a name and password, and without what comes after a question mark.

    >>> without_secrets("https://ann:secret@host/a.wav?key=secret")
    'https://…@host/a.wav?…'
    """
    return re.sub(r"\?.*", "?…", re.sub(r"//[^/]*@", "//…@", address, count=1), flags=re.DOTALL)


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


class TooSlow(Exception):
    """The server takes too long; it is not asked again."""


@dataclass(frozen=True)
class Pace:
    """Whether a file comes fast enough; `until` is when its time is up, by the monotonic clock."""

    until: float

    def check(self) -> None:
        """Raises TooSlow."""
        if time.monotonic() > self.until:
            raise TooSlow

    def watched(self, some: Iterator[bytes]) -> Iterator[bytes]:
        """The pieces as they come. Raises TooSlow."""
        begin, received = time.monotonic(), 0
        for piece in some:
            yield piece
            self.check()
            received += len(piece)
            if (passed := time.monotonic() - begin) >= RATE_OVER_S:
                if received < LEAST_RATE * passed:
                    raise TooSlow
                begin, received = time.monotonic(), 0


@dataclass
class RemoteAudio:
    """Addresses from where they are, all else from `files`, where there are any."""

    files: AudioFiles | None
    folder: Path
    most_bytes: int
    _total: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _stopped: bool = False
    _until: float = field(default_factory=lambda: time.monotonic() + ALL_S)
    #: how many files in turn were too slow, by server
    _slow: Counter[str] = field(default_factory=Counter)
    _transports: set[PinnedTransport] = field(default_factory=set)

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
        """From another thread: what is being fetched ends at once, as broken off for good."""
        self._stopped = True
        for transport in tuple(self._transports):
            transport.cut()

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
            raise MissingAudio(
                reasons.ADDRESS_NOT_FETCHED(path=without_secrets(address), why=reason_of(refusal))
            ) from refusal
        part.replace(kept)
        return kept

    def _fetch(self, address: str, part: Path) -> None:
        url, headers = _request(address)
        server = urlsplit(url).netloc
        if self._slow[server] >= MOST_SLOW:
            raise MissingAudio(reasons.SERVER_TOO_SLOW(path=address, n=MOST_SLOW))
        if time.monotonic() > self._until:
            raise MissingAudio(reasons.ADDRESSES_TOO_LONG(path=address, hours=f"{ALL_S / 3600:g}"))
        try:
            self._try(address, url, headers, part)
        except httpx.TimeoutException as silent:
            self._slow[server] += 1
            raise MissingAudio(reasons.ADDRESS_BROKE_OFF(path=address, why=str(silent))) from silent
        except TooSlow as slow:
            self._slow[server] += 1
            raise MissingAudio(
                reasons.ADDRESS_TOO_SLOW(path=address, rate=LEAST_RATE // 1000, minutes=f"{FILE_S / 60:g}")
            ) from slow
        self._slow.pop(server, None)

    def _try(self, address: str, url: str, headers: dict[str, str], part: Path) -> None:
        """Raises TooSlow, httpx.TimeoutException after the last try, and MissingAudio."""
        pace = Pace(min(time.monotonic() + FILE_S, self._until))
        for attempt in range(1, TRIES + 1):
            try:
                with self._client() as client:
                    return self._continue(client, address, url, headers, part, pace)
            except (BrokeOff, httpx.TransportError) as error:
                if attempt == TRIES and isinstance(error, httpx.TimeoutException):
                    raise
                if attempt == TRIES or self._stopped:
                    raise MissingAudio(reasons.ADDRESS_BROKE_OFF(path=address, why=str(error))) from error
                time.sleep(PAUSE_S * attempt)
                pace.check()
        return None

    @contextmanager
    def _client(self) -> Iterator[httpx.Client]:
        """For one try; `stop` cuts it. Raises BrokeOff where that was before."""
        transport = PinnedTransport(private_allowed=settings.AUDIO_ON_PRIVATE_ADDRESSES, allowed_by=ALLOWED_BY)
        sent_as = {"User-Agent": "Earshot", "Accept-Encoding": ACCEPTED}
        self._transports.add(transport)
        try:
            if self._stopped:
                raise BrokeOff(STOPPED)
            with httpx.Client(
                transport=transport, timeout=TIMEOUT, headers=sent_as, follow_redirects=False, trust_env=False
            ) as client:
                yield client
        finally:
            self._transports.discard(transport)

    def _continue(
        self, client: httpx.Client, address: str, url: str, headers: dict[str, str], part: Path, pace: Pace
    ) -> None:
        """From where it stopped, if the server still has the same file; else from its beginning."""
        tag = part.with_suffix(".tag")
        there = part.stat().st_size if part.exists() and tag.exists() else 0
        had, _, total = tag.read_text().rpartition("\n") if there else ("", "", "")
        asked = {"Range": f"bytes={there}-", "If-Range": had} if there else {}
        with _redirected(client, url, headers | asked) as answer:
            goes_on = answer.status_code == httpx.codes.PARTIAL_CONTENT and bool(there)
            if answer.status_code == httpx.codes.REQUESTED_RANGE_NOT_SATISFIABLE and there:
                part.unlink()
                raise BrokeOff("416")
            if goes_on and not _is_rest(answer, begin=there, total=total, tag=had):
                part.unlink()
                raise BrokeOff(answer.headers.get("Content-Range") or "206")
            if not goes_on and answer.status_code != httpx.codes.OK:
                if answer.status_code in TO_BE_TRIED_AGAIN:
                    raise BrokeOff(f"HTTP {answer.status_code}")
                raise MissingAudio(reasons.ADDRESS_ANSWERS(path=address, status=answer.status_code))
            begin = there if goes_on else 0
            length = whole_number(answer.headers.get("Content-Length", "")) or 0
            if not goes_on:
                strong = _strong_tag(answer)
                if strong and length and not _is_encoded(answer):
                    tag.write_text(f"{strong}\n{length}")
                else:
                    tag.unlink(missing_ok=True)
            self._refuse_too_much(address, begin + length)
            self._keep(answer, address, part, begin=begin, length=length, pace=pace)
            tag.unlink(missing_ok=True)

    def _keep(self, answer: httpx.Response, address: str, part: Path, *, begin: int, length: int, pace: Pace) -> None:
        with part.open("r+b" if begin else "wb") as file:
            file.seek(begin)
            written = 0
            try:
                for piece in pace.watched(pieces(answer, most_bytes=MAX_FILE_BYTES - begin)):
                    if self._stopped:
                        raise BrokeOff(STOPPED)
                    file.write(piece)
                    written += len(piece)
                    self._count(address, len(piece))
            except BodyRefused as refusal:
                raise MissingAudio(_why_refused(refusal, address)) from refusal
        if length and written < length and not _is_encoded(answer):
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
    parts, shown = urlsplit(address), without_secrets(address)
    if not parts.netloc:
        raise MissingAudio(reasons.BUCKET_MISSING(path=shown))
    if parts.netloc not in settings.AUDIO_BUCKETS:
        raise MissingAudio(reasons.BUCKET_NOT_ALLOWED(path=shown, bucket=urlsplit(shown).netloc))
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
def _redirected(client: httpx.Client, url: str, headers: dict[str, str]) -> Iterator[httpx.Response]:
    """The answer at the end of redirects; each server is checked, and gets no signature of another."""
    for _ in range(MOST_REDIRECTS):
        with closing(_begun(client, url, headers)) as answer:
            if not answer.is_redirect:
                yield answer
                return
            following = urljoin(url, answer.headers["Location"])
        if url.startswith("https:") and not following.startswith("https:"):
            raise BrokeOff("https → http")
        url, headers = following, {name: it for name, it in headers.items() if name in ("Range", "If-Range")}
    raise BrokeOff(f"{MOST_REDIRECTS} × 3xx")


def _begun(client: httpx.Client, url: str, headers: dict[str, str]) -> httpx.Response:
    """The answer, once its headers are there. Raises TooSlow, and what httpx raises."""
    with deadline_in(BEGIN_S) as deadline:
        request = client.build_request("GET", url, headers=headers, extensions={EXTENSION: deadline})
        try:
            return client.send(request, stream=True)
        except httpx.TransportError as error:
            if deadline.is_over:
                raise TooSlow from error
            raise


def _is_rest(answer: httpx.Response, *, begin: int, total: str, tag: str) -> bool:
    """Whether it is the rest of the same file, from exactly there."""
    said = CONTENT_RANGE.fullmatch(answer.headers.get("Content-Range", "").strip())
    if said is None or _is_encoded(answer) or answer.headers.get("ETag", tag) != tag:
        return False
    first, last, whole = (whole_number(it) for it in said.groups())
    return (first, last, whole) == (begin, whole and whole - 1, whole_number(total))


def _is_encoded(answer: httpx.Response) -> bool:
    """Whether bytes that come are others than those of the file, so that it cannot go on in the middle."""
    return answer.headers.get("Content-Encoding", "").strip().lower() not in ("", "identity")


def _why_refused(refusal: BodyRefused, address: str) -> Reason:
    if refusal.fault == "too_long":
        return reasons.ADDRESS_TOO_LARGE(path=address, most=MAX_FILE_BYTES // 1024**2)
    return reasons.ADDRESS_NOT_DECODED(path=address)


def _strong_tag(answer: httpx.Response) -> str:
    """By which the server tells one content from another; empty where it has none, so that a fetch begins anew."""
    tag: str = answer.headers.get("ETag", "")
    return "" if tag.startswith("W/") else tag
