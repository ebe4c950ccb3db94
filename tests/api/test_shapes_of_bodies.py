"""JSON that is no object is refused wherever fields are expected."""

import json

import pytest

from accounts.models import User
from tests.api.callers import caller

pytestmark = pytest.mark.django_db
BODIES = ([], [1], ["x"], "x", 1, None)
NO_SUCH_METHOD = 405


def test_json_that_is_no_object_is_no_fault_of_ours(addresses: dict[str, str], people: dict[str, User]) -> None:
    client = caller(people["superuser"])
    client.raise_request_exception = False
    faults, n_asked = [], 0
    for name, address in addresses.items():
        for method in ("POST", "PUT", "PATCH"):
            for body in BODIES:
                reply = client.generic(method, address, json.dumps(body), content_type="application/json")
                if reply.status_code == NO_SUCH_METHOD:  # whatever the body
                    break
                n_asked += 1
                if reply.status_code >= 500:
                    faults.append(f"{method} {name} {body!r}")

    assert faults == []
    assert n_asked > 100 * len(BODIES)
