"""Rules for several samples and both orders. Pure."""

import random
from itertools import product

from judges.verdicts.aggregation import Reconciled, majority, reconcile, tally
from tests.cases import each


@each(
    "values, state, value",
    [
        ([], "missing", None),
        ([None, None], "missing", None),
        (["a"], "one", "a"),
        (["a", None, None], "one", "a"),
        (["a", "b"], "split", None),
        (["a", "b", "both_bad"], "split", None),
        (["a", "a", "b", "b", "c"], "split", None),
        (["a", "a", "b", "c"], "one", "a"),
    ],
)
def test_majority(values: list[str | None], state: str, value: str | None) -> None:
    assert majority(values) == Reconciled(state, value)  # type: ignore[arg-type]


@each("ab, ba", list(product(["a", "b", "both_good", "both_bad", None], repeat=2)))
def test_both_orders_over_every_combination(ab: str | None, ba: str | None) -> None:
    """Agree: that. Disagree: inconsistent. One missing: missing. Ties of different types are no agreement."""
    found = reconcile(((ab,), (ba,)))

    if ab is None or ba is None:
        assert found == Reconciled("missing")
    elif ab == ba:
        assert found == Reconciled("one", ab, compared=True)
    else:
        assert found == Reconciled("inconsistent", compared=True)


def test_the_order_of_samples_and_orders_does_not_matter() -> None:
    rng = random.Random(1)
    for _case in range(300):
        orders = [[rng.choice(["a", "b", "t", None]) for _ in range(5)] for _order in range(2)]
        shuffled = [rng.sample(samples, 5) for samples in reversed(orders)]
        assert reconcile(tuple(map(tuple, orders))) == reconcile(tuple(map(tuple, shuffled)))


def test_a_judge_that_always_takes_the_first_is_inconsistent_everywhere() -> None:
    found = tally([(("a",), ("b",))] * 4 + [(("a",), (None,))])

    assert (found.counts, found.compared, found.n) == ({"inconsistent": 4, "missing": 1}, 4, 5)
    assert found.inconsistent_share == 1.0


def test_the_share_is_undefined_where_nothing_was_read_in_both_orders() -> None:
    assert tally([(("a",),)]).inconsistent_share is None
    assert tally([(("a",), (None,))]).inconsistent_share is None
    assert tally([]).inconsistent_share is None


def test_a_split_order_is_split_and_not_compared() -> None:
    found = tally([(("a", "b"), ("a", "a"))])

    assert (found.counts, found.compared) == ({"split": 1}, 0)
