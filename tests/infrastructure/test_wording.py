import copy
from collections.abc import Callable

from django.template import Context, Template
from django.utils import translation

from infrastructure.templatetags.wording import worded
from infrastructure.wording.phrases import Phrase
from tests.cases import each

TITLE = Phrase("%(title)s of response %(n)s", title="Accuracy", n=2)
MISSING = Phrase("%(title)s: please answer “%(question)s”", title=TITLE, question="All in all, how good is it?")


def test_phrase_is_its_english_text() -> None:
    assert MISSING == "Accuracy of response 2: please answer “All in all, how good is it?”"


@each("copied", [copy.copy, copy.deepcopy])
def test_phrase_can_be_copied(copied: Callable[[Phrase], Phrase]) -> None:
    phrase = copied(Phrase("%(share)s of 100 %%", share="50 %"))

    assert (phrase, phrase.template, phrase.parts) == ("50 % of 100 %", "%(share)s of 100 %%", {"share": "50 %"})


def test_worded_translates_a_phrase_with_its_parts() -> None:
    assert worded(MISSING) == MISSING
    with translation.override("de"):
        assert worded(MISSING) == "Genauigkeit (Antwort 2): Bitte beantworten Sie „Wie gut ist sie alles in allem?“"


def test_worded_leaves_alone_what_somebody_typed() -> None:
    refusal = Phrase("%(title)s: %(value)s is not one of the choices.", title="Content", value=repr("Yes"))

    with translation.override("de"):
        assert worded(refusal) == "Inhalt: 'Yes' steht nicht zur Wahl."


@each("text", ["Wie klingt das?", "100 % sure", "%(n)s", " "])
def test_worded_leaves_alone_what_no_catalogue_knows(text: str) -> None:
    with translation.override("de"):
        assert worded(text) == text


@each("empty", ["", None])
def test_empty_wording_stays_empty_and_does_not_become_the_catalogues_header(empty: str | None) -> None:
    page = Template("{% load wording %}[{{ text|default_if_none:''|worded }}{{ absent|worded }}]")

    with translation.override("de"):
        assert page.render(Context({"text": empty})) == "[]"


def test_worded_text_is_escaped() -> None:
    page = Template("{% load wording %}{{ text|worded }}")

    assert page.render(Context({"text": Phrase("%(name)s is not asked here.", name="<b>")})).startswith("&lt;b&gt;")
