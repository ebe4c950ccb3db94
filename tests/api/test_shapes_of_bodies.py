"""JSON that is no object is refused wherever fields are expected."""

import json

import pytest

from accounts.models import User
from tests.api.callers import caller

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("body", [[], [1], ["x"], "x", 1, None], ids=repr)
def test_json_that_is_no_object_is_no_fault_of_ours(
    addresses: dict[str, str], people: dict[str, User], body: object
) -> None:
    client = caller(people["superuser"])
    client.raise_request_exception = False
    faults = [
        f"{method} {name}"
        for name, address in addresses.items()
        for method in ("POST", "PUT", "PATCH")
        if client.generic(method, address, json.dumps(body), content_type="application/json").status_code >= 500
    ]

    assert faults == []
