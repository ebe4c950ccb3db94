"""Drafts of criteria: one item fails and the others do not, nothing is asked twice, everything is kept."""

import threading
from typing import Any

import pytest
from django.db import connections
from pytest_django import Settings

from campaigns.models import Campaign, Criterion
from campaigns.rubrics.reviewing import add_criterion, needs_none
from corpus.models import Turn
from infrastructure.models import Job
from infrastructure.tasks import run_job_task
from judges.language_models import criteria_drafts
from judges.language_models.criteria_drafts import items_to_draft, start_drafts, stop_drafts
from judges.language_models.prompts import CRITERIA_VERSION, criteria_prompt
from judges.language_models.registry import disable_model
from judges.models import DraftReply, DraftRun, LanguageModel
from tests.campaigns.rubrics import item_of, rubric_campaign
from tests.factories import UserFactory
from tests.judges.drafting import criteria, drafts_made, make_model
from tests.judges.server import Step, completion, fault, serving, wait_until

pytestmark = pytest.mark.django_db
GOOD = criteria("Does it mention rain?", "Does it offer an umbrella?")


@pytest.fixture(autouse=True)
def private_addresses(settings: Settings) -> None:
    settings.MODELS_ON_PRIVATE_ADDRESSES = True


def by_item(**steps: Step) -> Step:
    """Another step for each item, by its key; the prompt's text names it."""

    def step(body: dict[str, Any]) -> Any:
        prompt = body["messages"][0]["content"]
        key = next(key for key in steps if f"Prompt of {key[1:]}\n" in prompt)
        return steps[key](body)

    return step


@pytest.mark.databases
def test_drafts_wait_for_review_and_are_kept_with_model_and_prompt() -> None:
    campaign = rubric_campaign(units=2)
    with serving(GOOD) as server:
        job = drafts_made(campaign, make_model(campaign.created_by, server.url))

        asked = server.asked
    assert (job.status, job.done, job.total) == ("succeeded", 2, 2)
    rows = Criterion.objects.filter(item=item_of(campaign))
    assert [(row.number, row.text, row.state) for row in rows] == [
        (1, "Does it mention rain?", "drafted"),
        (2, "Does it offer an umbrella?", "drafted"),
    ]
    row = rows[0]
    assert (row.source, row.model, row.prompt_version) == ("llm", "m-2026", CRITERIA_VERSION)
    assert row.prompt in [body["messages"][0]["content"] for body in asked]
    reply = DraftReply.objects.get(item=row.item)
    assert (reply.status, reply.tokens_in, reply.tokens_out, reply.prompt) == ("ok", 11, 7, row.prompt)


def test_prompt_has_the_request_the_goal_and_what_is_asked_anyway_and_no_system() -> None:
    campaign = rubric_campaign(units=1)
    facts = {"dimension": "ambient", "criteria": ["Is it Tuesday?"], "source": "x"}

    prompt = criteria_prompt(campaign.protocol, facts, ["It rains.", "And now?"], n=3)

    assert "write 3 yes/no criteria" in prompt
    assert "1. It rains.\n2. And now?\n" in prompt
    assert "ambient" in prompt
    assert "- Does it stay sensible, however loud it is around the person?" in prompt
    assert "- Is it Tuesday?" in prompt
    assert "Does it use what was said in earlier turns" not in prompt  # that is asked about meaning only


@pytest.mark.databases
def test_failures_are_listed_by_item_and_asked_again_on_demand(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("judges.backends.openai_chat.sleep_unless", lambda *_: None)
    campaign = rubric_campaign(units=6)
    Turn.objects.filter(item=item_of(campaign, "5")).update(text="")
    steps = by_item(
        _0=GOOD,
        _1=completion("I'd say: rain."),
        _2=completion(None, refusal="No."),
        _3=fault(500),
        _4=criteria("A?", "B?", "C?"),
    )
    with serving(steps) as server:
        model = make_model(campaign.created_by, server.url)
        job = drafts_made(campaign, model)

        replies = {reply.item.key: reply for reply in DraftReply.objects.select_related("item")}
        assert {key: reply.status for key, reply in replies.items()} == {
            "0": "ok", "1": "unparsed", "2": "refused", "3": "error", "4": "unparsed", "5": "skipped",
        }  # fmt: skip
        assert (job.status, job.done) == ("succeeded", 6)
        assert replies["1"].raw == "I'd say: rain."
        assert "has 3 criteria and not 1 to 2" in replies["4"].message
        assert Criterion.objects.count() == 2

        server.steps = [GOOD]
        n_before = len(server.asked)
        drafts_made(campaign, model)

        assert len(server.asked) - n_before == 4  # neither the one that has criteria nor the one without text
    assert Criterion.objects.count() == 10


@pytest.mark.databases
def test_key_that_is_refused_ends_the_work_at_once_and_says_so() -> None:
    campaign = rubric_campaign(units=12)
    with serving(fault(401, "bad key")) as server:
        job = drafts_made(campaign, make_model(campaign.created_by, server.url))

        assert len(server.asked) <= criteria_drafts.AT_ONCE
    assert (job.status, job.error) == ("failed", "The server answered 401: bad key")


@pytest.mark.databases
def test_work_taken_up_again_asks_only_for_what_is_not_there() -> None:
    campaign = rubric_campaign(units=3)
    with serving(GOOD) as server:
        model = make_model(campaign.created_by, server.url)
        job = start_drafts(campaign, model, n_per_item=2, user=campaign.created_by)
        DraftReply.objects.create(run=DraftRun.objects.get(), item=item_of(campaign, "0"), status="unparsed")
        run_job_task(str(job.pk))
        run_job_task(str(job.pk))

        assert len(server.asked) == 2
    assert DraftReply.objects.count() == 3


def test_what_somebody_wrote_meanwhile_stays_alone() -> None:
    campaign = rubric_campaign(units=1)

    def step(body: dict[str, Any]) -> Any:
        return GOOD(body)

    with serving(step) as server:
        model = make_model(campaign.created_by, server.url)
        job = start_drafts(campaign, model, n_per_item=2, user=campaign.created_by)
        keep = criteria_drafts._keep

        def written_first(run: DraftRun, one: criteria_drafts.Asked, outcome: Any) -> DraftReply:
            add_criterion(campaign, one.item, "Is it brief?", by=campaign.created_by)
            return keep(run, one, outcome)

        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(criteria_drafts, "_keep", written_first)
            run_job_task(str(job.pk))

    assert list(Criterion.objects.values_list("text", flat=True)) == ["Is it brief?"]


@pytest.mark.databases
def test_items_with_criteria_or_without_need_are_not_drafted_for() -> None:
    campaign = rubric_campaign(units=4)
    add_criterion(campaign, item_of(campaign, "0"), "Is it brief?", by=campaign.created_by)
    needs_none(campaign, item_of(campaign, "1"), by=campaign.created_by)
    item = item_of(campaign, "2")
    item.facts = {"criteria": ["Is it Tuesday?"]}
    item.save()

    assert [item.key for item in items_to_draft(campaign)] == ["3"]


@pytest.mark.databases
def test_reply_that_no_database_can_hold_is_missing_too() -> None:
    campaign = rubric_campaign(units=1)
    with serving(completion('{"criteria": ["\\ud800?"]} \x00\ud800')) as server:
        job = drafts_made(campaign, make_model(campaign.created_by, server.url))

    assert job.status == "succeeded"
    reply = DraftReply.objects.get()
    assert (reply.status, reply.message) == ("unparsed", "A criterion needs a text.")
    assert not Criterion.objects.exists()


def work(job: str) -> None:
    try:
        run_job_task(job)
    finally:
        connections.close_all()


@pytest.mark.django_db(transaction=True)
def test_stopped_work_asks_nothing_more_and_keeps_what_came() -> None:
    campaign = rubric_campaign(units=12)
    first = threading.Event()

    def slow(body: dict[str, Any]) -> Any:
        if first.is_set():
            return fault(429, Retry_After="50")(body)
        first.set()
        return GOOD(body)

    with serving(slow) as server:
        job = start_drafts(
            campaign, make_model(campaign.created_by, server.url), n_per_item=2, user=campaign.created_by
        )
        worker = threading.Thread(target=work, args=[str(job.pk)])
        worker.start()
        wait_until(DraftReply.objects.exists)
        stop_drafts(campaign)
        worker.join(15)

        assert not worker.is_alive()
        assert len(server.asked) <= 1 + criteria_drafts.AT_ONCE
    assert DraftReply.objects.count() == 1
    assert Criterion.objects.count() == 2


def test_drafts_are_refused_where_they_cannot_be() -> None:
    campaign = rubric_campaign(units=1)
    mine, other = make_model(campaign.created_by), make_model(UserFactory())

    for model, n, reason in ((other, 2, "does not exist"), (mine, 7, "1 to 6")):
        with pytest.raises(ValueError, match=reason):
            start_drafts(campaign, model, n_per_item=n, user=campaign.created_by)
    Campaign.objects.update(status="open")
    with pytest.raises(ValueError, match="fixed"):
        start_drafts(campaign, mine, n_per_item=2, user=campaign.created_by)

    assert not Job.objects.exists()


@pytest.mark.databases
def test_model_that_was_disabled_meanwhile_is_not_asked() -> None:
    campaign = rubric_campaign(units=1)
    model = make_model(campaign.created_by)
    job = start_drafts(campaign, model, n_per_item=2, user=campaign.created_by)
    disable_model(model, user=campaign.created_by)

    run_job_task(str(job.pk))

    assert Job.objects.get().error == "The model Drafter was disabled."
    assert LanguageModel.objects.get().sealed_key == ""
