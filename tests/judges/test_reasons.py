"""Why runs stop, and why judges do not fit, in the language of the page."""

from itertools import product

import pytest
from django.utils import translation

from infrastructure.outgoing.addresses import ADDRESS_PRIVATE
from infrastructure.templatetags.wording import worded
from judges import reasons
from judges.backends.addresses import RefusedAddress, check_server
from judges.kinds import KINDS
from protocols import SHIPPED


def test_refusal_of_a_private_address_says_how_to_allow_it() -> None:
    with pytest.raises(RefusedAddress) as refusal:
        check_server("http://127.0.0.1:11434/v1", private_allowed=False)

    assert refusal.value.reason == ADDRESS_PRIVATE(host="127.0.0.1", setting="MODELS_ON_PRIVATE_ADDRESSES")
    assert refusal.value.reason.code == "address_private"


def test_reason_within_a_reason_is_german_too() -> None:
    inner = reasons.BUDGET_SPENT(left="0.0100", budget="1.00", spent="1.0042", usd="0.0200")
    with translation.override("de"):
        page, within = worded(reasons.NONE_OF_FIRST(n=5, last=inner)), worded(inner)

    assert page.endswith(within)
    assert within != inner


@pytest.mark.parametrize(("kind", "protocol"), list(product(KINDS, SHIPPED)))
def test_why_a_judge_does_not_fit_is_told_in_german(kind: str, protocol: str) -> None:
    reason = KINDS[kind].fits(SHIPPED[protocol], {})
    with translation.override("de"):
        german = worded(reason) if reason else "-"

    assert german != reason
