"""The guard of `infrastructure/outgoing` as the judges know it: what it refuses is a JudgeError."""

import httpx

from infrastructure.outgoing import addresses
from infrastructure.outgoing.addresses import AddressRefused, NotFound
from infrastructure.outgoing.pinned import PinnedTransport
from infrastructure.wording.reasons import Reason
from judges.backends.contract import JudgeError

ALLOWED_BY = "MODELS_ON_PRIVATE_ADDRESSES"


class RefusedAddress(JudgeError):
    """An address that is not asked."""

    def __init__(self, reason: Reason) -> None:
        super().__init__(reason, permanent=True)


def check_url(url: str) -> None:
    """Raises RefusedAddress for what is no plain address of a server."""
    try:
        addresses.check_url(url)
    except AddressRefused as refusal:
        raise RefusedAddress(refusal.reason) from refusal


def check_server(url: str, *, private_allowed: bool) -> None:
    """Look the server of a plain address up. Raises RefusedAddress where it is not asked, JudgeError if not found."""
    where = httpx.URL(url)
    port = where.port or (443 if where.scheme == "https" else 80)
    host = where.raw_host.decode("ascii")
    try:
        addresses.checked_addresses(host, port, private_allowed=private_allowed, allowed_by=ALLOWED_BY)
    except AddressRefused as refusal:
        raise RefusedAddress(refusal.reason) from refusal
    except NotFound as missing:
        raise JudgeError(missing.reason, permanent=False) from missing


class GuardedTransport(PinnedTransport):
    """Asks only addresses that may be asked. Raises JudgeError for others."""

    def __init__(self, *, private_allowed: bool) -> None:
        super().__init__(private_allowed=private_allowed, allowed_by=ALLOWED_BY)

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        try:
            return super().handle_request(request)
        except AddressRefused as refusal:
            raise RefusedAddress(refusal.reason) from refusal
        except NotFound as missing:
            raise JudgeError(missing.reason, permanent=False) from missing
