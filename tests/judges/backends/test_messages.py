"""Sound in messages: as it is kept, and as it is sent."""

import base64
import json
from typing import Any

import pytest

from judges.backends import messages
from judges.backends.contract import JudgeError, JudgeInput, SoundPart
from judges.backends.messages import plain, wired
from judges.backends.openai_chat import ChatServer, OpenAIChat
from tests.cases import each
from tests.judges.server import completion, serving

PART = SoundPart("3f" * 32, 1.234, 16_000, lambda: b"RIFF-of-a-sort", ("signal: Test", "clip 3f3f"))
MESSAGES: tuple[dict[str, Any], ...] = (
    {"role": "system", "content": "Listen."},
    {"role": "user", "content": [{"type": "text", "text": "Here:"}, PART]},
)


def test_plain_messages_have_the_hash_and_can_be_kept_as_json() -> None:
    kept = json.loads(json.dumps(plain(MESSAGES)))

    assert kept == [
        {"role": "system", "content": "Listen."},
        {
            "role": "user",
            "content": [
                {"type": "text", "text": "Here:"},
                {
                    "type": "input_audio",
                    "sha256": "3f" * 32,
                    "seconds": 1.23,
                    "holds": ["signal: Test", "clip 3f3f"],
                },
            ],
        },
    ]


def test_another_sound_is_another_message_and_the_same_one_is_the_same() -> None:
    other = SoundPart("4e" * 32, 1.234, 16_000, PART.wav, PART.holds)
    again = SoundPart("3f" * 32, 1.234, 16_000, lambda: b"", PART.holds)

    assert plain([{"role": "user", "content": [other]}]) != plain([{"role": "user", "content": [PART]}])
    assert plain([{"role": "user", "content": [again]}]) == plain([{"role": "user", "content": [PART]}])


@each(
    "form, sent",
    [
        ("input_audio", {"type": "input_audio", "input_audio": {"data": "DATA", "format": "wav"}}),
        ("audio_url", {"type": "audio_url", "audio_url": {"url": "data:audio/wav;base64,DATA"}}),
    ],
)
def test_sound_is_sent_in_the_form_of_the_server(form: Any, sent: dict[str, Any]) -> None:
    data = base64.b64encode(b"RIFF-of-a-sort").decode()
    wanted = JudgeInput(MESSAGES, {"required": []})
    with serving(completion("{}")) as server:
        OpenAIChat(ChatServer(base_url=server.url, model="m", private_allowed=True, attempts=1, sound_form=form)).ask(
            wanted
        )

        [body] = server.asked
    assert body["messages"][1]["content"][1] == json.loads(json.dumps(sent).replace("DATA", data))
    assert body["messages"][0] == {"role": "system", "content": "Listen."}


def test_sound_is_not_sent_to_a_model_that_takes_none() -> None:
    with serving(completion("{}")) as server:
        backend = OpenAIChat(ChatServer(base_url=server.url, model="m", private_allowed=True))

        with pytest.raises(JudgeError, match="takes no sound") as refusal:
            backend.ask(JudgeInput(MESSAGES, {"required": []}))

        assert (server.asked, refusal.value.permanent) == ([], True)


def test_too_much_sound_is_refused_before_any_of_it_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    def wav() -> bytes:
        raise AssertionError("it was made")

    long = SoundPart("aa", 300.0, 24_000, wav)

    with pytest.raises(JudgeError, match=r"The 2 sounds of one request are 600 s or 38\.4 MB.*19 MB"):
        wired([{"role": "user", "content": [long, long]}], "input_audio")

    monkeypatch.setattr(messages, "MOST_SOUND_BYTES", 38_400_200)
    with pytest.raises(AssertionError, match="it was made"):
        wired([{"role": "user", "content": [long, long]}], "input_audio")


def test_messages_without_sound_go_out_as_they_were() -> None:
    told = ({"role": "user", "content": "Count."},)

    assert wired(told, "") == plain(told) == [{"role": "user", "content": "Count."}]
