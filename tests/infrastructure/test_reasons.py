"""Reasons have codes: every one is declared once, worded from its parameters, and kept as code and parameters."""

import ast
import pickle
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from infrastructure.templatetags.wording import worded
from infrastructure.wording.phrases import placeholders
from infrastructure.wording.reason_field import ReasonField
from infrastructure.wording.reasons import TEXT, Reason, ReasonCode, as_json
from tests.paths import APPS

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "reference" / "reasons.md"
HEAD = """# Reasons

Why something is refused, failed, is undefined or was left out is kept as a code and parameters. The API gives
`{"code", "params", "detail"}`, where `detail` is the sentence in the language that was asked for; files have code
and parameters beside the sentence in English. A parameter may be a reason itself. Codes stay; sentences may be worded
better at any time.

Problems (RFC 9457) have the code and the parameters of the reason for which a request was refused, too. Those that
are not in this table have no parameters: a code such as `not_found` or `required`, or the kind of refusal.

| Code | Sentence |
|---|---|
"""
PASSED_ON = {"%(text)s", "%(why)s", "%(aspects)s"}  # what a file or a server says, as it is


@cache
def sources() -> dict[Path, ast.Module]:
    paths = [path for app in APPS for path in (ROOT / app).rglob("*.py") if "migrations" not in path.parts]
    return {path: ast.parse(path.read_text(encoding="utf-8")) for path in sorted(paths)}


def declared() -> Iterator[tuple[str, str, str]]:
    """Constant, code and text of every code, as the sources have them; the text for several, where there are two."""
    for tree in sources().values():
        for node in tree.body:
            call = node.value if isinstance(node, ast.Assign) else None
            if isinstance(call, ast.Call) and called(call) == "ReasonCode":
                code, *texts = (ast.literal_eval(argument) for argument in call.args)
                yield node.targets[0].id, code, texts[-1]


def called(call: ast.Call) -> str:
    return getattr(call.func, "id", getattr(call.func, "attr", ""))


def table() -> str:
    """The page of docs: every code with its text."""
    rows = sorted((code, text) for _name, code, text in declared())
    return HEAD + "".join(f"| `{code}` | {text} |\n" for code, text in rows)


def test_each_code_is_a_word_and_each_text_has_one_code() -> None:
    codes = Counter(code for _name, code, _text in declared())
    texts = Counter(text for _name, _code, text in declared() if text not in PASSED_ON)

    assert [code for code in codes if not code.isidentifier() or code != code.lower()] == []
    assert [it for it, n in (codes | texts).items() if n > 1] == []


def test_every_call_of_a_code_names_the_parameters_of_its_text() -> None:
    params = {name: placeholders(text) for name, _code, text in declared()}
    calls = [
        (path, node)
        for path, tree in sources().items()
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and called(node) in params and all(one.arg for one in node.keywords)
    ]
    wrong = [
        (path.name, node.lineno, called(node))
        for path, node in calls
        if node.args or {one.arg for one in node.keywords} != params[called(node)]
    ]

    assert len(params) > 90
    assert wrong == []


def test_every_code_stands_in_the_docs() -> None:
    assert PAGE.read_text(encoding="utf-8") == table(), "run `python -m tests.infrastructure.test_reasons`"


def test_a_reason_is_the_same_after_json_and_pickle() -> None:
    reason = ReasonCode("tested", "%(n)s: %(why)s")(n=3, why=TEXT(text="no such model"))
    held = {"code": "tested", "params": {"n": 3, "why": {"code": "text", "params": {"text": "no such model"}}}}

    assert as_json(reason) == held
    assert as_json(Reason.from_json(held)) == held
    assert as_json(pickle.loads(pickle.dumps(reason))) == held  # noqa: S301 - our own
    assert (reason, as_json(None)) == ("3: no such model", None)


def test_a_reason_with_two_texts_takes_the_one_for_its_number() -> None:
    left_out = ReasonCode("tested_left_out", "%(n)s vote is left out", "%(n)s votes are left out")
    one, two = left_out(n=1), left_out(n=2)

    assert (one, two, left_out(n=0)) == ("1 vote is left out", "2 votes are left out", "0 votes are left out")
    assert [worded(Reason.from_json(it.as_json())) for it in (one, two)] == [one, two]
    assert pickle.loads(pickle.dumps(two)) == two  # noqa: S301 - our own


def test_a_code_that_is_declared_no_more_stays_readable() -> None:
    gone = Reason.from_json({"code": "gone", "params": {"n": 3}})

    assert (gone, gone.code) == ("gone", "gone")


def test_parameters_that_the_text_does_not_have_are_refused() -> None:
    with pytest.raises(TypeError, match="text takes"):
        TEXT(word="?")
    with pytest.raises(ValueError, match="declared twice"):
        ReasonCode("text", "another")


def test_a_row_takes_no_sentence_without_a_code() -> None:
    field = ReasonField()

    with pytest.raises(TypeError, match="a reason has a code"):
        field.get_db_prep_save("The server is busy.", connection=None)
    assert field.get_db_prep_save(None, connection=None) is None


if __name__ == "__main__":
    PAGE.write_text(table(), encoding="utf-8")
