import numpy as np
import pytest
from scipy.signal import lfilter, resample_poly

from corpus.audio.bs1770 import Loudness, integrated_loudness, true_peak_dbtp
from tests.cases import each

RATE = 48_000


def sine(*parts: tuple[float, float], frequency: float = 1_000.0, rate: int = RATE) -> np.ndarray:
    """A sine, shape (frames, 1), whose level follows `parts` of (seconds, dBFS of its peak)."""
    levels = np.concatenate([np.full(round(seconds * rate), 10 ** (level / 20)) for seconds, level in parts])
    return (levels * np.sin(2 * np.pi * frequency * np.arange(len(levels)) / rate))[:, np.newaxis]


def stereo(mono: np.ndarray) -> np.ndarray:
    return np.repeat(mono, 2, axis=1)


def noise(seconds: float, *, channels: int = 1, rate: int = RATE, seed: int = 7) -> np.ndarray:
    return np.random.default_rng(seed).normal(0, 0.1, (round(seconds * rate), channels))


def lufs(samples: np.ndarray, *, rate: int = RATE) -> float:
    loudness = integrated_loudness(samples, rate=rate)
    assert loudness.lufs is not None
    return loudness.lufs


def test_full_scale_997_hz_sine_in_one_channel_reads_as_bs1770_annex_1_states():
    assert lufs(sine((5, 0), frequency=997)) == pytest.approx(-3.01, abs=0.005)


def test_full_scale_997_hz_sine_in_the_left_of_two_channels_reads_the_same():
    left = sine((5, 0), frequency=997)
    assert lufs(np.hstack([left, np.zeros_like(left)])) == pytest.approx(-3.01, abs=0.005)


def test_full_scale_997_hz_sine_in_both_channels_reads_3_lu_more():
    assert lufs(stereo(sine((5, 0), frequency=997))) == pytest.approx(0.0, abs=0.005)


@each(
    "parts, expected",
    [
        pytest.param([(20, -23)], -23.0, id="1"),
        pytest.param([(20, -33)], -33.0, id="2"),
        pytest.param([(10, -36), (60, -23), (10, -36)], -23.0, id="3"),
        pytest.param([(10, -72), (10, -36), (60, -23), (10, -36), (10, -72)], -23.0, id="4"),
        pytest.param([(20, -26), (20.1, -20), (20, -26)], -23.0, id="5"),
    ],
)
def test_stereo_cases_of_ebu_tech_3341_table_1(parts, expected):
    assert lufs(stereo(sine(*parts))) == pytest.approx(expected, abs=0.1)


@each("rate", [8_000, 11_025, 16_000, 24_000, 44_100, 96_000, 192_000])
def test_loudness_does_not_depend_on_the_rate(rate):
    assert lufs(sine((3, 0), frequency=997, rate=rate), rate=rate) == pytest.approx(-3.01, abs=0.02)


def test_steady_noise_reads_as_the_standards_own_filter_tables_give():
    samples = noise(10)
    shelf = lfilter(
        [1.53512485958697, -2.69169618940638, 1.19839281085285],
        [1, -1.69065929318241, 0.73248077421585],
        samples[:, 0],
    )
    weighted = lfilter([1, -2, 1], [1, -1.99004745483398, 0.99007225036621], shelf)

    assert lufs(samples) == pytest.approx(-0.691 + 10 * np.log10(np.mean(weighted**2)), abs=0.01)


@each("gain_db", [-20.0, 6.0, 12.0])
def test_gain_moves_loudness_by_itself(gain_db):
    samples = noise(5, channels=2)
    assert lufs(samples * 10 ** (gain_db / 20)) == pytest.approx(lufs(samples) + gain_db, abs=1e-6)


def test_order_of_two_channels_does_not_matter():
    samples = np.hstack([noise(3), 0.1 * noise(3, seed=8)])
    assert lufs(samples[:, ::-1]) == pytest.approx(lufs(samples), abs=1e-9)


def test_long_silence_around_speech_does_not_lower_loudness():
    samples = noise(5)
    silence = np.zeros((5 * RATE, 1))
    assert lufs(np.vstack([silence, samples, silence])) == pytest.approx(lufs(samples), abs=0.3)


def test_block_left_incomplete_at_the_end_is_not_counted():
    samples = noise(1.0)
    begun = np.vstack([samples, np.zeros((RATE // 10 - 1, 1))])
    assert lufs(begun) == pytest.approx(lufs(samples), abs=1e-9)


@each("channels", [3, 5, 6])
def test_more_than_two_channels_are_measured_as_their_downmix(channels):
    samples = noise(3, channels=channels)

    loudness = integrated_loudness(samples, rate=RATE)

    assert loudness == Loudness(
        lufs(samples.mean(axis=1, keepdims=True)), "measured on the mono downmix of more than two channels"
    )


def test_clip_of_one_gating_block_is_measured_by_the_rule():
    assert integrated_loudness(sine((0.4, 0), frequency=997), rate=RATE).note == ""


@each("seconds", [0.05, 0.2, 0.399])
def test_clip_shorter_than_a_gating_block_is_measured_whole(seconds):
    loudness = integrated_loudness(sine((seconds, -20), frequency=997), rate=RATE)

    assert loudness.note == "shorter than one 400 ms gating block, so measured whole as one ungated block"
    assert loudness.lufs == pytest.approx(-23.01, abs=0.1)


@each("rate", [4_000, 44_100, 192_000])
@each("frames", [1, 2, 3, 9])
def test_clip_of_a_few_frames_does_not_break_the_meter(frames, rate):
    loudness = integrated_loudness(np.full((frames, 1), 0.5, dtype=np.float32), rate=rate)
    assert loudness.lufs is None or -70 < loudness.lufs < 0


@each("seconds", [0.1, 2.0])
def test_digital_silence_has_no_loudness(seconds):
    samples = np.zeros((round(seconds * RATE), 2))
    assert integrated_loudness(samples, rate=RATE) == Loudness(None, "digital silence has no loudness")


def test_clip_below_the_gate_has_no_loudness():
    loudness = integrated_loudness(sine((2, -75)), rate=RATE)
    assert loudness == Loudness(None, "nothing rises above the -70 LUFS gate")


def test_short_clip_below_the_gate_has_no_loudness():
    assert integrated_loudness(sine((0.2, -75)), rate=RATE) == Loudness(
        None,
        "nothing rises above the -70 LUFS gate; shorter than one 400 ms gating block, so measured whole as "
        "one ungated block",
    )


def faded(samples: np.ndarray) -> np.ndarray:
    ramp = np.linspace(0, 1, 2_000)
    envelope = np.concatenate([ramp, np.ones(len(samples) - 4_000), ramp[::-1]])
    return samples * envelope[:, np.newaxis]


def phased(divisor: int, degrees: float, amplitude: float, rate: int = RATE) -> np.ndarray:
    phase = 2 * np.pi * np.arange(rate // 2) / divisor + np.radians(degrees)
    return faded(amplitude * np.sin(phase)[:, np.newaxis])


@each(
    "divisor, degrees, amplitude, expected",
    [
        pytest.param(4, 0, 0.5, -6.0, id="15"),
        pytest.param(4, 45, 0.5, -6.0, id="16"),
        pytest.param(6, 60, 0.5, -6.0, id="17"),
        pytest.param(8, 67.5, 0.5, -6.0, id="18"),
        pytest.param(4, 45, 1.41, 3.0, id="19"),
    ],
)
def test_true_peak_cases_of_ebu_tech_3341_table_1(divisor, degrees, amplitude, expected):
    peak = true_peak_dbtp(phased(divisor, degrees, amplitude), rate=RATE)
    assert expected - 0.4 <= peak <= expected + 0.2


@each("rate", [8_000, 16_000, 48_000, 96_000])
def test_peak_between_the_samples_is_found(rate):
    samples = phased(4, 45, 1.0, rate)
    assert 20 * np.log10(np.abs(samples).max()) == pytest.approx(-3.01, abs=0.01)
    assert true_peak_dbtp(samples, rate=rate) == pytest.approx(0.0, abs=0.05)


def test_at_192_khz_the_samples_are_dense_enough():
    assert true_peak_dbtp(phased(4, 45, 1.0, 192_000), rate=192_000) == pytest.approx(-3.01, abs=0.01)


def test_true_peak_is_that_of_the_louder_channel():
    quiet, loud = phased(4, 45, 0.1), phased(4, 45, 0.5)
    assert true_peak_dbtp(np.hstack([quiet, loud]), rate=RATE) == true_peak_dbtp(loud, rate=RATE)


@each("place", [2**18 - 1, 2**18, 2**18 + 3, 2**19 - 9, 2**19 + 99])
def test_measuring_in_pieces_finds_what_measuring_at_once_finds(place):
    samples = 0.1 * noise(12)
    samples[place - 2 : place + 2, 0] = [0.4, 0.9, 0.9, 0.4]
    whole = 20 * np.log10(np.abs(resample_poly(samples[:, 0], 4, 1)).max())
    assert true_peak_dbtp(samples, rate=RATE) == pytest.approx(whole, abs=1e-9)


def test_digital_silence_has_no_true_peak():
    assert true_peak_dbtp(np.zeros((100, 2)), rate=RATE) is None
