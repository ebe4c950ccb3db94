"""Requests to one server: with a token, repeated where that is harmless, and polled where work takes long."""

import os
import random
import time
import uuid
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Self

import httpx
from tqdm import tqdm

from earshot_client.problems import EarshotError, Problem, Unreachable, WorkFailed

Json = dict[str, Any]
#: Statuses after which the same request may succeed in a moment. A 409 is repeated only with `Retry-After`.
REPEATED = frozenset({429, 502, 503, 504})
FIRST_WAIT_S, LONGEST_WAIT_S = 0.5, 60.0
POLL_S, LONGEST_POLL_S = 0.3, 5.0


class Server:
    """An Earshot server and a token for it, by default those of `EARSHOT_URL` and `EARSHOT_TOKEN`.

    A request that got no answer, or 429, 502, 503 or 504, is sent again up to `retries` times, after `Retry-After`
    where the server says so. Each POST has an `Idempotency-Key`, so it is executed once.
    """

    def __init__(
        self,
        url: str = "",
        token: str | None = None,
        *,
        retries: int = 6,
        timeout_s: float = 60.0,
        progress: bool = True,
        transport: httpx.BaseTransport | None = None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        url, token = url or os.environ.get("EARSHOT_URL", ""), token or os.environ.get("EARSHOT_TOKEN", "")
        if not url or not token:
            raise EarshotError(
                "Name the server and a token: Server('https://earshot.example.org', 'earshot_…'), or the environment "
                "variables EARSHOT_URL and EARSHOT_TOKEN. Tokens are created under your account on the server."
            )
        self.url, self.retries, self.progress, self.sleep = url.rstrip("/"), retries, progress, sleep
        self.http = httpx.Client(
            base_url=f"{self.url}/api/v1/",
            headers={"Authorization": f"Bearer {token}", "User-Agent": "earshot-client"},
            timeout=httpx.Timeout(timeout_s, connect=10.0),
            transport=transport,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exception: object) -> None:
        self.close()

    def close(self) -> None:
        self.http.close()

    def get(self, path: str, **query: Any) -> Any:
        return self.request("GET", path, params=query or None)

    def post(self, path: str, body: Mapping[str, Any] | None = None, *, form: Mapping[str, Any] | None = None) -> Any:
        """JSON, or the fields of a form; sent again under one key."""
        return self.request("POST", path, json=body if form is None else None, data=form)

    def patch(self, path: str, body: Mapping[str, Any]) -> Any:
        return self.request("PATCH", path, json=body)

    def delete(self, path: str, **query: Any) -> Any:
        return self.request("DELETE", path, params=query or None)

    def request(self, method: str, path: str, **sent: Any) -> Any:
        """The response as JSON, None where it has no body. Raises Problem, Unreachable."""
        response = self.respond(method, path, **sent)
        return response.json() if response.content else None

    def respond(self, method: str, path: str, **sent: Any) -> httpx.Response:
        """The response itself. Raises Problem, Unreachable."""
        if method == "POST":
            sent["headers"] = {"Idempotency-Key": str(uuid.uuid4())} | dict(sent.get("headers") or {})
        for tried in range(self.retries + 1):
            try:
                response = self.http.request(method, path, **sent)
            except httpx.TransportError as error:
                if tried == self.retries:
                    raise Unreachable(f"{self.url} does not answer: {error or type(error).__name__}") from error
                self.sleep(waiting_s(tried))
                continue
            if tried < self.retries and may_be_repeated(response):
                self.sleep(waiting_s(tried, response.headers.get("Retry-After", "")))
                continue
            return _checked(response)
        raise AssertionError("unreachable")

    def pages(self, path: str, **query: Any) -> Iterator[Json]:
        """Every row of a list, page by page."""
        found = self.get(path, **{"page_size": 500} | query)
        yield from found["results"]
        while found["next"]:
            found = self.get(found["next"])
            yield from found["results"]

    def wait(self, path: str, *, title: str, until: Callable[[Json], bool]) -> Json:
        """Ask again, less and less often, until it is so; with a bar of the job's progress where there is one."""
        wait_s = POLL_S
        with self.bar(title) as bar:
            while not until(found := self.get(path)):
                _show(bar, found)
                self.sleep(wait_s)
                wait_s = min(wait_s * 1.5, LONGEST_POLL_S)
            _show(bar, found)
        return dict(found)

    def job(self, job: Mapping[str, Any], *, title: str) -> Json:
        """Wait for a piece of background work. Raises WorkFailed."""
        found = self.wait(
            f"jobs/{job['id']}/", title=title, until=lambda it: it["status"] in {"succeeded", "failed", "cancelled"}
        )
        if found["status"] != "succeeded":
            raise WorkFailed(title, found)
        return found

    @contextmanager
    def bar(self, title: str, *, total: int | None = None, unit: str = "") -> Iterator["tqdm[Any]"]:
        """A progress bar; none is drawn with `progress=False`."""
        shown = unit or " steps"
        with tqdm(
            desc=title, total=total, unit=shown, unit_scale=unit == "B", disable=not self.progress, leave=False
        ) as bar:
            yield bar

    @contextmanager
    def download(self, address: str) -> Iterator[httpx.Response]:
        """A file as it comes. Raises Problem."""
        with self.http.stream("GET", address) as response:
            if response.is_error:
                response.read()
            yield _checked(response)


def may_be_repeated(response: httpx.Response) -> bool:
    return response.status_code in REPEATED or (response.status_code == 409 and "Retry-After" in response.headers)


def waiting_s(tried: int, retry_after: str = "") -> float:
    """What the server asks for, in seconds; else twice as long each time, a little more or less."""
    if retry_after.isdecimal():
        return min(float(retry_after), 10 * LONGEST_WAIT_S)
    return float(min(FIRST_WAIT_S * 2**tried, LONGEST_WAIT_S) * random.uniform(0.8, 1.2))  # noqa: S311 - spreads load


def _checked(response: httpx.Response) -> httpx.Response:
    if response.is_success:
        return response
    try:
        body = response.json()
    except ValueError:
        body = None
    raise Problem.of(response.status_code, body, f"{response.status_code} {response.reason_phrase}")


def _show(bar: "tqdm[Any]", found: Mapping[str, Any]) -> None:
    """The progress of a job, whether it was asked for itself or comes with what it is about."""
    job = found.get("job") if isinstance(found.get("job"), Mapping) else found
    done, total = (job.get(name) if isinstance(job, Mapping) else None for name in ("done", "total"))
    if isinstance(done, int) and isinstance(total, int) and total:
        bar.total, bar.n = total, done
    bar.refresh()
