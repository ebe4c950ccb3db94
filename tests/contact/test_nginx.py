"""The deployment as shipped. The other side: an nginx, with docker/nginx.conf filled in as its image does it.

There are two of them: that of Debian 12 (1.22), and that of Debian's testing, which is near the current one. Each
stands in front of two web processes (127.0.0.2 and 127.0.0.3, both called `web` by a name server of the test), a
Celery worker and the beat, on PostgreSQL and Redis. `.ci/services` brings both and starts the latter two.
"""

import http.client
import io
import json
import os
import random
import shutil
import signal
import threading
import time
import wave
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import urlencode
from uuid import uuid4

import pytest
from websockets.sync.client import connect

from tests.browser.server import Server, free_port, wait_for
from tests.contact.nginx import NameServer, Nginx
from tests.needs import needs
from tests.paths import PROJECT

SERVICES = [name for name in ("DATABASE_URL", "REDIS_URL") if name not in os.environ]
PROGRAMS = [program for program in ("nginx", "envsubst") if not shutil.which(program)]
pytestmark = [
    pytest.mark.skipif(bool(SERVICES), reason=f"not here: {', '.join(SERVICES)}; .ci/services brings them"),
    needs(not PROGRAMS, f"not here: {', '.join(PROGRAMS)}; .ci/services brings them"),
    pytest.mark.xdist_group("nginx"),  # one installation for all of them
]

#: Debian's own, and a newer one of `.ci/nginx`.
PROGRAMS = ("nginx", str(PROJECT / ".venv" / "nginx-testing" / "nginx"))
MB = 1_000_000
CSRF = "c" * 32
#: As this the outer proxy comes, the one named in TRUSTED_PROXIES.
OUTER_PROXY, STRANGER = "127.0.0.9", "127.0.0.5"

SET_UP = """
from importlib import import_module
from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from accounts.tokens.tokens import make_token
from tests.factories import UserFactory, make_campaign, make_member
from tests.measurements.measuring import kept_clip, voice

ruth = UserFactory(is_researcher=True, is_superuser=True, username="ruth")
store = import_module(settings.SESSION_ENGINE).SessionStore()
store.update({SESSION_KEY: str(ruth.pk), BACKEND_SESSION_KEY: "django.contrib.auth.backends.ModelBackend"})
store[HASH_SESSION_KEY] = ruth.get_session_auth_hash()
store.save()
campaign = make_campaign()
clip = kept_clip(voice(1))
item = campaign.dataset.items.first()
item.turns.update(clip=clip)
print("session", store.session_key)
print("token", make_token(ruth, name="t", scopes=["read", "write"], days=1)[1])
print("slug", campaign.slug)
print("slugs", campaign.slug, make_campaign().slug)
draft = make_campaign(status="draft")
print("draft", draft.slug)
print("dataset", draft.dataset.slug)
print("clip", f"/datasets/{campaign.dataset.slug}/items/{item.pk}/clips/{clip.pk}")
print("bytes", clip.bytes)
"""


@dataclass
class Front:
    nginx: Nginx
    names: NameServer
    server: Server
    web_port: int
    #: What SET_UP printed.
    known: dict[str, str]

    @property
    def cookies(self) -> dict[str, str]:
        return {"Cookie": f"sessionid={self.known['session']}; csrftoken={CSRF}", "X-CSRFToken": CSRF}

    @property
    def bearer(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.known['token']}"}


@dataclass
class Answer:
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def text(self) -> str:
        return self.body.decode()


@pytest.fixture(scope="module", params=PROGRAMS, ids=["stable", "testing"])
def program(request: pytest.FixtureRequest) -> str:
    if not shutil.which(request.param):
        pytest.skip(f"not here: {request.param}; .ci/services brings it")
    return str(request.param)


@pytest.fixture(scope="module")
def front(tmp_path_factory: pytest.TempPathFactory, installed: Server, program: str) -> Iterator[Front]:
    folder = tmp_path_factory.mktemp("front")
    server = Server(folder / "data", name="earshot_nginx_tests", redis_database=3, like=installed)
    server.env["ALLOWED_HOSTS"] = "127.0.0.1,127.0.0.2,127.0.0.3,127.0.0.4"  # the latter three as the test asks them
    names, web_port = NameServer("127.0.0.2", "127.0.0.3"), free_port()
    server.start_web("127.0.0.2", web_port)
    server.start_web("127.0.0.3", web_port)
    server.start_worker()
    nginx = Nginx(program, folder / "nginx", names, web_port=web_port, trusted=OUTER_PROXY)
    try:
        known = dict(line.split(maxsplit=1) for line in server.shell(SET_UP).splitlines())
        for host in names.addresses:
            wait_for(f"http://{host}:{web_port}/healthz", seconds=90)
        nginx.wait()
        yield Front(nginx, names, server, web_port, known)
    finally:
        nginx.stop()
        names.close()
        server.kill()


def ask(
    front: Front, method: str, path: str, body: bytes = b"", *, come_from: str = "127.0.0.1", **headers: str
) -> Answer:
    line = http.client.HTTPConnection(front.nginx.host, timeout=60, source_address=(come_from, 0))
    try:
        line.request(method, path, body, {name.replace("_", "-"): value for name, value in headers.items()})
        reply = line.getresponse()
        return Answer(reply.status, {name.lower(): value for name, value in reply.getheaders()}, reply.read())
    finally:
        line.close()


def multipart(fields: dict[str, str], files: dict[str, tuple[str, bytes]]) -> tuple[bytes, dict[str, str]]:
    edge = uuid4().hex
    parts = [
        f'--{edge}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'.encode()
        for name, value in fields.items()
    ]
    for name, (filename, content) in files.items():
        head = f'--{edge}\r\nContent-Disposition: form-data; name="{name}"; filename="{filename}"\r\n\r\n'
        parts.append(head.encode() + content + b"\r\n")
    return b"".join(parts) + f"--{edge}--\r\n".encode(), {"Content_Type": f"multipart/form-data; boundary={edge}"}


def log_in(front: Front, *, come_from: str, forwarded: str) -> str:
    """The page after a wrong password."""
    form = urlencode({"username": "lena", "password": "wrong", "csrfmiddlewaretoken": CSRF}).encode()
    headers = {"Cookie": f"csrftoken={CSRF}", "Content_Type": "application/x-www-form-urlencoded"}
    headers |= {"X_Forwarded_For": forwarded, "Accept_Language": "en"}
    return ask(front, "POST", "/accounts/login/", form, come_from=come_from, **headers).text


# -- who asks ------------------------------------------------------------


def test_wrong_passwords_under_forged_addresses_are_limited(front: Front) -> None:
    pages = [log_in(front, come_from=STRANGER, forwarded=f"203.0.113.{n}") for n in range(30)]

    assert ["Too many attempts failed" in page for page in pages] == [False] * 5 + [True] * 25


def test_trusted_proxy_names_the_client_and_what_the_client_wrote_before_does_not_count(front: Front) -> None:
    def from_behind(n: int, client: str) -> bool:
        page = log_in(front, come_from=OUTER_PROXY, forwarded=f"203.0.113.{n}, {client}")
        return "Too many attempts failed" in page

    assert [from_behind(n, "198.51.100.7") for n in range(7)] == [False] * 5 + [True] * 2
    assert not from_behind(0, "198.51.100.8")


def test_scheme_is_believed_of_the_trusted_proxy_alone(front: Front) -> None:
    def links(come_from: str) -> bool:
        """Whether the page of the log-in was asked for by HTTPS, which Referer then has to show."""
        headers = {"Cookie": f"csrftoken={CSRF}", "X_CSRFToken": CSRF, "X_Forwarded_Proto": "https"}
        page = ask(front, "POST", "/i18n/setlang/", come_from=come_from, **headers)
        return page.status == 403

    assert [links(OUTER_PROXY), links(STRANGER)] == [True, False]


# -- what is sent ------------------------------------------------------------


def send_import(front: Front, name: str, files: dict[str, tuple[str, bytes]], **fields: str) -> Answer:
    body, kind = multipart({"dataset_name": name, **fields}, files)
    return ask(front, "POST", "/api/v1/imports/", body, **front.bearer, **kind)


def test_import_of_3_mb_by_the_api_is_taken_and_checked_by_the_worker(front: Front) -> None:
    rows = [f"item{n},1,{'why ' * 12_500},{system},so" for n in range(30) for system in ("alpha", "beta")]
    manifest = "\n".join(["item,turn,prompt_text,system,response_text", *rows]).encode()
    assert len(manifest) > 3 * MB

    sent = send_import(front, "Texts", {"manifest": ("manifest.csv", manifest)}, without_audio="true")

    assert sent.status == 202, sent.text
    found = json.loads(sent.body)
    deadline = time.monotonic() + 30
    while found["status"] == "checking" and time.monotonic() < deadline:
        time.sleep(0.2)
        found = json.loads(ask(front, "GET", f"/api/v1/imports/{found['id']}/", **front.bearer).body)
    assert found["status"] == "checked", found


def test_import_of_60_mb_by_the_api_arrives_whole(front: Front) -> None:
    packed = io.BytesIO()
    content = random.Random(1).randbytes(60 * MB)
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("a.wav", content)
    manifest = b"item,turn,prompt_text,system,response_audio\n1,1,Why?,alpha,a.wav\n"
    files = {"manifest": ("manifest.csv", manifest), "archive": ("audio.zip", packed.getvalue())}

    sent = send_import(front, "Sounds", files)

    assert sent.status == 202, sent.text
    kept = front.server.data / "media" / "imports" / json.loads(sent.body)["id"]
    assert packed.getvalue() in [path.read_bytes() for path in kept.rglob("*") if path.is_file()]


def test_other_files_of_more_than_2_mb_reach_their_pages(front: Front) -> None:
    """A recording for a spoken trap is taken; the tables name nothing that is there, and are refused row by row."""
    sound, noise = io.BytesIO(), random.Random(2).randbytes(2 * 192_000 * 9)
    with wave.open(sound, "wb") as file:
        file.setparams((1, 2, 192_000, 0, "NONE", ""))
        file.writeframes(noise)
    scores = b"item,system,metric,value\n" + b"nowhere,nobody,nisqa,1\n" * 150_000
    pairs = b"item,system_a,system_b\n" + b"nowhere,a system that nobody has made,and another one like it\n" * 60_000
    draft, dataset = front.known["draft"], front.known["dataset"]
    chosen = {"how": "file", "per_pair": "1", "repeat_share": "0", "pace": "30"}
    uploads = {
        "recording": (
            f"/campaigns/{draft}/checks/traps/recordings/",
            {},
            {"file": ("both_bad.wav", sound.getvalue())},
        ),
        "scores": (f"/datasets/{dataset}/metrics/import/", {}, {"file": ("scores.csv", scores)}),
        "pairs": (f"/campaigns/{draft}/launch/units/", chosen, {"pairs": ("pairs.csv", pairs)}),
    }

    answers = {}
    for name, (path, fields, files) in uploads.items():
        assert all(len(content) > 3 * MB for _name, content in files.values())
        body, kind = multipart(fields, files)
        answers[name] = ask(front, "POST", path, body, Accept_Language="en", **front.cookies, **kind)

    assert {name: answer.status for name, answer in answers.items()} == {
        "recording": 302,
        "scores": 422,
        "pairs": 422,
    }
    assert all("This is too large" not in answer.text for answer in answers.values())
    assert "nowhere" in answers["pairs"].text


def test_upload_over_its_limit_is_refused_by_our_page_and_by_our_problem(front: Front) -> None:
    body, kind = multipart({}, {"file": ("verdicts.csv", b"x" * 52 * MB)})
    slug = front.known["slug"]

    page = ask(front, "POST", f"/campaigns/{slug}/verdicts/import/", body, **front.cookies, **kind)
    problem = ask(front, "POST", f"/api/v1/campaigns/{slug}/verdicts/", body, **front.bearer, **kind)

    assert (page.status, problem.status) == (413, 413)
    assert "At most 48.6\xa0MB are accepted here." in page.text
    assert "nginx" not in page.text
    assert json.loads(problem.body)["code"] == "too_large"


def test_stranger_is_refused_before_anything_is_read(front: Front) -> None:
    line = http.client.HTTPConnection(front.nginx.host, timeout=20)
    line.putrequest("POST", "/imports/new/")
    line.putheader("Content-Length", str(299 * MB))
    line.endheaders()

    reply = line.getresponse()  # nothing of the body is sent

    assert reply.status == 413
    assert "nobody" not in (text := reply.read().decode())
    assert "This is too large" in text
    line.close()


def test_clip_comes_in_ranges(front: Front) -> None:
    whole = ask(front, "GET", front.known["clip"], **front.cookies)
    part = ask(front, "GET", front.known["clip"], Range="bytes=100-299", **front.cookies)

    assert (whole.status, len(whole.body)) == (200, int(front.known["bytes"]))
    assert (part.status, part.headers["content-range"]) == (206, f"bytes 100-299/{front.known['bytes']}")
    assert part.body == whole.body[100:300]


# -- several processes ------------------------------------------------------------


def test_change_made_through_each_process_reaches_a_page_on_one(front: Front) -> None:
    slugs = front.known["slugs"].split()
    topics = [f"campaign:{slug}" for slug in slugs]
    where = f"ws://{front.nginx.host}/live/"
    with connect(where, additional_headers=front.cookies, origin=f"http://{front.nginx.host}") as page:  # type: ignore[arg-type]
        page.send(json.dumps({"watch": topics}))
        assert json.loads(page.recv(10)) == {"watching": sorted(topics), "refused": []}
        for host, slug, topic in zip(front.names.addresses, slugs, topics, strict=True):
            line = http.client.HTTPConnection(host, front.web_port, timeout=20)
            line.request("POST", f"/campaigns/{slug}/turn/pause/", b"", front.cookies)
            assert line.getresponse().status == 302
            line.close()
            assert json.loads(page.recv(10))["topic"] == topic


def test_process_that_is_killed_costs_no_request_and_one_that_comes_anew_is_found(front: Front) -> None:
    statuses: list[int] = []
    done = threading.Event()

    def go_on() -> None:
        while not done.is_set():
            statuses.append(ask(front, "GET", "/accounts/login/").status)

    people = [threading.Thread(target=go_on) for _ in range(3)]
    for person in people:
        person.start()
    first, second = front.server.processes[:2]
    try:
        os.killpg(first.pid, signal.SIGKILL)
        front.server.start_web("127.0.0.4", front.web_port)
        wait_for(f"http://127.0.0.4:{front.web_port}/healthz", seconds=90)
        front.names.addresses = ["127.0.0.4"]
        time.sleep(6)  # nginx asks again every five seconds
        os.killpg(second.pid, signal.SIGKILL)
        time.sleep(1)
    finally:
        done.set()
        for person in people:
            person.join(20)

    assert set(statuses) == {200}
    assert len(statuses) > 20
