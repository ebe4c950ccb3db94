"""The likelihoods of "On the fallacy of global token perplexity" (§2.2, §3.1, A.2.1), in nats per token."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from infrastructure.wording.reasons import Reasoned
from measurements import reasons

Floats = NDArray[np.float64]
#: Window of the localized and windowed kinds, in time frames of the speech tokens.
DELTA = 25


class Undefined(Reasoned, ValueError):
    """This sequence has no such likelihood."""


@dataclass(frozen=True, eq=False)
class TokenSequence:
    """What a model thought of a sequence of speech tokens.

    `logprobs`, shape (T,), are log p(x_t | x_<t) in nats. Several codebooks or channels are one serialized stream,
    `per_frame` tokens for each time frame (§2.2). `unconditional` are log p(x_t), of the same shape. `prompt_frames`
    is how many frames the prompt has that both sequences of a pair begin with.

    Raises ValueError for what cannot be log-probabilities.
    """

    logprobs: Floats
    unconditional: Floats | None = None
    prompt_frames: int | None = None
    per_frame: int = 1

    def __post_init__(self) -> None:
        for values in (self.logprobs, self.unconditional):
            if values is not None and (values.ndim != 1 or not np.isfinite(values).all() or (values > 1e-6).any()):
                raise ValueError("Log-probabilities are finite numbers of at most 0, in one row.")
        if not len(self.logprobs):
            raise ValueError("A sequence has one token or more.")
        if self.unconditional is not None and len(self.unconditional) != len(self.logprobs):
            raise ValueError("There are as many unconditional log-probabilities as conditional ones.")
        if self.per_frame < 1 or len(self.logprobs) % self.per_frame:
            raise ValueError("The tokens are no whole number of frames.")
        if self.prompt_frames is not None and not 0 <= self.prompt_frames <= len(self.logprobs) // self.per_frame:
            raise ValueError("The prompt ends outside of the sequence.")


def nll_global(sequence: TokenSequence) -> float:
    """The mean of −log p(x_t | x_<t) over all tokens (Eq. 1).

    >>> nll_global(TokenSequence(np.array([-1.0, -3.0])))
    2.0
    """
    return float(-sequence.logprobs.mean())


def nll_localized(sequence: TokenSequence, *, delta: int = DELTA) -> float:
    """The same over the `delta` frames from where the prompt ends (Eq. 3). Raises Undefined.

    >>> nll_localized(TokenSequence(np.array([-9.0, -1.0, -3.0, -9.0]), prompt_frames=1), delta=2)
    2.0
    """
    return float(-sequence.logprobs[_window(sequence, delta)].mean())


def nll_normalized(sequence: TokenSequence, *, delta: int | None = None) -> float:
    """The mean of −log p(x_t | x_<t) / p(x_t) from where the prompt ends, over `delta` frames or to the end (Eq. 4).

    Raises Undefined.

    >>> one = TokenSequence(np.array([-9.0, -1.0, -3.0]), np.array([-2.0, -2.0, -5.0]), prompt_frames=1)
    >>> nll_normalized(one)
    -1.5
    """
    if sequence.unconditional is None:
        raise Undefined(reasons.NO_UNCONDITIONAL())
    window = _window(sequence, delta)
    return float((sequence.unconditional[window] - sequence.logprobs[window]).mean())


def nll_windowed(sequence: TokenSequence, *, delta: int = DELTA) -> float:
    """The largest mean over any `delta` frames in a row; needs no prompt (Eq. 11). Windows begin at frames.

    Raises Undefined.

    >>> nll_windowed(TokenSequence(np.array([-1.0, -4.0, -2.0, -1.0])), delta=2)
    3.0
    """
    _check(delta)
    frames = -sequence.logprobs.reshape(-1, sequence.per_frame).mean(axis=1)
    if len(frames) < delta:
        raise Undefined(reasons.FEW_FRAMES(n=delta))
    return float(np.lib.stride_tricks.sliding_window_view(frames, delta).mean(axis=1).max())


def common_prefix(one: Sequence[object], other: Sequence[object]) -> int:
    """How many tokens, or frames of tokens, both begin with: the prompt of the pair (§3.1).

    >>> common_prefix([5, 7, 7], [5, 7, 8, 9])
    2
    """
    differing = (n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a != b)
    return next(differing, min(len(one), len(other)))


def _window(sequence: TokenSequence, delta: int | None) -> slice:
    if sequence.prompt_frames is None:
        raise Undefined(reasons.PROMPT_END_UNKNOWN())
    start = sequence.prompt_frames * sequence.per_frame
    if delta is None:
        if start == len(sequence.logprobs):
            raise Undefined(reasons.NOTHING_AFTER_PROMPT())
        return slice(start, None)
    _check(delta)
    end = start + delta * sequence.per_frame
    if end > len(sequence.logprobs):
        raise Undefined(reasons.FEW_FRAMES_AFTER_PROMPT(n=delta))
    return slice(start, end)


def _check(delta: int) -> None:
    if delta < 1:
        raise ValueError("A window has one frame or more.")
