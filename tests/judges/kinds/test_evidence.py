from judges.kinds.contract import Feature
from judges.kinds.text_models.evidence import GROUPS, blueprint, legend, without_sound
from measurements.features.blueprint import blueprint as vector_of
from measurements.features.contract import Feature as Extracted
from tests.cases import each
from tests.judges.kinds.reading import features

#: TRACE/HCoT App. C, figures 7 and 8.
PRINTED = {
    "agent_response": "I cannot whisper.",
    "agent_emotion": {"angry": 0.0, "neutral": 1.0},
    "agent_accent": {"england": 0.264, "us": 0.691},
    "agent_audio_quality": {
        "DNSMOS_Personalized_Signal_Quality": "4.48 / 5.00",
        "DNSMOS_Personalized_Background_Quality": "4.70 / 5.00",
        "DNSMOS_Personalized_Overall_Quality": "4.31 / 5.00",
        "P808_Overall_Quality": "4.20 / 5.00",
    },
    "agent_audio_properties": {
        "Mean_Pitch_Hz": 139.38,
        "Std_Dev_Pitch_Hz": 25.25,
        "Full_Pitch_Contour_Hz": [119.94, None, 148.61],
        "Integrated_Loudness_LUFS": -18.78,
        "Std_Dev_Loudness_LUFS": 4.2,
        "Full_Loudness_Contour_LUFS": [-20.0, -18.0, None],
        "Speech_Rate_WPM": 172.5,
        "Articulation_Rate_WPM": 190.0,
    },
}
WITH_ALL = features(emotion={"angry": 0.0, "neutral": 1.0}, accent={"england": 0.264, "us": 0.691})


def test_a_blueprint_has_the_keys_and_the_shape_that_are_printed() -> None:
    told = blueprint(WITH_ALL).for_prompt(of_user=False)

    assert told == {"blueprint": PRINTED}
    assert list(told["blueprint"]) == list(PRINTED)


def test_a_blueprint_is_the_vector_of_the_extractors() -> None:
    """One shape, written down in two places: for people who look at features, and for models that read them."""
    given = features(pitch="No voice was found.")
    as_extracted = {
        name: Extracted(name, "1", "ok" if one.value is not None else "undefined", one.value, one.reason)
        for name, one in given.items()
    }

    vector = vector_of(as_extracted).vector

    assert {f"agent_{group}": value for group, value in blueprint(given).found.items()} == vector


def test_what_is_absent_is_null_with_the_reason() -> None:
    found = blueprint(features(pitch="No voice was found."))

    told = found.for_prompt(of_user=False)

    assert told["blueprint"]["agent_emotion"] is None
    assert told["blueprint"]["agent_audio_properties"]["Mean_Pitch_Hz"] is None
    assert told["blueprint"]["agent_audio_properties"]["Speech_Rate_WPM"] == 172.5
    assert told["notes"] == {
        "agent_emotion": "The package funasr is not installed.",
        "agent_accent": "The package speechbrain is not installed.",
        "agent_audio_properties.Mean_Pitch_Hz": "No voice was found.",
        "agent_audio_properties.Std_Dev_Pitch_Hz": "No voice was found.",
        "agent_audio_properties.Full_Pitch_Contour_Hz": "No voice was found.",
    }


def test_a_group_of_which_nothing_is_known_is_null_as_a_whole() -> None:
    told = blueprint(WITH_ALL | features(quality="The package speechmos is not installed.")).for_prompt(of_user=False)

    assert told["blueprint"]["agent_audio_quality"] is None
    assert told["notes"]["agent_audio_quality"] == "The package speechmos is not installed."
    assert [path for path in told["notes"] if path.startswith("agent_audio_quality.")] == []


def test_a_group_of_which_nothing_is_known_for_several_reasons_gives_each() -> None:
    told = blueprint(features(pitch="No voice.", loudness="Too short.", rates="No words.")).for_prompt(of_user=False)

    assert set(told["blueprint"]["agent_audio_properties"].values()) == {None}
    assert told["notes"]["agent_audio_properties.Speech_Rate_WPM"] == "No words."


def test_a_feature_that_was_not_extracted_is_null_too() -> None:
    found = blueprint({})

    assert not found.has_anything
    assert set(found.notes.values()) == {"It was not measured."}


@each("value", [{}, {"mean_hz": 1.0}, [], 3.0, "loud"])
def test_a_value_of_another_shape_is_null_and_called_so(value: object) -> None:
    found = blueprint(WITH_ALL | {"quality": Feature("quality", "9", value)})

    assert set(found.found["audio_quality"].values()) == {None}
    assert set(found.notes.values()) == {"What the extractor quality 9 says of it cannot be read."}


def test_a_number_that_a_clip_does_not_have_is_null_and_called_so() -> None:
    loudness = {"integrated_lufs": -18.78, "sd_lufs": None, "contour_lufs": [None, -18.0, None]}

    assert blueprint(WITH_ALL | features(loudness=loudness)).only(["audio_properties"]).notes == {
        "audio_properties.Std_Dev_Loudness_LUFS": "This clip has none."
    }


def test_what_the_user_said_is_the_prompt() -> None:
    told = blueprint(WITH_ALL).only(["response", "emotion"]).for_prompt(of_user=True)

    assert told == {"blueprint": {"user_prompt": "I cannot whisper.", "user_emotion": PRINTED["agent_emotion"]}}


def test_a_part_keeps_its_notes_alone() -> None:
    assert blueprint(features()).only(["emotion"]).notes == {"emotion": "The package funasr is not installed."}


def test_without_sound_nothing_is_known() -> None:
    assert not without_sound("There is no sound.").has_anything


@each("group", GROUPS)
def test_the_legend_explains_every_entry_of_a_group(group: str) -> None:
    value = PRINTED[f"agent_{group}"]
    inner = value if group in ("audio_quality", "audio_properties") else {"": None}

    lines = legend([group]).splitlines()

    assert [line.split("`")[1] for line in lines] == [f"agent_{group}{'.' if name else ''}{name}" for name in inner]
