"""Hand-computed values, the paper's definitions written out as sums, invariants, and a simulation."""

import numpy as np
import pytest

from measurements.likelihood.nll import (
    TokenSequence,
    Undefined,
    common_prefix,
    nll_global,
    nll_localized,
    nll_normalized,
    nll_windowed,
)
from measurements.likelihood.pairs import likelihoods, preferred
from tests.cases import each


def sequence(length: int = 12, *, seed: int = 0, prompt: int | None = 4, per_frame: int = 1) -> TokenSequence:
    rng = np.random.default_rng(seed)
    return TokenSequence(-rng.exponential(2, length), -rng.exponential(3, length), prompt, per_frame)


def test_values_by_hand() -> None:
    by_hand = TokenSequence(
        np.array([-1.0, -2.0, -3.0, -6.0, -1.0]), np.array([-4.0, -4.0, -4.0, -4.0, -4.0]), prompt_frames=2
    )

    assert nll_global(by_hand) == pytest.approx(13 / 5)
    assert nll_localized(by_hand, delta=2) == pytest.approx(9 / 2)
    assert nll_normalized(by_hand) == pytest.approx((3 + 6 + 1 - 12) / 3)
    assert nll_normalized(by_hand, delta=2) == pytest.approx((3 + 6 - 8) / 2)
    assert nll_windowed(by_hand, delta=2) == pytest.approx(9 / 2)
    assert nll_windowed(by_hand, delta=3) == pytest.approx(11 / 3)


@each("seed", range(5))
def test_values_are_the_papers_sums(seed: int) -> None:
    """The equations with their own indices, which begin at 1."""
    s, delta = sequence(seed=seed), 3
    total, t_p = len(s.logprobs), s.prompt_frames + 1
    conditional = {t: s.logprobs[t - 1] for t in range(1, total + 1)}
    marginal = {t: s.unconditional[t - 1] for t in range(1, total + 1)}

    assert nll_global(s) == pytest.approx(sum(-conditional[t] for t in range(1, total + 1)) / total)
    assert nll_localized(s, delta=delta) == pytest.approx(
        sum(-conditional[t] for t in range(t_p, t_p + delta)) / delta
    )
    for window in (delta, total - t_p + 1):
        expected = sum(-(conditional[t] - marginal[t]) for t in range(t_p, t_p + window)) / window
        assert nll_normalized(s, delta=window) == pytest.approx(expected)
    assert nll_normalized(s) == pytest.approx(nll_normalized(s, delta=total - t_p + 1))
    assert nll_windowed(s, delta=delta) == pytest.approx(
        max(sum(-conditional[t] for t in range(i, i + delta)) / delta for i in range(1, total - delta + 2))
    )


def test_windows_are_ordered_and_meet_at_the_whole() -> None:
    s = sequence()

    assert nll_windowed(s, delta=12) == pytest.approx(nll_global(s))
    assert nll_windowed(s, delta=3) >= nll_localized(s, delta=3)
    assert nll_windowed(s, delta=1) == pytest.approx(-s.logprobs.min())


def test_prompt_does_not_matter_where_it_must_not() -> None:
    s = sequence()
    other = s.logprobs.copy()
    other[:4] -= 5
    changed = TokenSequence(other, s.unconditional, 4)

    assert nll_localized(changed, delta=5) == nll_localized(s, delta=5)
    assert nll_normalized(changed) == nll_normalized(s)
    assert nll_global(changed) > nll_global(s)


def test_equal_unconditional_shift_cancels_nothing_but_itself() -> None:
    s = sequence()
    shifted = TokenSequence(s.logprobs, s.unconditional - 1, 4)

    assert nll_normalized(shifted) == pytest.approx(nll_normalized(s) - 1)


def test_several_codebooks_are_one_stream_with_windows_of_frames() -> None:
    s = sequence(12, prompt=2, per_frame=3)

    assert nll_global(s) == pytest.approx(-s.logprobs.mean())
    assert nll_localized(s, delta=2) == pytest.approx(-s.logprobs[6:12].mean())
    assert nll_windowed(s, delta=1) == pytest.approx((-s.logprobs.reshape(4, 3).mean(axis=1)).max())


@each(
    "call, reason",
    [
        (lambda: nll_localized(sequence(prompt=None)), "where the prompt ends"),
        (lambda: nll_localized(sequence(prompt=10), delta=3), "fewer than 3 frames follow"),
        (lambda: nll_normalized(TokenSequence(np.array([-1.0]), None, 0)), "no unconditional"),
        (lambda: nll_normalized(sequence(prompt=12)), "nothing follows"),
        (lambda: nll_windowed(sequence(), delta=13), "fewer than 13 frames"),
    ],
)
def test_what_cannot_be_said_is_undefined(call, reason: str) -> None:
    with pytest.raises(Undefined, match=reason):
        call()


@each(
    "logprobs, more",
    [
        ([], {}),
        ([0.5], {}),
        ([float("-inf")], {}),
        ([-1.0], {"unconditional": np.array([-1.0, -2.0])}),
        ([-1.0, -1.0, -1.0], {"per_frame": 2}),
        ([-1.0], {"prompt_frames": 2}),
        ([-1.0], {"prompt_frames": -1}),
    ],
)
def test_what_are_no_log_probabilities_is_refused(logprobs: list, more: dict) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        TokenSequence(np.array(logprobs), **more)


def test_prefix_is_what_both_begin_with() -> None:
    assert [common_prefix([1, 2, 3], other) for other in ([1, 2, 4], [1, 2], [], [9], [1, 2, 3])] == [2, 2, 0, 0, 3]


def test_pairs_are_counted_with_their_reasons() -> None:
    def said(value: float, prompt: int | None = 0) -> TokenSequence:
        return TokenSequence(np.full(3, -value), None, prompt)

    pairs = [(said(1), said(2)), (said(2), said(1)), (said(1), said(1)), (said(1, None), said(2))]

    counted = preferred(pairs, likelihoods(2)["localized"])

    assert (counted.right, counted.equal, counted.wrong, counted.n) == (1, 1, 1, 3)
    assert counted.undefined == {"nobody said where the prompt ends": 1}
    assert counted.accuracy == pytest.approx(1 / 3)
    assert preferred([], likelihoods()["global"]).accuracy is None


def test_swapping_the_sides_gives_the_other_share() -> None:
    pairs = [(sequence(seed=n), sequence(seed=n + 100)) for n in range(40)]

    for nll in likelihoods(3).values():
        there, back = preferred(pairs, nll), preferred([(b, a) for a, b in pairs], nll)
        assert (there.right, there.wrong) == (back.wrong, back.right)


def test_localized_sees_a_difference_that_the_whole_drowns() -> None:
    """The paper's point, simulated: after the prompt the negative is a little less likely, for five frames."""
    rng = np.random.default_rng(7)
    pairs = []
    for _ in range(300):
        positive, negative = -rng.exponential(2, (2, 200))
        negative[100:105] -= 1.5
        pairs.append((TokenSequence(positive, None, 100), TokenSequence(negative, None, 100)))
    kinds = likelihoods(5)

    whole, local = (preferred(pairs, kinds[name]).accuracy for name in ("global", "localized"))

    assert whole < 0.65
    assert local > 0.8
