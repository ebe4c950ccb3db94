"""Audio that manifests name by address, from real servers: nginx, an S3 server, and one that breaks off."""

import csv
import gzip
import io
import shutil
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from corpus.imports.checks import check
from corpus.imports.files import remote_audio
from corpus.imports.files.audio_files import MissingAudio
from corpus.imports.files.remote_audio import RemoteAudio
from corpus.imports.uploads.actions import begin_import, confirm_import
from corpus.imports.uploads.jobs import cancel_check
from corpus.models import Clip, Import, ResponseTurn
from infrastructure.models import Job
from tests.browser.server import free_port
from tests.contact.s3 import BUCKET, KEY, SECRET, object_server
from tests.contact.test_object_storage import tone
from tests.factories import UserFactory
from tests.importing import work_off
from tests.needs import lacking

pytestmark = pytest.mark.django_db
NGINX = """
daemon off; pid {folder}/pid; error_log {folder}/error.log; worker_processes 1;
events {{ worker_connections 64; }}
http {{
    access_log {folder}/access.log; client_body_temp_path {folder}/b; proxy_temp_path {folder}/p;
    fastcgi_temp_path {folder}/f; uwsgi_temp_path {folder}/u; scgi_temp_path {folder}/s;
    server {{
        listen 127.0.0.1:{port}; root {folder}/files;
        location /moved/ {{ rewrite ^/moved/(.*)$ /$1 redirect; }}
    }}
}}
"""


@pytest.fixture
def web(tmp_path: Path) -> Iterator[tuple[str, Path]]:
    """The address of an nginx, and its folder: `files/` is what it serves."""
    if not (program := shutil.which("nginx")):
        lacking("nginx is not installed")
    port, folder = free_port(), tmp_path / "nginx"
    (folder / "files").mkdir(parents=True)
    folder.chmod(0o755)
    (folder / "conf").write_text("user root;" + NGINX.format(folder=folder, port=port))
    process = subprocess.Popen([program, "-c", str(folder / "conf"), "-e", str(folder / "error.log")])
    try:
        wait_until_open(port)
        yield f"http://127.0.0.1:{port}", folder
    finally:
        process.terminate()
        process.wait()


def wait_until_open(port: int) -> None:
    """Without a request, which would stand in the log."""
    until = time.monotonic() + 30
    while True:
        try:
            socket.create_connection(("127.0.0.1", port)).close()
        except OSError:
            assert time.monotonic() < until, "nginx does not listen"
            time.sleep(0.05)
        else:
            return


@pytest.fixture
def own_network(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    """The servers of these tests are on this machine."""
    settings.AUDIO_ON_PRIVATE_ADDRESSES = True
    monkeypatch.setattr(remote_audio, "PAUSE_S", 0.0)


def manifest(*addresses: str) -> SimpleUploadedFile:
    text = io.StringIO()
    rows = [("q", f"system {n}", address) for n, address in enumerate(addresses)]
    csv.writer(text).writerows([("item", "system", "response_audio"), *rows])
    return SimpleUploadedFile("manifest.csv", text.getvalue().encode())


def checked(*addresses: str) -> Import:
    row = begin_import(
        user=UserFactory(is_researcher=True), dataset_name="Set", manifest=manifest(*addresses), archive=None
    )
    work_off()
    row.refresh_from_db()
    return row


def messages(row: Import) -> list[str]:
    return [it["message"] for it in row.report["problems"] if it["severity"] == "error"]


def test_addresses_are_fetched_once_and_become_clips(
    web: tuple[str, Path], own_network: None, media_root: Path
) -> None:
    url, folder = web
    for n in range(2):
        (folder / "files" / f"{n}.wav").write_bytes(tone(300 + n))
    row = checked(f"{url}/0.wav", f"{url}/moved/1.wav", f"{url}/0.wav")
    assert (row.status, messages(row)) == (Import.Status.CHECKED, [])
    confirm_import(row, user=row.created_by)
    work_off()
    asked = [line.split('"')[1] for line in (folder / "access.log").read_text().splitlines()]

    assert sorted(asked) == ["GET /0.wav HTTP/1.1", "GET /1.wav HTTP/1.1", "GET /moved/1.wav HTTP/1.1"]
    assert {clip.path.read_bytes() for clip in Clip.objects.all()} == {tone(300), tone(301)}
    assert sorted(ResponseTurn.objects.values_list("path", flat=True)) == [
        f"{url}/0.wav", f"{url}/0.wav", f"{url}/moved/1.wav",
    ]  # fmt: skip
    assert not row.folder.exists()


def test_command_fetches_what_the_manifest_names_beside_a_folder(
    web: tuple[str, Path], own_network: None, media_root: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    url, folder = web
    UserFactory(username="ruth", is_researcher=True)
    (folder / "files" / "0.wav").write_bytes(tone(300))
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "1.wav").write_bytes(tone(301))
    table = tmp_path / "manifest.csv"
    table.write_bytes(manifest(f"{url}/0.wav", "1.wav").read())
    named = [str(table), "--dataset", "Set", "--user", "ruth"]

    with pytest.raises(CommandError, match="1 errors: nothing was written"):
        call_command("import_dataset", *named)
    assert f"{url}/0.wav" not in capsys.readouterr().out
    call_command("import_dataset", *named, "--audio", str(tmp_path / "own"))

    assert {clip.path.read_bytes() for clip in Clip.objects.all()} == {tone(300), tone(301)}
    assert sorted(ResponseTurn.objects.values_list("path", flat=True)) == ["1.wav", f"{url}/0.wav"]
    assert list((media_root / "imports").iterdir()) == []


def test_form_asks_for_no_zip_where_the_manifest_has_addresses(
    web: tuple[str, Path], own_network: None, client: Client, media_root: Path
) -> None:
    client.force_login(UserFactory(is_researcher=True))
    sent = {"dataset_name": "Set", "manifest": manifest(f"{web[0]}/0.wav")}
    response = client.post(reverse("import-new"), sent)

    assert (response.status_code, Import.objects.count()) == (302, 1)


def test_each_row_at_fault_says_what_to_do(web: tuple[str, Path], own_network: None, media_root: Path) -> None:
    url, folder = web
    (folder / "files" / "text.wav").write_text("no sound")
    row = checked(f"{url}/gone.wav", f"{url}/text.wav", "a.wav", f"{url}/0.wav?key=secret", "s3://elsewhere/0.wav")
    said = "\n".join(messages(row))

    assert len(messages(row)) == 5
    for part in (
        "gone.wav answers with status 404",
        "text.wav",
        "a.wav is no address, and no ZIP was given",
        "neither a password nor a question mark",
        "bucket elsewhere, which is not read",
    ):
        assert part in said
    assert not list(row.folder.rglob("*.part"))


def test_private_addresses_are_refused_unless_allowed(web: tuple[str, Path], media_root: Path) -> None:
    (message,) = messages(checked(f"{web[0]}/0.wav"))

    assert "AUDIO_ON_PRIVATE_ADDRESSES=true" in message
    assert not (web[1] / "access.log").read_text()


def test_all_together_are_limited_and_nothing_is_left(
    web: tuple[str, Path], own_network: None, settings: Settings, media_root: Path
) -> None:
    url, folder = web
    (folder / "files" / "0.wav").write_bytes(tone(300))
    (folder / "files" / "1.wav").write_bytes(tone(400))
    settings.MAX_ARCHIVE_BYTES = len(tone(300)) + 100
    row = checked(f"{url}/0.wav", f"{url}/1.wav")

    assert ["Import them in several parts" in message for message in messages(row)] == [True]


def test_objects_of_an_allowed_bucket_are_fetched(
    own_network: None, settings: Settings, tmp_path: Path, media_root: Path
) -> None:
    (tmp_path / "objects").mkdir()
    with object_server(tmp_path / "objects") as server:
        server.client().put_object(Bucket=BUCKET, Key="set one/ä.wav", Body=tone(500))
        settings.AUDIO_BUCKETS = [BUCKET]
        settings.OBJECT_STORAGE = settings.OBJECT_STORAGE | {
            "endpoint_url": server.url, "access_key": KEY, "secret_key": SECRET,
        }  # fmt: skip
        row = checked(f"s3://{BUCKET}/set one/ä.wav", f"s3://{BUCKET}/gone.wav")

    assert ["gone.wav answers with status 404" in message for message in messages(row)] == [True]


def test_cancelled_check_leaves_nothing_behind(
    web: tuple[str, Path], own_network: None, media_root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url, folder = web
    for n in range(3):
        (folder / "files" / f"{n}.wav").write_bytes(tone(300 + n))
    row = begin_import(
        user=UserFactory(is_researcher=True),
        dataset_name="Set",
        manifest=manifest(*(f"{url}/{n}.wav" for n in range(3))),
        archive=None,
    )
    examine = check._examine

    def cancelling(files: Any, path: str) -> Any:
        outcome = examine(files, path)
        if path.endswith("0.wav"):
            cancel_check(str(row.pk))
            Job.objects.update(status=Job.Status.CANCELLED)
        return outcome

    monkeypatch.setattr(check, "_examine", cancelling)
    monkeypatch.setattr(check, "ThreadPoolExecutor", InThisThread)
    work_off()

    assert Import.objects.get(pk=row.pk).status == Import.Status.FAILED
    assert [path for path in media_root.rglob("*") if path.is_file()] == []


class InThisThread:
    """One after the other, so that the database of the test is the job's."""

    def __init__(self, **_workers: int) -> None:
        pass

    def submit(self, work: Any, *given: Any) -> Future[Any]:
        done: Future[Any] = Future()
        done.set_result(work(*given))
        return done

    def shutdown(self, **_how: bool) -> None:
        pass


# -- transfers that break off ---------------------------------------------------------------------------------------


@contextmanager
def breaking(content: bytes, *, pieces: int, changes: bool = False) -> Iterator[tuple[str, list[str]]]:
    """A server that ends each answer early; it names the ranges that were asked for."""
    asked: list[str] = []

    class Breaking(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.headers.get("Range", ""))
            tag = f'"{len(asked)}"' if changes else '"1"'
            begin = int(asked[-1].removeprefix("bytes=").rstrip("-") or 0)
            if self.headers.get("If-Range", tag) != tag:
                begin = 0
            rest = content[begin:]
            self.send_response(206 if begin else 200)
            self.send_header("ETag", tag)
            self.send_header("Content-Length", str(len(rest)))
            if begin:
                self.send_header("Content-Range", f"bytes {begin}-{len(content) - 1}/{len(content)}")
            self.end_headers()
            self.wfile.write(rest[: len(content) // pieces + 1])
            self.close_connection = True

        def log_message(self, *_said: Any) -> None:
            pass

    httpd = ThreadingHTTPServer(("127.0.0.1", 0), Breaking)
    threading.Thread(target=httpd.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{httpd.server_port}/long.wav", asked
    finally:
        httpd.shutdown()
        httpd.server_close()


def test_broken_transfer_goes_on_where_it_stopped(own_network: None, tmp_path: Path) -> None:
    content = tone(600) * 20
    with breaking(content, pieces=3) as (url, asked):
        audio = RemoteAudio(None, tmp_path / "fetched", 10**9)
        with audio.open(url) as file:
            found = file.read()

    step = len(content) // 3 + 1
    assert found == content
    assert asked == ["", f"bytes={step}-", f"bytes={2 * step}-"]
    assert len(list((tmp_path / "fetched").iterdir())) == 1


def test_next_worker_goes_on_with_what_the_last_one_fetched(own_network: None, tmp_path: Path) -> None:
    content = tone(600) * 20
    with breaking(content, pieces=6) as (url, asked):
        with pytest.raises(MissingAudio, match="broke off"), RemoteAudio(None, tmp_path, 10**9).open(url):
            pass
        with RemoteAudio(None, tmp_path, 10**9).open(url) as file:
            assert file.read() == content

    assert len(asked) == 6


def test_file_that_changed_meanwhile_is_fetched_from_its_beginning(own_network: None, tmp_path: Path) -> None:
    with (
        breaking(tone(600) * 20, pieces=2, changes=True) as (url, asked),
        pytest.raises(MissingAudio, match="broke off"),
        RemoteAudio(None, tmp_path, 10**9).open(url),
    ):
        pass

    assert len(asked) == remote_audio.TRIES


# -- other files, and servers that take too long --------------------------------------------------------------------

Answer = Callable[[BaseHTTPRequestHandler, int], None]


@contextmanager
def answering(answer: Answer) -> Iterator[str]:
    """A server whose every answer is written by `answer`, which is given the number of the request, from 1."""
    asked: list[str] = []

    class Answering(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            self.close_connection = True
            with suppress(OSError):  # the client has gone
                answer(self, len(asked))

        def log_message(self, *_said: Any) -> None:
            pass

    httpd = ThreadingHTTPServer(("127.0.0.1", 0), Answering)
    httpd.daemon_threads = True
    threading.Thread(target=httpd.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{httpd.server_port}"
    finally:
        httpd.shutdown()
        httpd.server_close()


def send(to: BaseHTTPRequestHandler, body: bytes, *, status: int = 200, length: int = 0, **headers: str) -> None:
    to.send_response(status)
    for name, value in {"Content-Length": str(length or len(body)), **headers}.items():
        to.send_header(name.replace("_", "-"), value)
    to.end_headers()
    to.wfile.write(body)


def dripping(to: BaseHTTPRequestHandler, _n: int) -> None:
    send(to, b"", length=10**8)
    while True:
        to.wfile.write(b"x")
        to.wfile.flush()
        time.sleep(0.02)


def never_beginning(to: BaseHTTPRequestHandler, _n: int) -> None:
    while True:
        to.wfile.write(b"H")
        time.sleep(0.02)


@pytest.fixture
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """The times in which a file has to come, shortened."""
    monkeypatch.setattr(remote_audio, "BEGIN_S", 0.3)
    monkeypatch.setattr(remote_audio, "RATE_OVER_S", 0.3)


@pytest.mark.parametrize("answer", [dripping, never_beginning])
def test_slow_server_is_given_up(own_network: None, soon: None, answer: Answer, media_root: Path) -> None:
    with answering(answer) as url:
        begun = time.monotonic()
        row = checked(*(f"{url}/{n}.wav" for n in range(9)))

    assert time.monotonic() - begun < 10
    assert row.status == Import.Status.FAILED
    said = ["comes too slowly" in it for it in messages(row)]
    others = ["other files of its server came too slowly" in it for it in messages(row)]
    assert len(said) == 9
    assert [one or other for one, other in zip(said, others, strict=True)] == [True] * 9
    assert sum(others) >= 9 - remote_audio.MOST_SLOW - 1  # two are fetched at a time


def test_file_and_import_have_a_deadline(own_network: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with answering(dripping) as url:
        monkeypatch.setattr(remote_audio, "FILE_S", 0.2)
        with pytest.raises(MissingAudio, match="too slowly"), RemoteAudio(None, tmp_path, 10**9).open(url):
            pass
        monkeypatch.setattr(remote_audio, "ALL_S", -1.0)
        with pytest.raises(MissingAudio, match="in several parts"), RemoteAudio(None, tmp_path, 10**9).open(url):
            pass


def test_stop_ends_a_fetch_at_once(own_network: None, tmp_path: Path) -> None:
    with answering(never_beginning) as url:
        audio = RemoteAudio(None, tmp_path, 10**9)
        threading.Timer(0.3, audio.stop).start()
        begun = time.monotonic()
        with pytest.raises(MissingAudio, match="broke off"), audio.open(url):
            pass

    assert time.monotonic() - begun < 5


LONG, OTHER = tone(600) * 20, tone(700) * 20
CUT = 30_000


@pytest.mark.parametrize(
    "rest",
    [
        {"body": OTHER[CUT:], "ETag": '"y"', "Content_Range": f"bytes {CUT}-{len(LONG) - 1}/{len(LONG)}"},
        {"body": LONG[CUT + 500 :], "ETag": '"x"', "Content_Range": f"bytes {CUT + 500}-{len(LONG) - 1}/{len(LONG)}"},
        {"body": LONG[CUT : CUT + 500], "ETag": '"x"', "Content_Range": f"bytes {CUT}-{CUT + 499}/{CUT + 500}"},
        {"body": OTHER[CUT:], "ETag": '"x"'},
        {"body": OTHER[CUT:], "ETag": '"x"', "Content_Range": f"bytes {CUT}-{len(LONG) - 1}/*"},
    ],
    ids=["another tag", "from elsewhere", "another length", "no range", "unknown length"],
)
def test_rest_of_another_file_is_never_added(own_network: None, tmp_path: Path, rest: dict[str, Any]) -> None:
    def answer(to: BaseHTTPRequestHandler, n: int) -> None:
        if n == 1:
            send(to, LONG[:CUT], length=len(LONG), ETag='"x"')
        elif to.headers.get("Range"):
            send(to, status=206, **rest)
        else:
            send(to, LONG, ETag='"x"')

    with answering(answer) as url, RemoteAudio(None, tmp_path, 10**9).open(f"{url}/long.wav") as file:
        assert file.read() == LONG


def test_compressed_answer_is_never_gone_on_with(own_network: None, tmp_path: Path) -> None:
    packed, ranges = gzip.compress(LONG), []

    def answer(to: BaseHTTPRequestHandler, n: int) -> None:
        ranges.append(to.headers.get("Range"))
        send(
            to,
            packed[: len(packed) // 2 if n == 1 else None],
            length=len(packed),
            ETag='"x"',
            Content_Encoding="gzip",
        )

    with answering(answer) as url, RemoteAudio(None, tmp_path, 10**9).open(f"{url}/long.wav") as file:
        assert file.read() == LONG
    assert ranges == [None, None]


def test_unknown_compression_is_named_as_such(own_network: None, tmp_path: Path) -> None:
    with (
        answering(lambda to, _n: send(to, b"x" * 100, Content_Encoding="br")) as url,
        pytest.raises(MissingAudio, match="compressed in a way"),
        RemoteAudio(None, tmp_path, 10**9).open(url),
    ):
        pass


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("http://ann:secret@127.0.0.1/a.wav", "http://…@127.0.0.1/a.wav cannot be fetched"),
        ("https://127.0.0.1/a.wav?key=secret", r"https://127.0.0.1/a.wav\?… cannot be fetched"),
        ("s3://ann:secret@bucket/a.wav", "is in the bucket …@bucket, which"),
        ("s3:///a.wav", "names no bucket"),
    ],
)
def test_secrets_of_an_address_are_not_repeated(tmp_path: Path, address: str, said: str) -> None:
    with pytest.raises(MissingAudio, match=said) as refused, RemoteAudio(None, tmp_path, 10**9).open(address):
        pass
    assert "secret" not in str(refused.value)
