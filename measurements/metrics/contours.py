"""Whether two clips go up and down together: pitch, energy, onsets, amplitude (COMPASS App. B.5).

Energy, onsets and tempo are taken as librosa takes them by default (frames of 2048 samples every 512, centred).
"""

import numpy as np
import scipy

from measurements import reasons
from measurements.metrics.contract import Audio, Floats, Undefined

FRAME, HOP, BANDS = 2048, 512, 128
_START_BPM, _HIGHEST_BPM, _TEMPO_WINDOW_S, _OCTAVES = 120.0, 320.0, 8.0, 1.0
_FLOOR_DB = 80.0


def f0_similarity(response: Floats, source: Floats) -> float:
    """Pearson's r of two pitch contours in Hz, after bridging unvoiced frames (0, NaN), at one length.

    >>> rise = np.array([100.0, 0.0, 120.0, 130.0])
    >>> round(f0_similarity(rise, 2 * rise), 6)
    1.0
    """
    return contour_similarity(_bridged(response), _bridged(source))


def energy_similarity(response: Audio, source: Audio) -> float:
    """Pearson's r of the RMS of frames, stretched to one length."""
    return contour_similarity(rms_contour(response), rms_contour(source))


def rhythm_similarity(response: Audio, source: Audio) -> float:
    """Pearson's r of the strengths of onsets, stretched to one length."""
    return contour_similarity(onset_strength(response), onset_strength(source))


def envelope_similarity(response: Audio, source: Audio) -> float:
    """Pearson's r of the Hilbert envelopes, stretched to one length."""
    return contour_similarity(_hilbert_envelope(response), _hilbert_envelope(source))


def tempo_ratio(response: Audio, source: Audio) -> float:
    """min(t_src, t_tgt) / max(t_src, t_tgt) of the estimated tempos."""
    one, other = tempo(response), tempo(source)
    return min(one, other) / max(one, other)


def contour_similarity(one: Floats, other: Floats) -> float:
    """Pearson's r after linear interpolation to the longer one's length. Raises Undefined.

    >>> round(contour_similarity(np.array([0.0, 1.0]), np.array([0.0, 1.0, 2.0])), 6)
    1.0
    """
    length = max(len(one), len(other))
    if min(len(one), len(other)) < 2:
        raise Undefined(reasons.CONTOUR_SHORT())
    first, second = _stretched(one, length), _stretched(other, length)
    first, second = first - first.mean(), second - second.mean()
    norm = float(np.sqrt((first @ first) * (second @ second)))
    if norm <= 1e-12 * length:
        raise Undefined(reasons.CONTOUR_FLAT())
    return float(np.clip(first @ second / norm, -1, 1))


def rms_contour(audio: Audio) -> Floats:
    return np.asarray(np.sqrt(np.mean(_frames(audio.samples) ** 2, axis=1)))


def onset_strength(audio: Audio) -> Floats:
    """How much the mel spectrogram in dB rises from frame to frame, mean over bands; begins with silence's zeros."""
    decibels = 10 * np.log10(np.maximum(_mel_power(audio), 1e-10))
    decibels = np.maximum(decibels, decibels.max() - _FLOOR_DB)
    rise = np.maximum(0.0, np.diff(decibels, axis=0)).mean(axis=1)
    start = 1 + FRAME // (2 * HOP)  # librosa shifts by the lag and by half a frame, to where the onset is heard
    return np.concatenate([np.zeros(start), rise])[: len(decibels)]


def tempo(audio: Audio) -> float:
    """Beats per minute: the strongest lag of the onsets' autocorrelation, with a log-normal prior around 120.

    Raises Undefined where nothing begins.
    """
    onsets = onset_strength(audio)
    if not onsets.any():
        raise Undefined(reasons.NO_ONSETS())
    window = round(_TEMPO_WINDOW_S * audio.rate / HOP)
    tempogram = _tempogram(onsets, window).mean(axis=0)
    bpm = np.full(window, np.inf)
    bpm[1:] = 60 * audio.rate / (HOP * np.arange(1, window))
    prior = -0.5 * ((np.log2(bpm[1:]) - np.log2(_START_BPM)) / _OCTAVES) ** 2
    prior[bpm[1:] > _HIGHEST_BPM] = -np.inf
    return float(bpm[1 + int(np.argmax(np.log1p(1e6 * np.maximum(tempogram[1:], 0)) + prior))])


def _tempogram(onsets: Floats, window: int) -> Floats:
    """Autocorrelation of each window of the onsets, shape (frames, lags), each scaled by its largest value."""
    half = window // 2
    padded = np.pad(onsets, half, mode="linear_ramp", end_values=0)
    views = np.lib.stride_tricks.sliding_window_view(padded, window)[: len(onsets)]
    windowed = views * _hann(window)
    length = scipy.fft.next_fast_len(2 * window - 1, real=True)
    correlated = scipy.fft.irfft(np.abs(scipy.fft.rfft(windowed, length, axis=1)) ** 2, length, axis=1)[:, :window]
    largest = np.abs(correlated).max(axis=1, keepdims=True)
    return np.asarray(correlated / np.where(largest > 1e-30, largest, 1.0))


def _bridged(contour: Floats) -> Floats:
    contour = np.asarray(contour, dtype=np.float64)
    voiced = np.flatnonzero(np.isfinite(contour) & (contour > 0))
    if len(voiced) < 2:
        raise Undefined(reasons.FEW_VOICED())
    return np.interp(np.arange(voiced[0], voiced[-1] + 1), voiced, contour[voiced])


def _hann(frames: int) -> Floats:
    from scipy.signal import get_window  # noqa: PLC0415 - a second to import: where sound is measured

    return np.asarray(get_window("hann", frames))


def _hilbert_envelope(audio: Audio) -> Floats:
    if len(audio.samples) < 2:
        raise Undefined(reasons.FEW_SAMPLES())
    from scipy.signal import hilbert  # noqa: PLC0415 - a second to import: where sound is measured

    length = scipy.fft.next_fast_len(len(audio.samples))
    return np.asarray(np.abs(hilbert(audio.samples, length))[: len(audio.samples)])


def _frames(samples: Floats) -> Floats:
    padded = np.pad(samples, FRAME // 2)
    return np.lib.stride_tricks.sliding_window_view(padded, FRAME)[::HOP]


def _mel_power(audio: Audio) -> Floats:
    window = _hann(FRAME)
    filters, frames = mel_filters(audio.rate), _frames(audio.samples)
    blocks = [frames[start : start + 512] for start in range(0, len(frames), 512)]  # ten minutes stay small in memory
    return np.concatenate([np.abs(scipy.fft.rfft(block * window, axis=1)) ** 2 @ filters.T for block in blocks])


def mel_filters(rate: int) -> Floats:
    """Triangles of equal area on Slaney's mel scale, shape (bands, bins)."""
    edges = _mel_to_hz(np.linspace(_hz_to_mel(0.0), _hz_to_mel(rate / 2), BANDS + 2))
    bins = np.fft.rfftfreq(FRAME, 1 / rate)
    slopes = edges[:, np.newaxis] - bins
    widths = np.diff(edges)
    rising = -slopes[:-2] / widths[:-1, np.newaxis]
    falling = slopes[2:] / widths[1:, np.newaxis]
    area = 2.0 / (edges[2:] - edges[:-2])
    return np.asarray(np.maximum(0, np.minimum(rising, falling)) * area[:, np.newaxis])


_LINEAR_HZ, _BREAK_HZ, _LOG_STEP = 200.0 / 3, 1000.0, np.log(6.4) / 27.0


def _hz_to_mel(hertz: float) -> float:
    if hertz < _BREAK_HZ:
        return hertz / _LINEAR_HZ
    return float(_BREAK_HZ / _LINEAR_HZ + np.log(hertz / _BREAK_HZ) / _LOG_STEP)


def _mel_to_hz(mels: Floats) -> Floats:
    above = mels - _BREAK_HZ / _LINEAR_HZ
    return np.where(above < 0, mels * _LINEAR_HZ, _BREAK_HZ * np.exp(_LOG_STEP * np.maximum(above, 0)))


def _stretched(contour: Floats, length: int) -> Floats:
    if not np.isfinite(contour).all():
        raise Undefined(reasons.CONTOUR_NOT_FINITE())
    return np.interp(np.linspace(0, len(contour) - 1, length), np.arange(len(contour)), contour)
