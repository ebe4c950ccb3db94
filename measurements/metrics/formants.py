"""The first three formants by linear prediction, Burg's method, as Praat takes them by default (COMPASS App. B.5).

Written from the method's description: Parselmouth, which the paper used, is GPL. Values differ a little from Praat's.
"""

import numpy as np
import soxr

from measurements import reasons
from measurements.metrics.contract import Audio, Floats, Undefined

CEILING_HZ, N_FORMANTS = 5_500.0, 5
_WINDOW_S, _STEP_S, _EMPHASIS_HZ, _MARGIN_HZ = 0.05, 0.00625, 50.0, 50.0
#: Frames more than this below the loudest one are pauses.
_ACTIVE_DB = 25.0
_BLOCK = 2_000


def formant_deviation(response: Audio, source: Audio) -> float:
    """The mean over F1, F2 and F3 of |mean of the response − mean of the source|, in Hz."""
    return float(np.mean(np.abs(mean_formants(response) - mean_formants(source))))


def mean_formants(audio: Audio) -> Floats:
    """F1, F2 and F3 in Hz, each the mean over frames that sound. Raises Undefined."""
    found = formant_tracks(audio)
    if not len(found):
        raise Undefined(reasons.NO_FORMANTS())
    return np.asarray(found.mean(axis=0))


def formant_tracks(audio: Audio) -> Floats:
    """F1, F2 and F3 of each frame that sounds and has three, shape (frames, 3). Raises Undefined."""
    rate = 2 * CEILING_HZ
    samples = soxr.resample(np.asarray(audio.samples, dtype=np.float64), audio.rate, rate, quality="HQ")
    keep = np.exp(-2 * np.pi * _EMPHASIS_HZ / rate)
    samples = np.concatenate([samples[:1], samples[1:] - keep * samples[:-1]])
    length = round(_WINDOW_S * rate)
    if len(samples) < length:
        raise Undefined(reasons.CLIP_SHORT(seconds=_WINDOW_S))
    frames = np.lib.stride_tricks.sliding_window_view(samples, length)[:: round(_STEP_S * rate)]
    power = np.mean(frames**2, axis=1)
    if power.max() <= 0:
        raise Undefined(reasons.CLIP_SILENT())
    frames = frames[power > power.max() * 10 ** (-_ACTIVE_DB / 10)]
    window = _gaussian(length)
    blocks = [frames[start : start + _BLOCK] * window for start in range(0, len(frames), _BLOCK)]
    return np.concatenate([_formants(burg(block, 2 * N_FORMANTS), rate) for block in blocks])


def burg(frames: Floats, order: int) -> Floats:
    """The coefficients a₁ … a_order of the predictor 1 + Σ aₖ z⁻ᵏ per frame (Burg 1975), shape (frames, order)."""
    forward, backward = frames[:, 1:], frames[:, :-1]
    coefficients = np.zeros((len(frames), 0))
    for _ in range(order):
        energy = (forward**2).sum(axis=1) + (backward**2).sum(axis=1)
        reflection = -2 * (forward * backward).sum(axis=1) / np.where(energy > 0, energy, 1.0)
        k = reflection[:, np.newaxis]
        coefficients = np.concatenate([coefficients + k * coefficients[:, ::-1], k], axis=1)
        forward, backward = (forward + k * backward)[:, 1:], (backward + k * forward)[:, :-1]
    return coefficients


def _formants(coefficients: Floats, rate: float) -> Floats:
    """The three lowest resonances of each frame that has as many."""
    order = coefficients.shape[1]
    companion = np.zeros((len(coefficients), order, order))
    companion[:, 0, :] = -coefficients
    companion[:, np.arange(1, order), np.arange(order - 1)] = 1.0
    hertz = np.angle(np.linalg.eigvals(companion)) * rate / (2 * np.pi)
    hertz[(hertz < _MARGIN_HZ) | (hertz > rate / 2 - _MARGIN_HZ)] = np.inf
    lowest = np.sort(hertz, axis=1)[:, :3]
    return np.asarray(lowest[np.isfinite(lowest).all(axis=1)])


def _gaussian(length: int) -> Floats:
    """Praat's window: a Gaussian that is cut where it is as low as e⁻¹²."""
    place = (np.arange(length) - (length - 1) / 2) / (length + 1)
    edge = np.exp(-12.0)
    return np.asarray((np.exp(-48 * place**2) - edge) / (1 - edge))
