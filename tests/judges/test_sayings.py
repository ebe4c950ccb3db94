"""What runs say of themselves, and why judges do not fit, in the language of the page."""

import re
from itertools import product

import pytest
from django.template import Context, Template
from django.utils import translation

from infrastructure.templatetags.wording import worded
from judges.backends.addresses import RefusedAddress, check_server
from judges.kinds import KINDS
from judges.sayings import BUDGET_SPENT, IN_PRIVATE_NETWORK, NONE_OF_FIRST, TEMPLATES, told
from protocols import SHIPPED

FIGURES = {"n": "5", "last": "?", "budget": "1.00", "spent": "1.0042", "model": "Drafter", "status": "503",
           "said": "no such model", "seconds": "30", "fault": "ConnectError", "host": "example.org",
           "bad": "16", "left": "0.0100", "usd": "0.0200", "most": "0.0150", "unconfirmed": "0.0300",
           "parameter": "top_k", "other": "max_completion_tokens", "target": "https://b.example/v1",
           "encoding": "br", "setting": "MODELS_ON_PRIVATE_ADDRESSES"}  # fmt: skip


@pytest.mark.parametrize("template", TEMPLATES)
def test_what_is_kept_in_english_is_told_in_german_with_its_figures(template: str) -> None:
    kept = template % FIGURES
    with translation.override("de"):
        german = told(kept)

    parts = [FIGURES[name] for name in re.findall(r"%\((\w+)\)s", template)]
    assert (told(kept), german != kept) == (kept, True)
    assert [part for part in parts if part not in german] == []


def test_refusal_of_a_private_address_is_the_sentence_that_is_translated() -> None:
    with pytest.raises(RefusedAddress) as refusal:
        check_server("http://127.0.0.1:11434/v1", private_allowed=False)

    figures = {"host": "127.0.0.1", "setting": "MODELS_ON_PRIVATE_ADDRESSES"}
    assert str(refusal.value) == IN_PRIVATE_NETWORK % figures


def test_a_sentence_within_a_sentence_is_german_too() -> None:
    kept = NONE_OF_FIRST % {"n": 5, "last": BUDGET_SPENT % FIGURES}
    with translation.override("de"):
        page = Template("{% load sayings %}{{ kept|told }}").render(Context({"kept": kept}))
        inner = told(BUDGET_SPENT % FIGURES)

    assert page.endswith(inner)
    assert told("") == ""
    assert told("What a server made up: 5 calls") == "What a server made up: 5 calls"


@pytest.mark.parametrize(("kind", "protocol"), list(product(KINDS, SHIPPED)))
def test_why_a_judge_does_not_fit_is_told_in_german(kind: str, protocol: str) -> None:
    reason = KINDS[kind].fits(SHIPPED[protocol], {})
    with translation.override("de"):
        german = worded(reason) if reason else "-"

    assert german != reason
