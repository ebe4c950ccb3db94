import math

import pytest

from stats.results import Estimate, Excluded, left_out
from tests.cases import each


@each("value", [math.nan, math.inf, -math.inf])
def test_estimate_refuses_what_is_no_number(value):
    with pytest.raises(ValueError, match="neither a number nor a reason"):
        Estimate(value, n=1, method="mean")


def test_estimate_without_a_number_needs_a_reason():
    with pytest.raises(ValueError, match="nobody said why"):
        Estimate(None, n=0, method="mean")
    assert Estimate(None, n=0, method="mean", reason="no units").estimate is None


def test_left_out_keeps_order_and_drops_zeros():
    assert left_out((3, "a tie"), (0, "no label"), (1, "late")) == (Excluded(3, "a tie"), Excluded(1, "late"))
