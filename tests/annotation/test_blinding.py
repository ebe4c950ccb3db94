import pytest

from annotation.blinding import Order, in_store, on_screen, shown_value, stored_value

SHOWN = ["1", "2", "both_good", "both_bad"]


@pytest.mark.parametrize("order", ["ab", "ba"])
@pytest.mark.parametrize("shown", SHOWN)
def test_stored_value_and_back_is_the_same(shown: str, order: Order) -> None:
    assert shown_value(stored_value(shown, order), order) == shown


@pytest.mark.parametrize(
    ("shown", "order", "stored"),
    [("1", "ab", "a"), ("2", "ab", "b"), ("1", "ba", "b"), ("2", "ba", "a"), ("both_bad", "ba", "both_bad")],
)
def test_stored_value_names_the_response_not_the_place(shown: str, order: Order, stored: str) -> None:
    assert stored_value(shown, order) == stored


@pytest.mark.parametrize("order", ["ab", "ba"])
def test_sides_go_to_the_screen_and_back(order: Order) -> None:
    assert in_store(*on_screen("x", "y", order), order) == ("x", "y")
