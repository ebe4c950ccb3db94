"""What `manage.py` does: every command of ours says what it is for, what each argument means."""

import pytest
from django.core.management import get_commands, load_command_class

from tests.paths import PROJECT

OURS = {"config", "arena", "analytics", "annotation", "judges", "campaigns", "accounts"}
COMMANDS = sorted(name for name, app in get_commands().items() if app in OURS)
#: Deeds that have to be there for whoever sits at the server, and what they are called.
DEEDS = {
    "import": "import_dataset",
    "export": "export",
    "run a judge": "run_judge",
    "report": "report",
    "simulate a panel": "rehearse",
    "rebuild standings": "rebuild_standings",
}


@pytest.mark.parametrize("deed", DEEDS)
def test_deed_has_its_command(deed: str) -> None:
    pages = [PROJECT / "README.md", *PROJECT.glob("docs/**/*.md")]

    assert DEEDS[deed] in COMMANDS
    assert any(f"manage.py {DEEDS[deed]}" in page.read_text(encoding="utf-8") for page in pages)


@pytest.mark.parametrize("name", COMMANDS)
def test_command_says_what_it_is_for(name: str) -> None:
    parser = load_command_class(get_commands()[name], name).create_parser("manage.py", name)

    assert parser.description
    assert [it.dest for it in parser._actions if not it.help] == []
