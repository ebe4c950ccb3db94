"""Large files in parts, by tus 1.0.0: a broken connection, or a program that ended, costs the last part only."""

import hashlib
import json
import os
from base64 import b64encode
from contextlib import suppress
from pathlib import Path
from typing import Any

import httpx

from earshot_client.connection import Server, may_be_repeated, waiting_s
from earshot_client.problems import Problem, Unreachable

PART_BYTES = 8 * 2**20
TUS = {"Tus-Resumable": "1.0.0"}


def upload(server: Server, path: Path, *, part_bytes: int = PART_BYTES) -> str:
    """Send the file, or the rest of it where an earlier call was interrupted; return the id of the whole upload."""
    size, known = path.stat().st_size, _Unfinished(server, path)
    pk, at = _begun(server, known.pk, size) or (_begin(server, path, size), 0)
    known.note(pk)
    with path.open("rb") as file, server.bar(f"Upload {path.name}", total=size, unit="B") as bar:
        bar.update(at)
        while at < size:
            file.seek(at)
            reached = _send(server, pk, at, file.read(part_bytes))
            bar.update(reached - at)
            at = reached
    known.forget()
    return pk


def _begin(server: Server, path: Path, size: int) -> str:
    name = path.name.encode("ascii", "replace").decode()
    headers = TUS | {"Upload-Length": str(size), "Upload-Metadata": f"filename {b64encode(name.encode()).decode()}"}
    return str(server.request("POST", "uploads/", headers=headers)["id"])


def _begun(server: Server, pk: str, size: int) -> tuple[str, int] | None:
    """The upload and how far it is; None where there is none, or it has expired."""
    if not pk:
        return None
    try:
        found = server.request("GET", f"uploads/{pk}/", headers=TUS)
    except Problem as problem:
        if problem.status == 404:
            return None
        raise
    return (pk, int(found["received"])) if found["size"] == size else None


def _send(server: Server, pk: str, at: int, part: bytes) -> int:
    """Send one part; return how far the upload is, also where the answer was lost on the way."""
    headers = TUS | {"Upload-Offset": str(at), "Content-Type": "application/offset+octet-stream"}
    for tried in range(server.retries + 1):
        try:
            response = server.http.request("PATCH", f"uploads/{pk}/", content=part, headers=headers)
        except httpx.TransportError as error:
            if tried == server.retries:
                raise Unreachable(f"{server.url} does not answer: {error or type(error).__name__}") from error
            server.sleep(waiting_s(tried))
        else:
            if response.is_success:
                return int(response.headers["Upload-Offset"])
            if tried == server.retries or not (may_be_repeated(response) or response.status_code in {409, 423}):
                raise Problem.of(response.status_code, _json(response), response.reason_phrase)
            server.sleep(waiting_s(tried, response.headers.get("Retry-After", "")))
        reached = int(server.request("GET", f"uploads/{pk}/", headers=TUS)["received"])
        if reached != at:
            return reached
    raise AssertionError("unreachable")


class _Unfinished:
    """Notes of uploads that have begun, in the user's cache folder, by server and content."""

    def __init__(self, server: Server, path: Path) -> None:
        base = os.environ.get("XDG_CACHE_HOME", "") or str(Path.home() / ".cache")
        with path.open("rb") as file:
            content = hashlib.file_digest(file, "sha256").hexdigest()
        name = hashlib.sha256(f"{server.url} {content}".encode()).hexdigest()[:32]
        self._file = Path(base) / "earshot-client" / f"{name}.json"

    @property
    def pk(self) -> str:
        try:
            said: Any = json.loads(self._file.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return ""
        return str(said.get("upload", "")) if isinstance(said, dict) else ""

    def note(self, pk: str) -> None:
        with suppress(OSError):  # without a cache folder an upload is resumed within one program only
            self._file.parent.mkdir(parents=True, exist_ok=True)
            self._file.write_text(json.dumps({"upload": pk}), encoding="utf-8")

    def forget(self) -> None:
        with suppress(OSError):
            self._file.unlink(missing_ok=True)


def _json(response: httpx.Response) -> Any:
    try:
        return response.json()
    except ValueError:
        return None
