import random
from collections import Counter

from judges.cases.example_choice import Candidate, Guard, chosen
from tests.cases import each


def candidates(rng: random.Random, n: int = 40) -> list[Candidate]:
    """Units of few items, with clips out of a small heap: nearly everything is shared with something."""
    return [
        Candidate(
            unit, rng.randrange(12), frozenset(rng.sample(range(60), 3)), rng.choice(["ab", "ba"]), {},
            rng.choice(["1", "1", "1", "2", "both_bad"]),
        )
        for unit in range(n)
    ]  # fmt: skip


@each("seed", range(200))
def test_no_example_tells_on_the_unit(seed: int) -> None:
    rng = random.Random(seed)
    there = candidates(rng)
    at_hand = rng.choice(there)
    held_out = set(rng.sample(range(40), rng.randrange(0, 40)))
    guard = Guard(at_hand.unit, at_hand.item, at_hand.clips, held_out)

    shown = chosen(there, guard, rng.randrange(1, 20), seed=rng.randrange(100))

    assert at_hand not in shown
    assert [one for one in shown if one.item == at_hand.item] == []
    assert [one for one in shown if one.clips & at_hand.clips] == []
    assert [one for one in shown if one.unit in held_out] == []


@each("n", [1, 4, 8, 16, 1000])
def test_as_many_as_wanted_and_as_there_are_each_once(n: int) -> None:
    there = candidates(random.Random(1))
    guard = Guard(-1, -1, frozenset())

    shown = chosen(there, guard, n, seed=0)

    assert len(shown) == len({one.unit for one in shown}) == min(n, len(there))


def test_every_label_gets_its_turn() -> None:
    there = candidates(random.Random(2))

    shown = chosen(there, Guard(-1, -1, frozenset()), 6, seed=3)

    assert Counter(one.label for one in shown) == {"1": 2, "2": 2, "both_bad": 2}


def test_many_keep_their_proportions() -> None:
    there = [Candidate(n, n, frozenset(), "ab", {}, "1" if n % 4 else "2") for n in range(400)]

    shown = chosen(there, Guard(-1, -1, frozenset()), 200, seed=0)

    assert 35 <= Counter(one.label for one in shown)["2"] <= 65


def test_same_seed_gives_the_same_examples_in_whatever_order_rows_come() -> None:
    there = candidates(random.Random(3))
    guard = Guard(-1, -1, frozenset())

    first = chosen(there, guard, 8, seed=5)

    assert chosen(there[::-1], guard, 8, seed=5) == first
    assert chosen(there, guard, 8, seed=6) != first


def test_most_units_are_judged_beside_the_same_examples() -> None:
    there = [Candidate(n, n, frozenset({n}), "ab", {}, str(n % 2)) for n in range(200)]

    sets = Counter(
        tuple(one.unit for one in chosen(there, Guard(one.unit, one.item, one.clips), 4, seed=0)) for one in there
    )

    assert sets.most_common(1)[0][1] >= 196
