"""An outside interface as an annotator: the actions and checks of the browser, and nothing that tells who speaks."""

import json
from pathlib import Path
from typing import Any

import pytest
from rest_framework.test import APIClient

from accounts.models import AuditEntry
from annotation.models import Annotation, Answer, Assignment, ListeningLog
from campaigns.models import Campaign, CampaignUnit, Gate
from campaigns.people.consent import new_version
from corpus.models import Turn
from protocols import SHIPPED, for_item, questions
from tests.annotation.test_every_protocol import FACTS, clicks
from tests.annotation.test_listening import deliver_fakes
from tests.api.callers import caller
from tests.cases import each
from tests.factories import DIRECT_ANSWERS, RARE_A, RARE_B, make_assignment, make_campaign, make_member

pytestmark = pytest.mark.django_db


@pytest.fixture
def campaign(media_root: Path) -> Campaign:
    campaign = make_campaign(answers_per_unit=2)
    deliver_fakes(campaign)
    return campaign


@pytest.fixture
def annotator(campaign: Campaign) -> APIClient:
    return caller(make_member(campaign), ["annotate"])


def label(campaign: Campaign, path: str) -> str:
    return f"/api/v1/label/{campaign.slug}/{path}/"


def take(client: APIClient, campaign: Campaign) -> dict[str, Any]:
    response = client.post(label(campaign, "next"))
    assert response.status_code == 200, response.content
    return dict(response.json())


def answer(client: APIClient, campaign: Campaign, unit: str, **said: Any) -> Any:
    return client.post(label(campaign, f"assignments/{unit}/answers"), {"answers": DIRECT_ANSWERS} | said)


def test_annotator_answers_every_unit_and_nothing_is_left(annotator: APIClient, campaign: Campaign) -> None:
    assert [row["campaign"] for row in annotator.get("/api/v1/label/").json()] == [campaign.slug]
    for n in range(2):
        shown = take(annotator, campaign)
        assert (shown["answered"], shown["total"]) == (n, 2)
        assert take(annotator, campaign)["unit"]["assignment"] == shown["unit"]["assignment"]
        assert answer(annotator, campaign, shown["unit"]["assignment"]).status_code == 201

    assert take(annotator, campaign) == {"answered": 2, "total": 2, "unit": None}
    assert Annotation.objects.count() == 2


@pytest.mark.databases
def test_answer_is_turned_into_the_stored_frame(annotator: APIClient, campaign: Campaign) -> None:
    for _ in range(2):
        unit = take(annotator, campaign)["unit"]
        Assignment.objects.filter(pk=unit["assignment"]).update(order="ba")
        answer(annotator, campaign, unit["assignment"])

    assert set(Answer.objects.filter(aspect="content").values_list("value", flat=True)) == {"b"}


def test_clips_are_those_of_the_places_and_of_this_person_alone(annotator: APIClient, campaign: Campaign) -> None:
    unit = take(annotator, campaign)["unit"]
    assignment = Assignment.objects.get(pk=unit["assignment"])
    sides = {"a": assignment.campaign_unit.unit.a, "b": assignment.campaign_unit.unit.b}
    turns = [assignment.campaign_unit.unit.item.turns, *(sides[slot].turns for slot in assignment.order)]
    expected = [f"{turn.get().clip_id:08d}".encode() * 4 for turn in turns]

    heard = [annotator.get(clip["url"]) for clip in unit["clips"]]
    part = annotator.get(unit["clips"][0]["url"], headers={"Range": "bytes=0-7"})
    other = caller(make_member(campaign), ["annotate"]).get(unit["clips"][0]["url"])

    assert [clip["place"] for clip in unit["clips"]] == [0, 1, 2]
    assert [response.content for response in heard] == expected
    assert (part.status_code, part.content) == (206, expected[0][:8])
    assert other.status_code == 404


def test_prompt_in_words_alone_is_no_clip(annotator: APIClient, campaign: Campaign) -> None:
    Turn.objects.update(clip=None)
    unit = take(annotator, campaign)["unit"]
    heard = {f"{clip['place']}-{clip['turn']}": [[0.0, 0.5]] for clip in unit["clips"]}
    Assignment.objects.update(reserved_at="2020-01-01T00:00:00Z")

    sent = answer(annotator, campaign, unit["assignment"], reports=[{"number": 1, "ranges": heard, "plays": {}}])

    assert (list(heard), sent.status_code) == (["1-1", "2-1"], 201)
    item = Assignment.objects.get(pk=unit["assignment"]).campaign_unit.unit.item
    assert unit["prompts"] == [{"turn": 1, "text": item.turns.get().text}]


@pytest.mark.databases
def test_listening_is_checked_against_rule_and_clock(media_root: Path) -> None:
    campaign = make_campaign(listening="full")
    deliver_fakes(campaign)
    client = caller(make_member(campaign), ["annotate"])
    unit = take(client, campaign)["unit"]["assignment"]
    clips = {clip: [[0.0, 1.0]] for clip in ("0-1", "1-1", "2-1")}
    once = dict.fromkeys(clips, 1)

    unheard = answer(client, campaign, unit)
    impossible = client.post(
        label(campaign, f"assignments/{unit}/heard"),
        {"reports": [{"number": 1, "ranges": {"1-1": [[0, 1]] * 60}, "plays": {}}]},
    )
    Assignment.objects.update(reserved_at="2020-01-01T00:00:00Z")
    reported = {"reports": [{"number": 2, "ranges": {"0-1": [[0, 1]]}, "plays": {}}]}
    beat = client.post(label(campaign, f"assignments/{unit}/heard"), reported)
    heard = answer(client, campaign, unit, reports=[{"number": 3, "ranges": clips, "plays": once}])

    assert [error["field"] for error in unheard.json()["errors"]] == ["clips.0-1", "clips.1-1", "clips.2-1"]
    assert (unheard.status_code, impossible.status_code, beat.status_code, heard.status_code) == (422, 422, 204, 201)
    assert ListeningLog.objects.get().number == 3
    assert Annotation.objects.get().listening["clips"]["a-1"] == {"coverage": 1.0, "plays": 1}


def test_wrong_answers_are_named_by_their_questions(annotator: APIClient, campaign: Campaign) -> None:
    unit = take(annotator, campaign)["unit"]["assignment"]

    response = answer(annotator, campaign, unit, answers={"content": "3", "nonsense": "1"})

    fields = {error["field"] for error in response.json()["errors"]}
    assert response.status_code == 422
    assert {"answers.content", "answers.nonsense", "answers.overall"} <= fields
    assert not Annotation.objects.exists()


@pytest.mark.databases
def test_answer_sent_again_under_its_key_is_one_annotation(annotator: APIClient, campaign: Campaign) -> None:
    unit = take(annotator, campaign)["unit"]["assignment"]
    address, said = label(campaign, f"assignments/{unit}/answers"), {"answers": DIRECT_ANSWERS}

    replies = [annotator.post(address, said, headers={"Idempotency-Key": "one"}) for _ in range(2)]
    without_key = annotator.post(address, said)

    assert [reply.status_code for reply in replies] == [201, 201]
    assert replies[0].json() == replies[1].json()
    assert without_key.status_code == 409
    assert Annotation.objects.count() == 1


def numbers_in(said: Any, name: str = "") -> set[str]:
    """The names under which a reply has whole numbers."""
    if isinstance(said, dict):
        return set().union(*(numbers_in(one, key) for key, one in said.items()))
    if isinstance(said, list):
        return set().union(*(numbers_in(one, name) for one in said))
    return {name} if isinstance(said, int) and not isinstance(said, bool) else set()


def test_no_reply_has_the_number_of_a_row(annotator: APIClient, campaign: Campaign) -> None:
    shown = annotator.post(label(campaign, "next")).json()
    unit = shown["unit"]["assignment"]
    recorded = answer(annotator, campaign, unit).json()
    again = annotator.post(label(campaign, "take-back")).json()
    changed = answer(annotator, campaign, unit, answers=DIRECT_ANSWERS | {"overall": "2"}).json()
    others = [annotator.get(f"/api/v1/{path}").json() for path in ("label/", f"label/{campaign.slug}/consent/")]

    assert recorded.keys() == {"assignment", "recorded_at"}
    assert numbers_in([shown, recorded, again, changed, others]) == {"answered", "total", "place", "turn"}


@pytest.mark.databases
def test_answer_taken_back_shows_what_was_said(annotator: APIClient, campaign: Campaign) -> None:
    assert annotator.post(label(campaign, "take-back")).status_code == 409
    unit = take(annotator, campaign)["unit"]["assignment"]
    answer(annotator, campaign, unit)

    shown = annotator.post(label(campaign, "take-back")).json()["unit"]
    answer(annotator, campaign, unit, answers=DIRECT_ANSWERS | {"overall": "2"})

    assert (shown["assignment"], shown["answers"]) == (unit, DIRECT_ANSWERS)
    assert Annotation.objects.filter(superseded_by=None).count() == 1
    assert Annotation.objects.count() == 2


def test_unit_given_back_comes_not_again(annotator: APIClient, campaign: Campaign) -> None:
    unit = take(annotator, campaign)["unit"]["assignment"]
    address = label(campaign, f"assignments/{unit}/give-back")

    wrong = annotator.post(address, {"reason": "bored"})
    right = annotator.post(address, {"reason": "cannot_judge", "comment": "no idea"})

    assert (wrong.status_code, right.status_code) == (400, 204)
    assert Assignment.objects.get(pk=unit).return_comment == "no idea"
    assert take(annotator, campaign)["unit"]["assignment"] != unit


@pytest.mark.parametrize("path", ["answers", "heard", "give-back"])
def test_assignment_of_somebody_else_is_not_there(annotator: APIClient, campaign: Campaign, path: str) -> None:
    other = make_assignment(campaign, make_member(campaign))
    said = {"answers": DIRECT_ANSWERS, "reports": [], "reason": "other"}

    assert annotator.post(label(campaign, f"assignments/{other.pk}/{path}"), said).status_code == 404
    assert Assignment.objects.get(pk=other.pk).status == "reserved"


@pytest.mark.databases
def test_consent_comes_before_the_first_unit(annotator: APIClient, campaign: Campaign) -> None:
    assert annotator.get(label(campaign, "consent")).json() == {"version": None, "text": "", "agreed": True}
    new_version(campaign, text="We keep your answers.", user=campaign.created_by)

    refused = annotator.post(label(campaign, "next"))
    read = annotator.get(label(campaign, "consent")).json()
    other_version = annotator.post(label(campaign, "consent"), {"version": 7})
    agreed = annotator.post(label(campaign, "consent"), {"version": read["version"]})

    assert (refused.status_code, refused.json()["errors"][0]["field"]) == (409, "consent")
    assert read == {"version": 1, "text": "We keep your answers.", "agreed": False}
    assert (other_version.status_code, agreed.json()["agreed"]) == (409, True)
    assert take(annotator, campaign)["unit"]


def test_gate_is_named_that_somebody_has_to_pass_first(annotator: APIClient, campaign: Campaign) -> None:
    Gate.objects.create(campaign=campaign, kind="headphones", settings={})

    refused = annotator.post(label(campaign, "next"))

    assert refused.status_code == 409
    assert refused.json()["errors"] == [{"field": "gate", "message": "headphones", "code": "conflict", "params": {}}]


@pytest.mark.parametrize("status", ["paused", "closed", "draft"])
def test_campaign_that_is_not_open_gives_nothing_and_takes_nothing(
    annotator: APIClient, campaign: Campaign, status: str
) -> None:
    unit = take(annotator, campaign)["unit"]["assignment"]
    Campaign.objects.update(status=status)

    assert annotator.post(label(campaign, "next")).status_code == 409
    assert answer(annotator, campaign, unit).status_code == 409


def test_campaign_with_a_page_of_its_own_is_not_labelled_here(annotator: APIClient, campaign: Campaign) -> None:
    unit = take(annotator, campaign)["unit"]["assignment"]
    Campaign.objects.update(label_page="arena-vote")

    codes = [annotator.post(label(campaign, path)).status_code for path in ("next", "take-back")]

    assert [*codes, answer(annotator, campaign, unit).status_code] == [409, 409, 409]


@each("name", sorted(SHIPPED), undo=True)
def test_every_protocol_is_shown_and_answered_blind(name: str, media_root: Path) -> None:
    """With rare names in the data, none is in what an annotator gets: bodies, headers, addresses, refusals."""
    campaign = make_campaign(protocol=name, units=1, facts=FACTS)
    deliver_fakes(campaign)
    client = caller(make_member(campaign), ["annotate"])
    said = clicks(for_item(campaign.protocol, FACTS), 1 if campaign.protocol.unit == "single" else 2, seed=1)

    replies = [client.get("/api/v1/label/"), client.get("/api/v1/me/"), client.post(label(campaign, "next"))]
    unit = replies[-1].json()["unit"]
    replies += [client.get(clip["url"]) for clip in unit["clips"]]
    replies += [answer(client, campaign, unit["assignment"], answers=wrong) for wrong in ({}, {"x": "1"})]
    replies.append(answer(client, campaign, unit["assignment"], answers=said))
    replies += [client.post(label(campaign, path)) for path in ("take-back", "next")]

    asked = questions(for_item(campaign.protocol, FACTS), len(Assignment.objects.get().order))
    assert [it["name"] for it in unit["questions"]][: len(asked)] == [it.name for it in asked]
    assert [reply.status_code for reply in replies[-3:]] == [201, 200, 200], replies[-3].content
    told = "".join(json.dumps(dict(reply.headers)) + reply.content.decode("latin-1") for reply in replies)
    secrets = {RARE_A, RARE_B} | _hashes(campaign)
    assert [secret for secret in secrets if secret.lower() in told.lower()] == []


@pytest.mark.databases
def test_annotator_reads_nothing_else_of_the_campaign(campaign: Campaign) -> None:
    client = caller(make_member(campaign))
    there = ["", "units/", "answers/", "comparison/", "exports/", "standing/", "runs/", "members/"]

    replies = [client.get(f"/api/v1/campaigns/{campaign.slug}/{path}") for path in there]
    replies += [client.get(f"/api/v1/datasets/{campaign.dataset.slug}/{path}") for path in ("", "systems/", "items/")]
    lists = [client.get(f"/api/v1/{path}/").json()["results"] for path in ("campaigns", "datasets", "label-sets")]

    assert {reply.status_code for reply in replies} <= {403, 404}
    assert lists == [[], [], []]


@pytest.mark.databases
def test_checks_look_like_any_other_unit(annotator: APIClient, campaign: Campaign) -> None:
    plain = take(annotator, campaign)["unit"]
    CampaignUnit.objects.update(purpose=CampaignUnit.Purpose.GOLD, expected={"overall": ["a"]})

    check = take(annotator, campaign)["unit"]

    signed = {"clips": None}
    assert plain | signed == check | signed


def _hashes(campaign: Campaign) -> set[str]:
    units = campaign.campaign_units.select_related("unit__a", "unit__b")
    sides = [side for row in units for side in (row.unit.a, row.unit.b) if side]
    return {turn.clip.sha256[-12:] for side in sides for turn in side.turns.all() if turn.clip} - {"0" * 12}


@pytest.mark.databases
def test_annotator_leaves_and_takes_the_answers_along(campaign: Campaign) -> None:
    person = make_member(campaign)
    client = caller(person, ["annotate"])
    answer(client, campaign, take(client, campaign)["unit"]["assignment"])

    left = client.post(label(campaign, "withdraw"))
    more = client.post(label(campaign, "withdraw"), {"answers": True})

    assert (left.status_code, left.json()) == (200, {"account_deleted": False})
    assert more.status_code == 200
    assert client.post(label(campaign, "next")).status_code == 404
    member = campaign.memberships.get(user=person)
    assert None not in (member.ended_at, member.answers_withdrawn_at)
    assert list(AuditEntry.objects.order_by("pk").values_list("event", flat=True))[-2:] == [
        "annotator_left", "answers_withdrawn"
    ]  # fmt: skip


@pytest.mark.databases
def test_annotator_who_asks_for_it_is_forgotten(campaign: Campaign) -> None:
    person = make_member(campaign)

    gone = caller(person, ["annotate"]).post(label(campaign, "withdraw"), {"identity": True})

    assert gone.json() == {"account_deleted": True}
    person.refresh_from_db()
    assert not person.is_active
