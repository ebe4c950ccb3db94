"""Messages with sound: as they are stored and compared, and as they are sent."""

import base64
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from judges import reasons
from judges.backends.contract import JudgeError, SoundForm, SoundPart

#: Base64 of all sounds of one request; Gemini takes 20 MB in a request, OpenAI 20 MB in a file.
MOST_SOUND_BYTES = 19_000_000
WAV_HEADER_BYTES = 44


def plain(messages: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The messages as plain data, sound by its hash: what a call keeps, and what its key is made of.

    >>> plain([{"role": "user", "content": [SoundPart("3f", 1.5, 16_000, lambda: b"", ("clip 3f",))]}])
    [{'role': 'user', 'content': [{'type': 'input_audio', 'sha256': '3f', 'seconds': 1.5, 'holds': ['clip 3f']}]}]
    """
    return [_with_parts(message, _plain_part) for message in messages]


def wired(messages: Sequence[Mapping[str, Any]], sound_form: SoundForm) -> list[dict[str, Any]]:
    """The messages as a server takes them, sound as base64.

    Raises JudgeError where it takes no sound, or not so much.
    """
    if sounds := list(sounds_in(messages)):
        _check(sounds, sound_form)
    return [_with_parts(message, lambda part: _wired_part(part, sound_form)) for message in messages]


def sounds_in(messages: Sequence[Mapping[str, Any]]) -> Iterator[SoundPart]:
    """Every sound in the messages, in order."""
    for message in messages:
        if not isinstance(message["content"], str):
            yield from (part for part in message["content"] if isinstance(part, SoundPart))


def _check(sounds: Sequence[SoundPart], sound_form: SoundForm) -> None:
    if not sound_form:
        raise JudgeError(reasons.TAKES_NO_SOUND(), permanent=True)
    n_bytes = sum(_base64_bytes(sound) for sound in sounds)
    if n_bytes > MOST_SOUND_BYTES:
        seconds = sum(sound.seconds for sound in sounds)
        said = {
            "seconds": f"{seconds:.0f}",
            "megabytes": f"{n_bytes / 1e6:.1f}",
            "most": f"{MOST_SOUND_BYTES / 1e6:g}",
        }
        raise JudgeError(reasons.TOO_MUCH_SOUND(n=len(sounds), **said), permanent=True)


def _base64_bytes(sound: SoundPart) -> int:
    return 4 * (WAV_HEADER_BYTES + 2 * round(sound.seconds * sound.rate) + 2) // 3


def _with_parts(message: Mapping[str, Any], rendered: Any) -> dict[str, Any]:
    content = message["content"]
    return {**message, "content": content if isinstance(content, str) else [rendered(part) for part in content]}


def _plain_part(part: Any) -> Any:
    if not isinstance(part, SoundPart):
        return part
    seconds = round(part.seconds, 2)
    return {"type": "input_audio", "sha256": part.sha256, "seconds": seconds, "holds": list(part.holds)}


def _wired_part(part: Any, sound_form: SoundForm) -> Any:
    if not isinstance(part, SoundPart):
        return part
    data = base64.b64encode(part.wav()).decode()
    if sound_form == "audio_url":
        return {"type": "audio_url", "audio_url": {"url": f"data:audio/wav;base64,{data}"}}
    return {"type": "input_audio", "input_audio": {"data": data, "format": "wav"}}
