"""Secrets that a server sends back are masked, in whatever form it sends them."""

import base64
import html
import json
import time
import urllib.parse
from collections.abc import Callable

from hypothesis import given
from hypothesis import strategies as st

from judges.backends.masking import MASK, Masker
from tests.cases import each

KEY = "sk-proj-Ab+c/d=E9&Xyz\"0123'456789abcdef"
FORMS: dict[str, Callable[[str], str]] = {
    "as it is": str,
    "URL": lambda key: urllib.parse.quote(key, safe=""),
    "URL twice": lambda key: urllib.parse.quote(urllib.parse.quote(key, safe=""), safe=""),
    "URL, every character": lambda key: "".join(f"%{byte:02x}" for byte in key.encode()),
    "JSON": json.dumps,
    "JSON in JSON": lambda key: json.dumps(json.dumps(key)),
    "JSON, every character": lambda key: "".join(f"\\u{ord(one):04X}" for one in key),
    "JSON with slashes escaped": lambda key: json.dumps(key).replace("/", "\\/"),
    "HTML": html.escape,
    "HTML in JSON": lambda key: json.dumps(html.escape(key)),
    "hexadecimal": lambda key: key.encode().hex().upper(),
    "base64": lambda key: base64.b64encode(key.encode()).decode(),
    "basic authentication": lambda key: base64.b64encode(f"user:{key}".encode()).decode(),
    "base64 for URLs": lambda key: base64.urlsafe_b64encode(f"u:{key}:x".encode()).decode(),
    "its beginning": lambda key: key[:20],
    "its end": lambda key: "…" + key[-15:],
    "base64 of its beginning": lambda key: base64.b64encode(key[:18].encode()).decode(),
    "base64 without its beginning": lambda key: base64.b64encode(key[3:].encode()).decode(),
    "base64 for URLs, without its end": lambda key: base64.urlsafe_b64encode(key[:-2].encode()).decode(),
    "hexadecimal without its end": lambda key: key[:-2].encode().hex().upper(),
    "hexadecimal of its end": lambda key: key[-9:].encode().hex(),
}


def left_of(key: str, text: str, longest: int = 6) -> list[str]:
    """Pieces of the key, or of its base64, that can still be read."""
    encoded = [base64.b64encode(b"\0" * n + key.encode()).decode()[2:] for n in range(3)]
    held = [key, *encoded]
    return [
        one[at : at + longest] for one in held for at in range(len(one) - longest + 1) if one[at:][:longest] in text
    ]


@each("form", FORMS)
def test_key_is_masked_in_every_form(form: str) -> None:
    masked = Masker([KEY]).text(f"You sent {FORMS[form](KEY)}, which is not known.")

    assert MASK in masked
    assert left_of(KEY, masked) == []
    assert masked.startswith("You sent ")
    assert masked.endswith(", which is not known.")


KEYS = st.text(st.characters(codec="ascii", categories=["L", "N", "P", "S"]), min_size=24, max_size=60)


@given(KEYS, st.sampled_from(sorted(FORMS)), st.text(max_size=30), st.text(max_size=30))
def test_no_key_is_left_in_any_form(key: str, form: str, before: str, after: str) -> None:
    masked = Masker([key]).text(f"{before} {FORMS[form](key)} {after}")

    assert key not in masked
    assert MASK in masked


@given(st.text(max_size=200))
def test_text_without_a_secret_stays_as_it_is(text: str) -> None:
    assert Masker([KEY, "extra-header-value"]).text(text) == text


def test_short_keys_are_masked_as_a_whole_and_none_masks_nothing() -> None:
    assert Masker(["sk-1"]).text("the key sk-1, and sk-2") == f"the key {MASK}, and sk-2"
    assert Masker(["", "no"]).text("no key") == "no key"


def test_data_is_masked_in_names_and_values() -> None:
    masked = Masker([KEY]).data({KEY: [KEY, 1, None, {"a": f"x{KEY}"}]})

    assert masked == {MASK: [MASK, 1, None, {"a": f"x{MASK}"}]}


@each("text", ["\\" * 2_000_000, "%25" * 700_000, "&amp" * 500_000, '{"a": "b\\n"}' * 180_000])
def test_long_texts_are_masked_in_a_few_seconds(text: str) -> None:
    began = time.process_time()

    Masker([KEY]).text(text)

    assert time.process_time() - began < 10
