"""docs/reference/settings.md against config/settings.py: the same variables, with the same defaults."""

import ast
import re
from pathlib import Path

from tests.cases import each

ROOT = Path(__file__).resolve().parents[3]
ROW = re.compile(r"^\| `(\w+)` \| (.+?) \| (.+) \|$", re.MULTILINE)


def variables_read(source: str) -> dict[str, ast.expr | None]:
    """Each environment variable that this source asks `env` for, with the expression of its default."""
    found: dict[str, ast.expr | None] = {}
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and _asks_env(node.func) and node.args:
            name = ast.literal_eval(node.args[0])
            found[name] = next((word.value for word in node.keywords if word.arg == "default"), None)
    return found


def _asks_env(function: ast.expr) -> bool:
    if isinstance(function, ast.Attribute):
        return ast.unparse(function.value) == "env" and function.attr != "read_env"
    return ast.unparse(function) == "env"


def settings_variables() -> dict[str, ast.expr | None]:
    return variables_read((ROOT / "config" / "settings.py").read_text(encoding="utf-8"))


def fixed_defaults() -> dict[str, str]:
    """The defaults that depend on nothing else and are not empty, spelled as in the environment."""
    spelled = {}
    for name, default in settings_variables().items():
        try:
            value = eval(ast.unparse(default), {"__builtins__": {}}) if default else None  # noqa: S307 - our own file
        except NameError:
            continue
        if value not in (None, "", []):
            spelled[name] = _spelled(value)
    return spelled


def _spelled(value: object) -> str:
    if isinstance(value, list):
        return ",".join(value)
    if isinstance(value, float):
        return f"{value:.10g}"
    return str(value).lower() if isinstance(value, bool) else str(value)


def documented() -> dict[str, tuple[str, str]]:
    text = (ROOT / "docs" / "reference" / "settings.md").read_text(encoding="utf-8")
    rows = ROW.findall(text)
    assert len(rows) == text.count("\n| `"), "a row of the table has another shape"
    assert len({name for name, _, _ in rows}) == len(rows), "a variable is described twice"
    return {name: (default, meaning) for name, default, meaning in rows}


def test_variables_read_finds_every_way_to_ask() -> None:
    source = 'env.read_env(".env")\na = env("A")\nb = env.int("B", default=2) if a else env.db_url("C", default=a)\n'
    found = variables_read(source)
    assert {name: default and ast.unparse(default) for name, default in found.items()} == {
        "A": None,
        "B": "2",
        "C": "a",
    }


def test_every_variable_is_documented_and_every_documented_one_is_read() -> None:
    assert sorted(documented()) == sorted(settings_variables())


@each("name, default", fixed_defaults().items())
def test_documented_default_is_the_one_in_force(name: str, default: str) -> None:
    assert documented()[name][0] == f"`{default}`"


def test_defaults_of_every_kind_are_compared() -> None:
    assert {"DEBUG", "ALLOWED_HOSTS", "MAX_CLIP_SECONDS", "MAX_ARCHIVE_BYTES", "TIME_ZONE"} <= set(fixed_defaults())


def test_only_the_secret_key_is_required() -> None:
    required = [name for name, (default, _) in documented().items() if "required" in default]
    assert required == ["SECRET_KEY"]
