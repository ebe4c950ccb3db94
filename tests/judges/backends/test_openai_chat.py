"""The chat backend against a server that behaves, and one that does not."""

import gzip
import json
import random
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any

import pytest

from judges.backends import openai_chat, waiting
from judges.backends.contract import Cancelled, JudgeError, JudgeInput
from judges.backends.openai_chat import ChatServer, OpenAIChat
from tests.judges.server import Step, completion, fault, hang, raw, serving, wait_until

SCHEMA = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
WANTED = JudgeInput(messages=({"role": "user", "content": "Count."},), schema=SCHEMA)
GOOD = '{"n": 3}'


@pytest.fixture
def pauses(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """How long it would have waited."""
    waited: list[float] = []

    def sleep(is_cancelled: Callable[[], bool], seconds: float) -> None:
        waited.append(seconds)
        waiting.sleep_unless(is_cancelled, 0)

    monkeypatch.setattr(openai_chat, "sleep_unless", sleep)
    return waited


def backend(url: str, **changes: Any) -> OpenAIChat:
    server = ChatServer(**({"base_url": url, "model": "m", "private_allowed": True, "timeout_s": 5.0} | changes))
    return OpenAIChat(server, rng=random.Random(1))


def test_question_goes_out_as_the_protocol_wants_it_and_the_reply_is_read() -> None:
    with serving(completion(GOOD)) as server:
        said = backend(server.url + "/", api_key="sk-123").ask(WANTED)

        [body] = server.asked
    assert server.paths == ["/v1/chat/completions"]
    assert server.headers[0]["Authorization"] == "Bearer sk-123"
    assert body == {
        "model": "m",
        "messages": [{"role": "user", "content": "Count."}],
        "max_tokens": 1024,
        "temperature": 0.0,
        "response_format": {
            "type": "json_schema",
            "json_schema": {"name": "reply", "strict": True, "schema": SCHEMA},
        },
    }
    assert (said.status, said.data, said.raw) == ("ok", {"n": 3}, GOOD)
    assert (said.model, said.tokens_in, said.tokens_out, said.attempts) == ("m-2026", 11, 7, 1)


def test_without_a_key_none_is_sent() -> None:
    with serving(completion(GOOD)) as server:
        backend(server.url).ask(WANTED)

        assert "Authorization" not in server.headers[0]


@pytest.mark.parametrize(
    ("step", "status", "data"),
    [
        (completion(f"Sure!\n```json\n{GOOD}\n```"), "repaired", {"n": 3}),
        (completion('{"thought": {"n": 1} ... {"n": 3}'), "unparsed", {}),
        (completion('{"n": 3', finish="length"), "unparsed", {}),
        (completion('{"m": 3}'), "unparsed", {}),
        (completion("[1]"), "unparsed", {}),
        (completion(""), "unparsed", {}),
        (completion(None), "unparsed", {}),
        (completion("[" * 100_000), "unparsed", {}),
        (completion(None, refusal="I will not."), "refused", {}),
        (completion(GOOD, finish="content_filter"), "refused", {}),
    ],
)
def test_what_is_not_as_asked_is_repaired_or_missing_and_never_an_answer(
    step: Step, status: str, data: dict[str, int]
) -> None:
    with serving(step) as server:
        said = backend(server.url).ask(WANTED)

    assert (said.status, dict(said.data)) == (status, data)


def test_refusal_is_kept_in_its_words() -> None:
    with serving(completion(None, refusal="I will not.")) as server:
        assert backend(server.url).ask(WANTED).raw == "I will not."


def test_busy_server_is_asked_again_when_it_says(pauses: list[float]) -> None:
    with serving(fault(429, Retry_After="7"), fault(503), completion(GOOD)) as server:
        said = backend(server.url).ask(WANTED)

    assert (said.status, said.attempts, len(server.asked)) == ("ok", 3, 3)
    assert pauses[0] == 7.0
    assert 0 <= pauses[1] <= 2.0


@pytest.mark.parametrize(
    "step",
    [
        fault(500),
        raw(200, b"<html>"),
        raw(200, b'{"choices": []}'),
        raw(200, b'{"choices": [{"mess', Content_Length="500"),
    ],
)
def test_ill_server_is_given_up_after_so_many_attempts(step: Step, pauses: list[float]) -> None:
    with serving(step) as server, pytest.raises(JudgeError) as caught:
        backend(server.url, attempts=3).ask(WANTED)

    assert (caught.value.permanent, len(server.asked), len(pauses)) == (False, 3, 2)


def test_pauses_double_within_jitter_and_end_at_a_minute() -> None:
    ceilings = [min(60.0, 0.5 * 2**n) for n in range(1, 12)]
    now = datetime(2026, 1, 1, tzinfo=UTC)

    drawn = [
        [waiting.pause_before(n, retry_after=None, rng=random.Random(seed)) for seed in range(200)]
        for n in range(1, 12)
    ]

    for ceiling, pauses_of in zip(ceilings, drawn, strict=True):
        assert max(pauses_of) <= ceiling
        assert max(pauses_of) > 0.9 * ceiling
        assert min(pauses_of) < 0.1 * ceiling
    date = "Thu, 01 Jan 2026 00:00:09 GMT"
    assert waiting.seconds_asked(date, now) == 9.0
    assert waiting.pause_before(1, retry_after=86400.0, rng=random.Random(0)) == 120.0
    assert waiting.seconds_asked("soon", now) is None
    assert waiting.pause_before(1, retry_after=None, rng=random.Random(0)) <= 1.0


@pytest.mark.parametrize(("status", "said"), [(401, "bad key"), (403, "not yours"), (413, "too long")])
def test_what_asking_again_does_not_mend_is_permanent(status: int, said: str, pauses: list[float]) -> None:
    with (
        serving(fault(status, said)) as server,
        pytest.raises(JudgeError, match=f"answered {status}: {said}") as caught,
    ):
        backend(server.url).ask(WANTED)

    assert (caught.value.permanent, len(server.asked)) == (True, 1)


def test_server_that_knows_no_schemas_is_asked_without_one_from_then_on() -> None:
    def step(body: dict[str, Any]) -> Any:
        return (fault(400, "response_format is unknown") if "response_format" in body else completion(GOOD))(body)

    with serving(step) as server:
        asking = backend(server.url)
        first, second = asking.ask(WANTED), asking.ask(WANTED)

    assert (first.status, second.status) == ("ok", "ok")
    assert ["response_format" in body for body in server.asked] == [True, False, False]


def test_unknown_model_is_told_at_once() -> None:
    body = json.dumps({"error": {"message": "no such model", "code": "model_not_found"}}).encode()
    with serving(raw(404, body)) as server, pytest.raises(JudgeError, match="no such model"):
        backend(server.url).ask(WANTED)

    assert len(server.asked) == 1


def test_hanging_server_is_left_after_the_time_that_was_given(pauses: list[float]) -> None:
    started = time.monotonic()
    with serving(hang) as server, pytest.raises(JudgeError, match=r"did not answer within 0\.3 s") as caught:
        backend(server.url, timeout_s=0.3, attempts=2).ask(WANTED)

    assert caught.value.permanent is False
    assert time.monotonic() - started < 5


CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n"
LITTLE_BY_LITTLE = {
    "body": (b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n", b" "),
    "body without a length": (b"HTTP/1.1 200 OK\r\n\r\n", b" "),
    "chunks": (CHUNKED + b"\r\n", b"1\r\n \r\n"),
    "name of a chunk": (CHUNKED + b"\r\n1;", b"a"),
    "headers": (b"HTTP/1.1 200 OK\r\nX-A: ", b"a"),
    "first line": (b"", b"H"),
    "answers before the answer": (b"", b"HTTP/1.1 103 Early Hints\r\n\r\n"),
    "name within gzip": (
        CHUNKED + b"Content-Encoding: gzip\r\n\r\na\r\n\x1f\x8b\x08\x08\0\0\0\0\0\xff\r\n",
        b"1\r\na\r\n",
    ),
}


@contextmanager
def dripping(first: bytes, drop: bytes) -> Iterator[str]:
    """The address of a server that says something, and then a little more every now and then for ever."""
    stop = threading.Event()
    listener = socket.create_server(("127.0.0.1", 0))

    def drip() -> None:
        connection, _ = listener.accept()
        with connection:
            connection.recv(65_536)
            connection.sendall(first)
            while not stop.wait(0.05):
                try:
                    connection.sendall(drop)
                except OSError:
                    return

    thread = threading.Thread(target=drip)
    thread.start()
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}/v1"
    finally:
        stop.set()
        thread.join()
        listener.close()


@pytest.mark.parametrize("what", LITTLE_BY_LITTLE)
def test_server_that_says_a_little_for_ever_is_left_too(what: str, pauses: list[float]) -> None:
    """Every byte comes in time, and the whole never does."""
    started = time.monotonic()
    with dripping(*LITTLE_BY_LITTLE[what]) as url:
        with pytest.raises(JudgeError, match="did not answer within") as caught:
            backend(url, timeout_s=0.5, attempts=1).ask(WANTED)

        assert time.monotonic() - started < 3
    assert caught.value.was_sent


def test_nothing_is_waited_for_behind_the_end_of_a_compressed_reply() -> None:
    body = b'{"choices": [{"message": {"content": "{\\"n\\": 3}"}}]}'
    packed = gzip.compress(body)
    first = CHUNKED + b"Content-Encoding: gzip\r\n\r\n%x\r\n%s\r\n" % (len(packed), packed)
    started = time.monotonic()
    with dripping(first, b"1\r\na\r\n") as url:
        said = backend(url, timeout_s=20).ask(WANTED)

        assert time.monotonic() - started < 5
    assert said.data == {"n": 3}


def test_endless_reply_is_not_read_to_its_end() -> None:
    with serving(raw(200, b" " * 4_100_000)) as server, pytest.raises(JudgeError, match="longer than 4 MB") as caught:
        backend(server.url).ask(WANTED)

    assert caught.value.permanent


def test_redirect_is_not_followed() -> None:
    with serving(completion(GOOD)) as other, serving(raw(302, b"", Location=other.url)) as server:
        with pytest.raises(JudgeError, match="answered 302"):
            backend(server.url).ask(WANTED)

        assert other.asked == []


def test_work_that_is_stopped_waits_no_longer() -> None:
    stop = threading.Event()
    outcome: list[BaseException] = []

    def ask() -> None:
        try:
            backend(server.url).ask(WANTED, is_cancelled=stop.is_set)
        except Cancelled as cancelled:
            outcome.append(cancelled)

    with serving(fault(429, Retry_After="50")) as server:
        thread = threading.Thread(target=ask)
        thread.start()
        wait_until(lambda: len(server.asked) == 1)
        stop.set()
        thread.join(5)

    assert len(outcome) == 1
    assert len(server.asked) == 1


QUOTA = [
    raw(429, b'{"error": {"message": "You exceeded your current quota", "code": "insufficient_quota"}}'),
    raw(429, b'{"error": {"message": "You exceeded your current quota", "type": "insufficient_quota"}}'),
    raw(429, b'[{"error": {"code": 429, "details": [{"quotaId": "GenerateRequestsPerDayPerProject"}]}}]'),
    fault(402, "Insufficient Balance"),
    fault(429, Retry_After="3600"),
]


@pytest.mark.parametrize("step", QUOTA)
def test_account_with_nothing_left_is_asked_once(step: Step, pauses: list[float]) -> None:
    with serving(step) as server, pytest.raises(JudgeError) as caught:
        backend(server.url).ask(WANTED)

    assert (caught.value.permanent, caught.value.no_quota) == (True, True)
    assert (len(server.asked), pauses) == (1, [])


def test_call_that_hangs_ends_when_it_is_abandoned() -> None:
    stop, outcome = threading.Event(), []
    asking = backend("http://127.0.0.1:9/v1")

    def ask() -> None:
        try:
            asking.ask(WANTED, is_cancelled=stop.is_set)
        except Cancelled as cancelled:
            outcome.append(cancelled)

    with serving(hang) as server:
        asking = backend(server.url, timeout_s=60)
        thread = threading.Thread(target=ask)
        thread.start()
        wait_until(lambda: len(server.asked) == 1)
        started = time.monotonic()
        stop.set()
        asking.abandon()
        thread.join(5)

    assert len(outcome) == 1
    assert time.monotonic() - started < 1


@pytest.mark.parametrize(("step", "was_sent"), [(fault(500), False), (fault(504), True), (hang, True)])
def test_failure_says_whether_it_may_be_billed(step: Step, was_sent: bool, pauses: list[float]) -> None:
    with serving(step) as server, pytest.raises(JudgeError) as caught:
        backend(server.url, attempts=1, timeout_s=0.3).ask(WANTED)

    assert caught.value.was_sent is was_sent


def test_server_that_is_not_there_bills_nothing(pauses: list[float]) -> None:
    with pytest.raises(JudgeError) as caught:
        backend("http://127.0.0.1:9/v1", attempts=1).ask(WANTED)

    assert not caught.value.was_sent


def test_what_an_answer_without_a_reply_says_it_used_is_kept(pauses: list[float]) -> None:
    step = raw(500, b'{"error": "late", "usage": {"prompt_tokens": 11, "completion_tokens": 7}}')
    with serving(step) as server, pytest.raises(JudgeError) as caught:
        backend(server.url, attempts=1).ask(WANTED)

    counted = caught.value.counted
    assert counted is not None
    assert (counted.tokens_in, counted.tokens_out) == (11, 7)


def test_private_address_is_refused_unless_it_is_allowed() -> None:
    with serving(completion(GOOD)) as server, pytest.raises(JudgeError, match="MODELS_ON_PRIVATE_ADDRESSES"):
        backend(server.url, private_allowed=False).ask(WANTED)

    assert server.asked == []
