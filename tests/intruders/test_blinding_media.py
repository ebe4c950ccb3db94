"""Addresses of clips that are guessed, altered, passed on and used again: all get one and the same refusal."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from uuid import UUID, uuid4

import pytest
from django.core import signing
from django.core.signing import TimestampSigner
from django.db import connection
from django.http import HttpResponseBase
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone
from pytest_django import Settings

from accounts.models import User
from annotation.answers.submit import record_answers
from annotation.assignment.next_unit import give_back, plan_unit
from annotation.listening.clips import clip_token
from annotation.models import Assignment
from annotation.withdrawal.withdraw import withdraw
from campaigns.models import Campaign, CampaignUnit, Membership, Role
from corpus.models import Clip, DeliveredClip, Item, Response, ResponseTurn, System, Turn, Unit
from tests.annotation.test_listening import deliver_fakes
from tests.api.callers import caller
from tests.cases import each
from tests.factories import DIRECT_ANSWERS, make_assignment, make_campaign, make_invitation, make_member

pytestmark = pytest.mark.django_db
NONSENSE = "no-token"


@dataclass
class Scene:
    """Somebody with a unit in hand in one of two campaigns, and another annotator beside them."""

    campaign: Campaign
    other_campaign: Campaign
    held: Assignment
    other: User
    settings: Settings

    @property
    def owner(self) -> User:
        return self.held.annotator

    @property
    def token(self) -> str:
        return clip_token(self.held, 1, 1)


@pytest.fixture
def scene(media_root: Path, settings: Settings) -> Scene:
    campaign, other_campaign = make_campaign(), make_campaign()
    deliver_fakes(campaign)
    deliver_fakes(other_campaign)
    held = make_assignment(campaign, make_member(campaign), order="ba")
    return Scene(campaign, other_campaign, held, make_member(campaign), settings)


Attack = Callable[[Scene], tuple[User, str]]


def by(role: str) -> Attack:
    return lambda scene: (make_member(scene.campaign, role), scene.token)


def by_a_superuser(scene: Scene) -> tuple[User, str]:
    return make_member(scene.campaign, Role.ADMIN, is_superuser=True), scene.token


def by_another_annotator(scene: Scene) -> tuple[User, str]:
    return scene.other, scene.token


def by_an_annotator_of_another_campaign(scene: Scene) -> tuple[User, str]:
    return make_member(scene.other_campaign), scene.token


def after_the_answer(scene: Scene) -> tuple[User, str]:
    token = scene.token
    record_answers(scene.held.pk, annotator=scene.owner, clicked=DIRECT_ANSWERS, idempotency_key="k")
    return scene.owner, token


def after_giving_it_back(scene: Scene) -> tuple[User, str]:
    token = scene.token
    give_back(scene.held.pk, annotator=scene.owner, reason="other")
    return scene.owner, token


def after_its_time_ran_out(scene: Scene) -> tuple[User, str]:
    token = scene.token
    Assignment.objects.filter(pk=scene.held.pk).update(status="expired")
    return scene.owner, token


def after_the_address_expired(scene: Scene) -> tuple[User, str]:
    token = scene.token
    scene.settings.CLIP_URL_SECONDS = -1
    return scene.owner, token


def after_leaving(scene: Scene) -> tuple[User, str]:
    token = scene.token
    Membership.objects.filter(user=scene.owner).update(ended_at=timezone.now())
    return scene.owner, token


def after_withdrawing(scene: Scene) -> tuple[User, str]:
    token = scene.token
    withdraw(scene.campaign, scene.owner, identity=False, answers=True)
    return scene.owner, token


def what_another_gets_next(scene: Scene) -> tuple[User, str]:
    planned = plan_unit(scene.campaign.campaign_units.last(), scene.other)
    return scene.owner, clip_token(planned, 1, 1)


def a_place_that_is_not_there(scene: Scene) -> tuple[User, str]:
    return scene.owner, clip_token(scene.held, 3, 1)


def a_turn_that_is_not_there(scene: Scene) -> tuple[User, str]:
    return scene.owner, clip_token(scene.held, 1, 2)


def altered(change: Callable[[str], str]) -> Attack:
    return lambda scene: (scene.owner, change(scene.token))


def another_assignment_under_the_signature(scene: Scene) -> tuple[User, str]:
    return scene.owner, uuid4().hex + scene.token[32:]


def signed_for_another_purpose(scene: Scene) -> tuple[User, str]:
    return scene.owner, TimestampSigner(salt="earshot.preview").sign(f"{scene.held.pk.hex}01001")


def signed_with_another_key(scene: Scene) -> tuple[User, str]:
    signer = TimestampSigner(key="guessed", salt="earshot.listening")
    return scene.owner, signer.sign(f"{scene.held.pk.hex}01001")


def a_clip_by_its_hash(scene: Scene) -> tuple[User, str]:
    return scene.owner, Clip.objects.order_by("pk")[0].sha256


def a_clip_by_its_number(scene: Scene) -> tuple[User, str]:
    return scene.owner, str(Clip.objects.order_by("pk")[0].pk)


ATTACKS: dict[str, Attack] = {
    "admin": by(Role.ADMIN),
    "researcher": by(Role.RESEARCHER),
    "reviewer": by(Role.REVIEWER),
    "viewer": by(Role.VIEWER),
    "superuser": by_a_superuser,
    "another annotator": by_another_annotator,
    "annotator elsewhere": by_an_annotator_of_another_campaign,
    "answered": after_the_answer,
    "given back": after_giving_it_back,
    "ran out": after_its_time_ran_out,
    "expired": after_the_address_expired,
    "left": after_leaving,
    "withdrawn": after_withdrawing,
    "another's next": what_another_gets_next,
    "third place": a_place_that_is_not_there,
    "second turn": a_turn_that_is_not_there,
    "other place": altered(lambda token: token[:32] + "02" + token[34:]),
    "later": altered(lambda token: re.sub(":[^:]+:", ":1zzzzz:", token)),
    "without a time": altered(lambda token: "".join(token.rsplit(":", 2)[::2])),
    "without a signature": altered(lambda token: token.split(":")[0]),
    "cut off": altered(lambda token: token[:-1]),
    "longer": altered(lambda token: token + "A"),
    "twice": altered(lambda token: token + token),
    "other assignment": another_assignment_under_the_signature,
    "preview's salt": signed_for_another_purpose,
    "other key": signed_with_another_key,
    "hash": a_clip_by_its_hash,
    "number": a_clip_by_its_number,
    "up": altered(lambda _token: "..%5c..%5cmedia"),
    "nul": altered(lambda token: token + "%00"),
    "letters of others": altered(lambda token: token.translate({ord("0"): "٠", ord("1"): "１"})),
}  # fmt: skip


def told(response: HttpResponseBase) -> tuple[int, dict[str, str], str]:
    """Everything that comes back, but for what is drawn anew or counts seconds, and the address asked for."""
    body = re.sub(r'(name="(?:csrfmiddlewaretoken|next)" value=)"[^"]*"', r"\1", response.getvalue().decode())
    body = re.sub(r"(data-request-id>)\w+", r"\1", body)
    without = {"X-Request-ID", "Content-Length", "RateLimit"}
    headers = {name: text for name, text in response.headers.items() if name not in without}
    return response.status_code, headers, body


@each("attack", ATTACKS, undo=True)
def test_address_that_is_not_for_this_person_now_is_refused_as_nonsense_is(
    client: Client, scene: Scene, attack: str
) -> None:
    """On the page and in the API: so that nobody learns whether it was ever an address of something."""
    person, token = ATTACKS[attack](scene)
    client.force_login(person)
    program = caller(person, ["annotate"])

    page = [told(client.get(f"/listen/{it}")) for it in (token, NONSENSE)]
    api = [told(program.get(f"/api/v1/clips/{it}/")) for it in (token, NONSENSE)]
    part = client.get(f"/listen/{token}", headers={"Range": "bytes=0-9"})

    assert page[0] == page[1]
    assert api[0] == api[1]
    assert [page[0][0], api[0][0], part.status_code] == [404, 404, 404]


def test_right_address_is_let_in_so_that_the_refusals_mean_something(client: Client, scene: Scene) -> None:
    client.force_login(scene.owner)

    assert client.get(f"/listen/{scene.token}").status_code == 200
    assert caller(scene.owner, ["annotate"]).get(f"/api/v1/clips/{scene.token}/").status_code == 200


def test_clips_cannot_be_fetched_by_a_token_that_may_only_read(scene: Scene) -> None:
    assert caller(scene.owner, ["read"]).get(f"/api/v1/clips/{scene.token}/").status_code == 403


def test_address_is_no_use_in_another_browser(scene: Scene) -> None:
    assert Client().get(f"/listen/{scene.token}").status_code == 302


def test_browser_keeps_a_clip_for_whoever_is_logged_in_alone(client: Client, scene: Scene) -> None:
    """On a shared computer the next person's request is another one, and nobody between keeps anything."""
    client.force_login(scene.owner)

    response = client.get(f"/listen/{scene.token}")

    assert "private" in response["Cache-Control"]
    assert "Cookie" in response["Vary"]
    assert not {"ETag", "Last-Modified", "Content-Disposition", "Server-Timing"} & set(response.headers)


@each("condition", ["If-None-Match", "If-Modified-Since", "If-Range", "If-Match"], undo=True)
def test_conditions_are_no_oracle(client: Client, scene: Scene, condition: str) -> None:
    client.force_login(scene.owner)

    response = client.get(f"/listen/{scene.token}", headers={condition: '"x"'})

    assert (response.status_code, len(response.content)) == (200, 32)


def test_addresses_cannot_be_counted_through(scene: Scene) -> None:
    """122 random bits and a signature of 256; nothing in them is the same for two units but the place."""
    units = scene.campaign.campaign_units.all()
    tokens = [clip_token(make_assignment(scene.campaign, scene.other, campaign_unit=unit, seat=2, status="answered"),
                         1, 1) for unit in units]  # fmt: skip

    assert {UUID(token[:32]).version for token in tokens} == {4}
    assert len({token.rsplit(":", 1)[1] for token in tokens}) == len(tokens)
    assert {len(signing.b64_decode(token.rsplit(":", 1)[1].encode())) for token in tokens} == {32}


# -- numbers of rows, which count up with the order of an import, and so with the systems


NUMBERED = [Clip, DeliveredClip, Item, Turn, Response, ResponseTurn, System, Unit, CampaignUnit]


def count_from(model: type, start: int) -> None:
    """Have the next row of this model get a number that stands out."""
    table = model._meta.db_table  # type: ignore[attr-defined]
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            cursor.execute("DELETE FROM sqlite_sequence WHERE name = %s", [table])
            cursor.execute("INSERT INTO sqlite_sequence (name, seq) VALUES (%s, %s)", [table, start])
        else:
            cursor.execute("SELECT setval(pg_get_serial_sequence(%s, 'id'), %s)", [table, start])


@pytest.fixture
def numbered(media_root: Path) -> Campaign:
    for n, model in enumerate(NUMBERED, start=1):
        count_from(model, 7_000_000 + n * 10_000)
    campaign = make_campaign(units=3)
    deliver_fakes(campaign)
    return campaign


def everything(response: HttpResponseBase) -> str:
    return f"{response.headers} {response.getvalue().decode('latin-1')}"


def test_no_page_and_no_reply_holds_the_number_of_a_row(client: Client, numbered: Campaign) -> None:
    annotator = make_member(numbered)
    client.force_login(annotator)
    program = caller(annotator, ["annotate"])
    here = [numbered.slug]
    received = {name: everything(client.get(reverse(name, args=here))) for name in ("label", "messages", "volume")}
    received["home"] = everything(client.get(reverse("home")))
    received["ahead"] = everything(client.post(reverse("ahead", args=here)))
    received["next"] = everything(program.post(f"/api/v1/label/{numbered.slug}/next/"))
    received["list"] = everything(program.get("/api/v1/label/"))
    held = annotator.assignments.get(status="reserved")
    for fault in ({}, DIRECT_ANSWERS | {"heard": "x"}, DIRECT_ANSWERS):
        address = reverse("answer", args=[numbered.slug, held.pk])
        received[f"answer {len(received)}"] = everything(client.post(address, fault, headers={"HX-Request": "true"}))
    received["take back"] = everything(client.post(reverse("take-back", args=here), headers={"HX-Request": "true"}))

    rows = [pk for model in NUMBERED for pk in model.objects.values_list("pk", flat=True)]  # type: ignore[attr-defined]
    assert min(rows) > 7_000_000
    assert [(name, pk) for name, text in received.items() for pk in rows if str(pk) in text] == []


# -- what an annotator may not even ask


OF_OTHERS = [
    "/api/v1/datasets/{dataset}/", "/api/v1/datasets/{dataset}/systems/", "/api/v1/datasets/{dataset}/items/",
    "/api/v1/datasets/{dataset}/responses/", "/api/v1/campaigns/{slug}/", "/api/v1/campaigns/{slug}/units/",
    "/api/v1/campaigns/{slug}/answers/", "/api/v1/campaigns/{slug}/exports/",
    "/api/v1/campaigns/{slug}/exports/answers.csv/", "/api/v1/campaigns/{slug}/standing/",
    "/api/v1/campaigns/{slug}/comparison/", "/api/v1/campaigns/{slug}/runs/", "/api/v1/campaigns/{slug}/members/",
    "/campaigns/{slug}/export/answers.csv", "/campaigns/{slug}/board/", "/campaigns/{slug}/results/",
    "/campaigns/{slug}/review/", "/campaigns/{slug}/preview/", "/datasets/{dataset}/", "/campaigns/{slug}/exports/",
]  # fmt: skip


@each("address", OF_OTHERS, undo=True)
def test_own_answers_are_no_way_to_what_they_were_about(client: Client, scene: Scene, address: str) -> None:
    client.force_login(scene.owner)
    url = address.format(slug=scene.campaign.slug, dataset=scene.campaign.dataset.slug)

    response = caller(scene.owner).get(url) if url.startswith("/api/") else client.get(url)

    assert response.status_code in (403, 404)


@each("address", ["answer", "heard", "give-back", "leave-as-it-was"], undo=True)
@each("whose", ["another's", "nobody's"], undo=True)
def test_units_of_others_are_refused_as_those_that_never_were(
    client: Client, scene: Scene, address: str, whose: str
) -> None:
    client.force_login(scene.other)
    unit = scene.held.pk if whose == "another's" else uuid4()
    sent = DIRECT_ANSWERS | {"reason": "other", "heard": "[]"}

    response = client.post(reverse(address, args=[scene.campaign.slug, unit]), sent)
    nonsense = client.post(reverse(address, args=[scene.campaign.slug, uuid4()]), sent)

    assert response.status_code == 404
    assert told(response) == told(nonsense)


# -- the way a request takes through the code: not clocks, but what the database was asked


def asked_of(client: Client, url: str) -> list[str]:
    with CaptureQueriesContext(
        connection,
    ) as asked:
        assert client.get(url).status_code == 200
    return [re.sub(r"'[^']*'|\b\d+\b|[0-9a-f]{32}", "?", query["sql"]) for query in asked.captured_queries]


def test_every_place_order_and_purpose_takes_the_same_way_to_its_clip(client: Client, scene: Scene) -> None:
    """A trap is asked for by the very same queries as any other unit, and so is either response."""
    client.force_login(scene.owner)
    campaign = scene.campaign
    study = campaign.campaign_units.first()
    ways = set()
    for n, purpose in enumerate(["study", "trap", "identical", "gold", "repeat"]):
        unit = study if purpose == "study" else campaign.campaign_units.create(
            unit=study.unit, position=100 + n, purpose=purpose
        )  # fmt: skip
        if purpose == "trap":
            clip = study.unit.a.turns.get().clip
            unit.trap_clips.create(slot="a", turn=1, clip=clip, sentence="Choose 2.", start_s=0, end_s=1)
        for order in ("ab", "ba"):
            Assignment.objects.all().delete()
            held = make_assignment(campaign, scene.owner, campaign_unit=unit, order=order)
            for place in (1, 2):
                ways.add(tuple(asked_of(client, f"/listen/{clip_token(held, place, 1)}")))

    assert len(ways) == 1


def test_expired_seat_of_another_person_does_not_show_in_the_answer(client: Client, scene: Scene) -> None:
    """Whether somebody else holds the unit is no more to be seen than what is in it."""
    client.force_login(scene.other)
    before = told(client.get(f"/listen/{scene.token}"))
    Assignment.objects.filter(pk=scene.held.pk).update(expires_at=timezone.now() - timedelta(hours=1))

    assert told(client.get(f"/listen/{scene.token}")) == before


def test_link_of_an_invitation_tells_nothing_of_units(client: Client, scene: Scene) -> None:
    page = everything(client.get(make_invitation(scene.campaign).get_absolute_url()))

    assert [word for word in ("Xylophagous", "Quokkawise", "Prompt of") if word in page] == []
