"""Sound files of every kind that may be uploaded, small ones, and some that were made to do harm."""

import csv
import io
import json
import random
import stat
import struct
import zipfile
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import soundfile

from protocols import SHIPPED
from protocols.documents.yaml_files import to_yaml

Rows = list[dict[str, Any]]

SYSTEMS = ("Xylophagous", "Quokkawise")
AUDIO_FORMS = (
    ("wav", "WAV", "PCM_16"), ("wav", "WAV", "PCM_24"), ("wav", "WAV", "FLOAT"), ("wav", "WAV", "ULAW"),
    ("wav", "WAV", "IMA_ADPCM"), ("wav", "WAVEX", "PCM_16"), ("wav", "RF64", "PCM_16"), ("flac", "FLAC", "PCM_16"),
    ("mp3", "MP3", "MPEG_LAYER_III"), ("ogg", "OGG", "VORBIS"), ("ogg", "OGG", "OPUS"),
)  # fmt: skip


def sound(container: str, encoding: str, *, seconds: float = 0.25, channels: int = 1, rate: int = 16_000) -> bytes:
    samples = 0.1 * np.random.default_rng(7).standard_normal((round(seconds * rate), channels))
    file = io.BytesIO()
    soundfile.write(file, samples, rate, format=container, subtype=encoding)
    return file.getvalue()


def sounds() -> dict[str, bytes]:
    """By a file name that fits."""
    found = {f"{form.lower()}-{encoding.lower()}.{end}": sound(form, encoding) for end, form, encoding in AUDIO_FORMS}
    return found | {"stereo.wav": sound("WAV", "PCM_16", channels=2, rate=44_100)}


def as_csv(rows: Rows) -> bytes:
    out = io.StringIO()
    table = csv.DictWriter(out, list(rows[0]), lineterminator="\n")
    table.writeheader()
    table.writerows(rows)
    return out.getvalue().encode()


def as_json(rows: Rows) -> bytes:
    return json.dumps(rows, ensure_ascii=False).encode()


def as_json_lines(rows: Rows) -> bytes:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode()


def as_parquet(rows: Rows, **options: Any) -> bytes:
    return parquet_of(pa.Table.from_pylist(rows), **options)


def parquet_of(table: pa.Table, **options: Any) -> bytes:
    out = io.BytesIO()
    pq.write_table(table, out, **options)
    return out.getvalue()


def in_every_form(rows: Rows) -> dict[str, bytes]:
    return {
        "table.csv": as_csv(rows),
        "table.json": as_json(rows),
        "table.jsonl": as_json_lines(rows),
        "table.parquet": as_parquet(rows),
        "plain.parquet": as_parquet(rows, use_dictionary=False, compression="none"),
        "brotli.parquet": as_parquet(rows, compression="brotli", data_page_version="2.0"),
    }


def manifest_rows(audio: bool = False) -> Rows:
    return [
        {
            "item": f"q{n}", "turn": 1, "category": "weather", "prompt_text": f"Question {n}?", "prompt_audio": "",
            "system": system, "response_text": f"“Answer” {n}, of {system}",
            "response_audio": f"clips/{n}-{place}.wav" if audio else "",
        }
        for n in range(2) for place, system in enumerate(SYSTEMS)
    ]  # fmt: skip


def pair_rows() -> Rows:
    return [
        {
            "index": str(n), "instruction_id": f"q{n}", "instruction_text": "Say it.", "model_a": SYSTEMS[0],
            "model_b": SYSTEMS[1], "annotator": "p1", "label": {"overall": "1", "content": "both_good"},
        }
        for n in range(3)
    ]  # fmt: skip


def battle_rows() -> Rows:
    return [
        {
            "question_id": str(n), "unit": str(n), "model_a": SYSTEMS[0], "model_b": SYSTEMS[1], "winner": "tie",
            "judge": "p1", "tstamp": 1_790_000_000.5, "language": "en", "order": "ab", "rater": "person",
        }
        for n in range(2)
    ]  # fmt: skip


def verdict_rows() -> Rows:
    return [
        {"unit": str(n), "judge": "other", "order": "ab", "aspect": "overall", "verdict": "1", "n_shots": 4,
         "sample": 0, "reasoning": "louder"} for n in range(2)
    ]  # fmt: skip


def score_rows() -> Rows:
    return [{"system": name, "metric": "wer", "value": 0.25, "item": "0"} for name in SYSTEMS]


def likelihood_rows() -> Rows:
    return [
        {"model": "m", "pair": "p", "side": side, "logprobs": [-0.5, -1.25, -3.0], "tokens": [1, 2, 3],
         "category": "c"} for side in ("positive", "negative")
    ]  # fmt: skip


def gold_rows() -> Rows:
    return [{"unit": str(n), "aspect": "overall", "value": "a", "slot": "", "tolerance": 0} for n in range(2)]


def two_system_rows() -> Rows:
    return [{"item": str(n), "system_a": SYSTEMS[0], "system_b": SYSTEMS[1], "take_a": ""} for n in range(2)]


def criterion_rows() -> Rows:
    return [{"item": "0", "number": n, "text": f"Is it {n}?", "state": "accepted", "source": ""} for n in (1, 2)]


def protocols() -> dict[str, bytes]:
    return {f"{name}.yaml": to_yaml(SHIPPED[name]).encode() for name in ("hcot", "acr", "rubric", "medical")}


def hostile_yaml(rng: random.Random) -> bytes:
    names = "abcdefghij"
    bomb = "a: &a [x,x,x,x,x,x,x,x,x]\n" + "".join(
        f"{b}: &{b} [{','.join(f'*{a}' for _ in range(9))}]\n" for a, b in pairwise(names)
    )
    return rng.choice((
        bomb.encode(), b"[" * rng.randrange(5, 60_000), b"- " * 20_000, b"? " * 20_000, b"{a: " * 9_000,
        b"!!python/object/apply:os.system ['true']", b"&x [*x]", b"a: " + b"9" * 90_000, b"a: 0x" + b"f" * 50_000,
        b"a: 1" + b":59" * 20_000, b"\xff\xfea\0:\0", b"a: \"\\ud800\"", b"title: |" + b"\n  x" * 20_000,
    ))  # fmt: skip


def hostile_json(rng: random.Random) -> bytes:
    deep = rng.choice((10, 25, 990, 3_000, 200_000))
    return rng.choice((
        b"[" * deep + b"]" * deep, b'{"item":' * deep + b"1" + b"}" * deep, b'[{"item": ' + b"9" * 6_000 + b"}]",
        b'[{"item": 1e999, "system": "x"}]', b'[{"item": "\\ud800", "system": "x"}]',
        b'[{"item": "\\u0000", "system": "x"}]', b"[{}]" * 3, b"[" + b"{}," * 50_000 + b"{}]",
        b'[{"item": [], "system": {}, "turn": true}]', b'{"item": "a", "system": "b", "item": "c"}', b"[1, 2]",
        b'[{"model_a": "x", "model_b": "y", "winner": "tie", "judge": "j", "tstamp": 1e300}]',
        b'{"model_a": "x", "model_b": "y", "winner": "tie", "judge": "j", "tstamp": 1e18, "order": "aaaa"}',
    ))  # fmt: skip


def hostile_parquet(rng: random.Random) -> bytes:
    """Types that no table of ours has, and tables that are small only as files."""
    base = {"item": pa.array(["q"] * 3), "system": pa.array(["s", "t", "u"])}
    odd: Mapping[str, Callable[[], Any]] = {
        "bytes": lambda: pa.array([b"\xff\xfe", b"", None]),
        "not UTF-8": lambda: pa.Array.from_buffers(
            pa.string(), 3, [None, pa.py_buffer(struct.pack("<4i", 0, 1, 2, 3)), pa.py_buffer(b"\xff\xfe\xfd")]
        ),
        "moments": lambda: pa.array([2**62, -(2**62), None], pa.timestamp("us")),
        "nanoseconds": lambda: pa.array([1, 2**62, None], pa.timestamp("ns", "UTC")),
        "zone": lambda: pa.array([1, 2, 3], pa.timestamp("s", "Mars/Olympus")),
        "durations": lambda: pa.array([2**62, 1, None], pa.duration("ns")),
        "days": lambda: pa.array([2**30, -(2**30), 0], pa.date32()),
        "decimals": lambda: pa.array([None, None, 1], pa.decimal128(38, 3)),
        "numbers": lambda: pa.array([float("nan"), float("inf"), -0.0]),
        "lists": lambda: pa.array([[["a"], []], None, [[None]]]),
        "maps": lambda: pa.array([[("a", 1)], [], None], pa.map_(pa.string(), pa.int64())),
        "structs": lambda: pa.array([{"a": {"b": [1]}}, None, {"a": None}]),
        "NUL": lambda: pa.array(["a\0b", "", None]),
        "nothing": lambda: pa.nulls(3),
    }
    columns = base | {
        rng.choice(("prompt_text", "item", "turn", "extra", "response_text", "\0", "")): rng.choice(
            list(odd.values())
        )()
    }
    return (
        parquet_bomb(rng.randrange(3))
        if rng.random() < 0.15
        else parquet_of(pa.table(columns), store_schema=rng.random() < 0.5)
    )


@cache
def parquet_bomb(kind: int) -> bytes:
    """Of a few kilobytes, and of gigabytes or millions of rows once it is read."""
    same = pa.DictionaryArray.from_arrays(pa.array(np.zeros(30_000, np.int32)), pa.array(["x" * 100_000]))
    if kind == 0:
        return parquet_of(pa.table({"item": same, "system": pa.nulls(30_000)}), store_schema=False)
    if kind == 1:
        listed = pa.ListArray.from_arrays(pa.array([0, 30_000], pa.int32()), same)
        return parquet_of(pa.table({"item": ["q"], "system": ["s"], "extra": listed}), store_schema=False)
    return parquet_of(pa.table({"item": pa.nulls(5_000_000), "system": pa.nulls(5_000_000)}))


def archive(files: Iterable[tuple[str, bytes]], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as made:
        for name, content in files:
            made.writestr(name, content)
    return out.getvalue()


def archives() -> dict[str, bytes]:
    clip = sound("WAV", "PCM_16")
    files = [(f"clips/{n}-{place}.wav", clip) for n in range(2) for place in range(2)]
    methods = {"stored": 0, "deflated": 8, "bzip2": 12, "lzma": 14}
    return {f"{name}.zip": archive(files, method) for name, method in methods.items()}


def recordings() -> dict[str, bytes]:
    named = {f"both_good.{name.rpartition('.')[2]}": data for name, data in sounds().items()}
    clip = sound("WAV", "PCM_16")
    return named | {
        f"{n}.zip": archive([("a/both_bad.wav", clip), ("both_good.wav", clip)], method)
        for n, method in enumerate((0, 8, 14))
    }


def hostile_archive(rng: random.Random) -> bytes:
    clip = sound("WAV", "PCM_16")
    files = [(f"clips/{n}-{place}.wav", clip) for n in range(2) for place in range(2)]
    bomb = bytes(rng.choice((1, 12, 30)) * 1024**2)
    named = rng.choice((
        "../../../etc/cron.d/x", "/etc/passwd", "C:\\x.wav", "clips/../../x.wav", "..\\..\\x.wav", "a\0b.wav", ".",
        "clips/0-0.wav", "clips/0-0.wav/x", "CON", "x" * 60_000, "\u202ewav.exe", "clips//0-0.wav", "./clips/0-0.wav",
    ))  # fmt: skip
    choice = rng.randrange(9)
    if choice == 0:
        return _unwarned([*files, (named, clip)])
    if choice == 1:
        return archive([*files[1:], (files[0][0], bomb)])
    if choice == 2:
        return _with_link(files)
    if choice == 3:
        return archive([(name, archive([("in.wav", clip), ("bomb", bomb)])) for name, _ in files])
    if choice == 4:
        return archive([*files, *((f"n/{n}", b"") for n in range(rng.choice((10, 3_000))))])
    if choice == 5:
        return _size_lied(archive(files), rng.choice((1, 100, 2**31, 2**32 - 2)))
    if choice == 6:
        return archive(files).replace(b"PK\x01\x02\x14\x03\x14\x00\x00\x00", b"PK\x01\x02\x14\x03\x14\x00\x01\x00")
    if choice == 7:
        return archive([("answer both_good.wav", clip), ("both_good.wav", clip), ("a.wav", bomb)])
    return archive(files).replace(b"clips/", rng.choice((b"clip\xff\xfe", b"../../", b"/etc/x", b"clips\\")))


def _unwarned(files: Iterable[tuple[str, bytes]]) -> bytes:
    """Without zipfile's warning over a name that comes twice."""
    taken: dict[str, bytes] = {}
    for name, content in files:
        taken[name if name not in taken else f"{name}~"] = content
    made = archive(taken.items())
    return made.replace(b"~", b"") if any(name.endswith("~") for name in taken) else made


def _with_link(files: list[tuple[str, bytes]]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as made:
        link = zipfile.ZipInfo(files[0][0])
        link.external_attr = (stat.S_IFLNK | 0o777) << 16
        made.writestr(link, "/etc/passwd")
        for name, content in files[1:]:
            made.writestr(name, content)
    return out.getvalue()


def _size_lied(made: bytes, size: int) -> bytes:
    """Every size that the directory gives becomes this one."""
    found, place = bytearray(made), -1
    while (place := found.find(b"PK\x01\x02", place + 1)) >= 0:
        found[place + 24 : place + 28] = struct.pack("<I", size)
    return bytes(found)
