"""The pages of judges and runs: what they say, and that they ask the database as often for one run as for many."""

import json
import re
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone
from pytest_django import Settings

from campaigns.models import Campaign, Role
from infrastructure.models import WorkerBeat
from judges.definitions.forms import JudgeForm
from judges.kinds import KINDS
from judges.kinds.contract import Kind, Setting
from judges.language_models.prices import price_of, set_terms
from judges.models import Judge, LanguageModel, Run
from judges.runs.forms import ProbeForm
from judges.runs.progress import progress_of
from tests.cases import each
from tests.factories import UserFactory, make_campaign, make_member
from tests.judges.drafting import make_model
from tests.judges.running import a_judge, a_run, kind_added, reply_for, saying, worked
from tests.judges.running import asker as asker  # noqa: PLC0414 - a fixture
from tests.judges.server import by_text, completion, serving

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def local_server(settings: Settings) -> None:
    settings.MODELS_ON_PRIVATE_ADDRESSES = True


@pytest.fixture
def campaign() -> Campaign:
    return make_campaign(units=3)


@pytest.fixture
def page(client: Client, campaign: Campaign) -> Client:
    client.force_login(make_member(campaign, Role.RESEARCHER, is_researcher=True))
    return client


def text_of(response: Any) -> str:
    return " ".join(response.content.decode().split())


def address(run: Run, name: str = "run", *more: Any) -> str:
    return reverse(name, args=[run.campaign.slug, run.pk, *more])


def shared_model(campaign: Campaign, url: str = "http://127.0.0.1:9/v1") -> LanguageModel:
    return make_model(campaign.created_by, url, shared=True)


def test_a_judge_is_made_from_the_settings_of_its_kind(page: Client) -> None:
    settings = (
        Setting("n", "How many", 2, least=1, most=5),
        Setting("policy", "Policy", "strict", choices=(("strict", "Strict"), ("lenient", "Lenient"))),
        Setting("loud", "Loudness", True),
        Setting("weight", "Weight", 0.5, least=0.0, most=1.0),
    )
    kind = Kind("toy", "3", "Toy", "Plays.", KINDS["random"].judge, lambda _p, _s: "", settings)
    given = {"title": "My toy", "setting_n": "4", "setting_policy": "lenient", "setting_weight": "1"}
    with kind_added(kind):
        said = page.post(reverse("judge-new", args=["toy"]), given, follow=True)
        wrong = page.post(reverse("judge-new", args=["toy"]), given | {"setting_n": "9"})

    judge = Judge.objects.get()
    assert judge.settings == {"n": 4, "policy": "lenient", "loud": False, "weight": 1.0}
    assert (judge.kind, judge.kind_version, judge.title) == ("toy", "3", "My toy")
    shown = re.sub("<[^>]*>", "", text_of(said))
    assert all(told in shown for told in ("My toy", "How many: 4", "Policy: Lenient", "Loudness: no", "Weight: 1"))
    assert wrong.status_code == 422


def test_a_kind_that_asks_a_model_offers_those_that_one_may_use(
    asker: Kind, page: Client, campaign: Campaign
) -> None:
    make_model(UserFactory(), title="Somebody else's")
    empty = page.get(reverse("judge-new", args=["asker"]))
    model = shared_model(campaign)

    form = JudgeForm(kind=asker, models=LanguageModel.objects.filter(pk=model.pk))

    assert "there is none that you may use" in text_of(empty)
    assert [label for _value, label in form.fields["model"].choices] == ["Drafter"]  # type: ignore[attr-defined]


@each("protocol, says_so", [("acr", True), ("hcot", False), ("rubric", False)])
def test_baselines_of_scores_lead_to_the_report_that_has_measured_ones(
    client: Client, protocol: str, says_so: bool
) -> None:
    campaign = make_campaign(units=1, protocol=protocol)
    client.force_login(make_member(campaign, Role.RESEARCHER, is_researcher=True))

    said = client.get(reverse("baselines", args=[campaign.slug])).content.decode()

    assert 'choose where they come from. <a href="/imports/new/?dataset_name=' in said
    assert ("only say which of two responses is better" in said) == says_so
    assert (reverse("report", args=[campaign.slug, "scales"]) in said) == says_so


def test_judges_that_do_not_fit_are_shown_with_the_reason(client: Client) -> None:
    campaign = make_campaign(units=1, protocol="acr")
    client.force_login(make_member(campaign, Role.RESEARCHER))
    a_judge(campaign, "always_first")

    said = text_of(client.get(reverse("runs", args=[campaign.slug])))

    assert "It compares two responses, and this protocol asks about each one." in said
    assert "There is no judge that fits this protocol." in said
    assert "There is no judge yet." not in said


@pytest.mark.parametrize(
    ("is_researcher", "then"), [(True, "Create a judge"), (False, "A researcher of this installation makes one.")]
)
def test_first_visit_says_that_there_is_no_judge_and_how_to_get_one(
    client: Client, is_researcher: bool, then: str
) -> None:
    campaign = make_campaign(units=1)
    client.force_login(make_member(campaign, Role.RESEARCHER, is_researcher=is_researcher))

    said = text_of(client.get(reverse("runs", args=[campaign.slug])))

    assert "There is no judge yet." in said
    assert then in said
    assert "fits this protocol" not in said
    assert "Create another judge" not in said


def test_an_estimate_comes_before_the_run(asker: Kind, page: Client, campaign: Campaign) -> None:
    model = shared_model(campaign)
    set_terms(
        model, at_once=2, requests_per_minute=6, tokens_per_minute=None,
        usd_in=Decimal(10), usd_out=Decimal(100), user=campaign.created_by,
    )  # fmt: skip
    judge = a_judge(campaign, "asker", model=model, calls=2)
    where = reverse("run-new", args=[campaign.slug, judge.pk])
    given = {"orders": "both", "samples": "2", "budget_usd": "5"}

    said = text_of(page.post(where, given))

    assert not Run.objects.exists()
    assert "<dt>Verdicts</dt><dd>12</dd>" in said
    assert "<dt>Calls</dt><dd>24</dd>" in said
    assert "<dt>Tokens received</dt><dd>7,200</dd>" in said
    assert "<dt>Time</dt><dd>4 minutes</dd>" in said
    assert "$0." in said or "$1." in said
    assert "A budget is never passed" in said
    started = page.post(where, given | {"start": "1"})
    run = Run.objects.get()
    assert started["Location"] == address(run)
    assert (run.orders, run.samples, run.budget_usd, run.verdicts.count()) == ("both", 2, Decimal(5), 12)


def test_an_unknown_price_is_said(asker: Kind, page: Client, campaign: Campaign) -> None:
    judge = a_judge(campaign, "asker", model=shared_model(campaign))
    where = reverse("run-new", args=[campaign.slug, judge.pk])

    said = text_of(page.post(where, {"orders": "ab", "samples": "1"}))
    refused = page.post(where, {"orders": "ab", "samples": "1", "budget_usd": "5", "start": "1"})

    assert "unknown: no price is named" in said
    assert refused.status_code == 422
    assert "A budget needs the price of the model." in text_of(refused)


def test_the_page_of_a_run_counts_what_is_missing(asker: Kind, page: Client, campaign: Campaign) -> None:
    good = json.dumps(reply_for(campaign))
    other = completion(good, model="m-2027")
    steps = {"Prompt of 0": completion(good), "Prompt of 1": other, "Prompt of 2": completion("no")}
    with serving(by_text(steps)) as server:
        run = worked(a_run(campaign, a_judge(campaign, "asker", model=shared_model(campaign, server.url))))

    said = text_of(page.get(address(run)))

    progress = progress_of(run)
    assert (progress.total, progress.read, progress.missing, progress.waiting) == (3, 2, 1, 0)
    assert "<dt>Missing</dt><dd>1</dd>" in said
    assert "has changed within this run: <bdi>m-2026</bdi> (2), <bdi>m-2027</bdi> (1)" in said
    assert "What 3 calls cost is unknown" in said
    assert "1 × could not be read" in said
    assert "Judge 1 failed one again" in said


def test_a_run_that_nobody_works_at_says_so(page: Client, campaign: Campaign) -> None:
    run = a_run(campaign, a_judge(campaign))
    Run.objects.update(created_at=timezone.now() - timedelta(minutes=1))

    alone = text_of(page.get(address(run)))
    WorkerBeat.objects.create(name="worker", seen_at=timezone.now())
    together = text_of(page.get(address(run)))

    assert "No worker is running" in alone
    assert "No worker is running" not in together


def test_the_page_is_fetched_again_as_a_fragment_when_the_run_moves(page: Client, campaign: Campaign) -> None:
    run = a_run(campaign, a_judge(campaign))

    whole, part = text_of(page.get(address(run))), text_of(page.get(address(run), headers={"HX-Request": "true"}))

    assert f'data-live-topic="run:{run.pk}"' in whole
    assert "<html" in whole
    assert "<html" not in part
    assert "<dd>0 / 3</dd>" in part


def test_a_run_is_paused_resumed_and_cancelled_from_its_page(page: Client, campaign: Campaign) -> None:
    run = a_run(campaign, a_judge(campaign))
    for turn, status in (("pause", "paused"), ("resume", "queued"), ("cancel", "cancelled")):
        page.post(address(run, "run-turn", turn))
        run.refresh_from_db()
        assert run.status == status
    refused = page.post(address(run, "run-turn", "resume"), follow=True)
    assert "not in a state for that" in text_of(refused)
    assert page.post(address(run, "run-turn", "explode")).status_code == 404


def test_a_verdict_shows_everything_that_it_rests_on(asker: Kind, page: Client, campaign: Campaign) -> None:
    with serving(saying(campaign, overall="2")) as server:
        judge = a_judge(campaign, "asker", model=shared_model(campaign, server.url))
        run = worked(a_run(campaign, judge, orders="ba"))
    verdict = run.verdicts.order_by("pk").first()
    assert verdict is not None

    said = text_of(page.get(address(run, "run-verdict", verdict.pk)))

    assert "I heard it, 1." in said
    assert "You judge recorded speech." in said
    assert "Prompt of 0" in said
    assert "Heard as 1, stored as b" in said
    assert "<td><bdi>2</bdi></td><td><bdi>a</bdi></td>" in said  # overall
    assert said.count("<audio controls") == 3
    assert "m-2026" in said


def test_verdicts_are_listed_by_status(page: Client, campaign: Campaign) -> None:
    run = worked(a_run(campaign, a_judge(campaign)))

    assert text_of(page.get(address(run, "run-verdicts"))).count("<code>ab</code>") == 3
    assert "No verdict is like this." in text_of(page.get(address(run, "run-verdicts") + "?status=error"))


def test_verdicts_come_as_csv_and_json_lines(asker: Kind, page: Client, campaign: Campaign) -> None:
    with serving(completion('=cmd|" no JSON')) as server:
        judge = a_judge(campaign, "asker", model=shared_model(campaign, server.url))
        run = worked(a_run(campaign, judge))

    lines = page.get(address(run, "run-file", "jsonl")).content.decode().splitlines()
    table = page.get(address(run, "run-file", "csv")).content.decode().splitlines()

    row = json.loads(lines[0])
    assert (len(lines), len(table)) == (3, 4)
    assert (row["status"], row["calls"][0]["raw"], row["answers"]) == ("unparsed", '=cmd|" no JSON', {})
    assert row["calls"][0]["request"]["messages"][0]["content"].startswith("You judge recorded speech.")
    assert table[0].startswith("run,judge,kind,")
    assert page.get(address(run, "run-file", "pdf")).status_code == 404


def test_a_probe_is_started_from_a_finished_run_and_compared_with_it(page: Client, campaign: Campaign) -> None:
    run = a_run(campaign, a_judge(campaign, "always_first"))
    early = page.post(address(run, "run-probe"), {"perturbation": "swapped_order"})
    worked(run)

    page.post(address(run, "run-probe"), {"perturbation": "swapped_order"})
    probe = Run.objects.exclude(pk=run.pk).get()
    worked(probe)

    assert early.status_code == 422
    assert (probe.orders, probe.unperturbed_id, probe.status) == ("ba", run.pk, "done")
    said = text_of(page.get(address(probe)))
    assert "<td>0</td><td>3</td><td>0</td><td>0 %</td>" in said
    report = text_of(page.get(address(run, "probe-report")))
    assert "<td>0.000</td><td>0.000 … 0.561</td><td>3</td>" in report  # Wilson 0 of 3


def test_nothing_is_swapped_where_both_orders_were_asked(page: Client, campaign: Campaign) -> None:
    run = worked(a_run(campaign, a_judge(campaign), orders="both"))

    said = page.post(address(run, "run-probe"), {"perturbation": "swapped_order"})

    assert said.status_code == 422
    assert "Both orders were asked already" in text_of(said)


def test_runs_are_listed_newest_first(page: Client, campaign: Campaign) -> None:
    first, second = a_run(campaign, a_judge(campaign)), a_run(campaign, a_judge(campaign))

    said = text_of(page.get(reverse("runs", args=[campaign.slug])))

    assert said.index(address(second)) < said.index(address(first))


def test_a_probe_without_a_size_has_a_usual_one_and_one_out_of_range_is_refused() -> None:
    usual = ProbeForm({"perturbation": "white_noise"})
    assert usual.is_valid()
    assert usual.cleaned_data["made"].value == 10.0
    assert not ProbeForm({"perturbation": "trailing_silence", "value": "900"}).is_valid()
    assert not ProbeForm({"perturbation": "thunder"}).is_valid()


def test_a_cost_that_nobody_knows_is_unknown(asker: Kind, page: Client, campaign: Campaign) -> None:
    with serving(saying(campaign)) as server:
        unpriced = worked(a_run(campaign, a_judge(campaign, "asker", model=shared_model(campaign, server.url))))
    free = worked(a_run(campaign, a_judge(campaign)))

    runs = text_of(page.get(reverse("runs", args=[campaign.slug])))

    assert [text_of(page.get(address(run))).count("<dd>unknown</dd>") for run in (unpriced, free)] == [1, 0]
    assert (runs.count("<td>unknown</td>"), runs.count("$0.0000")) == (1, 1)


def test_terms_are_kept_and_a_price_has_two_parts(client: Client) -> None:
    user = UserFactory(is_researcher=True)
    model = make_model(user)
    client.force_login(user)
    where, given = reverse("model-terms", args=[model.pk]), {"at_once": "2", "usd_in": "0.5"}

    assert client.post(where, given).status_code == 422
    assert client.post(where, given | {"usd_out": "1.5", "requests_per_minute": "60"}).status_code == 302

    model.refresh_from_db()
    price = price_of(model)
    assert price is not None
    assert (model.at_once, model.requests_per_minute, model.tokens_per_minute) == (2, 60, None)
    assert (price.usd_in, price.usd_out) == (Decimal("0.5"), Decimal("1.5"))


def queries_of(page: Client, where: str) -> int:
    page.get(where)
    with CaptureQueriesContext(
        connection,
    ) as seen:
        assert page.get(where).status_code == 200
    return len(seen)


def test_pages_ask_as_often_for_many_as_for_few(page: Client, campaign: Campaign) -> None:
    few = worked(a_run(campaign, a_judge(campaign), orders="both"))
    runs = reverse("runs", args=[campaign.slug])
    before = [queries_of(page, where) for where in (runs, address(few), address(few, "run-verdicts"))]
    larger = make_campaign(units=9)
    for user in (row.user for row in campaign.memberships.all()):
        larger.memberships.create(user=user, role=Role.RESEARCHER)
    for _time in range(3):
        many = worked(a_run(larger, a_judge(larger), orders="both", samples=2))
    after = [
        queries_of(page, w)
        for w in (reverse("runs", args=[larger.slug]), address(many), address(many, "run-verdicts"))
    ]

    assert after == before
    assert max(before) <= 25


def test_a_run_of_imported_verdicts_offers_no_more_judging_and_says_why(page: Client, campaign: Campaign) -> None:
    run = worked(a_run(campaign, a_judge(campaign)))
    run.verdicts.filter(pk=run.verdicts.earliest("pk").pk).update(status="error")
    offered = text_of(page.get(address(run)))
    Judge.objects.filter(pk=run.judge_id).update(kind="imported")

    said = text_of(page.get(address(run)))
    refused = text_of(page.post(address(run, "run-turn", "again"), follow=True))

    buttons = ("Judge 1 failed one again", "Add the units that came since", "Probe this judge")
    assert [button in offered for button in buttons] == [True] * 3
    assert [button in said for button in buttons] == [False] * 3
    assert "Nothing more can be judged in this run: Its verdicts were imported; it cannot be run here." in said
    assert refused.count("Its verdicts were imported; it cannot be run here.") == 2
    assert run.verdicts.filter(status="error").count() == 1
