from judges.kinds.contract import Case, Feature, Settings, Spoken
from judges.kinds.text_models.transcript_llm import TRANSCRIPT_LLM
from protocols import SHIPPED
from tests.cases import each
from tests.judges.kinds.reading import FakeTools, a_case, features, saying, sound

PAIR = SHIPPED["blind_overall"]
GIVEN = {"words": "I will whisper.", "from": "given"}
HEARD = {"words": "I'll whisper.", "from": "recognised (version 1)"}
UNHEARD = {"words": None, "why": "Digital silence has no words."}


def told(settings: Settings, found: dict[str, Feature], *spoken: Spoken) -> list[dict[str, object]]:
    """What is told of the responses."""
    tools = FakeTools(found={"clip": found})
    case = Case(PAIR, (Spoken("Whisper."),), tuple((one,) for one in spoken))
    TRANSCRIPT_LLM.judge(case, settings, tools)
    return [
        {name: line[name] for name in line if name not in ("who", "turn")}
        for line in tools.materials[0]
        if line["who"] != "The prompt"
    ]


@each(
    "transcripts, first, second",
    [("given", GIVEN, HEARD), ("recognised", HEARD, HEARD), ("recognised_only", HEARD, HEARD)],
)
def test_words_come_from_where_the_setting_says(
    transcripts: str, first: dict[str, str], second: dict[str, str]
) -> None:
    both, heard_only = Spoken("I will whisper.", sound()), Spoken("", sound())

    assert told({"transcripts": transcripts}, features("I'll whisper."), both, heard_only) == [first, second]


def test_words_of_the_import_stand_in_for_those_that_were_not_recognised() -> None:
    silent, unheard = Spoken("I will whisper.", sound()), Spoken("I will whisper.")

    assert told({"transcripts": "recognised"}, features(None), silent, unheard) == [GIVEN, GIVEN]


def test_words_of_the_import_are_not_told_where_only_recognised_ones_are_wanted() -> None:
    tools = FakeTools(found={name: features(None) for name in ("clip 1", "clip 2")})

    opinion = TRANSCRIPT_LLM.judge(a_case(PAIR, 2), {"transcripts": "recognised_only"}, tools)

    assert (opinion.status, tools.asked) == ("error", [])
    assert opinion.message == "No words are known of any response. Digital silence has no words."


def test_a_response_without_words_is_told_with_the_reason() -> None:
    assert told({}, features(None), Spoken("I will whisper."), Spoken("", sound())) == [GIVEN, UNHEARD]


def test_a_recogniser_that_heard_nothing_said_is_no_missing_transcript() -> None:
    heard = {"words": "", "from": "recognised (version 1)"}

    assert told({}, features(""), Spoken("I will whisper."), Spoken("", sound())) == [GIVEN, heard]


def test_sound_is_not_listened_to_where_words_are_given() -> None:
    tools = FakeTools(found={})

    assert TRANSCRIPT_LLM.judge(a_case(PAIR, 2), {}, tools).status == "ok"


def test_answers_are_in_the_order_of_the_case() -> None:
    opinion = TRANSCRIPT_LLM.judge(
        a_case(PAIR, 2), {}, FakeTools(saying({"reasoning": "2 does it.", "overall": "2"}))
    )

    assert (opinion.answers, opinion.reasoning) == ({"overall": "2"}, "2 does it.")


def test_what_was_read_is_kept_beside_the_verdict() -> None:
    said = TRANSCRIPT_LLM.judge(a_case(PAIR, 2), {}, FakeTools()).said

    assert said["words"][1] == {"who": "response 1", "turn": 1, "words": "Answer 1.", "from": "given"}


def test_the_model_is_told_that_it_does_not_hear() -> None:
    tools = FakeTools()

    TRANSCRIPT_LLM.judge(a_case(PAIR, 2), {}, tools)

    assert "You do not hear the recordings" in tools.systems[0]
