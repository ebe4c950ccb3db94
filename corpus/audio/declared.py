"""Whether a file holds as many bytes of sound as its header declares, where the decoder does not say so."""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import IO, Literal

#: What programs declare that write to a pipe and do not know the size: 0, or one this large and larger.
STREAMED_FROM = 0x7FFF_0000
#: Where the Xing or Info header stands in the first frame of an MP3, by MPEG-1 or not, and mono or not.
XING_AT = {(True, False): 36, (True, True): 21, (False, False): 21, (False, True): 13}
MP3_RATES = (44_100, 48_000, 32_000)
ID3_BYTES = 10
#: A file has no more chunks, or tags, before its sound.
MOST_PARTS = 1000


@dataclass(frozen=True)
class CutOff:
    """How many seconds a file declares, and how many of them it holds."""

    declared: float
    held: float


def cut_off(file: IO[bytes], container: str) -> CutOff | None:
    """Whether the end of a WAV or MP3 is missing, by its header; None where that says nothing. The file is moved."""
    found = {"WAV": _of_wav, "MP3": _of_mp3}.get(container, lambda _file, _size: None)(file, _size_of(file))
    if found is None:
        return None
    declared, held, seconds = found
    return CutOff(seconds, seconds * held / declared) if held < declared else None


def _size_of(file: IO[bytes]) -> int:
    return file.seek(0, os.SEEK_END)


def _of_wav(file: IO[bytes], size: int) -> tuple[int, int, float] | None:
    """Bytes of sound declared, bytes held, seconds declared (RIFF; the size in RF64 is elsewhere)."""
    rate = 0
    for name, length, begin in _chunks(file):
        if name == b"fmt " and length >= 12:
            file.seek(begin + 8)
            rate = int.from_bytes(file.read(4), _order(file))
        elif name == b"data":
            if not length or length >= STREAMED_FROM or not rate:
                return None
            return length, max(size - begin, 0), length / rate
    return None


def _order(file: IO[bytes]) -> Literal["big", "little"]:
    at = file.tell()
    file.seek(0)
    order: Literal["big", "little"] = "big" if file.read(4) == b"RIFX" else "little"
    file.seek(at)
    return order


def _chunks(file: IO[bytes]) -> Iterator[tuple[bytes, int, int]]:
    """The name, declared length and first byte of each chunk."""
    order, at = _order(file), 12
    for _ in range(MOST_PARTS):
        file.seek(at)
        head = file.read(8)
        if len(head) < 8:
            return
        length = int.from_bytes(head[4:], order)
        yield head[:4], length, at + 8
        at += 8 + length + length % 2


def _of_mp3(file: IO[bytes], size: int) -> tuple[int, int, float] | None:
    """The same of the frames, by the Xing or Info header in the first one."""
    begin = _first_frame(file)
    file.seek(begin)
    head = file.read(XING_AT[True, False] + 16)
    if len(head) < 4 or head[0] != 0xFF or (head[1] & 0xE6) != 0xE2 or (head[2] >> 2 & 3) == 3:
        return None
    is_mpeg1, is_mono = (head[1] >> 3 & 3) == 3, head[3] >> 6 == 3
    xing = head[XING_AT[is_mpeg1, is_mono] :]
    if xing[:4] not in (b"Xing", b"Info") or len(xing) < 16 or xing[7] & 3 != 3:  # with frames, and with bytes
        return None
    frames, declared = int.from_bytes(xing[8:12]), int.from_bytes(xing[12:16])
    rate = MP3_RATES[head[2] >> 2 & 3] // {3: 1, 2: 2, 0: 4}.get(head[1] >> 3 & 3, 1)
    if not frames or not declared:
        return None
    return declared, max(size - begin, 0), frames * (1152 if is_mpeg1 else 576) / rate


def _first_frame(file: IO[bytes]) -> int:
    """Where the frames begin, after tags of ID3v2."""
    at = 0
    for _ in range(MOST_PARTS):
        file.seek(at)
        head = file.read(ID3_BYTES)
        if head[:3] != b"ID3" or len(head) < ID3_BYTES:
            return at
        length = sum((byte & 0x7F) << shift for byte, shift in zip(head[6:], (21, 14, 7, 0), strict=True))
        at += ID3_BYTES + length + (ID3_BYTES if head[5] & 0x10 else 0)
    return at
