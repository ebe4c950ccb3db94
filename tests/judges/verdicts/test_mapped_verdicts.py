"""Tables of verdicts in columns of any name: which verdicts each row holds, by a mapping."""

import json
import re
from datetime import timedelta

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone
from rest_framework.test import APIClient

from campaigns.models import Campaign
from corpus.imports.files.rows import rows_of
from corpus.imports.mapping.guessing.profile import profile_of
from corpus.imports.mapping.known import Known
from corpus.imports.mapping.mapping import TableMapping
from corpus.imports.mapping.rows.tally import Tally
from corpus.models import ImportRecipe
from infrastructure.background.jobs import run_job
from judges.imported.conditions import condition_of
from judges.imported.guessing import guess_verdicts
from judges.imported.mapped import MARK, mapped_verdicts
from judges.models import Run, VerdictImport
from judges.sounds.perturbations import Perturbation
from judges.tasks import sweep_unmapped_tables_task
from tests.acceptance.by_api import campaign_of, dataset_of, report_of, sent, verdicts_of
from tests.acceptance.by_api import client as client  # noqa: PLC0414 - a fixture
from tests.importing import text_of, work_off

PAIRS = "q,one,two,who\n1,alpha,beta,a\n2,beta,alpha,b\n3,alpha,beta,a\n"
OF_PAIRS = {
    "shape": "pairs",
    "columns": {
        "q": {"becomes": "item"}, "one": {"becomes": "system_a"}, "two": {"becomes": "system_b"},
        "who": {"becomes": "answer"} | {"values": {"a": "a", "b": "b"}},
    },
}  # fmt: skip


def known() -> Known:
    """Item 1 has alpha as its a and beta as its b."""
    there = Known()
    for system in ("alpha", "beta"):
        there.add_response(("1", system, "1"))
    there.add_unit("pair 1", [("1", "alpha", "1"), ("1", "beta", "1")])
    return there


def said(table: str, *parts: str, **mapping: object) -> tuple[list[tuple[str, ...]], Tally]:
    tally = Tally()
    rows = rows_of(table.encode(), by_line=True)
    made = mapped_verdicts(rows, TableMapping.from_json({"shape": "verdicts"} | mapping), tally, known=known())
    return [tuple(row[MARK + part] for part in parts) for _, row in made], tally


def test_column_for_each_judge_and_order_is_a_verdict_each() -> None:
    columns = {
        "q": {"becomes": "item"},
        "m_AB": {"becomes": "answer", "rater": "m", "order": "AB", "values": {"A": "1", "B": "2", "D": "@missing"}},
        "m_BA": {"becomes": "answer", "rater": "m", "order": "BA", "values": {"A": "1", "B": "2", "D": "@missing"}},
    }  # fmt: skip

    found, _ = said("q,m_AB,m_BA\n1,A,D\n", "unit", "judge", "order", "value", "raw", "status", columns=columns)

    assert found == [("pair 1", "m", "AB", "1", "A", ""), ("pair 1", "m", "BA", "", "D", "unparsed")]


def test_order_is_turned_where_the_table_has_the_systems_the_other_way_round() -> None:
    """The verdict is by place, and stays: what was heard first there is the unit's b."""
    columns = {
        "q": {"becomes": "item"}, "x": {"becomes": "system_a"}, "y": {"becomes": "system_b"},
        "v": {"becomes": "answer"},
    }  # fmt: skip
    fixed = {"judge": "m", "order": "AB"}

    found, _ = said("q,x,y,v\n1,beta,alpha,1\n", "order", "value", columns=columns, fixed=fixed)

    assert found == [("BA", "1")]


@pytest.mark.parametrize(
    ("cell", "order", "expected"),
    [("beta", "AB", "1"), ("beta", "BA", "2"), ("alpha", "AB", "2"), ("no idea", "AB", "no idea")],
)
def test_verdict_that_names_a_system_is_by_place_in_either_order(cell: str, order: str, expected: str) -> None:
    names = dict.fromkeys(("alpha", "beta"), "@system")
    columns = {
        "q": {"becomes": "item"}, "x": {"becomes": "system_a"}, "y": {"becomes": "system_b"},
        "o": {"becomes": "order"}, "v": {"becomes": "answer", "values": names},
    }  # fmt: skip

    found, _ = said(f"q,x,y,o,v\n1,beta,alpha,{order},{cell}\n", "value", columns=columns, fixed={"judge": "m"})

    assert found == [(expected,)]


def test_higher_of_two_scores_wins_and_a_missing_one_is_counted() -> None:
    columns = {"q": {"becomes": "item"}}
    columns |= {f"s_{side}": {"becomes": f"score_{side}", "rater": "m"} for side in "ab"}

    found, tally = said("q,s_a,s_b\n1,4,3.5\n1,2,2.0\n1,1,5\n1,,5\n1,x,5\n", "order", "value", columns=columns)

    assert found == [("AB", "1"), ("AB", "tie"), ("AB", "2")]
    assert (tally.empty["s_a"], tally.undecided) == (1, {("s_a", "x"): [6, 1]})


def test_only_rows_of_one_task_are_read_and_the_others_counted() -> None:
    columns = {"q": {"becomes": "item"}, "v": {"becomes": "answer"}}
    fixed = {"judge": "m", "order": "AB"}

    found, tally = said("q,task,v\n1,a,1\n1,b,2\n", "value", columns=columns, fixed=fixed, only={"task": ["b"]})

    assert found == [("2",)]
    assert (tally.rows, tally.rows_left_out["task"]) == (2, {"a": 1})


@pytest.mark.parametrize(
    ("fault", "mapping"),
    [
        ("verdicts_need_judge", {"columns": {"q": {"becomes": "item"}, "v": {"becomes": "answer"}}}),
        ("answers_need_answer", {"columns": {"q": {"becomes": "item"}}, "fixed": {"judge": "m"}}),
        ("answers_need_unit", {"columns": {"v": {"becomes": "answer", "rater": "m"}}}),
        ("scores_need_both", {"columns": {"q": {"becomes": "item"}, "v": {"becomes": "score_a", "rater": "m"}}}),
        ("no_column", {"columns": {"q": {"becomes": "item"}, "v": {"becomes": "answer", "rater": "m"}},
                       "only": {"there": ["1"]}}),
    ],
)  # fmt: skip
def test_mapping_that_cannot_be_followed_says_why(fault: str, mapping: dict[str, object]) -> None:
    read = TableMapping.from_json({"shape": "verdicts"} | mapping)

    assert [why.code for _, why in read.faults(["q", "v"], into_campaign=True)] == [fault]
    assert [why.code for _, why in read.faults(["q", "v"])] == ["not_of_dataset"]


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        ("clean", None),
        ("", None),
        ("white_noise 10", Perturbation("white_noise", 10.0)),
        ("White noise at 5 dB", Perturbation("white_noise", 5.0)),
        ("gain -6", Perturbation("gain", -6.0)),
        ("babble, 5 dB", Perturbation("elsewhere", label="babble, 5 dB")),
        ("gain 900", Perturbation("elsewhere", label="gain 900")),
        (json.dumps(Perturbation("speed", 10.0).to_json()), Perturbation("speed", 10.0)),
    ],
)
def test_condition_is_a_change_of_the_sound_or_none(cell: str, expected: Perturbation | None) -> None:
    assert condition_of(cell) == expected


@pytest.fixture
def campaign(client: APIClient, tmp_path) -> str:
    path = tmp_path / "pairs.csv"
    path.write_text(PAIRS, encoding="utf-8")
    return campaign_of(client, dataset_of(client, path, mapping=OF_PAIRS), "untyped_tie")


@pytest.mark.django_db
@pytest.mark.databases
def test_verdicts_on_changed_sound_are_probes_of_those_on_the_sound_as_it_is(
    client: APIClient, campaign: str, tmp_path
) -> None:
    path = tmp_path / "v.csv"
    path.write_text(
        "q,snr,v\n1,clean,1\n2,clean,2\n3,clean,1\n1,5,1\n2,5,1\n3,5,1\n1,20,1\n2,20,2\n3,20,1\n", "utf-8"
    )
    columns = {
        "q": {"becomes": "item"}, "v": {"becomes": "answer"},
        "snr": {"becomes": "condition", "name": "white_noise"},
    }  # fmt: skip
    mapping = {"shape": "verdicts", "columns": columns, "fixed": {"judge": "m", "order": "AB"}}

    verdicts_of(client, campaign, path, mapping=mapping)
    verdicts_of(client, campaign, path, mapping=mapping)  # again, which changes nothing

    plain, *probes = Run.objects.order_by("pk")
    assert [(run.perturbation["value"], run.unperturbed) for run in probes] == [(5.0, plain), (20.0, plain)]
    assert [run.verdicts.count() for run in (plain, *probes)] == [3, 3, 3]
    numbers = tmp_path / "snr.csv"
    units = client.get(f"/api/v1/campaigns/{campaign}/units/").json()["results"]
    keys = {unit["item"]: unit["key"] for unit in units}
    numbers.write_text("unit,snr\n" + "".join(f"{key},{item}\n" for item, key in keys.items()), encoding="utf-8")
    dataset = Campaign.objects.get(slug=campaign).dataset.slug
    with numbers.open("rb") as file:
        sent(client, f"datasets/{dataset}/numbers/", data={"file": file}, format="multipart")
    by_number = report_of(client, campaign, "bias", by="snr")["noise-by"]
    at_5 = [row for row in by_number if "at 5" in row["against"]]
    assert [(row["part"], row["units"], row["same"]["estimate"]) for row in at_5] == [
        ("1 … 1", 1, 1.0), ("2 … 2", 1, 0.0), ("3 … 3", 1, 1.0),
    ]  # fmt: skip
    rows = report_of(client, campaign, "bias")["noise"]
    assert [(row["against"], row["same"]["estimate"], row["same"]["n"]) for row in rows] == [
        ("white noise at 5 dB SNR", pytest.approx(2 / 3), 3), ("white noise at 20 dB SNR", 1.0, 3),
    ]  # fmt: skip


@pytest.mark.django_db
def test_changed_sound_by_its_own_words_needs_the_sound_as_it_is(client: APIClient, campaign: str, tmp_path) -> None:
    path = tmp_path / "v.csv"
    units = client.get(f"/api/v1/campaigns/{campaign}/units/").json()["results"]
    keys = {unit["item"]: unit["key"] for unit in units}
    path.write_text(f"unit,judge,order,verdict,condition\n{keys['1']},m,AB,1,babble\n", encoding="utf-8")
    with path.open("rb") as file:
        made = sent(client, f"campaigns/{campaign}/verdicts/", data={"file": file}, format="multipart")
    run_job(made["job"]["id"])
    found = client.get(f"/api/v1/campaigns/{campaign}/verdicts/{made['id']}/").json()

    assert found["status"] == "failed"
    assert [it["message"]["code"] for it in found["report"]["problems"]] == ["no_unchanged_run"]
    assert not Run.objects.exists()


WIDE = "q,m_AB,m_BA,task\n1,A,B,x\n2,B,A,x\n3,A,D,x\n3,A,D,y\n"


@pytest.mark.django_db
@pytest.mark.databases
def test_columns_are_mapped_on_a_page_that_shows_what_each_row_becomes(client: APIClient, campaign: str) -> None:
    browser = Client()
    browser.force_login(Campaign.objects.get(slug=campaign).created_by)
    table = SimpleUploadedFile("wide.csv", WIDE.encode())

    begun = browser.post(f"/campaigns/{campaign}/verdicts/import/", {"file": table, "map_columns": "on"})
    page = browser.get(begun.url).content.decode()  # type: ignore[attr-defined]
    posted = {
        "shape": "verdicts", "becomes-0": "item", "becomes-1": "answer", "rater-1": "m", "order-1": "AB",
        "becomes-2": "answer", "rater-2": "m", "order-2": "BA", "only-3": ["x"],
    }  # fmt: skip
    values = {f"value-{n}-{k}": {"A": "1", "B": "2", "D": "@missing"}[value]
              for n, of in ((1, "AB"), (2, "BAD")) for k, value in enumerate(seen_in(page, n, of))}  # fmt: skip
    result = browser.post(begun.url, posted | values, headers={"HX-Request": "true"})
    assert "1 of 4 rows are left out, since task is one of these" in text_of(result)
    assert not VerdictImport.objects.exclude(status="mapping").exists()

    browser.post(begun.url, posted | values | {"check": "1", "recipe": "Wide verdicts"})
    work_off()

    made = VerdictImport.objects.get()
    assert (made.status, made.report["verdicts"], made.report["missing"]) == ("imported", 6, 1)
    assert ImportRecipe.objects.get().mapping["only"] == {"task": ["x"]}


@pytest.mark.django_db
@pytest.mark.databases
def test_row_has_the_same_number_while_it_is_mapped_and_in_the_report(client: APIClient, campaign: str) -> None:
    browser = Client()
    browser.force_login(Campaign.objects.get(slug=campaign).created_by)
    table = SimpleUploadedFile("wide.csv", b"q,m_AB\n1,1\n\n2,nonsense\n")

    begun = browser.post(f"/campaigns/{campaign}/verdicts/import/", {"file": table, "map_columns": "on"})
    posted = {"shape": "verdicts", "becomes-0": "item", "becomes-1": "answer", "rater-1": "m", "order-1": "AB"}
    address = begun.url  # type: ignore[attr-defined]
    result = browser.post(address, posted, headers={"HX-Request": "true"})
    browser.post(address, posted | {"check": "1"})
    work_off()

    (there,) = result.context["preview"].problems
    made = VerdictImport.objects.get()
    assert (made.report["rows"], result.context["preview"].counts["rows"]) == (2, 2)
    assert [it["row"] for it in made.report["problems"]] == [there.row] == [4]
    shown = text_of(browser.get(made.get_absolute_url()))
    assert "Line of the file" in shown
    assert "Line of the file" in text_of(result)


@pytest.mark.django_db
@pytest.mark.databases
def test_table_whose_columns_nobody_mapped_for_a_week_is_swept(client: APIClient, campaign: str) -> None:
    browser = Client()
    browser.force_login(Campaign.objects.get(slug=campaign).created_by)
    for name in ("old.csv", "new.csv"):
        table = SimpleUploadedFile(name, WIDE.encode())
        browser.post(f"/campaigns/{campaign}/verdicts/import/", {"file": table, "map_columns": "on"})
    VerdictImport.objects.filter(table_name="old.csv").update(created_at=timezone.now() - timedelta(days=7, hours=1))

    assert sweep_unmapped_tables_task() == 1
    assert sweep_unmapped_tables_task() == 0

    old, new = (VerdictImport.objects.get(table_name=name) for name in ("old.csv", "new.csv"))
    assert (old.status, old.folder.exists()) == ("cancelled", False)
    assert (new.status, new.folder.exists()) == ("mapping", True)


def seen_in(page: str, n: int, values: str) -> list[str]:
    """The values of a column in the order in which the page asks for them."""
    found = {value: page.find(f'value="{value}"') for value in values}
    at = {value: re.search(rf'id="value-{n}-(\d+)"[^>]*aria-label="{value} of', page) for value in found}
    return sorted(found, key=lambda value: int(at[value][1]) if at[value] else -1)  # type: ignore[index]


@pytest.mark.django_db
def test_table_whose_columns_nobody_mapped_is_cancelled_and_goes(client: APIClient, campaign: str) -> None:
    browser = Client()
    browser.force_login(Campaign.objects.get(slug=campaign).created_by)
    table = SimpleUploadedFile("wide.csv", WIDE.encode())
    begun = browser.post(f"/campaigns/{campaign}/verdicts/import/", {"file": table, "map_columns": "on"})
    row = VerdictImport.objects.get()

    browser.post(f"/campaigns/{campaign}/verdicts/import/{row.pk}/cancel/")

    row.refresh_from_db()
    assert (row.status, row.folder.exists()) == ("cancelled", False)
    assert browser.get(begun.url).status_code == 302  # type: ignore[attr-defined]


@pytest.mark.django_db
@pytest.mark.databases
def test_guess_knows_columns_of_orders_and_letters(client: APIClient, campaign: str) -> None:
    profile = profile_of(rows_of(WIDE.encode()))

    guess = guess_verdicts(profile, set())

    assert guess.columns["m_BA"].as_json() == {
        "becomes": "answer", "rater": "m", "order": "BA", "values": {"D": "@missing", "B": "2", "A": "1"},
    }  # fmt: skip
