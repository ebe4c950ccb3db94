import json

import pytest

from campaigns.protocols import SHIPPED, InvalidDocument, Protocol, digest, from_document, to_document


@pytest.mark.parametrize("protocol", SHIPPED.values(), ids=SHIPPED)
def test_document_survives_json(protocol: Protocol) -> None:
    assert from_document(json.loads(json.dumps(to_document(protocol)))) == protocol


def test_digest_is_the_same_for_another_order_of_keys() -> None:
    document = to_document(SHIPPED["hcot"])

    assert digest(dict(reversed(document.items()))) == digest(document)


def test_digest_differs_where_one_word_differs() -> None:
    document = to_document(SHIPPED["hcot"])

    assert digest(document | {"instructions": "Listen."}) != digest(document)


def test_document_with_an_aspect_that_waits_for_nothing_known_is_refused() -> None:
    document = json.loads(json.dumps(to_document(SHIPPED["hcot"])))
    document["aspects"][0]["after"] = ["overall"]

    with pytest.raises(InvalidDocument, match="waits for"):
        from_document(document)


@pytest.mark.parametrize("document", [{}, {"aspects": [{}]}, {"name": "x", "aspects": [], "unknown": 1}])
def test_document_of_something_else_is_refused(document: dict[str, object]) -> None:
    with pytest.raises(InvalidDocument):
        from_document(document)
