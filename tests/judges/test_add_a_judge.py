"""docs/how-to/add-a-judge.md is true: its module, and a line in the registry, make a judge that runs."""

import re
import sys
from pathlib import Path
from types import ModuleType

import pytest
from django.test import Client
from django.urls import reverse

from campaigns.models import Clip, ResponseTurn, Role
from judges.models import Judge, Run
from tests.factories import make_campaign, make_member
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


def test_the_page_names_the_files_that_there_are() -> None:
    text = HOW_TO.read_text()

    assert (PROJECT / "judges/kinds/__init__.py").is_file()
    assert "judges/kinds/__init__.py" in text
    assert (PROJECT / "docs/reference/judges.md").is_file()
