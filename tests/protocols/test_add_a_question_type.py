"""docs/how-to/add-a-question-type.md shows the files as they are, and they are all there is of the slider."""

import re

from protocols.kinds import KINDS
from tests.paths import PROJECT

FILES = {
    "python": "protocols/kinds/slider.py",
    "html": "templates/protocols/questions/slider.html",
    "js": "static/js/questions/slider.js",
}
APPS = (
    "corpus",
    *("arena", "analytics", "annotation", "judges", "measurements", "campaigns", "protocols", "infrastructure"),
    *("stats", "charts", "accounts", "config", "static", "templates"),
)
#: Its words on the page and its one protocol name it, too; rules of style belong to the look of all questions; and a
#: field of Potato's own files is called so.
BESIDE = {
    "corpus/imports/tools/formats/annotation_tools/potato.py",
    "protocols/kinds/__init__.py",
    "protocols/scales/named.py",
    "campaigns/protocol_composer/forms.py",
    "static/css/questions.css",
}


def test_the_page_shows_the_files_as_they_are() -> None:
    page = (PROJECT / "docs" / "how-to" / "add-a-question-type.md").read_text(encoding="utf-8")
    shown = dict(re.findall(r"```(\w+)\n(.*?)```", page, re.DOTALL))

    assert shown == {language: (PROJECT / path).read_text(encoding="utf-8") for language, path in FILES.items()}


def test_nothing_else_knows_of_the_slider() -> None:
    sources = (
        path for app in APPS for path in (PROJECT / app).rglob("*") if path.suffix in (".py", ".html", ".js", ".css")
    )
    found = {
        str(path.relative_to(PROJECT)) for path in sources if "slider" in path.read_text(encoding="utf-8").lower()
    }

    assert found == {*FILES.values(), *BESIDE}


def test_every_kind_has_a_template_and_a_name_of_its_own() -> None:
    assert all((PROJECT / "templates" / kind.template).exists() for kind in KINDS.values())
    assert all(kind.name == name for name, kind in KINDS.items())
