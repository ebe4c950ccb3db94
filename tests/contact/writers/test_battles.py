"""Battles as FastChat cleaned its server's logs for release, and judgments of MT-Bench as FastChat counts them.

The logs are written here as its server has them. Its program guesses languages by polyglot, whose PyICU is built
from source: a module of ours stands for that alone. Judgments have no program that writes them: FastChat's own reads
ours, and its agreement is that of the labels which came in.
"""

import json
import re
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from corpus.models import Turn
from tests.contact.writers.writing import run
from tests.corpus.imports.tools.conftest import answers_of, bring_in, look, told

pytestmark = pytest.mark.django_db
__all__ = ["told"]

DETECTOR = """
class Detector:
    def __init__(self, text):
        self.language = type("Language", (), {"name": "German" if "ü" in text else "English"})
"""
BASE = "import logging\nlogger = logging.getLogger()\nclass UnknownLanguage(Exception): pass\n"


def voted(n: int, kind: str, who: str, *talks: list[str], systems: tuple[str, str] = ("", "")) -> dict[str, Any]:
    """A vote as FastChat's server logs it; an anonymous one has no names beside its conversations."""
    states = [
        {"conv_id": f"c{n}", "model_name": name, "offset": 0,
         "messages": [[("USER", "ASSISTANT")[i % 2], text] for i, text in enumerate(talk)]}
        for name, talk in zip(("koala-13b", "dolly-v2-12b"), talks, strict=True)
    ]  # fmt: skip
    return {"tstamp": 1682351591.5 + n, "type": kind, "models": systems, "states": states, "ip": who}


LOG = [
    voted(1, "leftvote", "10.0.0.1", ["How are you?", "Well."], ["How are you?", "Very well."]),
    voted(2, "bothbad_vote", "10.0.0.1", ["Two?", "2", "Three?", "3"], ["Two?", "two", "Three?", "three"]),
    voted(3, "tievote", "10.0.0.2", ["Grüße?", "Hallo."], ["Grüße?", "Guten Tag."]),
    voted(4, "rightvote", "10.0.0.3", ["Why?", "So."], ["Why?", "Thus."]),
    voted(5, "rightvote", "10.0.0.3", ["Who?", "I am koala."], ["Who?", "I am."]),
    voted(6, "leftvote", "10.0.0.3", ["Why?", "So."], ["Why?", "Thus."], systems=("koala-13b", "dolly-v2-12b")),
    {"tstamp": 1682351599.5, "type": "chat", "model": "koala-13b", "state": {}, "ip": "10.0.0.1"},
]  # fmt: skip


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    """The folder of a home with the logs of fourteen servers, and a module that guesses languages."""
    for n in range(14):
        (tmp_path / "fastchat_logs" / f"server{n}").mkdir(parents=True)
    log = "".join(json.dumps(it, ensure_ascii=False) + "\n" for it in LOG)
    (tmp_path / "fastchat_logs" / "server0" / "2023-04-24-conv.json").write_text(log)
    (tmp_path / "stands" / "polyglot" / "detect").mkdir(parents=True)
    (tmp_path / "stands" / "polyglot" / "__init__.py").touch()
    (tmp_path / "stands" / "polyglot" / "detect" / "__init__.py").write_text(DETECTOR)
    (tmp_path / "stands" / "polyglot" / "detect" / "base.py").write_text(BASE)
    (tmp_path / "stands" / "pycld2.py").write_text("class error(Exception): pass\n")
    return tmp_path


def cleaned(logs: Path, mode: str) -> Path:
    run("-m", "fastchat.serve.monitor.clean_battle_data", "--mode", mode, "--sanitize-ip", folder=logs, HOME=logs,
        PYTHONPATH=logs / "stands", LOGDIR=logs)  # fmt: skip
    (battles,) = logs.glob("clean_battle_*.json")
    return battles


def test_battles_with_conversations_come_in(logs: Path, told: Any) -> None:
    """One in which a system says its name is left out by FastChat, and one whose systems were seen."""
    battles = cleaned(logs, "conv_release")

    assert told(look(battles)) == [
        "LMArena battles: 4 battles of 2 systems", "Columns that are not kept: anony.",
    ]  # fmt: skip
    dataset = bring_in(battles)

    assert answers_of(dataset) == [
        ("c1", "koala-13b / dolly-v2-12b", "arena_user_arena_user_0", "overall", "a"),
        ("c2", "koala-13b / dolly-v2-12b", "arena_user_arena_user_0", "overall", "both_bad"),
        ("c3", "koala-13b / dolly-v2-12b", "arena_user_arena_user_1", "overall", "tie"),
        ("c4", "koala-13b / dolly-v2-12b", "arena_user_arena_user_2", "overall", "b"),
    ]
    assert [it.text for it in Turn.objects.filter(item__key="c2").order_by("position")] == ["Two?", "Three?"]
    assert dataset.items.get(key="c3").category == "German"


def test_battles_without_conversations_bring_answers_alone(logs: Path, told: Any) -> None:
    battles = cleaned(logs, "simple")

    assert told(look(battles))[0] == "LMArena battles: 5 battles of 2 systems"
    assert [(item, value) for item, *_, value in answers_of(bring_in(battles))] == [
        ("battle 1", "a"), ("battle 2", "both_bad"), ("battle 3", "tie"), ("battle 4", "b"), ("battle 5", "a"),
    ]  # fmt: skip


JUDGED = [("expert_1", 1, "model_a"), ("expert_2", 1, "model_a"), ("expert_3", 1, "tie"), ("expert_1", 2, "model_b"),
          ("expert_2", 2, "model_b"), ("expert_3", 2, "model_b")]  # fmt: skip


def test_people_agree_on_mt_bench_as_often_as_fastchat_counts(tmp_path: Path) -> None:
    talk = [{"role": "user", "content": "Compose"}, {"role": "assistant", "content": "Aloha"}]
    rows = [
        {"question_id": question, "model_a": "alpaca-13b", "model_b": "gpt-4", "winner": winner, "judge": judge,
         "conversation_a": talk, "conversation_b": talk, "turn": turn}
        for question in (81, 82) for judge, turn, winner in JUDGED
    ]  # fmt: skip
    path = tmp_path / "human_judgments.json"
    path.write_text(json.dumps(rows))
    said = run("-m", "fastchat.llm_judge.compute_agreement", "--judges", "human", "human", "--votefiles", path)
    counted = [tuple(map(int, it)) for it in re.findall(r"with tie\. #total: (\d+), #agree: (\d+)", said)]

    votes: dict[tuple[str, str], list[str]] = {}
    for item, _, _, aspect, value in answers_of(bring_in(path)):
        votes.setdefault((item, aspect), []).append(value)
    ours = [
        [one == other for (_, aspect), given in votes.items() for one, other in combinations(given, 2)
         if aspect == f"turn_{turn}"] for turn in (1, 2)
    ]  # fmt: skip
    assert counted == [(len(it), sum(it)) for it in ours] == [(6, 2), (6, 6)]
