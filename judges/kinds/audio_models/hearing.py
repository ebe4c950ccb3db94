"""How a judge that hears is given its sounds: what a researcher sets, read once."""

from dataclasses import dataclass
from typing import Literal, cast

from judges import reasons
from judges.backends.contract import JudgeError, JudgeInput
from judges.backends.messages import sounds_in
from judges.kinds.contract import Setting, Settings
from judges.kinds.text_models.reading import MAX_TOKENS, OF_MODEL, TEMPERATURE, setting
from judges.sounds.recordings import Form

#: AudioJudge §3.2 and App. B.1: what is put into one recording, the rest comes as clips of their own.
Strategy = Literal["none", "pair_example", "examples", "test", "examples_test"]

STRATEGY = Setting(
    "strategy",
    "What is put together in one recording",
    "test",
    choices=(
        ("none", "Nothing: every clip by itself"),
        ("pair_example", "Each example"),
        ("examples", "All examples together"),
        ("test", "The unit to be judged"),
        ("examples_test", "All examples together, and the unit to be judged"),
    ),
    help="Models compare better within one recording (AudioJudge, Table 1).",
)
SHOTS = Setting("shots", "Labelled examples", 0, least=0, most=8, help="None of the same item or with the same clip.")
TRANSCRIPT = Setting(
    "transcript", "Transcripts beside the sound", False, help="Where the import has them; none is made up."
)
SIGNALS = Setting(
    "signals",
    "Signals in recordings",
    "spoken",
    choices=(("spoken", "A beep and a spoken word"), ("tones", "Tones alone")),
)
RATE = Setting("rate", "Sample rate", "16000", choices=(("16000", "16 kHz"), ("24000", "24 kHz")))
LEVEL = Setting(
    "level",
    "Level of the clips",
    "as_is",
    choices=(("as_is", "As they are"), ("even", "All at -23 LUFS")),
    help="Evening them out takes away what a probe with gain would change.",
)
MOST_SECONDS = Setting(
    "most_seconds", "Most seconds of sound in one request", 300, least=10, most=3600, help="Longer ones are not sent."
)
HOLD_OUT = Setting(
    "hold_out",
    "No example from the units that the run judges",
    False,
    help="The same item and the same clips are kept apart in any case.",
)
SHOTS_FROM = Setting(
    "shots_from",
    "Where examples come from",
    "labels",
    choices=(("labels", "The label set chosen for the run"), ("gold", "The campaign's gold and training units")),
)
SHOTS_SEED = Setting("shots_seed", "Seed by which examples are drawn", 0, least=0, most=1_000_000)

#: What every judge that hears has.
OF_SOUND = (TRANSCRIPT, SIGNALS, RATE, LEVEL, MOST_SECONDS, *OF_MODEL)
#: And what one has that is shown examples.
OF_EXAMPLES = (STRATEGY, SHOTS, SHOTS_FROM, SHOTS_SEED, HOLD_OUT)


def is_shown_examples(settings: Settings) -> bool:
    """Whether it is set to learn from labelled units."""
    return int(setting(settings, SHOTS)) > 0


@dataclass(frozen=True)
class Hearing:
    """The settings of a judge that hears, by name."""

    strategy: Strategy
    shots: int
    transcript: bool
    form: Form
    most_seconds: float
    max_tokens: int
    temperature: float

    @property
    def joins_test(self) -> bool:
        return self.strategy in ("test", "examples_test")

    @property
    def joins_examples(self) -> bool:
        """Each by itself, or all together."""
        return self.strategy in ("pair_example", "examples", "examples_test")

    @property
    def joins_all_examples(self) -> bool:
        return self.strategy in ("examples", "examples_test")


def hearing(settings: Settings) -> Hearing:
    """The settings with their defaults filled in."""
    return Hearing(
        strategy=cast(Strategy, setting(settings, STRATEGY)),
        shots=int(setting(settings, SHOTS)),
        transcript=bool(setting(settings, TRANSCRIPT)),
        form=Form(
            rate=int(setting(settings, RATE)),
            level=cast(Literal["as_is", "even"], setting(settings, LEVEL)),
            spelling=cast(Literal["tones", "spoken"], setting(settings, SIGNALS)),
        ),
        most_seconds=float(setting(settings, MOST_SECONDS)),
        max_tokens=int(setting(settings, MAX_TOKENS)),
        temperature=float(setting(settings, TEMPERATURE)),
    )


def bearable(wanted: JudgeInput, heard: Hearing) -> JudgeInput:
    """The same. Raises JudgeError where it holds more sound than the judge may send."""
    seconds = sum(sound.seconds for sound in sounds_in(wanted.messages))
    if seconds > heard.most_seconds:
        reason = reasons.SOUND_TOO_LONG(seconds=f"{seconds:.0f}", most=f"{heard.most_seconds:g}")
        raise JudgeError(reason, permanent=True)
    return wanted
