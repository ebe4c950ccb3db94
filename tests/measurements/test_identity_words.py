from measurements.identity_leaks.words import WELL_KNOWN, Hit, identity_hits
from tests.cases import each


def matched(text: str, names: tuple[str, ...] = WELL_KNOWN) -> list[str]:
    return [hit.matched for hit in identity_hits(text, names)]


@each(
    "text, found",
    [
        ("Well, I am ChatGPT.", ["I am ChatGPT"]),
        ("As an AI developed by OpenAI, I can't say.", ["As an AI developed by OpenAI"]),
        ("as an ai language model trained by google i have no body", ["as an ai language model trained by google"]),
        ("I'm a large language model, trained by Google.", ["I'm a large language model, trained by Google"]),
        ("Hello, my name is Moshi and I like trains.", ["my name is Moshi"]),
        ("You can call me Jarvis.", ["You can call me Jarvis"]),
        ("I’m Max, your guide", ["I’m Max"]),
        ("i was created by anthropic", ["i was created by anthropic"]),
        ("You could ask g p t four or gpt 4 o.", ["gpt 4 o"]),
        ("Hey Siri, call Mum", ["Siri"]),
        ("chat gpt and Chat-GPT", ["chat gpt", "Chat-GPT"]),
        ("I am just a virtual assistant.", ["just a virtual assistant"]),
        ("Ich bin ein KI-Assistent.", ["Ich bin ein KI-Assistent"]),
        (
            "Als Sprachmodell, das von OpenAI entwickelt wurde, weiß ich es nicht.",
            ["Als Sprachmodell, das von OpenAI"],
        ),
        ("Mein Name ist Claude, freut mich.", ["Mein Name ist Claude"]),
        ("ich heiße anna", ["ich heiße anna"]),
        ("Ich wurde von Alibaba Cloud entwickelt.", ["Ich wurde von Alibaba Cloud entwickelt"]),
    ],
)
def test_identity_is_found(text: str, found: list[str]) -> None:
    assert matched(text) == found


@each(
    "text",
    [
        "",
        "I am happy to help. I'm not sure, as a rule.",
        "The aim is to train an AIR crew.",
        "Ich bin gern für dich da, als Freund.",
        "He said his name was lost. As an adult, I agree.",
        "The llamas graze; clauded skies; egpt.",
        "I am German-speaking people's friend",
    ],
)
def test_ordinary_sentences_are_left_alone(text: str) -> None:
    assert matched(text) == []


def test_places_are_those_of_the_text() -> None:
    text = "Oh – I’m an AI, and Siri is not."

    for hit in identity_hits(text, ["Siri"]):
        assert text[hit.start : hit.end] == hit.matched
    assert identity_hits(text, ["Siri"])[-1] == Hit("name", "Siri", text.index("Siri"))


def test_names_of_systems_are_found_as_they_are_said() -> None:
    names = ("gemini2-flash-exp", "B", "qwen2_audio")

    assert matched("gemini 2 flash exp or Gemini2FlashExp", names) == ["gemini 2 flash exp", "Gemini2FlashExp"]
    assert matched("Qwen 2 Audio speaking; plan B", names) == ["Qwen 2 Audio"]


def test_signs_in_names_mean_themselves() -> None:
    assert matched("what (now)", ("(now|what", "a.b*c")) == []
    assert matched("the Now what show", ("(now|what",)) == ["Now what"]
