"""LMArena's battles: the classic files, with or without conversations; the 140k release; the 55k of its contest; and
MT-Bench's judgments.

Each battle is an item of its own, with the prompts of its turns, two responses and one vote. In MT-Bench's file ids
come again, for other systems, other raters and either turn: there an item is a question, and each turn an aspect.
"""

import json
from collections import Counter
from collections.abc import Callable, Collection, Iterator
from datetime import UTC, datetime
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

from corpus.imports.files.rows import Row, UnreadableManifest
from corpus.imports.mapping.reasons import SAME_ON_BOTH_SIDES
from corpus.imports.mapping.rows.reading import MOST_EXAMPLES
from corpus.imports.tools import reasons
from corpus.imports.tools.head import Head, head_of
from corpus.imports.tools.recognised import Part, Recognised, Said, Tool
from corpus.imports.tools.tool_rows import tool_rows
from infrastructure.wording.reasons import Reason

OUTCOMES = {"model_a": "a", "model_b": "b", "tie": "tie", "tie (bothbad)": "both_bad", "both_bad": "both_bad",
            "bothbad": "both_bad"}  # fmt: skip
#: What only a battle with its conversations, its time or its voter has.
OF_BATTLES = ("conversation_a", "tstamp", "judge", "anony", "conv_metadata", "evaluation_session_id")
OF_CONTEST = {"winner_model_a": "model_a", "winner_model_b": "model_b", "winner_tie": "tie"}
KEYS = ("question_id", "id", "question_hash")
#: Where a row has its number among all; no column is called so.
AMONG_ALL = ""
#: What the table of answers has no place for, by the column in which it comes.
NOT_KEPT = ("full_conversation", "conv_metadata", "openai_moderation", "toxic_chat_tag", "evaluation_session_id",
            "evaluation_order", "dedup_tag", "is_code", "is_refusal", "judge_hash", "anony")  # fmt: skip
CONVERSATIONS = ("conversation_a", "conversation_b", "prompt", "response_a", "response_b")
#: So many battles are checked and written at a time: others wait for a transaction of so many.
AT_ONCE = 250
MAX_CATEGORY = 100
Messages = list[dict[str, Any]]
#: Of an item and its row: the takes of the two sides.
TakesOf = Callable[[str, Row], tuple[str, str]]


def _recognises(head: Head) -> bool:
    if head.has("prompt", "response_a", "response_b", *OF_CONTEST):
        return True
    return head.has("model_a", "model_b", "winner") and not head.has("unit") and head.has_any(OF_BATTLES)


def _open(path: Path) -> Recognised:
    with path.open("rb") as file:
        seen = _Seen(head_of(file).columns)
    rows = partial(_rows, path, without=NOT_KEPT)
    for _, row in _rows(path, without=(*NOT_KEPT, *CONVERSATIONS, "category_tag")):
        seen.add_vote(row)
    if seen.columns.intersection(CONVERSATIONS) and not seen.repeats:
        return Recognised(
            reasons.LMARENA(n=seen.n, systems=len(seen.systems)),
            seen.lost,
            parts=lambda: _parts(rows(), seen),
            n_rows=seen.n,
        )
    for number, row in rows():
        seen.add_conversations(number, row)
    told = reasons.MT_BENCH if seen.repeats else reasons.LMARENA
    return Recognised(
        told(n=seen.n, systems=len(seen.systems)),
        tuple(seen.lost()),
        responses=(lambda: _responses(rows(), _Takes().of)) if seen.n_conversations else None,
        answers=lambda: _answers(rows(), _Takes().of, by_turn=seen.repeats),
    )


def _rows(path: Path, *, without: Collection[str]) -> Iterator[tuple[int, Row]]:
    """The rows by line; each with its number among all, by which a battle without an id is called."""
    for n, (number, row) in enumerate(tool_rows(path, without=without), start=1):
        yield number, row | {AMONG_ALL: n}


def _parts(rows: Iterator[tuple[int, Row]], seen: "_Seen") -> Iterator[Part]:
    """Some battles at a time, each an item of its own; `seen` counts their conversations anew."""
    seen.forget_conversations()
    while some := list(islice(rows, AT_ONCE)):
        for number, row in some:
            seen.add_conversations(number, row)
        responses = list(_responses(iter(some), _takes_of_battle))
        answers = list(_answers(iter(some), _takes_of_battle, by_turn=False))
        yield Part(responses, answers, len(some))


class _Seen:
    """What the battles of a file are, counted before any of them is taken in."""

    def __init__(self, columns: frozenset[str]) -> None:
        self.columns, self.systems, self.items = columns, set[str](), set[str]()
        self.votes, self.n_again = set[int](), 0  # hashes are a tenth of what they are of
        self.n = self.without = 0
        self.forget_conversations()

    def forget_conversations(self) -> None:
        self.n_conversations = self.n_other = self.n_differing = self.n_same = self.n_takes = 0
        self.kinds, self.some_same = Counter[str](), list[str]()

    @property
    def repeats(self) -> bool:
        """Whether items come in several rows."""
        return len(self.items) < self.n

    def add_vote(self, row: Row) -> None:
        self.n += 1
        self.items.add(item := _item(row))
        vote = hash(_vote(item, row))
        self.n_again += vote in self.votes
        self.votes.add(vote)
        self.systems |= {str(row.get("model_a")), str(row.get("model_b"))}
        self.without += not _outcome(row)

    def add_conversations(self, number: int, row: Row) -> None:
        if _is_same(row):
            self.n_same += 1
            if len(self.some_same) < MOST_EXAMPLES:
                self.some_same.append(f"{_item(row)}, {_systems(row)[0]} ({number})")
            return
        self.n_takes += len(set(_systems(row))) == 1
        sides = [_messages(row, side) for side in "ab"]
        self.n_conversations += any(sides)
        for messages in sides:
            for message in messages:
                self.n_other += message.get("role") not in ("user", "assistant")
                self.kinds.update(_other_kinds(message.get("content")))
        a, b = map(_prompts, sides)
        self.n_differing += a != b[: len(a)]

    def lost(self) -> Iterator[Reason]:
        not_kept = {*NOT_KEPT, "language"} if "category_tag" in self.columns else {*NOT_KEPT}
        if columns := sorted(self.columns & not_kept):
            yield reasons.COLUMNS_LOST(columns=", ".join(columns))
        if self.without:
            yield reasons.BATTLES_WITHOUT_OUTCOME(n=self.without)
        if not self.n_conversations:
            yield reasons.BATTLES_WITHOUT_WORDS()
        if self.n_other:
            yield reasons.OTHER_ROLES(n=self.n_other)
        if self.kinds:
            yield reasons.OTHER_PARTS(n=self.kinds.total(), kinds=", ".join(sorted(self.kinds)))
        if self.n_again:
            yield reasons.VOTED_AGAIN(n=self.n_again)
        if self.n_same:
            yield SAME_ON_BOTH_SIDES(n=self.n_same, some="; ".join(self.some_same))
        if self.n_takes:
            yield reasons.MODEL_WITH_ITSELF(n=self.n_takes)
        if self.n_differing:
            yield reasons.PROMPTS_OF_SIDES_DIFFER(n=self.n_differing)


def _responses(rows: Iterator[tuple[int, Row]], takes: TakesOf) -> Iterator[tuple[int, Row]]:
    """A row for each turn of each side. What was asked is that of side a, and of b where a has fewer turns."""
    made = set[tuple[str, str, str]]()
    for number, row in rows:
        if _is_same(row):
            continue
        item, category = _item(row), _category(row)
        talks = [_turns(_messages(row, side)) for side in "ab"]
        prompts = [prompt for prompt, _ in max(talks, key=len)] or [""]
        prompts[: len(talks[0])] = [prompt for prompt, _ in talks[0]]
        for system, take, turns in zip(_systems(row), takes(item, row), talks, strict=True):
            if (item, system, take) in made:
                continue
            made.add((item, system, take))
            for n, (_, said) in enumerate(turns or [("", "")], start=1):
                yield number, {
                    "item": item, "turn": str(n), "category": category, "prompt_text": prompts[n - 1],
                    "system": system, "take": take, "response_text": said,
                }  # fmt: skip


def _answers(rows: Iterator[tuple[int, Row]], takes: TakesOf, *, by_turn: bool) -> Iterator[tuple[int, Said]]:
    """Of the same rater's votes on the same responses the first counts."""
    given = set[tuple[str, ...]]()
    for number, row in rows:
        item = _item(row)
        taken = takes(item, row)
        if (vote := _vote(item, row)) in given or not (outcome := _outcome(row)) or _is_same(row):
            continue
        given.add(vote)
        more = {"category": _category(row), "recorded_at": _time(row.get("tstamp", row.get("timestamp")))}
        yield number, Said(
            item, _systems(row), outcome, aspect=f"turn_{row.get('turn')}" if by_turn else "overall",
            annotator=_judge(row), takes=taken, more={name: cell for name, cell in more.items() if cell},
        )  # fmt: skip


def _takes_of_battle(item: str, row: Row) -> tuple[str, str]:
    """Of a battle that is an item of its own."""
    del item
    one, other = _systems(row)
    return "1", "2" if one == other else "1"


class _Takes:
    """Which take of its system a conversation is: another one of the same item is another take."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, str], list[int]] = {}

    def of(self, item: str, row: Row) -> tuple[str, str]:
        systems = _systems(row)
        hashes = [hash(str(_messages(row, side))) for side in "ab"]
        one, other = (self._known.setdefault((item, system), []) for system in systems)
        first = self._number(one, hashes[0])
        return first, self._number(other, hashes[1])

    def _number(self, known: list[int], said: int) -> str:
        if said not in known:
            known.append(said)
        return str(known.index(said) + 1)


def _vote(item: str, row: Row) -> tuple[str, ...]:
    """Whose vote it is on what, whichever side the systems stand on."""
    return item, _judge(row), str(row.get("turn")), *sorted(_systems(row))


def _judge(row: Row) -> str:
    """The rater; judges among MT-Bench's are named by model and prompt."""
    judge = row.get("judge")
    return " ".join(map(str, judge)) if isinstance(judge, list) else str(judge or "")


def _item(row: Row) -> str:
    return next((str(row[name]) for name in KEYS if row.get(name) not in (None, "")), f"battle {row[AMONG_ALL]}")[
        :200
    ]


def _systems(row: Row) -> tuple[str, str]:
    return str(row.get("model_a") or ""), str(row.get("model_b") or "")


def _is_same(row: Row) -> bool:
    """Whether one and the same response stands on both sides, or nothing tells the two apart."""
    return len(set(_systems(row))) == 1 and _messages(row, "a") == _messages(row, "b")


def _outcome(row: Row) -> str:
    winner = str(row.get("winner") or "")
    if not winner:
        winner = next((meant for name, meant in OF_CONTEST.items() if str(row.get(name)) in ("1", "1.0", "True")), "")
    return OUTCOMES.get(winner.strip().casefold(), "")


def _category(row: Row) -> str:
    """The tags that a classifier gave: `math`, or `creative_writing, if`; the language where the file has no tags."""
    tags = row.get("category_tag")
    if not isinstance(tags, dict):
        return str(row.get("category") or row.get("language") or "")[:MAX_CATEGORY]
    found = {name for about in tags.values() if isinstance(about, dict) for name, said in about.items()
             if said is True and about.keys() & {"math", "if", "creative_writing"}}  # fmt: skip
    return ", ".join(sorted(found))[:MAX_CATEGORY]


def _time(stamp: object) -> str:
    """The moment; nothing where it is none that there is."""
    if isinstance(stamp, str) and not stamp.replace(".", "", 1).isdecimal():
        try:
            moment = datetime.fromisoformat(stamp)
        except ValueError:
            return ""
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).isoformat()
    try:
        return datetime.fromtimestamp(float(str(stamp)), UTC).isoformat()
    except (OverflowError, ValueError, OSError):
        return ""


def _messages(row: Row, side: str) -> Messages:
    """The conversation of a side; that of a contest is a list of prompts and a list of responses."""
    if "winner_tie" in row:
        asked, said = (_listed(row.get(name)) for name in ("prompt", f"response_{side}"))
        pairs = zip(asked, said, strict=False)
        return [message for one, other in pairs for message in ({"role": "user", "content": one},
                                                                {"role": "assistant", "content": other})]  # fmt: skip
    found = row.get(f"conversation_{side}")
    if isinstance(found, str):
        found = _listed(found)
    return [message for message in found if isinstance(message, dict)] if isinstance(found, list) else []


def _listed(cell: object) -> list[Any]:
    if not isinstance(cell, str):
        return cell if isinstance(cell, list) else []
    try:
        found = json.loads(cell)
    except (ValueError, RecursionError):
        return [cell]
    return found if isinstance(found, list) else [cell]


def _turns(messages: Messages) -> list[tuple[str, str]]:
    """What was asked and said at each turn. Messages of one side in a row are one turn's."""
    turns: list[tuple[str, str]] = []
    answered = True
    for message in messages:
        words = _words(message.get("content"))
        if message.get("role") == "user":
            if answered:
                turns.append((words, ""))
            else:
                turns[-1] = (f"{turns[-1][0]}\n\n{words}", "")
            answered = False
        elif message.get("role") == "assistant":
            prompt, said = turns.pop() if turns else ("", "")
            turns.append((prompt, f"{said}\n\n{words}" if said else words))
            answered = True
    return turns


def _prompts(messages: Messages) -> list[str]:
    return [prompt for prompt, _ in _turns(messages)]


def _words(content: object) -> str:
    """The text of a message: as it is, or that of its parts. Raises UnreadableManifest over an object."""
    if isinstance(content, list):
        return "\n".join(str(part.get("text")) for part in content if isinstance(part, dict) and part.get("text"))
    if isinstance(content, dict):
        raise UnreadableManifest(reasons.CONTENT_NO_TEXT())
    return "" if content is None else str(content)


def _other_kinds(content: object) -> list[str]:
    """The kinds of parts that are no words."""
    parts = content if isinstance(content, list) else []
    return [str(part.get("type")) for part in parts if isinstance(part, dict) and part.get("type") != "text"]


TOOL = Tool("lmarena", _recognises, _open, has_no_sound=True)
