"""The catalogues against the texts of the source: all there, nothing left over, and for a release all translated."""

import gettext
import re
from pathlib import Path

import pytest
from babel.messages.catalog import Catalog, Message
from django.conf import settings
from django.template.base import Lexer, TokenType

from config.operations import messages
from config.operations.messages import PROJECT, catalogues, compile_stale, extracted, read_catalogue
from tests.cases import each

MEND = "run `make messages`, and translate what is new in locale/"
#: Text of templates that is the same in every language.
SAME_EVERYWHERE = {
    "Earshot",
    "Hz",
    "LUFS",
    "dBTP",
    "YAML",
    "SHA-256",
    "schema.json",
    "SIG",
    "BAK",
    "OVRL",
    "P.808",
    "s",
}
#: Blocks of templates that hold no text to be marked, with their ends.
NO_TEXT = {"blocktranslate": "endblocktranslate", "block body_class": "endblock"}
GAP = "\u2028"


@pytest.fixture(scope="module")
def texts() -> Catalog:
    return extracted()


@pytest.fixture(scope="module", params=catalogues(), ids=lambda path: path.parts[-3])
def translated(request: pytest.FixtureRequest) -> Catalog:
    return read_catalogue(request.param)


def ids(catalogue: Catalog) -> set[object]:
    return {(message.context, message.id) for message in catalogue if message.id}


def entries(catalogue: Catalog) -> list[Message]:
    return [message for message in catalogue if message.id]


def is_translated(message: Message) -> bool:
    said = [message.string] if isinstance(message.string, str) else message.string
    return not message.fuzzy and all(it.strip() for it in said)


def pairs(catalogue: Catalog) -> list[tuple[str, str]]:
    """Each text with its translation, if it has one; of a plural, each translation with each of the two forms."""
    found = []
    for message in filter(is_translated, entries(catalogue)):
        if isinstance(message.id, str):
            found.append((message.id, str(message.string)))
        else:
            found += [(text, said) for text in message.id for said in message.string]
    return found


def places(text: str) -> list[str]:
    return sorted(set(re.findall(r"%(?:\(\w+\))?[a-z]|%%", text)))


def test_every_language_that_can_be_chosen_has_a_catalogue() -> None:
    assert {"en", *(path.parts[-3] for path in catalogues())} == dict(settings.LANGUAGES).keys()


def test_catalogue_has_every_text_of_the_source(texts: Catalog, translated: Catalog) -> None:
    assert ids(texts) - ids(translated) == set(), MEND


def test_catalogue_has_nothing_that_is_gone(texts: Catalog, translated: Catalog) -> None:
    assert ids(translated) - ids(texts) == set(), MEND
    assert not translated.obsolete, MEND


@pytest.mark.release
def test_every_text_is_translated(translated: Catalog) -> None:
    assert [message.id for message in entries(translated) if not is_translated(message)] == []


def test_placeholders_are_the_same_on_both_sides(translated: Catalog) -> None:
    assert [(message.id, errors) for message, errors in translated.check() if is_translated(message)] == []
    assert [text for text, said in pairs(translated) if places(text) != places(said)] == []


def test_signs_at_the_ends_are_the_same_on_both_sides(translated: Catalog) -> None:
    """A template goes on where its text ends: with a colon, a comma, a blank or a place to be filled."""
    ends = re.compile(r"^([\s,]*).*?([\s:,#]*)$", re.DOTALL)
    assert [text for text, said in pairs(translated) if ends.findall(text) != ends.findall(said)] == []


def test_catalogue_is_written_as_make_messages_writes_it(tmp_path: Path) -> None:
    for path in catalogues():
        again = tmp_path / path.parts[-3] / "LC_MESSAGES" / "django.po"
        again.parent.mkdir(parents=True)
        again.write_bytes(path.read_bytes())
        messages.update(again)
        assert again.read_text(encoding="utf-8") == path.read_text(encoding="utf-8"), MEND


@pytest.mark.parametrize(
    ("file", "source", "found"),
    [
        ("templates/new.html", '<p>\n    {% translate "A new text" %}\n  </p>', "A new text"),
        ("templates/a/new.html", "{% blocktranslate with n=x|y %}{{ n }} new{% endblocktranslate %}", "%(n)s new"),
        ("templates/new.html", "{% if a %}{{ b|default:_('None yet') }}{% endif %}", "None yet"),
        (
            "templates/new.html",
            "{% blocktranslate count n=x %}{{ n }} day{% plural %}{{ n }} days{% endblocktranslate %}",
            ("%(n)s day", "%(n)s days"),
        ),
        ("campaigns/new.py", 'raise ValueError(_("Nothing of %(it)s") % {"it": it})', "Nothing of %(it)s"),
        ("campaigns/new.py", 'progress(1, 2, gettext_noop("Working"))', "Working"),
        ("campaigns/new.py", 'Phrase("%(title)s of %(n)s", title=_title(x), n=3)', "%(title)s of %(n)s"),
        ("campaigns/new.py", 'label = gettext_lazy("Later")', "Later"),
    ],
)
def test_new_text_is_found_wherever_it_stands(tmp_path: Path, file: str, source: str, found: object) -> None:
    (tmp_path / file).parent.mkdir(parents=True)
    (tmp_path / file).write_text(source, encoding="utf-8")

    assert ids(extracted(tmp_path)) == {(None, found)}


def test_tests_and_data_bring_no_texts(tmp_path: Path) -> None:
    for folder in ("tests", "var/templates", ".venv/lib"):
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / "x.py").write_text('_("Not ours")')

    assert ids(extracted(tmp_path)) == set()


def test_catalogue_is_compiled_again_only_when_it_changed(tmp_path: Path) -> None:
    source = tmp_path / "de" / "LC_MESSAGES" / "django.po"
    source.parent.mkdir(parents=True)
    source.write_text(
        'msgid ""\nmsgstr "Content-Type: text/plain; charset=utf-8\\n"\n\nmsgid "Home"\nmsgstr "Heim"\n'
    )

    compile_stale(source)
    first = source.with_suffix(".mo").stat()
    compile_stale(source)

    assert source.with_suffix(".mo").stat().st_mtime_ns == first.st_mtime_ns
    with source.with_suffix(".mo").open("rb") as compiled:
        assert gettext.GNUTranslations(compiled).gettext("Home") == "Heim"
    assert sorted(path.name for path in source.parent.iterdir()) == ["django.mo", "django.po"]


@each("path", [str(path.relative_to(PROJECT)) for path in sorted((PROJECT / "templates").rglob("*.html"))])
def test_template_has_no_words_that_are_not_marked(path: str) -> None:
    assert unmarked((PROJECT / path).read_text(encoding="utf-8")) == set()


def test_unmarked_words_are_seen() -> None:
    page = '<p title="A hint">Some <b>text</b> {{ x }} {% translate "Marked" %}</p><pre>a,b</pre><i class="c">5 %</i>'

    assert unmarked(page) == {"A hint", "Some", "text"}


def unmarked(source: str) -> set[str]:
    """Words between the tags, or in attributes that people see or hear, outside of translation tags and code."""
    words, end = "", ""
    for token in Lexer(source).tokenize():
        tag = token.contents if token.token_type == TokenType.BLOCK else ""
        if token.token_type == TokenType.TEXT and not end:
            words += token.contents
        else:
            words += GAP
            opened = re.split(r" (?:with|count|asvar) ", tag)[0]
            end = "" if tag and tag == end else end or NO_TEXT.get(opened, "")
    words = re.sub(r"<(pre|code|kbd)\b.*?</\1>", GAP, words, flags=re.DOTALL)
    said = re.findall(r'\b(?:title|aria-label|alt|placeholder)="([^"]*)"', words) + re.split(r"<[^>]*>", words)
    parts = {part.strip(" \n·:,()/") for text in said for part in text.split(GAP)}
    return {part for part in parts if re.search(r"[^\W\d_]", part)} - SAME_EVERYWHERE
