"""What `manage.py` does: every command of ours says what it is for, what each argument means."""

from django.core.management import get_commands, load_command_class

from tests.cases import each
from tests.paths import APPS, PROJECT

COMMANDS = sorted(name for name, app in get_commands().items() if app in APPS)
#: Actions that have to be there for whoever sits at the server, and what they are called.
ACTIONS = {
    "import": "import_dataset",
    "export": "export",
    "run a judge": "run_judge",
    "report": "report",
    "simulate a panel": "rehearse",
    "rebuild standings": "rebuild_standings",
}


@each("action", ACTIONS)
def test_action_has_its_command(action: str) -> None:
    pages = [PROJECT / "README.md", *PROJECT.glob("docs/**/*.md")]

    assert ACTIONS[action] in COMMANDS
    assert any(f"manage.py {ACTIONS[action]}" in page.read_text(encoding="utf-8") for page in pages)


@each("name", COMMANDS)
def test_command_says_what_it_is_for(name: str) -> None:
    parser = load_command_class(get_commands()[name], name).create_parser("manage.py", name)

    assert parser.description
    assert [it.dest for it in parser._actions if not it.help] == []
