"""How much a request may send beside its body: first line, headers, and what follows a body in chunks, together.

httptools collects each of them in memory, however long it becomes; nginx has limits of its own before it.
"""

from http import HTTPStatus
from typing import Any

from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol

MOST_BYTES = 64 * 1024
#: So long (s) what is still coming is thrown away after a refusal: a client that sends reads no answer.
LINGER_S = 5

TOO_LARGE = HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE
ANSWER = b"The first line and the headers of this request are larger than 64 kB.\n"
REFUSAL = (
    STATUS_LINE[TOO_LARGE]
    + b"content-type: text/plain; charset=utf-8\r\ncontent-length: %d\r\nconnection: close\r\n\r\n" % len(ANSWER)
    + ANSWER
)


class BoundedHeads(HttpToolsProtocol):
    """uvicorn's HTTP that answers 431 once `MOST_BYTES` came without ending a head or bringing a part of a body."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._unfinished = 0
        self._is_refused = False

    def data_received(self, data: bytes) -> None:
        while data and not self._is_over():
            part, data = data[: MOST_BYTES - self._unfinished], data[MOST_BYTES - self._unfinished :]
            self._unfinished += len(part)
            super().data_received(part)
            if self._unfinished >= MOST_BYTES and not self._is_over():
                self._refuse()

    def on_headers_complete(self) -> None:
        self._unfinished = 0
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        self._unfinished = 0
        super().on_body(body)

    def on_message_complete(self) -> None:
        self._unfinished = 0
        super().on_message_complete()

    def _is_over(self) -> bool:
        """Nothing is read any more: it was refused, is closing, or became a WebSocket."""
        return self._is_refused or self.transport.is_closing() or self.transport.get_protocol() is not self

    def _refuse(self) -> None:
        self._is_refused = True
        if self.cycle and not self.cycle.response_complete:
            self.transport.close()  # the answer to this request, or to one before it, is under way
            return
        self.transport.write(REFUSAL)
        self.loop.call_later(LINGER_S, self.transport.close)
