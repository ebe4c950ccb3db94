"""A run stops by itself where what comes back is of no use, says why and what to do, and goes on once mended."""

import json

import pytest
from django.db import connection
from pytest_django import Settings

from campaigns.models import Campaign
from judges.models import Run
from judges.runs.lifecycle import CannotRun, judge_again, resume_run
from judges.runs.worker import work_in_slot
from tests.factories import make_campaign
from tests.judges.language_models.billing import priced_model
from tests.judges.language_models.test_budgets import together
from tests.judges.running import a_judge, a_run, reply_for, saying, worked
from tests.judges.running import asker as asker  # noqa: PLC0414 - a fixture
from tests.judges.server import Step, after, by_text, completion, fault, in_turn, raw, serving

pytestmark = pytest.mark.usefixtures("asker")


@pytest.fixture(autouse=True)
def local_server(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.MODELS_ON_PRIVATE_ADDRESSES = True
    settings.JUDGE_WORKER_SLOTS = 1
    monkeypatch.setattr("judges.language_models.calls.asking.sleep_unless", lambda *_: None)


def a_run_at(campaign: Campaign, url: str, **plan: object) -> Run:
    return a_run(campaign, a_judge(campaign, "asker", model=priced_model(campaign, url)), **plan)


def statuses(run: Run) -> dict[str, int]:
    found: dict[str, int] = {}
    for status in run.verdicts.values_list("status", flat=True):
        found[status] = found.get(status, 0) + 1
    return found


USELESS = {
    "empty": ([completion("")], "empty", "The replies are empty. Raise"),
    "prose": ([completion("I would rather not say which.")], "unreadable", "no answer that can be read"),
    "refuses": ([completion(None, refusal="I cannot judge people.")], "refused", "The model refuses to judge"),
    "cut off": ([completion('{"reasoning": "I hear', finish="length")], "cut_off", "limit of tokens. Make the judge"),
    "wrong key": ([fault(401, "wrong key")], "key", "401: wrong key. Correct the API key"),
    "forbidden": ([fault(403, "not yours")], "key", "403: not yours. Correct the API key"),
    "no model": ([raw(404, b'{"error": {"code": "model_not_found", "message": "no such model"}}')], "not_found",
                 "404: no such model. Correct the address or the name"),
    "too long": ([fault(400, "context too long")], "rejected", "400: context too long. Change"),
    "down": ([fault(503)], "unavailable", "503 again and again. Judge the failed ones again"),
    "no completion": ([raw(200, b"<html>busy</html>")], "unavailable", "is no chat completion. Judge"),
}  # fmt: skip


@pytest.mark.databases
@pytest.mark.django_db
@pytest.mark.parametrize("fault_of_server", USELESS)
def test_a_run_stops_after_five_units_that_were_of_no_use_and_says_why(fault_of_server: str) -> None:
    steps, cause, sentence = USELESS[fault_of_server]
    campaign = make_campaign(units=12)
    with serving(*steps) as server:
        run = worked(a_run_at(campaign, server.url, orders="both", samples=2))

    missing = run.verdicts.exclude(status="waiting")
    assert (run.status, run.stopped_for) == ("failed", cause)
    assert run.message.startswith("None of the first 5 units has an answer, so nothing more is asked: ")
    assert sentence in run.message
    assert missing.count() == missing.values("unit").distinct().count() == 5
    assert {verdict.cause for verdict in missing} == {cause}


@pytest.mark.django_db
def test_the_same_text_about_everything_stops_the_run_unless_somebody_says_that_it_is_right() -> None:
    campaign = make_campaign(units=30)
    with serving(completion(json.dumps(reply_for(campaign)))) as server:
        run = worked(a_run_at(campaign, server.url))

        assert (run.status, run.stopped_for, len(server.asked)) == ("failed", "same_text", 5)
        assert "the same text about 5 different units" in run.message
        resume_run(run)
        assert worked(run).status == "done"
    assert statuses(run) == {"ok": 30}


@pytest.mark.django_db
def test_the_same_choices_without_reasons_are_no_fault() -> None:
    campaign = make_campaign(units=7)
    with serving(completion(json.dumps(reply_for(campaign, reasoning="")))) as server:
        assert worked(a_run_at(campaign, server.url)).status == "done"


@pytest.mark.django_db
@pytest.mark.parametrize(("bad", "ends"), [(completion(""), "failed"), (fault(401), "failed")])
def test_a_run_that_begins_well_stops_when_most_of_the_last_replies_are_of_no_use(bad: Step, ends: str) -> None:
    campaign = make_campaign(units=60)
    good = [saying(campaign)] * 10
    with serving(in_turn(*good, bad)) as server:
        run = worked(a_run_at(campaign, server.url))

    told = statuses(run)
    assert (run.status, told["ok"]) == (ends, 10)
    assert sum(told.values()) - told["waiting"] - 10 <= 15
    assert "of the last" in run.message


@pytest.mark.django_db
def test_now_and_then_a_useless_reply_does_not_stop_a_run() -> None:
    campaign = make_campaign(units=40)
    with serving(in_turn(*[completion(""), saying(campaign)] * 40)) as server:
        run = worked(a_run_at(campaign, server.url))

    assert (run.status, statuses(run)) == ("done", {"ok": 20, "unparsed": 20})


@pytest.mark.databases
@pytest.mark.django_db
def test_a_run_goes_on_once_it_is_mended() -> None:
    campaign = make_campaign(units=12)
    with serving(fault(401, "wrong key")) as server:
        run = worked(a_run_at(campaign, server.url))
        server.steps[:] = [saying(campaign)]
        resume_run(run)
        assert worked(run).status == "done"
        assert statuses(run) == {"error": 5, "ok": 7}
        judge_again(run)
        assert worked(run).status == "done"
    assert statuses(run) == {"ok": 12}
    assert not run.verdicts.exclude(cause="").exists()


@pytest.mark.django_db
def test_a_run_that_is_not_mended_stops_after_five_more() -> None:
    campaign = make_campaign(units=12)
    with serving(completion("")) as server:
        run = worked(a_run_at(campaign, server.url))
        resume_run(run)
        worked(run)

        assert (Run.objects.get(pk=run.pk).status, len(server.asked)) == ("failed", 10)


@pytest.mark.databases
@pytest.mark.django_db
def test_a_run_of_which_no_verdict_has_an_answer_failed() -> None:
    campaign = make_campaign(units=4)
    with serving(fault(401, "wrong key")) as server:
        run = worked(a_run_at(campaign, server.url))

        assert (run.status, run.stopped_for) == ("failed", "key")
        assert run.message.startswith("None of the 4 verdicts has an answer: The server answered 401: wrong key.")
        with pytest.raises(CannotRun, match="judged again"):
            resume_run(run)
        server.steps[:] = [saying(campaign)]
        judge_again(run)
        assert worked(run).status == "done"


@pytest.mark.databases
@pytest.mark.django_db
def test_what_comes_from_the_cache_says_nothing_of_the_server() -> None:
    campaign = make_campaign(units=20)
    first = {f"Prompt of {n}": saying(campaign) for n in range(8)}
    with serving(by_text(first, completion(""))) as server:
        worked(a_run_at(campaign, server.url))
        asked = len(server.asked)
        server.steps[:] = [fault(401)]
        again = worked(a_run_at(campaign, server.url))

        assert again.status == "failed"
        assert len(server.asked) - asked <= 5


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("embedded", [True, False])
def test_no_more_than_five_are_paid_however_many_workers_there_are(settings: Settings, embedded: bool) -> None:
    settings.EMBEDDED, settings.JUDGE_WORKER_SLOTS = embedded, 3
    campaign = make_campaign(units=60)
    with serving(after(0.1, completion(""))) as server:
        run = a_run_at(campaign, server.url)
        worker_slots = list(run.worker_slots.values_list("pk", flat=True))
        for _round in range(2):
            together([lambda pk=pk: work_in_slot(pk, threads=4) for pk in worker_slots])  # type: ignore[misc]
        connection.close()

        run.refresh_from_db()
        assert len(worker_slots) == (1 if embedded else 3)
        assert (run.status, len(server.asked)) == ("failed", 5)


@pytest.mark.django_db(transaction=True)
def test_the_other_workers_come_once_the_first_replies_were_of_use(settings: Settings) -> None:
    settings.EMBEDDED, settings.JUDGE_WORKER_SLOTS = False, 2
    campaign = make_campaign(units=12)
    with serving(saying(campaign)) as server:
        run = a_run_at(campaign, server.url)
        first, second = run.worker_slots.values_list("pk", flat=True)

        assert work_in_slot(second) == 0
        assert work_in_slot(first, slice_s=0.05) > 0
        while not Run.objects.get(pk=run.pk).is_tried:
            work_in_slot(first, slice_s=0.05)
        if Run.objects.get(pk=run.pk).is_active:
            assert work_in_slot(second) > 0
