"""A budget is never passed, whoever asks at the same time, and whatever becomes of a call."""

import json
import subprocess
import threading
from collections.abc import Callable
from datetime import timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from django.db import DataError, connection
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import Settings

from campaigns.models import Campaign, Role
from judges.backends.contract import Cancelled, JudgeInput
from judges.language_models.calls import budgets
from judges.language_models.calls.budgets import drop_reservations, keep_reservations, reserve, reserved_usd, settle
from judges.language_models.calls.stops import RunStopped
from judges.language_models.prices import MOST_USD, cost, set_terms
from judges.models import Call, Price, Reservation, Run
from judges.runs.lifecycle import CannotRun, resume_run
from judges.runs.worker import work_in_slot
from judges.tasks import pick_up_runs_task
from tests.factories import make_campaign, make_member
from tests.judges.language_models.billing import Books, priced_model
from tests.judges.running import a_judge, a_run, reply_for, saying, worked
from tests.judges.running import asker as asker  # noqa: PLC0414 - a fixture
from tests.judges.runs.test_killed_workers import start_worker
from tests.judges.server import completion, fault, hang, in_turn, raw, serving, wait_until

pytestmark = pytest.mark.usefixtures("asker")
CENT, NOTHING = Decimal("0.01"), Decimal(0)


@pytest.fixture(autouse=True)
def local_server(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.MODELS_ON_PRIVATE_ADDRESSES = True
    monkeypatch.setattr("judges.language_models.calls.asking.sleep_unless", lambda *_: None)


def together(works: list[Callable[[], object]]) -> None:
    def whole(work: Callable[[], object]) -> None:
        work()
        connection.close()

    threads = [threading.Thread(target=whole, args=(work,)) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
        assert not thread.is_alive()


def a_run_of(campaign: Campaign, url: str, budget_usd: str | None, **changes: Any) -> Run:
    judge = a_judge(campaign, "asker", model=priced_model(campaign, url, **changes))
    return a_run(campaign, judge, budget_usd=None if budget_usd is None else Decimal(budget_usd))


@pytest.mark.django_db(transaction=True)
def test_the_server_bills_no_more_than_the_budget_however_many_ask_at_the_same_time(settings: Settings) -> None:
    """Three workers with several threads each, and a server that is slow and as dear as it may be."""
    settings.EMBEDDED, settings.JUDGE_WORKER_SLOTS = False, 3
    campaign = make_campaign(units=40)
    books = Books(campaign)
    with serving(books) as server:
        run = a_run_of(campaign, server.url, "1.50", at_once=12)
        worked(run, threads=2, slice_s=2.0)  # the first units are asked about by one worker
        while Run.objects.get(pk=run.pk).is_active:
            worker_slots = list(run.worker_slots.values_list("pk", flat=True))
            together([lambda pk=pk: work_in_slot(pk, threads=4, slice_s=5.0) for pk in worker_slots])  # type: ignore[misc]

    run.refresh_from_db()
    assert run.status == "over_budget"
    assert books.calls > 5
    assert books.usd.quantize(Decimal("0.000001")) == run.spent_usd <= Decimal("1.50")
    assert run.spent_usd > Decimal("1.20")  # what is left is less than one call may cost
    assert (run.unconfirmed_usd, Reservation.objects.count()) == (NOTHING, 0)


@pytest.mark.django_db(transaction=True)
def test_processes_keep_the_budget_too(settings: Settings, tmp_path: Path) -> None:
    settings.EMBEDDED = connection.vendor == "sqlite"
    settings.JUDGE_WORKER_SLOTS = 2
    campaign = make_campaign(units=30)
    books = Books(campaign)
    with serving(books) as server:
        run = a_run_of(campaign, server.url, "1.00")
        workers: list[subprocess.Popen[bytes]] = []
        try:
            workers = [start_worker(tmp_path / "log") for _worker in range(2)]
            wait_until(lambda: not Run.objects.get(pk=run.pk).is_active, seconds=120)
        finally:
            for worker in workers:
                worker.wait(60)

    run.refresh_from_db()
    assert run.status == "over_budget", (tmp_path / "log").read_text()[-2000:]
    assert books.calls > 3
    assert books.usd.quantize(Decimal("0.000001")) == run.spent_usd <= 1


@pytest.mark.databases
@pytest.mark.django_db
def test_a_server_that_bills_more_than_it_may_stops_the_run_and_is_named() -> None:
    campaign = make_campaign(units=10)
    with serving(Books(campaign, seconds=0, times=4)) as server:
        run = worked(a_run_of(campaign, server.url, "5"))

        assert (run.status, run.stopped_for, len(server.asked)) == ("over_budget", "budget", 1)
        assert "more than the $" in run.message
        resume_run(run)
        resumed = worked(run)

        assert resumed.spent_usd <= 5  # from then on, a call is taken for as dear as the dearest one
    assert not resumed.verdicts.filter(status="error").exists()


@pytest.mark.django_db
def test_a_call_whose_bill_never_came_may_have_been_billed() -> None:
    campaign = make_campaign(units=1)
    with serving(hang) as server:
        run = worked(a_run_of(campaign, server.url, "9", timeout_s=1))
        n_asked = len(server.asked)

    model = run.judge.language_model
    assert model
    one = budgets.most_it_costs(model, _question(server.asked[0]))
    assert (run.spent_usd, n_asked) == (NOTHING, 5)
    assert run.unconfirmed_usd == n_asked * (one or 0)
    assert reserved_usd(run) == 0


def _question(body: dict[str, object]) -> JudgeInput:
    held = body["response_format"]["json_schema"]["schema"]  # type: ignore[index]
    return JudgeInput(tuple(body["messages"]), held, max_tokens=body["max_tokens"])  # type: ignore[arg-type]


@pytest.mark.django_db
def test_what_could_not_be_reached_and_errors_cost_nothing() -> None:
    campaign = make_campaign(units=1)
    with serving(in_turn(fault(500), fault(429), saying(campaign))) as server:
        run = worked(a_run_of(campaign, server.url, "9"))

    assert (run.status, run.spent_usd, run.unconfirmed_usd) == ("done", Decimal("0.00081"), NOTHING)


@pytest.mark.django_db
def test_a_failed_attempt_that_counts_tokens_is_on_the_bill() -> None:
    campaign = make_campaign(units=1)
    late = raw(500, b'{"error": "late", "usage": {"prompt_tokens": 11, "completion_tokens": 7}}')
    with serving(in_turn(late, saying(campaign))) as server:
        run = worked(a_run_of(campaign, server.url, "9"))

    assert (run.status, run.spent_usd) == ("done", 2 * Decimal("0.00081"))
    assert run.spent_usd == sum(call.cost_usd or 0 for call in Call.objects.all())
    assert run.verdicts.get().cost_usd == run.spent_usd


@pytest.mark.databases
@pytest.mark.django_db
def test_what_a_killed_worker_held_back_is_taken_for_billed_once_its_lease_ends() -> None:
    campaign = make_campaign(units=2)
    run = a_run_of(campaign, "http://127.0.0.1:9/v1", "1")
    held = reserve(run, Decimal("0.7"), holder="dead", is_cancelled=lambda: False)
    assert held
    with pytest.raises(Cancelled):  # others may leave room yet
        reserve(run, Decimal("0.4"), holder="alive", is_cancelled=lambda: True)

    pick_up_runs_task()
    assert reserved_usd(run) == Decimal("0.7")
    Reservation.objects.update(until=timezone.now() - timedelta(seconds=1))
    keep_reservations("dead")
    pick_up_runs_task()
    assert reserved_usd(run) == Decimal("0.7")
    Reservation.objects.update(until=timezone.now() - timedelta(seconds=1))
    pick_up_runs_task()

    run.refresh_from_db()
    assert (reserved_usd(run), run.unconfirmed_usd, run.spent_usd) == (NOTHING, Decimal("0.7"), NOTHING)
    with pytest.raises(RunStopped, match=r"up to \$0\.7000 for calls whose bill never came"):
        reserve(run, Decimal("0.4"), holder="alive", is_cancelled=lambda: False)
    settle(held, Decimal("0.1"))  # it was only slow
    run.refresh_from_db()
    assert (run.unconfirmed_usd, run.spent_usd) == (NOTHING, Decimal("0.1"))


@pytest.mark.django_db
def test_reservations_of_a_slot_that_is_taken_over_stay() -> None:
    campaign = make_campaign(units=2)
    run = a_run_of(campaign, "http://127.0.0.1:9/v1", "1")
    reserve(run, Decimal("0.3"), holder="dead", is_cancelled=lambda: False)
    drop_reservations("dead")

    run.refresh_from_db()
    assert (reserved_usd(run), run.unconfirmed_usd) == (NOTHING, Decimal("0.3"))


@pytest.mark.databases
@pytest.mark.django_db
def test_a_budget_without_room_for_one_call_says_so_and_what_to_do() -> None:
    campaign = make_campaign(units=2)
    with serving(saying(campaign)) as server:
        run = worked(a_run_of(campaign, server.url, "0.01"))

        assert (run.status, len(server.asked)) == ("over_budget", 0)
    assert "Go on with a higher budget" in run.message
    run.unconfirmed_usd = Decimal("0.01")
    run.save()
    with pytest.raises(CannotRun):
        resume_run(run)


@pytest.mark.django_db
def test_a_model_that_costs_nothing_holds_nothing_back() -> None:
    campaign = make_campaign(units=2)
    with serving(saying(campaign)) as server:
        model = priced_model(campaign, server.url)
        set_terms(
            model, at_once=2, requests_per_minute=None, tokens_per_minute=None, usd_in=Decimal(0), usd_out=Decimal(0),
            user=campaign.created_by,
        )  # fmt: skip
        run = worked(a_run(campaign, a_judge(campaign, "asker", model=model), budget_usd=CENT))

    assert (run.status, run.spent_usd, run.unconfirmed_usd) == ("done", NOTHING, NOTHING)


@pytest.mark.databases
@pytest.mark.django_db
def test_sums_of_a_run_never_grow_beyond_what_can_be_read_again() -> None:
    run = a_run_of(make_campaign(units=1), "http://127.0.0.1:9/v1", None)
    Run.objects.filter(pk=run.pk).update(spent_usd=MOST_USD - CENT, unconfirmed_usd=MOST_USD - CENT)
    for usd in (MOST_USD, None):
        settle(reserve(run, MOST_USD, holder="a", is_cancelled=lambda: False), usd)
    reserve(run, MOST_USD, holder="a", is_cancelled=lambda: False)
    drop_reservations("a")
    budgets.book(run.pk, MOST_USD)

    run.refresh_from_db()
    assert (run.spent_usd, run.unconfirmed_usd) == (MOST_USD, MOST_USD)
    dear = Price(usd_in=Decimal(999_999), usd_out=Decimal(999_999))
    assert cost(dear, tokens_in=10_000_000, tokens_out=100_000) == MOST_USD


@pytest.mark.databases
@pytest.mark.django_db
def test_what_an_ended_run_holds_back_is_taken_for_billed() -> None:
    run = a_run_of(make_campaign(units=1), "http://127.0.0.1:9/v1", "1")
    reserve(run, Decimal("0.3"), holder="dead", is_cancelled=lambda: False)
    Run.objects.update(status="failed")
    Reservation.objects.update(until=timezone.now() - timedelta(seconds=1))

    pick_up_runs_task()

    run.refresh_from_db()
    assert (reserved_usd(run), run.unconfirmed_usd) == (NOTHING, Decimal("0.3"))


@pytest.mark.django_db
def test_replies_that_cannot_be_kept_stop_the_run_with_the_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    def keep(*_came: object, **_told: object) -> Call:
        raise DataError("integer out of range")

    monkeypatch.setattr("judges.language_models.calls.asking.keep_reply", keep)
    campaign = make_campaign(units=9)
    with serving(saying(campaign)) as server:
        run = worked(a_run_of(campaign, server.url, "9"))
        n_asked = len(server.asked)

    assert (run.status, run.stopped_for, n_asked) == ("failed", "not_asked", 5)
    assert "could not be kept (DataError)" in run.message
    model = run.judge.language_model
    assert model
    most = [budgets.most_it_costs(model, _question(body)) or NOTHING for body in server.asked]
    assert (run.spent_usd, run.unconfirmed_usd, reserved_usd(run)) == (NOTHING, sum(most), NOTHING)


@pytest.mark.databases
@pytest.mark.django_db
def test_verdict_that_cannot_be_kept_is_an_error_and_not_asked_about_again(monkeypatch: pytest.MonkeyPatch) -> None:
    def bill(used: list[object], _seconds: float) -> dict[str, object]:
        return {"tokens_out": -1} if used else {}

    monkeypatch.setattr("judges.verdicts.record._bill", bill)
    campaign = make_campaign(units=1)
    with serving(saying(campaign)) as server:
        run = worked(a_run_of(campaign, server.url, "9"))

        assert (run.status, run.verdicts.get().status, len(server.asked)) == ("failed", "error", 1)
    assert "could not be kept (IntegrityError)" in run.verdicts.get().message


@pytest.mark.databases
@pytest.mark.django_db
def test_reply_nested_too_deeply_is_kept_and_billed() -> None:
    campaign = make_campaign(units=1)
    usd = Decimal("0.00081")
    deep = json.dumps(dict(reply_for(campaign)))[:-1] + f', "more": {"[" * 900}{"]" * 900}}}'
    with serving(completion(deep)) as server:
        run = worked(a_run_of(campaign, server.url, "9"))

        assert (run.verdicts.get().status, len(server.asked)) == ("unparsed", 1)
    call = Call.objects.get()
    assert (run.spent_usd, reserved_usd(run), call.cost_usd, call.raw) == (usd, NOTHING, usd, deep)
    assert "nested too deeply" in call.message


@pytest.mark.django_db
def test_the_page_shows_what_was_spent_what_is_held_back_and_what_may_have_been_billed(client: Client) -> None:
    campaign = make_campaign(units=2)
    run = a_run_of(campaign, "http://127.0.0.1:9/v1", "2")
    reserve(run, Decimal("0.25"), holder="alive", is_cancelled=lambda: False)
    Run.objects.filter(pk=run.pk).update(spent_usd=Decimal("0.5"), unconfirmed_usd=Decimal("0.125"))
    client.force_login(make_member(campaign, Role.RESEARCHER, is_researcher=True))

    page = client.get(reverse("run", args=[campaign.slug, run.pk])).content.decode()
    api = client.get(f"/api/v1/campaigns/{campaign.slug}/runs/{run.pk}/").json()

    for figure in ("$0.5000", "$0.2500", "$0.1250", "of $2.00"):
        assert figure in page
    assert (api["spent_usd"], api["reserved_usd"], api["unconfirmed_usd"]) == ("0.500000", "0.250000", "0.125000")
