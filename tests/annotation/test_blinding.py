from protocols.kinds.frames import Frame, in_store, shown_value, slot_at, stored_value
from tests.cases import each

FRAMES: list[tuple[Frame, list[str]]] = [
    ("response", ["1", "2", "both_good", "both_bad", "tie"]),
    ("signed", ["-3", "-1", "0", "2"]),
    ("none", ["1", "5", "yes", "b", "a free text"]),
]
CASES = [(shown, order, frame) for frame, values in FRAMES for shown in values for order in ("ab", "ba")]


@each("shown, order, frame", CASES)
def test_stored_value_and_back_is_the_same(shown: str, order: str, frame: Frame) -> None:
    assert shown_value(stored_value(shown, order, frame), order, frame) == shown


@each(
    "shown, order, frame, stored",
    [
        ("1", "ab", "response", "a"),
        ("2", "ab", "response", "b"),
        ("1", "ba", "response", "b"),
        ("2", "ba", "response", "a"),
        ("3", "dbca", "response", "c"),
        ("both_bad", "ba", "response", "both_bad"),
        ("3", "ab", "signed", "3"),
        ("3", "ba", "signed", "-3"),
        ("0", "ba", "signed", "0"),
        ("1", "ba", "none", "1"),
    ],
)
def test_stored_value_names_the_response_not_the_place(shown: str, order: str, frame: Frame, stored: str) -> None:
    assert stored_value(shown, order, frame) == stored


@each("order", ["ab", "ba"])
def test_sides_go_to_the_screen_and_back(order: str) -> None:
    heard = {"a": "x", "b": "y"}

    assert in_store(heard[order[0]], heard[order[1]], order) == ("x", "y")


def test_slot_at_counts_places_from_one() -> None:
    assert [slot_at(place, "cab") for place in (1, 2, 3)] == ["c", "a", "b"]
