"""docs/how-to/add-a-judge.md is true: its module, and a line in the registry, make a judge that runs."""

import re
import sys
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import pytest
from django.test import Client
from django.urls import reverse

from campaigns.models import Role
from corpus.models import Clip, ResponseTurn
from judges.kinds import KINDS
from judges.models import Judge, Run
from tests.factories import make_campaign, make_member
from tests.judges.kinds import test_reference
from tests.judges.language_models import test_misbehaving_server as server_tests
from tests.judges.running import kind_added, worked
from tests.paths import PROJECT

pytestmark = pytest.mark.django_db
HOW_TO = PROJECT / "docs" / "how-to" / "add-a-judge.md"


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The page's own code, imported from a file as it tells one to write it."""
    found = re.search(r"```python\n(.+?)```", HOW_TO.read_text(), re.DOTALL)
    assert found
    (tmp_path / "shortest.py").write_text(found.group(1))
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "shortest", raising=False)
    return __import__("shortest")


def test_the_page_leads_to_a_judge_that_runs(client: Client, module: ModuleType) -> None:
    campaign = make_campaign(units=2)
    for turn in ResponseTurn.objects.filter(response__in=campaign.dataset.units.values("a")):
        Clip.objects.filter(pk=turn.clip_id).update(seconds=5.0)
    client.force_login(make_member(campaign, Role.RESEARCHER, is_researcher=True))

    with kind_added(module.SHORTEST):
        client.post(reverse("judge-new", args=["shortest"]), {"title": "Shortest", "setting_difference_s": "0.5"})
        judge = Judge.objects.get()
        given = {"orders": "both", "samples": "1", "start": "1"}
        client.post(reverse("run-new", args=[campaign.slug, judge.pk]), given)
        run = worked(Run.objects.get())

        page = client.get(reverse("run", args=[campaign.slug, run.pk])).content.decode()
    assert judge.settings == {"difference_s": 0.5}
    assert run.status == "done"
    said = {(row.order, answer.value) for row in run.verdicts.all() for answer in row.answers.all()}
    assert said == {("ab", "b"), ("ba", "b")}
    assert {str(row.said) for row in run.verdicts.all()} == {"{'seconds': [5.0, 1.0]}", "{'seconds': [1.0, 5.0]}"}
    assert "0 %" in page


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.+?)```", HOW_TO.read_text(), re.DOTALL)


def headings() -> list[str]:
    """The files that the page has one write, by its headings."""
    return re.findall(r"^## \d\. .+: `(.+)`$", HOW_TO.read_text(), re.MULTILINE)


def test_what_tests_ask_of_the_reference_is_on_the_page(module: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    reference = test_reference.page("judges.md")
    row, section = blocks("markdown")
    at = next(line for line in reference.splitlines() if line.startswith("| `random`"))
    asked = (
        test_reference.test_table_of_kinds_has_every_kind_once,
        test_reference.test_every_kind_has_a_section_once,
    )

    with kind_added(module.SHORTEST):
        for test in asked:
            with pytest.raises(AssertionError):
                test()
        written = reference.replace(at, f"{at}\n{row.strip()}", 1) + f"\n{section}"
        monkeypatch.setattr(test_reference, "page", lambda _name: written)
        for test in asked:
            test()


def test_what_tests_ask_of_a_kind_with_a_model_is_on_the_page(
    module: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    _module, row = blocks("python")
    ((name, asking),) = eval("{" + row + "}", {"Asking": server_tests.Asking}).items()  # noqa: S307 - the page's own
    kind = replace(module.SHORTEST, name=name, asks_model=True)

    with kind_added(kind):
        with pytest.raises(AssertionError):
            server_tests.test_every_kind_that_asks_a_model_is_here()
        monkeypatch.setattr(server_tests, "KINDS_ASKING", dict(server_tests.KINDS_ASKING) | {name: asking})
        server_tests.test_every_kind_that_asks_a_model_is_here()


def test_the_page_names_every_file_that_names_every_kind() -> None:
    """Whichever file a test holds to be complete has all kinds, or all that ask a model, by their names."""
    asking = [name for name, kind in KINDS.items() if kind.asks_model]
    files = [path for folder in ("judges", "docs", "tests") for path in (PROJECT / folder).rglob("*.*")]
    complete = {
        path.relative_to(PROJECT).as_posix()
        for path in files
        if path.suffix in (".py", ".md") and all(re.search(rf"[`\"]{name}[`\"]", path.read_text()) for name in asking)
    }

    assert {"docs/reference/judges.md", "tests/judges/language_models/test_misbehaving_server.py"} <= complete
    assert complete <= set(headings())
    assert {"judges/kinds/__init__.py", "tests/judges/kinds/test_shortest.py"} <= set(headings())
