"""Gold units and other checks, arenas, annotators, rules and review by the API, on the actions of the pages."""

from typing import Any

import pytest
from rest_framework.test import APIClient

from accounts.models import AuditEntry
from analytics.quality.signals import SIGNALS
from annotation.models import Adjudication, Annotation, AnnotatorDecision, BulkDecision, UseDecision
from campaigns.models import Campaign, Role
from corpus.models import System
from infrastructure.models import Job
from tests.annotation.test_records import answered
from tests.api.callers import caller
from tests.arena.arenas import make_open_arena
from tests.cases import each
from tests.factories import make_assignment, make_campaign, make_member

pytestmark = pytest.mark.django_db


def of(campaign: Campaign, more: str) -> str:
    return f"/api/v1/campaigns/{campaign.slug}/{more}"


@pytest.fixture
def draft() -> Campaign:
    return make_campaign(units=4, status="draft")


@pytest.fixture
def campaign() -> Campaign:
    return make_campaign(units=2)


@pytest.fixture
def annotation(campaign: Campaign) -> Annotation:
    return answered(make_assignment(campaign, make_member(campaign)))


def manager(campaign: Campaign) -> APIClient:
    return caller(make_member(campaign, Role.RESEARCHER))


def reviewer(campaign: Campaign) -> APIClient:
    return caller(make_member(campaign, Role.REVIEWER))


def test_gold_units_are_set_and_what_is_not_named_stays(draft: Campaign) -> None:
    client, unit = manager(draft), draft.campaign_units.select_related("unit").first().unit
    gold = {"unit": unit.key, "aspect": "overall", "value": "a"}

    made = client.post(of(draft, "checks/"), {"gold": [gold], "identical": 1, "check_every": 7})
    later = client.post(of(draft, "checks/"), {"repeat": 1})

    assert made.status_code == 200, made.json()
    assert made.json()["gold"] == [{"unit": unit.key, "expected": {"overall": ["a"]}}]
    assert later.json() == made.json() | {"repeat": 1}
    assert client.get(of(draft, "checks/")).json() == later.json()


@each(
    "sent, field",
    [
        ({"gold": [{"unit": "none", "aspect": "overall", "value": "a"}]}, "gold"),
        ({"gold": [{"unit": "none", "aspect": "overall"}]}, "gold.0.value"),
        ({"check_every": 1}, "check_every"),
    ],
    undo=True,
)
def test_checks_that_cannot_be_set_are_refused_at_their_field(
    draft: Campaign, sent: dict[str, Any], field: str
) -> None:
    reply = manager(draft).post(of(draft, "checks/"), sent)

    assert reply.status_code in (400, 422)
    assert reply.json()["errors"][0]["field"] == field


def test_checks_are_fixed_once_a_campaign_has_opened(campaign: Campaign) -> None:
    client = manager(campaign)
    for address, sent in (("checks/", {"repeat": 1}), ("checks/traps/", {"n": 1})):
        reply = client.post(of(campaign, address), sent)
        assert (reply.status_code, reply.json()["code"]) == (409, "checks_fixed")


def test_draft_becomes_an_arena_and_is_none_again(draft: Campaign) -> None:
    client = manager(draft)

    before = client.get(of(draft, "arena/"))
    made = client.post(of(draft, "arena/"), {"is_public": True, "votes_per_hour": 30})
    changed = client.post(of(draft, "arena/"), {"rule": "uniform"}).json()
    ended = client.post(of(draft, "arena/end/"))

    assert (before.status_code, made.status_code, ended.status_code) == (404, 200, 204)
    assert (changed["is_public"], changed["votes_per_hour"], changed["rule"]) == (True, 30, "uniform")
    assert changed["link"].endswith(f"/arena/{draft.slug}/")
    assert client.get(of(draft, "arena/")).status_code == 404


def test_campaign_that_has_opened_becomes_no_arena(campaign: Campaign) -> None:
    reply = manager(campaign).post(of(campaign, "arena/"), {})

    assert (reply.status_code, reply.json()["code"]) == (409, "cannot_be_arena")


def test_later_system_is_let_in_by_name_and_votes_are_rows() -> None:
    arena = make_open_arena(items=1)
    client, campaign = manager(arena.campaign), arena.campaign
    campaign.systems.set(campaign.dataset.systems.all())
    System.objects.create(dataset=campaign.dataset, name="Newcomer")

    listed = client.get(of(campaign, "arena/")).json()["newcomers"]
    reply = client.post(of(campaign, "arena/let-in/"), {"system": "Newcomer"})
    unknown = client.post(of(campaign, "arena/let-in/"), {"system": "Nobody"})
    votes = client.get(of(campaign, "arena/votes.csv/"))

    assert listed == ["Newcomer"]
    assert (reply.status_code, Job.objects.get(kind="prepare-arena").subject) == (202, str(campaign.pk))
    assert (unknown.status_code, unknown.json()["errors"][0]["field"]) == (422, "system")
    assert b"".join(votes.streaming_content).startswith(b"question_id,model_a,model_b,winner")
    assert client.get(of(campaign, "arena/votes.xlsx/")).status_code == 404


def test_answers_of_an_annotator_are_left_out_and_taken_in_again(campaign: Campaign, annotation: Annotation) -> None:
    client = reviewer(campaign)
    (row,) = client.get(of(campaign, "annotators/")).json()
    address = of(campaign, f"annotators/{row['id']}/decide/")

    out = client.post(address, {"decision": "exclude", "reason": "speed", "comment": "Two seconds each."})
    annotation.assignment.refresh_from_db()
    was_excluded = annotation.assignment.excluded
    back = client.post(address, {"decision": "include"})
    paused = client.post(address, {"decision": "pause"})
    too_short = client.post(address, {"decision": "decline", "comment": "Bad."})

    annotation.assignment.refresh_from_db()
    assert (row["answers"], row["is_paused"]) == (1, False)
    assert (out.status_code, was_excluded, back.status_code, annotation.assignment.excluded) == (
        204,
        True,
        204,
        False,
    )
    assert list(UseDecision.objects.values_list("use", "reason")) == [(False, "speed"), (True, "other")]
    assert (paused.status_code, AnnotatorDecision.objects.count()) == (204, 1)
    assert (too_short.status_code, too_short.json()["errors"][0]["field"]) == (422, "comment")
    assert client.get(of(campaign, "annotators/")).json()[0]["is_paused"] is True


def test_rules_of_some_signals_are_changed(campaign: Campaign) -> None:
    client, name = manager(campaign), next(iter(SIGNALS))
    before = client.get(of(campaign, "quality-rules/")).json()["rules"]
    rule = {"tolerated": 0.5, "minimum": 12, "action": "pause"}

    reply = client.post(of(campaign, "quality-rules/"), {"rules": {name: rule}})
    unknown = client.post(of(campaign, "quality-rules/"), {"rules": {"no-signal": rule}})

    assert reply.json()["rules"] == before | {name: rule}
    assert (unknown.status_code, unknown.json()["errors"][0]["field"]) == (422, "rules.no-signal")


def test_unit_is_reviewed_adjudicated_commented_and_marked(campaign: Campaign, annotation: Annotation) -> None:
    client, unit = reviewer(campaign), annotation.assignment.campaign_unit_id
    address = of(campaign, f"review/{unit}/")

    seen = client.get(address).json()
    said = {it["name"]: it["values"][0] for it in seen["questions"] if it["values"]}
    done = client.post(
        f"{address}adjudicate/", {"answers": said, "comment": "Clear."}, headers={"Idempotency-Key": "k"}
    )
    again = client.post(
        f"{address}adjudicate/", {"answers": said, "comment": "Clear."}, headers={"Idempotency-Key": "k"}
    )
    wrong = client.post(f"{address}adjudicate/", {"answers": {"overall": "never"}})
    noted = client.post(f"{address}comment/", {"text": "Clipped at the end."})
    marked = client.post(of(campaign, "review/mark/"), {"units": [unit], "done": False}).json()
    undone = client.post(of(campaign, "review/undo-mark/")).json()
    after = client.get(address).json()

    assert [(it["id"], it["is_used"]) for it in seen["answers"]] == [(annotation.pk, True)]
    assert (done.status_code, again.status_code, Adjudication.objects.count()) == (204, 204, 1)
    assert after["adjudicated"].items() >= said.items()
    assert wrong.status_code == 422
    assert wrong.json()["errors"][0]["field"].startswith("answers.")
    assert (noted.status_code, [it["text"] for it in after["comments"]]) == (201, ["Clipped at the end."])
    assert (marked, undone) == ({"units": 1, "done": False}, {"units": 1, "done": True})
    assert after["systems"] == []
    every = client.get(of(campaign, "review/"), {"sign": "every", "state": "all"}).json()
    assert (every["count"], [it["id"] for it in every["results"] if it["reviewed"]]) == (2, [unit])


def test_one_answer_is_left_out_taken_in_and_not_accepted(campaign: Campaign, annotation: Annotation) -> None:
    client = reviewer(campaign)
    address = of(campaign, f"review/{annotation.assignment.campaign_unit_id}/answers/{annotation.pk}/")

    without_reason = client.post(f"{address}use/", {"use": False})
    out = client.post(f"{address}use/", {"use": False, "reason": "technical"})
    annotation.assignment.refresh_from_db()
    was_excluded = annotation.assignment.excluded
    client.post(f"{address}use/", {"use": True})
    refused = client.post(f"{address}accept/", {"accepted": False})
    told = client.post(f"{address}accept/", {"accepted": False, "reason": "speed", "message": "Please listen on."})

    annotation.assignment.refresh_from_db()
    assert (without_reason.status_code, without_reason.json()["errors"][0]["field"]) == (400, "reason")
    assert (out.status_code, was_excluded, annotation.assignment.excluded) == (204, True, False)
    assert (refused.status_code, told.status_code) == (422, 204)
    assert client.post(f"{address}use/".replace(str(annotation.pk), "999999"), {"use": True}).status_code == 404


def test_answers_to_many_units_are_left_out_at_once_and_that_is_undone(
    campaign: Campaign, annotation: Annotation
) -> None:
    client, unit = reviewer(campaign), annotation.assignment.campaign_unit_id
    sent = {"units": [unit], "use": False, "reason": "technical"}

    made = client.post(of(campaign, "review/use/"), sent, headers={"Idempotency-Key": "k"})
    again = client.post(of(campaign, "review/use/"), sent, headers={"Idempotency-Key": "k"})
    undone = client.post(of(campaign, f"review/decisions/{made.json()['id']}/undo/"))
    of_nobody = client.post(of(campaign, "review/use/"), sent | {"annotator": 999_999})

    assert (made.status_code, made.json()["answers"], made.json()["units"]) == (202, 1, 1)
    assert again.json() == made.json()
    assert (undone.status_code, undone.json()["use"], undone.json()["answers"]) == (202, True, 1)
    assert of_nobody.json()["errors"][0]["field"] == "annotator"
    assert [it["use"] for it in client.get(of(campaign, "review/decisions/")).json()] == [True, False]
    other = reviewer(campaign)
    assert other.post(of(campaign, f"review/decisions/{made.json()['id']}/undo/")).status_code == 404


def test_reviewer_who_labels_sees_no_answers_to_units_that_may_come(
    campaign: Campaign, annotation: Annotation
) -> None:
    both = make_member(campaign, Role.REVIEWER)
    campaign.memberships.create(user=both, role=Role.ANNOTATOR, pseudonym="A9")

    reply = caller(both).get(of(campaign, f"review/{annotation.assignment.campaign_unit_id}/"))

    assert reply.status_code == 403


def test_decision_about_many_answers_is_stopped_by_its_maker(campaign: Campaign) -> None:
    person = make_member(campaign, Role.REVIEWER)
    row = BulkDecision.objects.create(campaign=campaign, by=person, use=False, reason="other", units=[1])
    address = of(campaign, f"review/decisions/{row.pk}/stop/")

    stopped = caller(person).post(address)
    again = caller(person).post(address)

    assert (stopped.status_code, stopped.json()["answers"]) == (200, 0)
    assert again.json() == stopped.json()
    assert reviewer(campaign).post(address).status_code == 404
    assert AuditEntry.objects.filter(subject_kind="campaign").count() == 1


def test_baselines_are_started_and_cancelled_together(campaign: Campaign) -> None:
    client = manager(campaign)

    started = client.post(of(campaign, "runs/baselines/")).json()
    cancelled = client.post(of(campaign, "runs/baselines/cancel/"))
    again = client.post(of(campaign, "runs/baselines/cancel/")).json()

    assert (cancelled.status_code, cancelled.json()) == (200, {"stopped": len(started)})
    assert again == {"stopped": 0}
    assert {it["status"] for it in client.get(of(campaign, "runs/")).json()["results"]} == {"cancelled"}


def test_list_of_units_is_recorded_once_a_day_for_each_person(campaign: Campaign) -> None:
    first, second = reviewer(campaign), reviewer(campaign)
    for client in (first, first, second):
        assert client.get(of(campaign, "units/")).status_code == 200

    assert AuditEntry.objects.filter(event="units_named").count() == 2
