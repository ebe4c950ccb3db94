"""Runs against a server that misbehaves: every unit ends with the right status, cost and count."""

import json
from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest
from django.core.exceptions import PermissionDenied
from pytest_django import Settings

from campaigns.models import Campaign, CampaignUnit
from infrastructure.deletion.actions import archive
from infrastructure.deletion.subjects import subject_of
from judges.definitions.judges import judges_for, make_judge
from judges.kinds.contract import Kind
from judges.language_models.prices import set_terms
from judges.language_models.registry import disable_model
from judges.models import Call, Judge, LanguageModel, Run, Verdict
from judges.runs.lifecycle import (
    CannotRun,
    Plan,
    cancel_run,
    judge_again,
    orders_of,
    pause_run,
    resume_run,
    start_run,
    top_up,
    verdicts_wanted,
)
from judges.runs.worker_slots import claim_verdicts, slots_to_work, take_slot
from judges.tasks import pick_up_runs_task
from judges.verdicts import record
from tests.factories import UserFactory, make_campaign, make_unit
from tests.judges.drafting import make_model
from tests.judges.running import a_judge, a_run, kind_added, reply_for, saying, worked
from tests.judges.running import asker as asker  # noqa: PLC0414 - a fixture
from tests.judges.server import after, by_text, completion, fault, hang, in_turn, raw, serving

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("asker")]


@pytest.fixture(autouse=True)
def one_slot(settings: Settings) -> None:
    """Also where several workers could be at a run."""
    settings.JUDGE_WORKER_SLOTS = 1


@pytest.fixture(autouse=True)
def local_server(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.MODELS_ON_PRIVATE_ADDRESSES = True
    monkeypatch.setattr("judges.language_models.calls.asking.sleep_unless", lambda *_: None)


def priced(campaign: Campaign, url: str = "http://127.0.0.1:9/v1", **changes: Any) -> LanguageModel:
    """A model at 10 $ and 100 $ per million tokens: 11 and 7 of them cost 0.00081 $."""
    model = make_model(campaign.created_by, url, **changes)
    set_terms(
        model, at_once=4, requests_per_minute=None, tokens_per_minute=None,
        usd_in=Decimal(10), usd_out=Decimal(100), user=campaign.created_by,
    )  # fmt: skip
    return model


CALL_USD = Decimal("0.00081")


def asking(campaign: Campaign, url: str = "http://127.0.0.1:9/v1", **settings: Any) -> Judge:
    return a_judge(campaign, "asker", model=priced(campaign, url), **settings)


def statuses(run: Run) -> dict[str, int]:
    found: dict[str, int] = {}
    for row in run.verdicts.all():
        found[row.status] = found.get(row.status, 0) + 1
    return found


@pytest.mark.databases
def test_every_fault_of_a_server_ends_in_its_status() -> None:
    campaign = make_campaign(units=10)
    good = json.dumps(reply_for(campaign))
    steps = {
        "Prompt of 0": completion(good),
        "Prompt of 1": completion(f"Sure! ```json\n{good}\n``` Bye."),
        "Prompt of 2": completion(good[:-20], finish="length"),
        "Prompt of 3": completion(json.dumps(reply_for(campaign, overall="left"))),
        "Prompt of 4": completion(""),
        "Prompt of 5": completion(None, refusal="I cannot judge people."),
        "Prompt of 6": fault(500),
        "Prompt of 7": in_turn(fault(429, Retry_After="0"), completion(good)),
        "Prompt of 8": hang,
        "Prompt of 9": completion(good, model="m-2027"),
    }
    with serving(by_text(steps)) as server:
        judge = a_judge(campaign, "asker", model=priced(campaign, server.url, timeout_s=1))
        run = worked(a_run(campaign, judge))

    rows = {int(row.unit.key): row for row in run.verdicts.select_related("unit")}
    assert [rows[n].status for n in range(10)] == [
        "ok", "repaired", "unparsed", "unparsed", "unparsed", "refused", "error", "ok", "error", "ok",
    ]  # fmt: skip
    assert run.status == "done"
    assert "'left' is not one of the choices" in rows[3].message
    assert "500" in rows[6].message
    assert "within 1 s" in rows[8].message
    assert [rows[n].answers.count() for n in range(10)] == [4, 4, 0, 0, 0, 0, 0, 4, 0, 4]
    assert [rows[n].cost_usd for n in (0, 3, 6)] == [CALL_USD, CALL_USD, Decimal(0)]
    assert run.spent_usd == 8 * CALL_USD
    assert {rows[n].model for n in (0, 9)} == {"m-2026", "m-2027"}
    assert rows[7].calls.get().call.attempts == 2


def test_a_second_identical_run_is_free() -> None:
    campaign = make_campaign(units=3)
    with serving(saying(campaign)) as server:
        judge = asking(campaign, server.url)
        first = worked(a_run(campaign, judge, orders="both", samples=2))
        asked = len(server.asked)
        second = worked(a_run(campaign, judge, orders="both", samples=2))

        assert (asked, len(server.asked)) == (12, 12)
    assert (first.spent_usd, second.spent_usd) == (12 * CALL_USD, 0)
    assert [statuses(run) for run in (first, second)] == [{"ok": 12}, {"ok": 12}]
    row = second.verdicts.first()
    assert row is not None
    assert (row.cost_usd, row.tokens_in, row.calls.get().cached) == (0, 11, True)


def test_the_same_question_twice_in_a_verdict_is_two_calls() -> None:
    campaign = make_campaign(units=1)
    with serving(saying(campaign)) as server:
        run = worked(a_run(campaign, asking(campaign, server.url, calls=3)))

        assert len(server.asked) == 3
    verdict = run.verdicts.get()
    assert [use.position for use in verdict.calls.all()] == [0, 1, 2]
    assert (verdict.cost_usd, verdict.tokens_out) == (3 * CALL_USD, 21)


@pytest.mark.databases
def test_a_budget_stops_cleanly_and_the_run_goes_on_with_a_higher_one(monkeypatch: pytest.MonkeyPatch) -> None:
    campaign = make_campaign(units=10)
    monkeypatch.setattr("judges.language_models.calls.asking.most_it_costs", lambda *_, **_limit: CALL_USD)
    with serving(saying(campaign)) as server:
        run = worked(a_run(campaign, asking(campaign, server.url), budget_usd=Decimal("0.0025")))

        assert (run.status, len(server.asked)) == ("over_budget", 3)
        assert statuses(run) == {"ok": 3, "waiting": 7}
        assert "budget" in run.message
        with pytest.raises(CannotRun):
            resume_run(run, budget_usd=Decimal("0.0024"))
        resume_run(run, budget_usd=Decimal(1))
        assert worked(run).status == "done"
        assert len(server.asked) == 10
    assert run.spent_usd == sum(call.cost_usd or 0 for call in Call.objects.filter(made_for__run=run))


@pytest.mark.databases
def test_a_budget_cannot_be_kept_where_nobody_counts() -> None:
    campaign = make_campaign(units=3)
    body = {"model": "m", "choices": [{"message": {"content": json.dumps(reply_for(campaign))}}]}
    with serving(raw(200, json.dumps(body).encode())) as server:
        run = worked(a_run(campaign, asking(campaign, server.url), budget_usd=Decimal(1)))

        assert (run.status, len(server.asked)) == ("over_budget", 1)
    assert "count" in run.message
    unpriced = a_judge(campaign, "asker", model=make_model(campaign.created_by, model="other"))
    with pytest.raises(CannotRun, match="price"):
        a_run(campaign, unpriced, budget_usd=Decimal(1))


def test_a_wrong_key_stops_the_run_with_a_sentence() -> None:
    campaign = make_campaign(units=12)
    with serving(fault(401, "wrong key")) as server:
        judge = asking(campaign, server.url)
        run = worked(a_run(campaign, judge))

        assert len(server.asked) == 5
        assert (run.status, statuses(run)) == ("failed", {"error": 5, "waiting": 7})
        assert run.message == (
            "None of the first 5 units has an answer, so nothing more is asked: The server answered 401: wrong key. "
            "Correct the API key on the page Models, and judge the failed ones again."
        )
        server.steps[:] = [saying(campaign)]
        assert judge_again(run) == 5
        assert worked(run).status == "done"
    assert statuses(run) == {"ok": 12}


def test_single_failures_do_not_stop_a_run() -> None:
    campaign = make_campaign(units=12)
    bad = {f"Prompt of {n}": fault(400, "too long") for n in range(0, 12, 2)}
    with serving(by_text(bad, saying(campaign))) as server:
        run = worked(a_run(campaign, asking(campaign, server.url)))

    assert (run.status, statuses(run)) == ("done", {"error": 6, "ok": 6})


@pytest.mark.databases
def test_only_what_failed_is_judged_again_and_unread_replies_are_asked_anew() -> None:
    campaign = make_campaign(units=3)
    steps = {
        "Prompt of 0": saying(campaign),
        "Prompt of 1": in_turn(completion("no idea"), saying(campaign)),
        "Prompt of 2": in_turn(*[fault(500)] * 5, saying(campaign)),
    }
    with serving(by_text(steps)) as server:
        run = worked(a_run(campaign, asking(campaign, server.url)))
        assert statuses(run) == {"ok": 1, "unparsed": 1, "error": 1}
        asked = len(server.asked)

        assert judge_again(run) == 2
        assert worked(run).status == "done"

        assert len(server.asked) == asked + 2
    assert statuses(run) == {"ok": 3}
    again = run.verdicts.get(unit__key="1")
    assert [use.call.status for use in again.calls.all()] == ["unparsed", "ok"]
    assert again.cost_usd == CALL_USD
    assert judge_again(run) == 0


@pytest.mark.databases
def test_units_are_added_later_without_repeating_any() -> None:
    campaign = make_campaign(units=2)
    with serving(saying(campaign)) as server:
        run = worked(a_run(campaign, asking(campaign, server.url), orders="both"))
        unit = make_unit(campaign.dataset, "new")
        CampaignUnit.objects.create(campaign=campaign, unit=unit, position=9)

        assert top_up(run) == 2
        assert worked(run).status == "done"
        assert top_up(run) == 0

        assert len(server.asked) == 6
    assert run.verdicts.count() == 6


def test_checks_are_not_judged() -> None:
    campaign = make_campaign(units=2)
    gold = make_unit(campaign.dataset, "gold")
    CampaignUnit.objects.create(campaign=campaign, unit=gold, position=9, purpose="gold")

    assert a_run(campaign, a_judge(campaign)).verdicts.count() == 2
    assert verdicts_wanted(campaign, orders="both", samples=3) == 12


def test_a_paused_run_is_not_worked_and_goes_on_where_it_was() -> None:
    campaign = make_campaign(units=3)
    run = a_run(campaign, a_judge(campaign))
    pause_run(run)

    assert worked(run).status == "paused"
    assert statuses(run) == {"waiting": 3}
    with pytest.raises(CannotRun):
        pause_run(run)
    resume_run(run)
    assert worked(run).status == "done"


def test_a_cancelled_run_stays_so() -> None:
    campaign = make_campaign(units=3)
    run = a_run(campaign, a_judge(campaign))
    cancel_run(run)

    assert worked(run).status == "cancelled"
    for action in (resume_run, judge_again, top_up, pause_run):
        with pytest.raises(CannotRun):
            action(run)


def stopped(campaign: Campaign, judge: Judge) -> Run:
    run = a_run(campaign, judge, budget_usd=Decimal(1) if judge.language_model else None)
    pause_run(run)
    return run


def test_a_run_whose_judge_can_judge_no_more_does_not_go_on(asker: Kind, settings: Settings) -> None:
    campaign = make_campaign(units=1)
    model = priced(campaign, api_key="sk-1")
    run = stopped(campaign, a_judge(campaign, "asker", model=model))

    kept = settings.SECRET_KEY
    settings.SECRET_KEY = "another"
    with pytest.raises(CannotRun, match="The API key cannot be read any more"):
        resume_run(run, budget_usd=Decimal(9))
    settings.SECRET_KEY = kept
    with kind_added(replace(asker, version="2")), pytest.raises(CannotRun, match="make it anew"):
        resume_run(run)
    with kind_added(replace(asker, fits=lambda *_: "Not this one.")), pytest.raises(CannotRun, match="Not this one"):
        resume_run(run)
    disable_model(model, user=campaign.created_by)
    run = Run.objects.get(pk=run.pk)
    with pytest.raises(CannotRun, match="disabled"):
        resume_run(run)

    assert (run.status, run.budget_usd) == ("paused", Decimal(1))


@pytest.mark.databases
def test_what_a_dead_worker_held_is_taken_over_when_its_lease_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    campaign = make_campaign(units=3)
    run = a_run(campaign, a_judge(campaign))
    worker_slot = run.worker_slots.get()
    assert take_slot(worker_slot.pk)
    held = claim_verdicts(run, 2)

    assert take_slot(worker_slot.pk) is None  # while it may be alive
    assert len(held) == 2
    assert len(claim_verdicts(run, 5)) == 1
    run.verdicts.update(heartbeat_at="2020-01-01T00:00Z")
    run.worker_slots.update(heartbeat_at="2020-01-01T00:00Z")
    assert [row.pk for row in slots_to_work()] == [worker_slot.pk]
    assert worked(run).status == "done"


@pytest.mark.databases
def test_a_worker_that_dies_between_call_and_verdict_pays_no_second_time(monkeypatch: pytest.MonkeyPatch) -> None:
    campaign = make_campaign(units=2)

    def dies(*_args: Any, **_kwargs: Any) -> None:
        raise KeyboardInterrupt

    with serving(saying(campaign)) as server:
        run = a_run(campaign, asking(campaign, server.url, calls=2))
        with monkeypatch.context() as patched:
            patched.setattr(record, "record_opinion", dies)
            with pytest.raises(KeyboardInterrupt):
                worked(run)
        run.verdicts.update(heartbeat_at=None)
        assert worked(run).status == "done"

        assert len(server.asked) == 4
    assert run.spent_usd == 4 * CALL_USD
    assert [row.cost_usd for row in run.verdicts.all()] == [2 * CALL_USD] * 2


@pytest.mark.databases
def test_a_verdict_that_always_ends_its_worker_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    campaign = make_campaign(units=2)
    run = a_run(campaign, a_judge(campaign))
    run.verdicts.filter(unit__key="0").update(tries=8)

    worked(run)
    pick_up_runs_task()

    run.refresh_from_db()
    assert (run.status, statuses(run)) == ("done", {"error": 1, "ok": 1})


@pytest.mark.databases
def test_a_lost_message_is_sent_again_and_a_waiting_one_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[int] = []
    monkeypatch.setattr(
        "infrastructure.background.queues.current_app.send_task", lambda _name, args, **_options: sent.append(args[0])
    )
    campaign = make_campaign(units=2)
    run = a_run(campaign, a_judge(campaign))
    worker_slot = run.worker_slots.get()

    assert pick_up_runs_task() == 1  # on_commit does not ring within a test
    assert pick_up_runs_task() == 0
    run.worker_slots.update(sent_at="2020-01-01T00:00Z")
    assert pick_up_runs_task() == 1
    assert sent == [worker_slot.pk, worker_slot.pk]


def test_working_twice_at_what_is_done_asks_nothing() -> None:
    campaign = make_campaign(units=1)
    with serving(saying(campaign)) as server:
        run = worked(a_run(campaign, asking(campaign, server.url)))
        worked(run)

        assert len(server.asked) == 1


@pytest.mark.databases
def test_runs_that_cannot_be_are_refused_with_the_reason() -> None:
    campaign = make_campaign(units=1, protocol="acr")
    judge = a_judge(campaign)
    owner = campaign.created_by
    refused = [
        (campaign, a_judge(campaign, "always_first"), Plan()),
        (make_campaign(units=1, status="draft"), judge, Plan()),
        (make_campaign(units=0), judge, Plan()),
        (campaign, judge, Plan(samples=0)),
        (campaign, judge, Plan(orders="sideways")),
        (campaign, judge, Plan(budget_usd=Decimal(0))),
    ]

    for where, who, plan in refused:
        with pytest.raises(CannotRun):
            start_run(where, who, plan=plan, user=owner)
    assert not Run.objects.exists()
    assert not Verdict.objects.exists()


@pytest.mark.databases
def test_a_judge_with_somebody_elses_model_is_not_yours() -> None:
    campaign = make_campaign(units=1)
    judge = asking(campaign)
    stranger = UserFactory(is_researcher=True)

    assert not judges_for(stranger).exists()
    with pytest.raises(PermissionDenied):
        start_run(campaign, judge, plan=Plan(), user=stranger)


def test_a_disabled_model_fails_the_run() -> None:
    campaign = make_campaign(units=1)
    judge = asking(campaign)
    run = a_run(campaign, judge)
    model = judge.language_model
    assert model is not None
    disable_model(model, user=campaign.created_by)

    assert worked(run).status == "failed"
    assert "disabled" in run.message


def test_other_settings_are_another_judge_and_the_same_are_the_same(asker: Kind) -> None:
    campaign = make_campaign(units=1)
    owner, model = campaign.created_by, priced(campaign)

    one = make_judge(asker, title="One", settings={}, language_model=model, user=owner)
    same = make_judge(asker, title="Again", settings={"calls": 1}, language_model=model, user=owner)
    other = make_judge(asker, title="Two", settings={"calls": 2}, language_model=model, user=owner)

    assert (same, one.settings) == (one, {"calls": 1})
    assert other.digest != one.digest
    for wrong in ({"calls": 9}, {"calls": "1"}, {"calls": True}, {"loudness": 1}):
        with pytest.raises(ValueError, match=r"calls|Calls|loudness"):
            make_judge(asker, title="X", settings=wrong, language_model=model, user=owner)
    with pytest.raises(ValueError, match="model"):
        make_judge(asker, title="X", settings={}, language_model=None, user=owner)
    archive(subject_of("judge"), one, by=owner)
    assert list(judges_for(owner)) == [other]
    assert make_judge(asker, title="One", settings={}, language_model=model, user=owner) != one


@pytest.mark.databases
def test_a_random_judge_says_the_same_in_every_installation() -> None:
    """Its seed is of the unit's key, the order and the sample."""
    said = []
    for _time in range(2):
        campaign = make_campaign(units=5)
        run = worked(a_run(campaign, a_judge(campaign), samples=2))
        rows = run.verdicts.order_by("pk", "answers__pk").values_list("answers__aspect", "answers__value")
        said.append(list(rows))

    assert said[0] == said[1]


@pytest.mark.databases
def test_orders_of_whole_items_are_turned_as_a_whole() -> None:
    assert orders_of("abcd", "both") == ["abcd", "dcba"]
    assert orders_of("a", "ba") == ["a"]


@pytest.mark.databases
def test_slow_servers_are_waited_for() -> None:
    campaign = make_campaign(units=1)
    with serving(after(0.3, saying(campaign))) as server:
        run = worked(a_run(campaign, asking(campaign, server.url)))

    assert (run.verdicts.get().seconds or 0) >= 0.3


@pytest.mark.databases
def test_a_run_whose_kind_cannot_be_run_is_neither_repeated_nor_topped_up() -> None:
    campaign = make_campaign(units=2)
    run = worked(a_run(campaign, a_judge(campaign)))
    run.verdicts.update(status="error")
    campaign.campaign_units.create(unit=make_unit(campaign.dataset, "new"), position=9)

    for kind, version, reason in (
        ("imported", "1", "Its verdicts were imported; it cannot be run here."),
        ("nothing", "1", "This kind of judge is not part of this installation any more."),
        ("random", "0", "This kind is at version 1 now, and the judge is of version 0: make it anew."),
    ):
        Judge.objects.filter(pk=run.judge_id).update(kind=kind, kind_version=version)
        run.judge.refresh_from_db()
        for action in (judge_again, top_up):
            with pytest.raises(CannotRun) as refused:
                action(run)
            assert str(refused.value) == reason
    run.refresh_from_db()
    assert (run.status, statuses(run)) == ("done", {"error": 2})
