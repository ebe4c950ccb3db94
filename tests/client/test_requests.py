"""What the client does about a server that is away, overloaded, or says no."""

from collections.abc import Callable, Iterator

import httpx
import pytest
from earshot_client import EarshotError, Problem, Server, Study, Unreachable, WorkFailed

Reply = Callable[[httpx.Request], httpx.Response]
DOCUMENT = {
    "type": "about:blank", "title": "Bad Request", "status": 400, "code": "invalid", "params": {},
    "detail": "What was sent is not valid.",
    "errors": [{"field": "target_lufs", "message": "Ensure this value is at most -16.", "code": "max_value"}],
}  # fmt: skip


class Recorder:
    """Replies from a list, and what was asked and slept."""

    def __init__(self, *replies: httpx.Response | Exception) -> None:
        self.replies: Iterator[httpx.Response | Exception] = iter(replies)
        self.asked: list[httpx.Request] = []
        self.slept: list[float] = []

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.asked.append(request)
        reply = next(self.replies)
        if isinstance(reply, Exception):
            raise reply
        return reply

    def server(self, **more: object) -> Server:
        transport = httpx.MockTransport(self)
        return Server(
            "https://earshot.example",
            "earshot_x",
            transport=transport,
            sleep=self.slept.append,
            progress=False,
            **more,
        )  # type: ignore[arg-type]


def test_lost_post_is_sent_again_under_the_same_key() -> None:
    calls = Recorder(
        httpx.ConnectError("refused"), httpx.ReadTimeout("slow"), httpx.Response(503), httpx.Response(201, json={})
    )

    assert calls.server().post("campaigns/", {"title": "x"}) == {}

    keys = {request.headers["Idempotency-Key"] for request in calls.asked}
    assert (len(calls.asked), len(keys), calls.asked[0].url.path) == (4, 1, "/api/v1/campaigns/")
    assert len(calls.slept) == 3
    assert calls.slept == sorted(calls.slept)


def test_two_posts_have_two_keys() -> None:
    calls = Recorder(httpx.Response(201, json={}), httpx.Response(201, json={}))
    server = calls.server()

    server.post("campaigns/", {})
    server.post("campaigns/", {})

    assert len({request.headers["Idempotency-Key"] for request in calls.asked}) == 2


@pytest.mark.parametrize("status", [429, 503, 409])
def test_retry_after_is_waited_for(status: int) -> None:
    calls = Recorder(httpx.Response(status, headers={"Retry-After": "7"}), httpx.Response(200, json=[]))

    calls.server().get("me/")

    assert calls.slept == [7.0]


def test_refusal_is_not_sent_again_and_names_the_fields() -> None:
    calls = Recorder(httpx.Response(400, json=DOCUMENT))

    with pytest.raises(Problem) as refused:
        calls.server().post("campaigns/", {})

    problem = refused.value
    assert (problem.status, problem.code, [it.field for it in problem.errors]) == (400, "invalid", ["target_lufs"])
    assert "target_lufs: Ensure this value is at most -16." in str(problem)
    assert len(calls.asked) == 1


def test_page_of_a_proxy_is_a_problem_too() -> None:
    with pytest.raises(Problem, match="404 no_problem_document"):
        Recorder(httpx.Response(404, html="<h1>nginx</h1>")).server().get("me/")


def test_server_that_stays_away_is_said_so() -> None:
    calls = Recorder(*[httpx.ConnectError("refused")] * 3)

    with pytest.raises(Unreachable, match=r"https://earshot\.example does not answer: refused"):
        calls.server(retries=2).get("me/")

    assert len(calls.asked) == 3


def test_overloaded_server_is_a_problem_after_the_last_try() -> None:
    with pytest.raises(Problem) as refused:
        Recorder(*[httpx.Response(503)] * 3).server(retries=2).get("me/")

    assert refused.value.status == 503


def test_list_is_read_to_its_last_page() -> None:
    following = "https://earshot.example/api/v1/campaigns/?cursor=x"
    calls = Recorder(
        httpx.Response(200, json={"next": following, "results": [{"n": 1}]}),
        httpx.Response(200, json={"next": None, "results": [{"n": 2}]}),
    )

    assert [it["n"] for it in calls.server().pages("campaigns/")] == [1, 2]
    assert str(calls.asked[1].url) == following


def test_failed_job_names_its_rows() -> None:
    job = {
        "id": "1", "status": "failed", "done": 1, "total": 2,
        "error": {"code": "x", "params": {}, "detail": "A clip cannot be prepared."},
        "errors": [{"row": 3, "field": "alpha/1.wav", "message": {"detail": "It is too loud."}}],
    }  # fmt: skip

    with pytest.raises(WorkFailed) as failed:
        Recorder(httpx.Response(200, json=job)).server().job(job, title="Prepare audio")

    assert str(failed.value).splitlines() == [
        "Prepare audio: failed",
        "  A clip cannot be prepared.",
        "  3 alpha/1.wav: It is too loud.",
    ]


def test_server_without_address_or_token_says_where_they_come_from(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("EARSHOT_URL", raising=False)
    monkeypatch.delenv("EARSHOT_TOKEN", raising=False)

    with pytest.raises(EarshotError, match="EARSHOT_URL and EARSHOT_TOKEN"):
        Server()


def test_draft_whose_audio_cannot_be_prepared_is_deleted_and_the_way_out_is_named() -> None:
    reason = {"code": "target_too_loud", "detail": "At -23 LUFS the true peak would be 2.1 dBTP.", "params": {}}
    failed = {"id": "1", "status": "failed", "errors": [{"row": None, "field": "a.wav", "message": reason}]}
    calls = Recorder(
        httpx.Response(201, json={"slug": "which", "preparation": {"id": "1"}}), httpx.Response(200, json=failed),
        httpx.Response(202, json={"id": "2"}), httpx.Response(200, json={"id": "2", "status": "succeeded"}),
    )  # fmt: skip

    with pytest.raises(WorkFailed, match="target_lufs=-27"):
        Study.draft(title="Which?", dataset="voices", protocol="hcot", server=calls.server())

    asked = [(it.method, it.url.path.removeprefix("/api/v1/")) for it in calls.asked]
    assert asked[2:] == [("DELETE", "campaigns/which/"), ("GET", "jobs/2/")]
