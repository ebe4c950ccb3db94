"""Events go out exactly as they were written, signed, again and again until somebody takes them."""

import base64
import hashlib
import hmac
import json
import random
import time
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from pytest_django import DjangoCaptureOnCommitCallbacks, Settings

from accounts.models import User
from analytics.monitoring.alarms import watch_exclusions
from annotation.answers.submit import record_answers
from annotation.models import Assignment
from campaigns.launch.lifecycle import close_campaign, close_due_campaigns, pause_campaign
from campaigns.models import Campaign, CampaignUnit, EventKind, Webhook
from campaigns.webhooks.events import announce_event
from campaigns.webhooks.hooks import (
    CHOSEN,
    MOST_HOOKS,
    CannotSend,
    add_webhook,
    disable_webhook,
    send_again,
    send_test,
)
from infrastructure.background.queues import LEASE
from infrastructure.models import Delivery
from infrastructure.outgoing.addresses import AddressRefused
from infrastructure.webhooks import deliveries, posting
from infrastructure.webhooks.deliveries import (
    MOST_BYTES,
    MOST_TRIES,
    RETRIES,
    deliver,
    deliver_due,
    thin_deliveries,
)
from infrastructure.webhooks.posting import asked_wait
from judges.models import Run
from judges.runs.worker import stop_run
from tests.campaigns.webhooks.clocks import Clock, clock
from tests.campaigns.webhooks.hooking import receiving
from tests.cases import each
from tests.factories import DIRECT_ANSWERS, RARE_A, RARE_B, make_assignment, make_campaign, make_member
from tests.judges.running import a_judge

pytestmark = pytest.mark.django_db
__all__ = ["clock"]
EVERYTHING = [kind.value for kind in CHOSEN]


@pytest.fixture(autouse=True)
def private_allowed(settings: Settings) -> None:
    settings.WEBHOOKS_ON_PRIVATE_ADDRESSES = settings.WEBHOOKS_OVER_HTTP = True


@pytest.fixture
def campaign() -> Campaign:
    return make_campaign()


def hooked(campaign: Campaign, url: str = "http://127.0.0.1:9/", events: list[str] | None = None) -> Webhook:
    return add_webhook(campaign, url=url, events=events or EVERYTHING, user=campaign.created_by)[0]


def answer(campaign: Campaign, annotator: User | None = None, key: str = "k", **fields: Any) -> Assignment:
    annotator = annotator or make_member(campaign)
    held = make_assignment(campaign, annotator, **fields)
    record_answers(held.pk, annotator=annotator, clicked=DIRECT_ANSWERS, idempotency_key=key)
    return held


def told() -> list[tuple[str, dict[str, Any]]]:
    rows = Delivery.objects.order_by("created_at")
    return [(row.kind, json.loads(row.body)["data"]) for row in rows]


def kinds() -> list[str]:
    return sorted(kind for kind, _ in told())


def test_what_is_sent_is_signed_as_standard_webhooks_want_it(campaign: Campaign) -> None:
    with receiving() as server:
        hook, secret = add_webhook(campaign, url=server.url, events=EVERYTHING, user=campaign.created_by)
        row = send_test(hook)
        assert deliver(row.pk)

    got = server.got[0]
    assert json.loads(got.body)["type"] == "webhook.test"
    assert got.headers["webhook-id"] == f"msg_{row.pk.hex}"
    assert abs(int(got.headers["webhook-timestamp"]) - time.time()) < 5
    signed = f"{got.headers['webhook-id']}.{got.headers['webhook-timestamp']}.".encode() + got.body
    key = base64.b64decode(secret.removeprefix("whsec_"))
    expected = base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
    assert got.headers["webhook-signature"] == f"v1,{expected}"
    row.refresh_from_db()
    assert (row.status, row.response_status, row.tries, row.message) == ("delivered", 200, 1, None)


@pytest.mark.databases
def test_secret_is_kept_encrypted_and_forgotten_when_the_address_is_disabled(campaign: Campaign) -> None:
    hook, secret = add_webhook(campaign, url="https://hooks.example/", events=EVERYTHING, user=campaign.created_by)

    assert secret not in hook.sealed_secret
    disable_webhook(hook, by=hook.created_by)
    assert Webhook.objects.get(pk=hook.pk).sealed_secret == ""


def test_answer_tells_ids_and_a_pseudonym_and_no_name(campaign: Campaign) -> None:
    hooked(campaign)
    annotator = make_member(campaign, username="Rumpelstiltskin")

    held = answer(campaign, annotator)

    assert kinds() == ["answer.recorded", "unit.completed"]
    data = dict(told())["answer.recorded"]
    assert data == {
        "campaign": campaign.slug,
        "answer": held.annotations.get().pk,
        "supersedes": None,
        "assignment": str(held.pk),
        "unit": held.campaign_unit.unit_id,
        "item": held.campaign_unit.unit.item_id,
        "purpose": "study",
        "annotator": campaign.memberships.get(user=annotator).pseudonym,
    }
    bodies = "".join(Delivery.objects.values_list("body", flat=True))
    assert not [name for name in (RARE_A, RARE_B, "Rumpelstiltskin") if name in bodies]


@pytest.mark.databases
def test_unit_is_completed_by_its_last_answer_and_only_once() -> None:
    campaign = make_campaign(answers_per_unit=2)
    hooked(campaign, events=["unit.completed"])

    answer(campaign, key="one", seat=1)
    assert kinds() == []
    second = answer(campaign, key="two", seat=2)
    assert told() == [
        (
            "unit.completed",
            {
                "campaign": campaign.slug,
                "unit": second.campaign_unit.unit_id,
                "item": second.campaign_unit.unit.item_id,
                "n": 2,
            },
        )
    ]
    Assignment.objects.filter(pk=second.pk).update(reopened_at=timezone.now())
    record_answers(second.pk, annotator=second.annotator, clicked=DIRECT_ANSWERS, idempotency_key="again")
    assert kinds() == ["unit.completed"]


def test_answer_to_a_check_completes_no_unit(campaign: Campaign) -> None:
    hooked(campaign)
    campaign.campaign_units.update(purpose=CampaignUnit.Purpose.REPEAT)

    answer(campaign)

    assert kinds() == ["answer.recorded"]


def test_same_click_sent_twice_is_told_once(campaign: Campaign) -> None:
    hooked(campaign, events=["answer.recorded"])
    held = answer(campaign)

    record_answers(held.pk, annotator=held.annotator, clicked=DIRECT_ANSWERS, idempotency_key="k")

    assert kinds() == ["answer.recorded"]


def test_refused_answer_is_told_to_nobody(campaign: Campaign) -> None:
    hooked(campaign)
    annotator = make_member(campaign)
    held = make_assignment(campaign, annotator)

    with pytest.raises(ValueError, match="answer"):
        record_answers(held.pk, annotator=annotator, clicked={}, idempotency_key="k")

    assert kinds() == []


def test_campaign_without_addresses_asks_no_table_for_an_answer(campaign: Campaign) -> None:
    with CaptureQueriesContext(connection) as queries:
        answer(campaign)

    assert [
        query["sql"] for query in queries if 'webhook"' in query["sql"] or "infrastructure_delivery" in query["sql"]
    ] == []


def test_answers_cost_nothing_more_where_only_others_are_awaited() -> None:
    counts = []
    for events in ([], ["campaign.closed"]):
        campaign = make_campaign()
        if events:
            hooked(campaign, events=events)
        annotator = make_member(campaign)
        held = make_assignment(campaign, annotator)
        with CaptureQueriesContext(connection) as queries:
            record_answers(held.pk, annotator=annotator, clicked=DIRECT_ANSWERS, idempotency_key="k")
        counts.append(len(queries))

    assert counts[0] == counts[1]


@pytest.mark.databases
def test_closing_is_told_and_a_pause_is_not(campaign: Campaign) -> None:
    hooked(campaign)

    pause_campaign(campaign)
    assert kinds() == []
    close_campaign(campaign)

    assert told() == [("campaign.closed", {"campaign": campaign.slug})]


def test_campaign_whose_day_has_come_tells_so_once(clock: Clock) -> None:
    campaign = make_campaign(closes_at=timezone.now() - timedelta(minutes=1))
    hooked(campaign)
    closed = []
    for _minute in range(12):
        closed.append(close_due_campaigns())
        clock.move(minutes=1)

    assert closed == [0] * 10 + [1, 0]

    assert kinds() == ["campaign.closed"]


@each("status", ["done", "failed", "over_budget", "cancelled"], undo=True)
def test_end_of_a_run_is_told_once(campaign: Campaign, status: str) -> None:
    hooked(campaign)
    run = Run.objects.create(campaign=campaign, judge=a_judge(campaign), started_by=campaign.created_by)

    stop_run(run, status)
    stop_run(run, status)

    data = {"campaign": campaign.slug, "run": run.pk, "judge": run.judge_id, "status": status}
    assert told() == [("run.finished", data)]


@pytest.mark.databases
def test_alarm_is_told_when_it_begins(campaign: Campaign, monkeypatch: pytest.MonkeyPatch) -> None:
    hooked(campaign)
    monkeypatch.setattr("analytics.monitoring.alarms.has_jumped", lambda *_args, **_options: True)

    raised, _again = watch_exclusions(campaign), watch_exclusions(campaign)

    assert raised
    assert [(kind, data["about"], data["alarm"]) for kind, data in told()] == [
        ("quality.alarm", "exclusions", raised.pk)
    ]


def test_event_is_lost_with_the_action_that_failed(campaign: Campaign) -> None:
    hooked(campaign)

    with transaction.atomic():
        announce_event(campaign, EventKind.CLOSED, {})
        assert kinds() == ["campaign.closed"]
        transaction.set_rollback(True)

    assert kinds() == []


def test_message_is_sent_after_the_commit_and_a_lost_one_does_not_matter(
    campaign: Campaign,
    django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    sent: list[Any] = []
    monkeypatch.setattr("infrastructure.background.queues.Queue.send", lambda _queue, pk: sent.append(pk))
    with receiving() as server:
        hook = hooked(campaign, server.url)
        with django_capture_on_commit_callbacks(execute=True):
            row = send_test(hook)
            assert sent == []
        assert sent == [row.pk]  # nobody hears it; the clock comes
        assert deliver_due() == 1
    assert len(server.got) == 1


def test_body_that_is_too_long_is_refused(campaign: Campaign) -> None:
    hooked(campaign)

    with pytest.raises(ValueError, match="too long"):
        announce_event(campaign, EventKind.CLOSED, {"x": "y" * MOST_BYTES})


@each("status", [500, 404, 429, 301, 307], undo=True)
def test_anything_but_success_is_tried_again_later(campaign: Campaign, status: int) -> None:
    with receiving(status) as server:
        row = send_test(hooked(campaign, server.url))
        assert not deliver(row.pk)
        assert not deliver(row.pk)  # not due yet

    assert [got.path for got in server.got] == ["/hook"]  # a redirect is not followed
    row.refresh_from_db()
    assert (row.status, row.tries, row.response_status) == ("waiting", 1, status)
    assert row.message
    assert row.due_at > timezone.now() + timedelta(seconds=5)


@pytest.mark.databases
@each(
    "header, seconds",
    [("120", 120), ("0", 0), ("999999999", 86_400), ("Thu, 01 Jan 2026 00:02:00 GMT", 120),
     ("Wed, 31 Dec 2025 23:00:00 GMT", 0), ("", 0), ("soon", 0), ("-5", 0), ("1.5", 0), ("²", 0)],
    undo=True,
)  # fmt: skip
def test_server_says_when_to_come_again_in_seconds_or_by_a_date(header: str, seconds: int) -> None:
    assert asked_wait(header, datetime(2026, 1, 1, tzinfo=UTC)) == timedelta(seconds=seconds)


@pytest.mark.databases
@pytest.mark.parametrize("status", [429, 503])
def test_pause_that_a_server_requests_is_kept(campaign: Campaign, status: int) -> None:
    with receiving(status, retry_after="1800") as server:
        hook = hooked(campaign, server.url)
        first, second = send_test(hook), send_test(hook)
        asked = timezone.now()
        assert deliver_due() == 0

    assert len(server.got) == 1  # neither the same event again nor another one
    hook.refresh_from_db()
    due = sorted(Delivery.objects.filter(pk__in=[first.pk, second.pk]).values_list("due_at", flat=True))
    assert due[1] >= asked + timedelta(minutes=30)
    assert hook.paused_until
    assert asked + timedelta(minutes=30) <= hook.paused_until < asked + timedelta(minutes=31)


def come_due(row: Delivery) -> None:
    Delivery.objects.filter(pk=row.pk).update(due_at=timezone.now())
    Webhook.objects.update(paused_until=None)


@pytest.mark.databases
def test_delivery_is_given_up_after_eight_tries_and_sent_again_on_request(campaign: Campaign) -> None:
    with receiving(500) as server:
        row = send_test(hooked(campaign, server.url))
        for _ in range(MOST_TRIES + 2):
            come_due(row)
            deliver(row.pk)
        row.refresh_from_db()
        assert (row.status, row.tries, len(server.got)) == ("given_up", MOST_TRIES, MOST_TRIES)

        server.status = 204
        send_again(row)
        assert deliver(row.pk)

    assert len({got.headers["webhook-id"] for got in server.got}) == 1
    assert len({got.body for got in server.got}) == 1


@pytest.mark.databases
def test_eight_tries_take_about_a_day_and_no_two_waits_are_the_same() -> None:
    rng = random.Random(1)
    days = [sum((RETRIES.after(n, rng) for n in range(1, MOST_TRIES)), timedelta()) for _ in range(200)]

    assert timedelta(hours=18) < min(days)
    assert max(days) < timedelta(hours=30)
    assert len(set(days)) == 200


@pytest.mark.databases
def test_server_that_is_down_is_left_alone_so_that_others_are_told(campaign: Campaign) -> None:
    down = hooked(campaign, "http://127.0.0.1:9/")
    rows = [send_test(down) for _ in range(5)]
    with receiving() as server:
        up = send_test(hooked(campaign, server.url))
        assert deliver_due() == 1

    assert sum(Delivery.objects.get(pk=row.pk).tries for row in rows) == 1
    assert Delivery.objects.get(pk=up.pk).status == "delivered"


@pytest.mark.databases
def test_server_that_drips_its_answer_holds_nobody(campaign: Campaign, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(posting, "TOTAL_S", 0.5)
    with receiving(drips=True) as server:
        row = send_test(hooked(campaign, server.url))
        began = time.monotonic()
        assert not deliver(row.pk)

    assert time.monotonic() - began < 2
    assert Delivery.objects.get(pk=row.pk).status == "waiting"


@pytest.mark.databases
def test_address_that_is_gone_is_disabled_at_once(campaign: Campaign) -> None:
    with receiving(410) as server:
        hook = hooked(campaign, server.url)
        waiting, row = send_test(hook), send_test(hook)
        deliver(row.pk)

    hook.refresh_from_db()
    assert hook.disabled_at
    assert "gone" in hook.disabled_because
    assert set(Delivery.objects.filter(pk__in=[waiting.pk, row.pk]).values_list("status", flat=True)) == {"given_up"}
    assert Campaign.objects.get(pk=campaign.pk).webhook_events == []


def test_address_at_which_nothing_came_through_for_days_is_disabled_and_says_so(campaign: Campaign) -> None:
    hook = hooked(campaign)
    Webhook.objects.update(failing_since=timezone.now() - timedelta(days=4), failures=9)

    deliver(send_test(hook).pk)

    hook.refresh_from_db()
    assert hook.disabled_because == "Nothing came through for three days."
    with pytest.raises(CannotSend):
        send_test(hook)


@pytest.mark.databases
def test_success_forgets_the_failures_before(campaign: Campaign) -> None:
    with receiving() as server:
        hook = hooked(campaign, server.url)
        Webhook.objects.update(failing_since=timezone.now() - timedelta(days=9), failures=9)
        deliver(send_test(hook).pk)

    hook.refresh_from_db()
    assert (hook.failures, hook.failing_since, hook.disabled_at) == (0, None, None)


def test_private_address_is_not_called_unless_a_setting_allows(campaign: Campaign, settings: Settings) -> None:
    settings.WEBHOOKS_ON_PRIVATE_ADDRESSES = False
    with receiving() as server:
        row = send_test(hooked(campaign, server.url))
        assert not deliver(row.pk)

    row.refresh_from_db()
    assert server.got == []
    assert row.status == "given_up"
    assert "WEBHOOKS_ON_PRIVATE_ADDRESSES" in row.message


def test_plain_http_wants_an_allowance(campaign: Campaign, settings: Settings) -> None:
    settings.WEBHOOKS_OVER_HTTP = False

    with pytest.raises(AddressRefused, match="https"):
        hooked(campaign, "http://hooks.example/")
    hooked(campaign, "https://hooks.example/")


@pytest.mark.databases
def test_delivery_whose_worker_died_is_sent_again_by_another(campaign: Campaign) -> None:
    with receiving() as server:
        row = send_test(hooked(campaign, server.url))
        assert deliveries._claim(row.pk)  # and the process is killed here
        assert deliver_due() == 0
        Delivery.objects.update(heartbeat_at=timezone.now() - 2 * LEASE)  # its time has passed
        assert deliver_due() == 1

    assert Delivery.objects.get(pk=row.pk).tries == 2


@pytest.mark.databases
def test_only_one_of_two_workers_gets_a_delivery(campaign: Campaign) -> None:
    row = send_test(hooked(campaign))

    assert [bool(deliveries._claim(row.pk)), bool(deliveries._claim(row.pk))] == [True, False]


@pytest.mark.databases
def test_old_deliveries_are_thinned_and_waiting_ones_stay(
    campaign: Campaign, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(deliveries, "KEPT_MOST", 2)
    hook = hooked(campaign)
    old, waiting, *new = [send_test(hook) for _ in range(5)]
    Delivery.objects.exclude(pk=waiting.pk).update(status="delivered")
    Delivery.objects.filter(pk__in=[old.pk, waiting.pk]).update(created_at=timezone.now() - timedelta(days=31))

    assert thin_deliveries() == 2

    assert set(Delivery.objects.values_list("pk", flat=True)) == {waiting.pk, new[1].pk, new[2].pk}


def test_campaign_tells_so_many_addresses_and_no_more(campaign: Campaign) -> None:
    hooks = [hooked(campaign) for _ in range(MOST_HOOKS)]

    with pytest.raises(CannotSend):
        hooked(campaign)
    disable_webhook(hooks[0], by=hooks[0].created_by)
    hooked(campaign)


def test_events_of_one_campaign_stay_in_it(campaign: Campaign) -> None:
    other = make_campaign()
    hooked(other)

    announce_event(campaign, EventKind.CLOSED, {})

    assert kinds() == []
