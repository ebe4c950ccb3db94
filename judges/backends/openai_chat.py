"""A chat endpoint that speaks OpenAI's protocol, at any address: OpenAI, Gemini, vLLM, Ollama, llama.cpp."""

import json
import random
import time
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import httpx

from judges import sayings
from judges.backends.addresses import GuardedTransport, check_url
from judges.backends.contract import (
    Cancelled,
    IsCancelled,
    JudgeError,
    JudgeInput,
    JudgeOutput,
    ParseStatus,
    SoundForm,
)
from judges.backends.messages import wired
from judges.backends.replies import read_reply, storable
from judges.backends.waiting import MOST_ASKED_S, pause_before, seconds_asked, sleep_unless

MOST_BYTES = 4_000_000
CONNECT_S = 10.0
#: The server is busy or ill; it may be well the next time.
TRANSIENT = {408, 409, 425, 429, 500, 502, 503, 504, 529}
#: A gateway gave up; the model behind it may have answered, for money.
GIVEN_UP = {408, 504}
#: By these names servers say that the account has nothing left, which no waiting mends.
NO_QUOTA = {"insufficient_quota", "billing_hard_limit_reached", "billing_not_active", "insufficient_balance"}
#: What servers answer that do not know a schema of the reply.
UNKNOWN_FORMAT = {400, 404, 415, 422, 501}
Messages = list[dict[str, Any]]


@dataclass(frozen=True)
class ChatServer:
    """Where to ask, and how patiently: `timeout_s` for one reply, from the first byte sent to the last received."""

    base_url: str
    model: str
    api_key: str = ""
    timeout_s: float = 120.0
    attempts: int = 5
    private_allowed: bool = False
    sound_form: SoundForm = ""


@dataclass(frozen=True)
class _Said:
    status: int
    body: bytes
    retry_after: float | None


class OpenAIChat:
    """Asks one server. Safe to share between threads; `close` it."""

    def __init__(self, server: ChatServer, *, rng: random.Random | None = None) -> None:
        self._server = server
        self._rng = rng or random.Random()  # noqa: S311 - jitter, not a secret
        self._knows_schemas = True
        headers = {"Authorization": f"Bearer {server.api_key}"} if server.api_key else {}
        timeout = httpx.Timeout(server.timeout_s, connect=min(CONNECT_S, server.timeout_s))
        self._transport = GuardedTransport(private_allowed=server.private_allowed)
        # No proxies out of the environment and no redirects: they would lead around the check of the address.
        self._client = httpx.Client(
            headers=headers,
            timeout=timeout,
            follow_redirects=False,
            trust_env=False,
            transport=self._transport,
        )

    def close(self) -> None:
        self._client.close()

    def abandon(self) -> None:
        """From another thread: close the connections, so that nobody waits for a reply that is not wanted."""
        self._transport.cut()

    def ask(self, wanted: JudgeInput, *, is_cancelled: IsCancelled = lambda: False) -> JudgeOutput:
        """Raises JudgeError, Cancelled."""
        started = time.monotonic()
        messages = wired(wanted.messages, self._server.sound_form)
        for attempt in range(1, self._server.attempts + 1):
            try:
                said = self._say(wanted, messages, is_cancelled)
                return self._read(said, wanted, seconds=time.monotonic() - started, attempts=attempt)
            except _Busy as busy:
                if attempt == self._server.attempts:
                    raise
                pause = pause_before(attempt, retry_after=busy.retry_after, rng=self._rng)
                sleep_unless(is_cancelled, pause)
        raise JudgeError(sayings.NOT_ASKED, permanent=True)

    def _say(self, wanted: JudgeInput, messages: Messages, is_cancelled: IsCancelled) -> _Said:
        """One reply, without the schema where the server does not know what that is. Raises _Busy, JudgeError."""
        said = self._post(_body(self._server.model, wanted, messages, with_schema=self._knows_schemas), is_cancelled)
        if said.status in UNKNOWN_FORMAT and self._knows_schemas and b"model" not in _code(said.body):
            plain = self._post(_body(self._server.model, wanted, messages, with_schema=False), is_cancelled)
            self._knows_schemas = plain.status != 200
            said = plain
        if said.status == 200:
            return said
        told = sayings.ANSWERED % {"status": said.status, "said": _message(said.body)}
        counted = _counted(said.body)
        if said.status not in TRANSIENT or _is_without_quota(said):
            no_quota = _is_without_quota(said)
            raise JudgeError(told, permanent=True, status=said.status, no_quota=no_quota, counted=counted)
        raise _Busy(
            sayings.BUSY % {"status": said.status},
            status=said.status,
            retry_after=said.retry_after,
            was_sent=said.status in GIVEN_UP,
            counted=counted,
        )

    def _post(self, body: Mapping[str, Any], is_cancelled: IsCancelled) -> _Said:
        url = self._server.base_url.rstrip("/") + "/chat/completions"
        check_url(self._server.base_url)
        until = time.monotonic() + self._server.timeout_s
        try:
            with self._client.stream("POST", url, json=body) as response:
                wanted = seconds_asked(response.headers.get("Retry-After"), datetime.now(UTC))
                return _Said(response.status_code, _whole(response, until, is_cancelled), wanted)
        except httpx.HTTPError as error:
            if is_cancelled():
                raise Cancelled from error
            raise self._fault(error) from error

    def _fault(self, error: httpx.HTTPError) -> JudgeError:
        """What it means that no whole answer came: only where there was no connection was nothing sent."""
        was_sent = not isinstance(error, httpx.ConnectError | httpx.ConnectTimeout | httpx.PoolTimeout)
        if isinstance(error, httpx.TimeoutException):
            return _Busy(sayings.TOO_SLOW % {"seconds": f"{self._server.timeout_s:g}"}, was_sent=was_sent)
        told = {"fault": type(error).__name__}
        if isinstance(error, httpx.TransportError):
            return _Busy(sayings.NOT_REACHED % told, was_sent=was_sent)
        return JudgeError(sayings.NOT_READ % told, permanent=True, was_sent=True)

    def _read(self, said: _Said, wanted: JudgeInput, *, seconds: float, attempts: int) -> JudgeOutput:
        """Raises _Busy for what is no completion: something in between is ill."""
        try:
            reply = json.loads(said.body)
            choice = reply["choices"][0]
            message = choice["message"]
            text, refusal = str(message.get("content") or ""), str(message.get("refusal") or "")
            usage = reply.get("usage") or {}
            tokens = _count(usage.get("prompt_tokens")), _count(usage.get("completion_tokens"))
        except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
            raise _Busy(sayings.NO_COMPLETION, was_sent=True, counted=_counted(said.body)) from error
        status: ParseStatus
        data: dict[str, Any]
        if refusal or choice.get("finish_reason") == "content_filter":
            status, data = "refused", {}
        else:
            status, data = read_reply(text, wanted.schema)
        return JudgeOutput(
            raw=storable(refusal or text),
            status=status,
            data=data,
            model=storable(str(reply.get("model") or self._server.model))[:200],
            tokens_in=tokens[0],
            tokens_out=tokens[1],
            seconds=seconds,
            attempts=attempts,
        )


class _Busy(JudgeError):
    """It may go better the next time."""

    def __init__(self, message: str, **told: Any) -> None:
        super().__init__(message, permanent=False, **told)


def _is_without_quota(said: _Said) -> bool:
    """Whether the account may ask nothing more for long: by the fault's name, a limit of the day, or the wait."""
    if said.status in TRANSIENT and (said.retry_after or 0) > MOST_ASKED_S:
        return True
    named = NO_QUOTA & {_code(said.body).decode(), _code(said.body, "type").decode()}
    return said.status == 402 or (said.status == 429 and (bool(named) or b"PerDay" in said.body))


def _body(model: str, wanted: JudgeInput, messages: Messages, *, with_schema: bool) -> dict[str, Any]:
    body: dict[str, Any] = {
        "model": model,
        "messages": messages,
        "max_tokens": wanted.max_tokens,
        "temperature": wanted.temperature,
    }
    if with_schema:
        schema = {"name": wanted.schema_name, "strict": True, "schema": wanted.schema}
        body["response_format"] = {"type": "json_schema", "json_schema": schema}
    return body


def _whole(response: httpx.Response, until: float, is_cancelled: IsCancelled) -> bytes:
    """The body, unless it takes too long, is too long, or nobody wants it any more."""
    body = b""
    for piece in response.iter_bytes():
        body += piece
        if is_cancelled():
            raise Cancelled
        if time.monotonic() > until:
            raise httpx.ReadTimeout("the reply took too long")
        if len(body) > MOST_BYTES:
            raise JudgeError(sayings.TOO_LONG, permanent=True, was_sent=True)
    return body


def _count(number: object) -> int | None:
    if not isinstance(number, int) or isinstance(number, bool):
        return None
    return number if 0 <= number < 2**31 else None


def _counted(body: bytes) -> JudgeOutput | None:
    """What an answer that holds no reply says it used; None where it counts nothing."""
    try:
        usage = json.loads(body)["usage"]
        tokens_in, tokens_out = _count(usage["prompt_tokens"]), _count(usage["completion_tokens"])
    except (ValueError, LookupError, TypeError, RecursionError):
        return None
    if tokens_in is None or tokens_out is None:
        return None
    return JudgeOutput(raw="", status="unparsed", tokens_in=tokens_in, tokens_out=tokens_out)


def _code(body: bytes, name: str = "code") -> bytes:
    """What the server calls the fault: an unknown model is none of the schema."""
    try:
        return str(json.loads(body)["error"].get(name)).encode()
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return b""


def _message(body: bytes) -> str:
    """The server's own words, cut short."""
    try:
        error = json.loads(body)["error"]
        text = str(error["message"] if isinstance(error, dict) else error)
    except (ValueError, LookupError, TypeError, RecursionError):
        text = body.decode("utf-8", "replace")
    return storable(" ".join(text.split()))[:300] or "nothing"
