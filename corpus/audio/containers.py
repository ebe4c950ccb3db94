"""What kind of file this is, judged from its first bytes and from its name, before any decoder sees it."""

from pathlib import PurePath

ACCEPTED = "WAV, FLAC, MP3 and OGG (Vorbis or Opus)"
HEAD_BYTES = 16

CONTAINER_OF_EXTENSION = {
    ".wav": "WAV",
    ".wave": "WAV",
    ".flac": "FLAC",
    ".mp3": "MP3",
    ".ogg": "OGG",
    ".oga": "OGG",
    ".opus": "OGG",
}
CONTAINER_OF_FORMAT = {
    "WAV": "WAV",
    "WAVEX": "WAV",
    "RF64": "WAV",
    "FLAC": "FLAC",
    "MP3": "MP3",
    "OGG": "OGG",
}

_MARKS = {b"fLaC": "FLAC", b"OggS": "OGG", b"ID3": "MP3"}
_WAVE_MARKS = (b"RIFF", b"RIFX", b"RF64")
_FOREIGN_MARKS = {
    b"FORM": "AIFF",
    b"caff": "CAF",
    b".snd": "AU",
    b"riff": "Wave64",
    b"wvpk": "WavPack",
    b"#!AMR": "AMR",
    b"\x1a\x45\xdf\xa3": "WebM or Matroska",
    b"\x30\x26\xb2\x75": "WMA",
    b"\xff\xf1": "AAC",
    b"\xff\xf9": "AAC",
}


def claimed_container(head: bytes) -> str | None:
    """Name the accepted container whose mark opens `head` (the first 16 bytes), or None."""
    if head[:4] in _WAVE_MARKS and head[8:12] == b"WAVE":
        return "WAV"
    if begins_mp3_frame(head):
        return "MP3"
    return _marked(head, _MARKS)


def foreign_container(head: bytes) -> str | None:
    """Name a well-known audio container that is not accepted, or None."""
    if head[4:8] == b"ftyp":
        return "MP4 (M4A)"
    return _marked(head, _FOREIGN_MARKS)


def begins_mp3_frame(head: bytes) -> bool:
    """Whether `head` opens with an MPEG-1, 2 or 2.5 Layer III frame header (ISO/IEC 11172-3, 2.4.2.3)."""
    sync = head[:1] == b"\xff" and len(head) > 1
    return sync and (head[1] & 0xE6) == 0xE2 and (head[1] & 0x18) != 0x08


def extension_of(name: str) -> str:
    """Return the last extension of `name` in lower case with its dot, or '' if it has none."""
    return PurePath(name).suffix.lower()


def usual_extension(container: str) -> str:
    """Return the extension to recommend for an accepted container."""
    return f".{container.lower()}"


def _marked(head: bytes, marks: dict[bytes, str]) -> str | None:
    return next((container for mark, container in marks.items() if head.startswith(mark)), None)
