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
from judges.backends.waiting import pause_before, sleep_unless

MOST_BYTES = 4_000_000
CONNECT_S = 10.0
#: The server is busy or ill; it may be well the next time.
TRANSIENT = {408, 409, 425, 429, 500, 502, 503, 504, 529}
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
    retry_after: str | None


class OpenAIChat:
    """Asks one server. Safe to share between threads; `close` it."""

    def __init__(self, server: ChatServer, *, rng: random.Random | None = None) -> None:
        self._server = server
        self._rng = rng or random.Random()  # noqa: S311 - jitter, not a secret
        self._knows_schemas = True
        headers = {"Authorization": f"Bearer {server.api_key}"} if server.api_key else {}
        timeout = httpx.Timeout(server.timeout_s, connect=min(CONNECT_S, server.timeout_s))
        # No proxies out of the environment and no redirects: they would lead around the check of the address.
        self._client = httpx.Client(
            headers=headers,
            timeout=timeout,
            follow_redirects=False,
            trust_env=False,
            transport=GuardedTransport(private_allowed=server.private_allowed),
        )

    def close(self) -> None:
        self._client.close()

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
                    raise JudgeError(str(busy), permanent=False) from busy
                pause = pause_before(attempt, retry_after=busy.retry_after, now=datetime.now(UTC), rng=self._rng)
                sleep_unless(is_cancelled, pause)
        raise JudgeError(sayings.NOT_ASKED, permanent=True)

    def _say(self, wanted: JudgeInput, messages: Messages, is_cancelled: IsCancelled) -> _Said:
        """One reply, without the schema where the server does not know what that is. Raises _Busy, JudgeError."""
        said = self._post(_body(self._server.model, wanted, messages, with_schema=self._knows_schemas), is_cancelled)
        if said.status in UNKNOWN_FORMAT and self._knows_schemas and b"model" not in _code(said.body):
            plain = self._post(_body(self._server.model, wanted, messages, with_schema=False), is_cancelled)
            self._knows_schemas = plain.status != 200
            said = plain
        if said.status in TRANSIENT:
            raise _Busy(sayings.BUSY % {"status": said.status}, said.retry_after)
        if said.status != 200:
            told = {"status": said.status, "said": _message(said.body)}
            raise JudgeError(sayings.ANSWERED % told, permanent=True)
        return said

    def _post(self, body: Mapping[str, Any], is_cancelled: IsCancelled) -> _Said:
        url = self._server.base_url.rstrip("/") + "/chat/completions"
        check_url(self._server.base_url)
        until = time.monotonic() + self._server.timeout_s
        try:
            with self._client.stream("POST", url, json=body) as response:
                return _Said(
                    response.status_code, _whole(response, until, is_cancelled), response.headers.get("Retry-After")
                )
        except httpx.TimeoutException as error:
            raise _Busy(sayings.TOO_SLOW % {"seconds": f"{self._server.timeout_s:g}"}) from error
        except httpx.TransportError as error:
            raise _Busy(sayings.NOT_REACHED % {"fault": type(error).__name__}) from error
        except httpx.HTTPError as error:
            raise JudgeError(sayings.NOT_READ % {"fault": type(error).__name__}, permanent=True) from error

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
            raise _Busy(sayings.NO_COMPLETION) from error
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


class _Busy(Exception):
    """It may go better the next time."""

    def __init__(self, message: str, retry_after: str | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after


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
            raise JudgeError(sayings.TOO_LONG, permanent=True)
    return body


def _count(number: object) -> int | None:
    if not isinstance(number, int) or isinstance(number, bool):
        return None
    return number if 0 <= number < 2**31 else None


def _code(body: bytes) -> bytes:
    """What the server calls the fault: an unknown model is none of the schema."""
    try:
        return str(json.loads(body)["error"].get("code")).encode()
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
