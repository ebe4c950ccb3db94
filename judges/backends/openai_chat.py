"""A chat endpoint that speaks OpenAI's protocol, at any address: OpenAI, Gemini, vLLM, Ollama, llama.cpp."""

import json
import random
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import httpx

from infrastructure.outgoing.bodies import ACCEPTED, BodyRefused, pieces
from infrastructure.outgoing.deadlines import EXTENSION, deadline_in
from infrastructure.wording.reasons import Reason
from judges import reasons
from judges.backends.addresses import GuardedTransport, check_url
from judges.backends.completions import NoCompletion, counted, read_completion
from judges.backends.contract import Cancelled, IsCancelled, JudgeError, JudgeInput, JudgeOutput, SoundForm
from judges.backends.masking import Masker
from judges.backends.messages import wired
from judges.backends.parameters import Parameters, chat_body
from judges.backends.refused_parameters import ParameterRefused, refused_parameter
from judges.backends.replies import storable
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
#: How much of a server's error text is stored.
MOST_SAID = 300
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
    parameters: Parameters = field(default_factory=Parameters)
    extra_headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class _Said:
    """An answer, without any secret that the server sent back: `content` is its JSON, or None where it is none."""

    status: int
    content: Any
    text: str
    retry_after: float | None = None
    location: str = ""

    @property
    def error(self) -> Mapping[str, Any]:
        return self._error if isinstance(self._error, dict) else {}

    @property
    def message(self) -> str:
        """The server's own words, cut short."""
        error = self._error
        text = str(error.get("message", self.text) if isinstance(error, dict) else error)
        return storable(" ".join(text.split()))[:MOST_SAID] or "nothing"

    @property
    def _error(self) -> Any:
        """What it says of an error: OpenAI under `error`, Gemini so in a list, vLLM and Mistral without it."""
        content = self.content[0] if isinstance(self.content, list) and self.content else self.content
        if not isinstance(content, dict):
            return self.text
        return content.get("error", content if "message" in content else self.text)

    @property
    def counted(self) -> JudgeOutput | None:
        """What it says it used; None where it counts nothing."""
        counts = counted(self.content.get("usage")) if isinstance(self.content, dict) else {}
        if counts.get("tokens_in") is None or counts.get("tokens_out") is None:
            return None
        return JudgeOutput(raw="", status="unparsed", **counts)  # type: ignore[arg-type]


class OpenAIChat:
    """Asks one server. Safe to share between threads; `close` it."""

    def __init__(self, server: ChatServer, *, rng: random.Random | None = None) -> None:
        self._server = server
        self._rng = rng or random.Random()  # noqa: S311 - jitter, not a secret
        self._knows_schemas = True
        self._masker = Masker([server.api_key, *server.extra_headers.values()])
        authorization = {"Authorization": f"Bearer {server.api_key}"} if server.api_key else {}
        headers = authorization | dict(server.extra_headers) | {"Accept-Encoding": ACCEPTED}
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
        """From another thread: close the connections, so that no thread waits for a reply that is not wanted."""
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
        raise JudgeError(reasons.NOT_ASKED(), permanent=True)

    def _say(self, wanted: JudgeInput, messages: Messages, is_cancelled: IsCancelled) -> _Said:
        """One reply, without the schema where the server does not know what that is. Raises _Busy, JudgeError."""
        said = self._post(self._body(wanted, messages), is_cancelled)
        refused = self._refused_parameter(said, wanted)
        if self._knows_schemas and not refused and _may_not_know_schemas(said):
            plain = self._post(self._body(wanted, messages, with_schema=False), is_cancelled)
            self._knows_schemas = plain.status != 200
            said, refused = plain, self._refused_parameter(plain, wanted)
        if said.status == 200:
            return said
        raise ParameterRefused(refused, status=said.status, said=said.message) if refused else _failure(said)

    def _body(self, wanted: JudgeInput, messages: Messages, *, with_schema: bool = True) -> dict[str, Any]:
        with_schema = with_schema and self._knows_schemas
        return chat_body(self._server.model, wanted, messages, self._server.parameters, with_schema=with_schema)

    def _refused_parameter(self, said: _Said, wanted: JudgeInput) -> str:
        if said.status not in (400, 422):
            return ""
        return refused_parameter(said.error, said.message, self._server.parameters.sent(wanted))

    def _post(self, body: Mapping[str, Any], is_cancelled: IsCancelled) -> _Said:
        url = self._server.base_url.rstrip("/") + "/chat/completions"
        check_url(self._server.base_url)
        until = time.monotonic() + self._server.timeout_s
        try:
            with (
                deadline_in(self._server.timeout_s) as deadline,
                self._client.stream("POST", url, json=body, extensions={EXTENSION: deadline}) as response,
            ):
                whole = _whole(response, until, is_cancelled)
            return self._said(response, whole)
        except BodyRefused as refusal:
            raise self._unread(refusal, response) from refusal
        except httpx.HTTPError as error:
            if is_cancelled():
                raise Cancelled from error
            raise self._fault(error, is_late=time.monotonic() > until) from error

    def _said(self, response: httpx.Response, body: bytes) -> _Said:
        """The answer as it goes on from here: this is where secrets are masked."""
        try:
            content = self._masker.data(json.loads(body))
        except (ValueError, RecursionError):
            content = None
        return _Said(
            response.status_code,
            content,
            self._masker.text(body.decode("utf-8", "replace")),
            seconds_asked(response.headers.get("Retry-After"), datetime.now(UTC)),
            self._target(response.headers.get("Location", "")) if response.is_redirect else "",
        )

    def _target(self, location: str) -> str:
        """The target of a redirect, without its query string."""
        try:
            found = httpx.URL(self._server.base_url).join(location).copy_with(query=None, fragment=None)
        except httpx.InvalidURL:
            return "?"
        shown = f"{found.scheme}://{found.netloc.decode('ascii', 'replace').rpartition('@')[2]}{found.path}"
        return storable(self._masker.text(shown))[:MOST_SAID]

    def _unread(self, refusal: BodyRefused, response: httpx.Response) -> JudgeError:
        encoding = self._masker.text(response.headers.get("Content-Encoding", ""))[:80]
        known = {"too_long": reasons.TOO_LONG(), "encoding": reasons.NOT_DECODED(encoding=encoding)}
        reason = known.get(refusal.fault, reasons.NOT_READ(fault="compression"))
        return JudgeError(reason, permanent=True, status=response.status_code, was_sent=True)

    def _fault(self, error: httpx.HTTPError, *, is_late: bool) -> JudgeError:
        """What it means that no whole answer came: only where there was no connection was nothing sent."""
        was_sent = not isinstance(error, httpx.ConnectError | httpx.ConnectTimeout | httpx.PoolTimeout)
        if is_late or isinstance(error, httpx.TimeoutException):
            return _Busy(reasons.TOO_SLOW(seconds=f"{self._server.timeout_s:g}"), was_sent=was_sent)
        fault = type(error).__name__
        if isinstance(error, httpx.TransportError):
            return _Busy(reasons.NOT_REACHED(fault=fault), was_sent=was_sent)
        return JudgeError(reasons.NOT_READ(fault=fault), permanent=True, was_sent=True)

    def _read(self, said: _Said, wanted: JudgeInput, *, seconds: float, attempts: int) -> JudgeOutput:
        """Raises _Busy for what is no completion: something in between is ill."""
        options: dict[str, Any] = {"model": self._server.model, "limit": self._server.parameters.most_tokens(wanted)}
        try:
            return read_completion(said.content, wanted, seconds=seconds, attempts=attempts, **options)
        except NoCompletion as error:
            raise _Busy(reasons.NO_COMPLETION(), was_sent=True, counted=said.counted) from error


class _Busy(JudgeError):
    """It may go better the next time."""

    def __init__(self, reason: Reason, **parameters: Any) -> None:
        super().__init__(reason, permanent=False, **parameters)


def _failure(said: _Said) -> JudgeError:
    """What an answer means that is no reply."""
    if said.location:
        redirected = reasons.REDIRECTED(status=said.status, target=said.location)
        return JudgeError(redirected, permanent=True, status=said.status, counted=said.counted)
    no_quota = _is_without_quota(said)
    if said.status not in TRANSIENT or no_quota:
        reason = reasons.ANSWERED(status=said.status, said=said.message)
        return JudgeError(reason, permanent=True, status=said.status, no_quota=no_quota, counted=said.counted)
    return _Busy(
        reasons.BUSY(status=said.status),
        status=said.status,
        retry_after=said.retry_after,
        was_sent=said.status in GIVEN_UP,
        counted=said.counted,
    )


def _is_without_quota(said: _Said) -> bool:
    """Whether the account may ask nothing more for long: by the fault's name, a limit of the day, or the wait."""
    if said.status in TRANSIENT and (said.retry_after or 0) > MOST_ASKED_S:
        return True
    named = NO_QUOTA & {str(said.error.get("code")), str(said.error.get("type"))}
    return said.status == 402 or (said.status == 429 and (bool(named) or "PerDay" in said.text))


def _may_not_know_schemas(said: _Said) -> bool:
    """An unknown model is no unknown schema."""
    return said.status in UNKNOWN_FORMAT and "model" not in str(said.error.get("code"))


def _whole(response: httpx.Response, until: float, is_cancelled: IsCancelled) -> bytes:
    """The body, unless it takes too long, is too long, or is no longer wanted. Raises BodyRefused."""
    body = bytearray()
    for piece in pieces(response, most_bytes=MOST_BYTES):
        body += piece
        if is_cancelled():
            raise Cancelled
        _require_in_time(until)
    _require_in_time(until)  # a connection that was cut ends a body that has no length
    return bytes(body)


def _require_in_time(until: float) -> None:
    if time.monotonic() > until:
        raise httpx.ReadTimeout("the reply took too long")
