import csv
import io
import json
import re

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.http import HttpResponse
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

import judges.tasks  # noqa: F401 - registers the work of jobs
from campaigns.models import Campaign, Role
from infrastructure.background.jobs import run_job
from infrastructure.models import Job
from judges.imported.uploads import KIND
from judges.models import JudgeQualification, Run, VerdictAnswer
from tests.analytics.saying import judge_says, labels_say, people_say
from tests.charts import assert_charts
from tests.factories import RARE_A, RARE_B, make_campaign, make_member

pytestmark = pytest.mark.django_db

TRUTH = ["a", "b", "a", "both_good", "b", "both_bad"]


@pytest.fixture
def campaign() -> Campaign:
    campaign = make_campaign(units=6)
    people_say(campaign, TRUTH, TRUTH)
    return campaign


def reader(client: Client, campaign: Campaign, role: str = Role.RESEARCHER) -> Client:
    client.force_login(make_member(campaign, role))
    return client


def page(client: Client, campaign: Campaign, **query: str) -> str:
    response = client.get(reverse("comparison", args=[campaign.slug]), query)
    assert response.status_code == 200
    return response.content.decode()


def test_a_new_run_shows_up_beside_people_and_baselines(client: Client, campaign: Campaign) -> None:
    reader(client, campaign)
    assert "No judge has run here yet." in page(client, campaign)

    judge_says(campaign, {"ab": TRUTH, "ba": [*TRUTH[:5], "a"]}, title="Ear of tin")
    shown = page(client, campaign)

    assert "Ear of tin" in shown
    assert "People, each against the others" in shown
    assert "Baseline: always the most frequent label" in shown
    assert "changed with the order: 1" in shown
    assert "No judge has run here yet." not in shown
    assert "What may be claimed from this, and what not:" in shown


def test_figures_are_undefined_with_their_reason(client: Client) -> None:
    campaign = make_campaign(units=2)
    labels_say(campaign, "One", ["a", "a"])
    judge_says(campaign, {"ab": ["a", "a"]})

    assert "both raters gave one and the same label to every unit" in page(reader(client, campaign), campaign)


def test_what_is_below_zero_has_the_sign_of_a_minus(client: Client, campaign: Campaign) -> None:
    judge_says(campaign, {"ab": ["b", "a", "b", "both_bad", "a", "both_good"]})

    shown = page(reader(client, campaign), campaign)

    cells = re.findall(r"<b>([^<]+)</b>", shown)
    assert any(cell.startswith("−0.") for cell in cells)
    assert not any(cell.startswith("-") for cell in cells)


def test_scale_of_the_drawing_holds_every_interval(client: Client, campaign: Campaign) -> None:
    labels_say(campaign, "Experts", TRUTH)
    judge_says(campaign, {"ab": ["b", "a", "b", "both_bad", "a", "both_good"]})

    address = reverse("comparison", args=[campaign.slug])
    response = reader(client, campaign).get(address, {"reference": "labels-Experts"})
    context = response.context

    assert_charts(response.content.decode(), planes=0, marks=sum(it.dot is not None for it in context["rows"]))
    ends = [it.found.kappa.interval.low for it in context["rows"] if it.found and it.found.kappa.interval]
    assert context["lowest"] <= min(ends)
    assert -1 <= context["lowest"] <= -0.2


def test_rows_and_picture_are_in_the_order_of_kappa_single_raters_last(client: Client, campaign: Campaign) -> None:
    judge_says(campaign, {"ab": ["b", "a", "b", "both_bad", "a", "both_good"]}, title="Always wrong")
    judge_says(campaign, {"ab": TRUTH}, title="Always right")

    context = reader(client, campaign).get(reverse("comparison", args=[campaign.slug])).context

    kappas = [it.found.kappa.estimate for it in context["rows"] if it.row.kind == "judge"]
    assert kappas == [1.0, min(kappas)]
    single = [it.row.kind == "rater" for it in context["rows"]]
    assert single == sorted(single)
    assert [row.key for row, _ in context["matrix"]] == [it.row.key for it in context["rows"]]


def test_without_labels_and_runs_it_says_what_to_do(client: Client) -> None:
    campaign = make_campaign()
    shown = page(reader(client, campaign), campaign)

    assert "Run the baselines" in shown
    assert reverse("verdicts-import", args=[campaign.slug]) in shown
    viewer = page(reader(client, campaign, Role.VIEWER), campaign)
    assert reverse("verdicts-import", args=[campaign.slug]) not in viewer


def test_without_labels_there_is_nothing_to_compare_with(client: Client) -> None:
    campaign = make_campaign(units=2)
    judge_says(campaign, {"ab": ["a", "b"]})

    shown = page(reader(client, campaign), campaign)

    assert "there is nothing to compare with" in shown
    assert reverse("verdicts-import", args=[campaign.slug]) in shown


def test_aspect_and_reference_are_chosen_in_the_address(client: Client, campaign: Campaign) -> None:
    labels_say(campaign, "Experts", TRUTH)
    reader(client, campaign)

    shown = page(client, campaign, aspect="content", reference="labels-Experts")

    assert '<option value="content" selected>' in shown
    assert '<option value="labels-Experts" selected>' in shown
    assert '<option value="overall" selected>' in page(client, campaign, aspect="nonsense", reference="none")


def test_the_files_have_every_figure(client: Client, campaign: Campaign) -> None:
    judge_says(campaign, {"ab": [*TRUTH[:5], "unparsed"]}, title="=1+1")
    reader(client, campaign)

    text = client.get(reverse("comparison-file", args=[campaign.slug, "csv"])).content.decode()
    told = json.loads(client.get(reverse("comparison-file", args=[campaign.slug, "json"])).content)

    rows = [row for row in csv.DictReader(io.StringIO(text)) if row["aspect"] == "overall"]
    judge = next(row for row in rows if row["kind"] == "judge")
    assert (judge["n"], judge["accuracy"], judge["missing"]) == ("6", "0.833333", "unparsed 1")
    assert judge["rater"] == "'=1+1"
    assert {row["kind"] for row in rows} == {"baseline", "humans", "judge", "rater"}
    assert len(told["rows"]) == 4 * len(rows)
    assert client.get(reverse("comparison-file", args=[campaign.slug, "xls"])).status_code == 404


def test_missing_answers_lead_to_the_verdicts_that_say_why(client: Client, campaign: Campaign) -> None:
    """Of those that a run has; what was never judged has no verdict."""
    run = judge_says(campaign, {"ab": [*TRUTH[:4], "error"]}, title="Ear")
    reader(client, campaign)

    address = reverse("run-verdicts", args=[campaign.slug, run.pk]) + "?status=error"
    shown = page(client, campaign)

    assert f'<a href="{address}">failed: 1</a>' in shown
    assert "never judged: 1" in shown
    assert "never judged: 1</a>" not in shown
    assert client.get(address).status_code == 200


def test_the_number_of_queries_is_the_same_for_one_judge_and_for_three(client: Client, campaign: Campaign) -> None:
    reader(client, campaign)

    def queries() -> int:
        with CaptureQueriesContext(connection) as seen:
            page(client, campaign)
        return len(seen)

    judge_says(campaign, {"ab": TRUTH})
    page(client, campaign)
    judge_says(campaign, {"ab": TRUTH}, title="Another")
    first = queries()
    for n in range(3):
        judge_says(campaign, {"ab": TRUTH}, title=f"Judge {n}", kind="embedding")

    assert queries() <= first + 1  # the qualifications of those that need one


def test_a_judge_that_has_to_qualify_is_put_before_these_labels_by_a_button(
    client: Client, campaign: Campaign
) -> None:
    run = judge_says(campaign, {"ab": TRUTH}, kind="embedding")
    address = reverse("comparison-qualify", args=[campaign.slug, run.pk])
    reader(client, campaign)
    assert address in page(client, campaign)

    client.post(address)

    assert JudgeQualification.objects.get().judge == run.judge
    assert "only 6 labelled prompts, and 20 are wanted" in page(client, campaign)
    assert client.post(reverse("comparison-qualify", args=[campaign.slug, run.pk + 99])).status_code == 404


class TestImportPage:
    def upload(self, client: Client, campaign: Campaign, text: str, **fields: str) -> tuple[int, str]:
        """The page of the import once its job is done, or the form again."""
        file = SimpleUploadedFile("verdicts.csv", text.encode())
        address = reverse("verdicts-import", args=[campaign.slug])
        response = client.post(address, {"file": file, **fields})
        if response.status_code == 302:
            run_job(Job.objects.filter(kind=KIND).latest("created_at").pk)
            response = client.get(response["Location"])
        return response.status_code, response.content.decode()

    def test_a_table_becomes_a_judge_on_the_comparison(self, client: Client, campaign: Campaign) -> None:
        text = f"unit,order,verdict,system_a\n0,AB,1,{RARE_A}\n1,BA,1,{RARE_A}\n9,AB,1,{RARE_A}\n"

        status, shown = self.upload(reader(client, campaign), campaign, text, judge="Elsewhere")

        assert status == 200
        assert "2 new verdicts, 0 already there." in shown
        assert "1 rows are about another unit" in shown
        assert list(VerdictAnswer.objects.values_list("value", flat=True)) == ["a", "b"]
        assert "Elsewhere" in page(client, campaign)

    def test_rows_at_fault_are_listed_and_nothing_is_written(self, client: Client, campaign: Campaign) -> None:
        text = f"unit,order,verdict,system_a\n0,AB,1,{RARE_A}\n1,AB,tie,{RARE_A}\n1,AB,1,{RARE_B}\n"

        _status, shown = self.upload(reader(client, campaign), campaign, text, judge="Elsewhere")

        assert Run.with_importing.count() == 0
        assert "2 faults. Nothing was written." in shown
        assert "<td>3</td><td>value</td>" in shown

    def test_import_under_way_shows_progress_and_can_be_cancelled(self, client: Client, campaign: Campaign) -> None:
        file = SimpleUploadedFile("verdicts.csv", b"unit,order,verdict\n0,AB,1\n")
        address = reverse("verdicts-import", args=[campaign.slug])
        under_way = reader(client, campaign).post(address, {"file": file, "judge": "Elsewhere"})["Location"]
        assert "<progress" in client.get(under_way).content.decode()

        client.post(f"{under_way}cancel/")
        run_job(Job.objects.get(kind=KIND).pk)

        assert "Cancelled. Nothing was stored." in client.get(under_way).content.decode()
        assert Run.with_importing.count() == 0
        assert client.post(f"{under_way}cancel/").status_code == 409

    def test_second_table_waits_for_the_first(self, client: Client, campaign: Campaign) -> None:
        address = reverse("verdicts-import", args=[campaign.slug])
        reader(client, campaign)

        def sent() -> HttpResponse:
            file = SimpleUploadedFile("verdicts.csv", b"unit,order,verdict\n0,AB,1\n")
            return client.post(address, {"file": file, "judge": "Elsewhere"})

        assert (sent().status_code, sent().status_code) == (302, 422)

    def test_template_has_the_keys_of_all_units_and_comes_in_filled(self, client: Client, campaign: Campaign) -> None:
        response = reader(client, campaign).get(reverse("verdict-import-template", args=[campaign.slug]))
        template = response.getvalue().decode()
        lines = list(csv.DictReader(io.StringIO(template)))
        assert {line["unit"] for line in lines} == {str(n) for n in range(6)}
        assert (lines[0]["order"], lines[0]["verdict"], lines[0]["system_a"]) == ("AB", "", RARE_A)

        filled = template.replace(",overall,,", ",overall,1,")
        _status, shown = self.upload(client, campaign, filled, judge="Elsewhere")

        assert "6 new verdicts" in shown
        assert set(VerdictAnswer.objects.values_list("aspect", "value")) == {("overall", "a")}

    @pytest.mark.parametrize(
        ("text", "fields", "message"),
        [
            ("unit,verdict\n0,1\n", {"judge": "x"}, "Say in which"),
            ("unit,verdict\n0,1\n", {"order": "ab"}, "Name the judge"),
            ("nonsense", {"judge": "x"}, "no CSV header"),
            ("n,v\n0,1\n", {"judge": "x", "order": "ab", "columns": "unit n"}, "Write part = column"),
            ("n,v\n0,1\n", {"judge": "x", "order": "ab", "columns": "unit = m"}, "no column"),
        ],
    )
    def test_a_table_that_cannot_be_read_is_refused_with_the_reason(
        self, client: Client, campaign: Campaign, text: str, fields: dict[str, str], message: str
    ) -> None:
        status, shown = self.upload(reader(client, campaign), campaign, text, **fields)

        assert (status, message in shown) == (422, True)

    def test_a_contradiction_is_refused(self, client: Client, campaign: Campaign) -> None:
        reader(client, campaign)
        self.upload(client, campaign, "unit,order,verdict\n0,AB,1\n1,AB,1\n", judge="x")

        _status, shown = self.upload(client, campaign, "unit,order,verdict\n0,AB,2\n1,AB,1\n", judge="x")

        assert "another verdict on unit 0" in shown
        assert VerdictAnswer.objects.count() == 2
