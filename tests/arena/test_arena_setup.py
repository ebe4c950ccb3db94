"""An arena's terms, newcomers and files, for those who run it."""

import csv
import io
import json

import pytest
from django.test import Client
from django.urls import reverse

from annotation.assignment.closing import close_complete_campaigns
from annotation.models import Reason
from annotation.review.exclusions import Decider, exclude_answers
from arena.models import ArenaSettings, Draw
from arena.pairing.drawing import next_pair
from arena.settings.setup import CannotBeArena, Terms, end_arena, set_arena
from arena.staff.newcomers import KIND, let_in, newcomers, prepare_arenas
from arena.voting.votes import vote_rows
from campaigns.launch.checklist import warnings
from campaigns.launch.edit import set_protocol
from campaigns.models import Campaign, NameLock, Role
from corpus.models import Clip, DeliveredClip, ResponseTurn, System
from infrastructure.models import Job
from protocols import SHIPPED
from tests.arena.arenas import add_system, draw_and_vote, make_open_arena, vote_on
from tests.campaigns.launch.launching import begin, step
from tests.campaigns.webhooks.clocks import Clock, clock
from tests.factories import make_campaign, make_member

pytestmark = pytest.mark.django_db
__all__ = ["clock"]


def page(campaign: Campaign) -> str:
    return reverse("campaign-arena", args=[campaign.slug])


# -- terms ---------------------------------------------------------------------------------------------------------


@pytest.mark.databases
def test_draft_becomes_an_arena_and_none_again(client: Client) -> None:
    campaign = make_campaign(protocol="arena", status="draft")
    client.force_login(make_member(campaign, Role.RESEARCHER))
    terms = {
        "rule": "uniform",
        "is_public": "on",
        "votes_per_hour": 5,
        "votes_per_address": 6,
        "guests_per_address": 7,
    }

    client.post(page(campaign), terms)

    campaign.refresh_from_db()
    row = ArenaSettings.objects.get()
    assert (campaign.label_page, campaign.answers_are_final) == ("arena", False)
    assert (row.rule, row.is_public, row.takes_guests, row.votes_per_hour) == ("uniform", True, False, 5)
    client.post(page(campaign), {"end": "1"})
    campaign.refresh_from_db()
    assert (campaign.label_page, ArenaSettings.objects.count()) == ("label", 0)


@pytest.mark.databases
def test_arena_is_a_step_of_the_launch_and_proposes_where_it_begins(client: Client) -> None:
    dataset = make_open_arena(items=3).campaign.dataset
    dataset.created_by.is_researcher = True
    dataset.created_by.save()
    client.force_login(dataset.created_by)
    begin(client, dataset, title="From the steps")
    campaign = Campaign.objects.get(title="From the steps")
    to_arena = step(client, campaign, "protocol", protocol="arena")["Location"]
    terms = {"rule": "a_optimal", "is_public": "on", "votes_per_hour": 5, "votes_per_address": 6}

    client.post(to_arena, terms | {"guests_per_address": 7})

    assert to_arena == page(campaign)
    here = client.get(to_arena).content.decode()
    to_units = reverse("launch-units", args=[campaign.slug])
    assert f'class="button primary" href="{to_units}" rel="next"' in here
    units = client.get(to_units).context
    assert (units["form"].initial["how"], units["form"].initial["per_pair"], units["numbers"].units) == (
        "subset",
        1,
        3,
    )
    step(client, campaign, "units", how="subset", per_pair=1)
    assert "is not used" in client.get(reverse("launch-answers", args=[campaign.slug])).content.decode()
    assert ArenaSettings.objects.get(campaign=campaign).votes_per_hour == 5


@pytest.mark.databases
def test_draft_arena_that_is_asked_about_single_responses_is_none_any_more(client: Client) -> None:
    campaign = make_campaign(protocol="arena", status="draft")
    set_arena(campaign, terms=Terms(reveals_names=True))

    set_protocol(campaign, protocol=SHIPPED["acr"], target_lufs=-23, show_waveform=True)

    assert (campaign.label_page, campaign.answers_are_final) == ("label", False)


def test_campaign_that_has_opened_becomes_no_arena_and_an_arena_stays_one() -> None:
    with pytest.raises(CannotBeArena):
        set_arena(make_campaign(), terms=Terms())
    with pytest.raises(CannotBeArena):
        end_arena(make_open_arena().campaign)


def test_protocol_that_compares_nothing_makes_no_arena() -> None:
    with pytest.raises(CannotBeArena):
        set_arena(make_campaign(protocol="acr", status="draft"), terms=Terms())


@pytest.mark.databases
def test_terms_change_while_it_runs_but_votes_that_names_followed_stay_final() -> None:
    arena = make_open_arena(reveals_names=True)

    set_arena(arena.campaign, terms=Terms(rule="balanced", reveals_names=False))

    assert ArenaSettings.objects.get().rule == "balanced"
    assert Campaign.objects.get().answers_are_final


@pytest.mark.databases
def test_arena_does_not_close_by_itself(clock: Clock) -> None:
    arena = make_open_arena(systems=("A", "B"), items=1)
    Campaign.objects.update(closes_when_complete=True)
    draw_and_vote(arena)

    for _minute in range(12):
        assert close_complete_campaigns() == []
        clock.move(minutes=1)


def test_viewers_see_the_terms_and_change_nothing(client: Client) -> None:
    arena = make_open_arena(is_public=True)
    draw_and_vote(arena)
    client.force_login(make_member(arena.campaign, Role.VIEWER))

    shown = client.get(page(arena.campaign)).content.decode()

    assert f"http://testserver/arena/{arena.campaign.slug}/" in shown
    assert "3 systems can be heard" in shown
    assert "Votes by the hour" in shown
    assert 'name="rule"' not in shown
    assert client.post(page(arena.campaign), {}).status_code == 403


def test_faulty_terms_are_told(client: Client) -> None:
    arena = make_open_arena()
    client.force_login(make_member(arena.campaign, Role.RESEARCHER))

    assert client.post(page(arena.campaign), {"rule": "psychic", "votes_per_hour": 0}).status_code == 422


# -- newcomers -----------------------------------------------------------------------------------------------------


@pytest.mark.databases
def test_newcomer_is_let_in() -> None:
    arena = make_open_arena()
    arena.campaign.systems.set(System.objects.all())
    late = add_system(arena.campaign, "Dormouse")
    assert newcomers(arena.campaign) == [late]

    job = let_in(arena.campaign, late, user=arena.campaign.created_by)

    assert (job.kind, newcomers(arena.campaign)) == (KIND, [])
    with pytest.raises(ValueError, match="another dataset"):
        let_in(arena.campaign, System.objects.create(dataset=make_campaign().dataset, name="X"), user=job.started_by)


@pytest.mark.databases
def test_missing_audio_of_an_open_arena_is_prepared_by_itself_and_after_a_failure_is_not() -> None:
    arena = make_open_arena()
    assert prepare_arenas() == 0
    add_system(arena.campaign, "Dormouse", delivered=False)

    assert [prepare_arenas(), prepare_arenas()] == [1, 0]
    Job.objects.update(status=Job.Status.FAILED)
    assert prepare_arenas() == 0


# -- files ---------------------------------------------------------------------------------------------------------


@pytest.mark.databases
def test_votes_come_in_the_shape_of_battles_with_their_chances(client: Client) -> None:
    arena = make_open_arena(protocol="arena_typed_ties", facts=({"dimension": "semantic", "capability": "Recall"},))
    said = ("1", "2", "both_good", "both_bad")
    drawn = []
    for value in said:
        assignment = next_pair(arena, make_member(arena.campaign))
        assert assignment
        vote_on(assignment, value, reason="So it is.")
        drawn.append(assignment)
    exclude_answers(drawn[:1], reason=Reason.SPEED, decider=Decider(rule="too fast"))
    client.force_login(make_member(arena.campaign, Role.RESEARCHER))

    as_csv, as_jsonl = (
        b"".join(client.get(reverse("arena-votes", args=[arena.campaign.slug, form]))).decode()
        for form in ("csv", "jsonl")
    )

    rows = [json.loads(line) for line in as_jsonl.splitlines()]
    assert [row["winner"] for row in rows] == ["model_a", "model_b", "tie", "tie (bothbad)"]
    assert [row["used"] for row in rows] == [False, True, True, True]
    assert [row["left_out_because"] for row in rows] == ["speed", "", "", ""]
    draws = [Draw.objects.select_related("one", "other").get(assignment=it) for it in drawn]
    assert [row["propensity"] for row in rows] == [draw.propensity for draw in draws]
    heard = [(d.one.name, d.other.name) if d.forth else (d.other.name, d.one.name) for d in draws]
    assert [(row["model_a"], row["model_b"]) for row in rows] == heard
    assert {(row["dimension"], row["reason"], row["rule"]) for row in rows} == {
        ("semantic", "So it is.", "a_optimal")
    }
    assert [row["winner"] for row in csv.DictReader(io.StringIO(as_csv))] == [row["winner"] for row in rows]
    assert list(vote_rows(arena.campaign)) == rows


def test_votes_name_no_systems_while_names_are_hidden(client: Client) -> None:
    arena = make_open_arena()
    NameLock.objects.create(campaign=arena.campaign, by=arena.campaign.created_by)
    client.force_login(make_member(arena.campaign, Role.RESEARCHER))

    assert client.get(reverse("arena-votes", args=[arena.campaign.slug, "csv"])).status_code == 403
    assert client.get(reverse("arena-votes", args=[arena.campaign.slug, "xlsx"])).status_code == 404


# -- the written reason --------------------------------------------------------------------------------------------


def test_reason_can_be_left_out_unless_the_arena_asks_for_it(client: Client) -> None:
    campaign = make_campaign(protocol="arena", status="draft")
    client.force_login(make_member(campaign, Role.RESEARCHER))
    terms = {"rule": "uniform", "votes_per_hour": 5, "votes_per_address": 6, "guests_per_address": 7}
    asked = campaign.protocol_digest

    client.post(page(campaign), terms)
    optional = Campaign.objects.get(pk=campaign.pk)
    client.post(page(campaign), terms | {"reason_required": "on"})
    required = Campaign.objects.get(pk=campaign.pk)

    assert (optional.protocol.aspect("reason").required, required.protocol.aspect("reason").required) == (False, True)
    assert optional.protocol_digest != asked == required.protocol_digest
    assert client.get(page(campaign)).context["form"].initial["reason_required"]


def test_reason_of_an_open_arena_is_fixed_with_its_protocol(client: Client) -> None:
    campaign = make_open_arena(protocol="arena").campaign
    client.force_login(make_member(campaign, Role.RESEARCHER))
    terms = {"rule": "uniform", "votes_per_hour": 5, "votes_per_address": 6, "guests_per_address": 7}

    client.post(page(campaign), terms)

    assert Campaign.objects.get(pk=campaign.pk).protocol_digest == campaign.protocol_digest
    assert client.get(page(campaign)).context["form"].fields["reason_required"].disabled


def test_arena_that_asks_for_nothing_in_words_has_no_such_term(client: Client) -> None:
    campaign = make_open_arena().campaign
    client.force_login(make_member(campaign, Role.RESEARCHER))

    assert "reason_required" not in client.get(page(campaign)).context["form"].fields


# -- what cannot be heard --------------------------------------------------------------------------------------------


@pytest.mark.databases
def test_recordings_that_miss_the_target_are_named_before_an_arena_opens(client: Client) -> None:
    campaign = make_campaign(protocol="arena", status="draft")
    set_arena(campaign, terms=Terms())
    Clip.objects.update(integrated_lufs=-23.0, true_peak_dbtp=-9.0)
    assert not [it for it in warnings(campaign) if "left out" in it.message]
    other = add_system(campaign, "Louder than its target", delivered=False)  # no unit of the campaign has it
    turn = ResponseTurn.objects.filter(response__system=other).select_related("clip")[0]
    Clip.objects.filter(pk=turn.clip_id).update(integrated_lufs=-30.2, true_peak_dbtp=-0.5)
    ResponseTurn.objects.filter(pk=turn.pk).update(path="loud/one.wav")

    (found,) = [it for it in warnings(campaign) if "left out" in it.message]

    assert "-23 LUFS" in found.message
    assert "1 (loud/one.wav)" in found.message
    assert "-31 LUFS or lower" in found.fix
    client.force_login(make_member(campaign, Role.RESEARCHER))
    assert "1 clip cannot be prepared for this campaign" in client.get(page(campaign)).content.decode()
    Clip.objects.filter(pk=turn.clip_id).update(integrated_lufs=None, true_peak_dbtp=None)
    assert not [it for it in warnings(campaign) if "left out" in it.message]
    Campaign.objects.update(target_lufs=None)
    campaign.refresh_from_db()
    assert not [it for it in warnings(campaign) if "left out" in it.message]


@pytest.mark.databases
def test_what_was_tried_and_cannot_be_prepared_is_not_called_not_prepared_yet(client: Client) -> None:
    campaign = make_open_arena().campaign
    Clip.objects.update(integrated_lufs=-23.0, true_peak_dbtp=-9.0)
    client.force_login(make_member(campaign, Role.RESEARCHER))
    DeliveredClip.objects.filter(clip__in=ResponseTurn.objects.values("clip")).first().delete()  # type: ignore[union-attr]
    before = client.get(page(campaign)).content.decode()
    Job.objects.create(kind=KIND, subject=str(campaign.pk), status=Job.Status.FAILED, started_by=campaign.created_by)

    after = client.get(page(campaign)).content.decode()

    assert "not prepared yet" in before
    assert "not prepared yet" not in after
    assert "cannot be prepared for this campaign" in after


def test_refusal_while_names_are_hidden_is_not_about_the_role(client: Client) -> None:
    """Its reader can be an admin of the campaign."""
    arena = make_open_arena()
    NameLock.objects.create(campaign=arena.campaign, by=arena.campaign.created_by)
    client.force_login(make_member(arena.campaign, Role.ADMIN))

    for name, *more in (("arena-votes", "csv"), ("campaign-tidy",)):
        page = client.get(reverse(name, args=[arena.campaign.slug, *more])).content.decode()
        assert page.count("Not while the names are hidden") == 2
        assert "Ask an admin" not in page
        assert "Not with your role" not in page
