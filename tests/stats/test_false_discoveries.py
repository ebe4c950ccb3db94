"""e-BH: by its definition, and its share of false discoveries in simulation."""

import numpy as np
import pytest

from stats.false_discoveries import e_bh


def test_marks_the_largest_k_that_are_large_enough() -> None:
    rng = np.random.default_rng(2)
    for _ in range(50):
        evidence = np.exp(rng.normal(1, 2.5, 12))
        ordered = np.sort(evidence)[::-1]
        sizes = [k for k in range(1, 13) if ordered[k - 1] >= 12 / (0.1 * k)]
        assert e_bh(evidence, share=0.1).sum() == max(sizes, default=0)
        assert evidence[e_bh(evidence, share=0.1)].min(initial=np.inf) >= evidence[~e_bh(evidence, share=0.1)].max()


def test_few_of_the_marked_are_false() -> None:
    rng, shares = np.random.default_rng(4), []
    for _ in range(400):
        z = rng.normal(0, 1, 40)
        z[:8] += 4
        marked = e_bh(np.exp(3 * z - 4.5), share=0.05)
        shares.append(marked[8:].sum() / max(marked.sum(), 1))

    assert np.mean(shares) <= 0.05


def test_nothing_is_marked_of_nothing_and_shares_are_checked() -> None:
    assert e_bh(np.empty(0)).tolist() == []
    with pytest.raises(ValueError, match="no share"):
        e_bh(np.ones(2), share=0.0)
