import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from campaigns.control_units.checks import set_checks
from campaigns.entry_gates.guidelines import new_guidelines, newest_guidelines
from campaigns.launch.cloning import clone_campaign
from campaigns.models import Campaign, CampaignUnit, Gate, Invitation, Role, SpokenTraps, TrapClip
from campaigns.people.consent import new_version, newest_text
from campaigns.quality.rule import Action, Rule
from campaigns.quality.rules import declared_rules, set_rules
from tests.campaigns.control_units.trapping import make_trap
from tests.factories import UserFactory, make_campaign, make_invitation, make_member, make_unit

pytestmark = pytest.mark.django_db


def original() -> Campaign:
    campaign = make_campaign(
        status="draft", units=6, answers_per_unit=3, target_lufs=-30.0, show_waveform=False,
        closes_when_complete=True, closes_at=timezone.now(), units_choice={"how": "all"},
        launch_steps=["launch-protocol"],
    )  # fmt: skip
    set_checks(campaign, gold=None, identical=2, repeat=1, check_every=5)
    unit = make_unit(campaign.dataset, "gold")
    CampaignUnit.objects.create(
        campaign=campaign, unit=unit, position=77, purpose="gold", expected={"overall": ["a"]}
    )
    campaign.systems.set(campaign.dataset.systems.all())
    new_version(campaign, text="Old", user=campaign.created_by)
    new_version(campaign, text="You agree.", user=campaign.created_by)
    make_member(campaign)
    make_invitation(campaign)
    Campaign.objects.update(status="closed", opened_at=timezone.now())
    campaign.refresh_from_db()
    return campaign


def contents(campaign: Campaign) -> set[tuple[object, ...]]:
    return {(row.unit_id, row.purpose, str(row.expected)) for row in campaign.campaign_units.all()}


def test_clone_is_a_draft_with_the_same_study() -> None:
    campaign, user = original(), UserFactory()

    clone = clone_campaign(campaign, user=user)

    same = ["dataset", "protocol_document", "protocol_digest", "target_lufs", "answers_per_unit", "show_waveform"]
    same += ["check_every", "closes_when_complete", "delivery_rate", "units_choice"]
    assert {name: getattr(clone, name) for name in same} == {name: getattr(campaign, name) for name in same}
    assert contents(clone) == contents(campaign)
    assert set(clone.systems.all()) == set(campaign.systems.all())
    text = newest_text(clone)
    assert text
    assert (text.text, text.version) == ("You agree.", 1)
    assert "launch-protocol" in clone.launch_steps


@pytest.mark.databases
def test_clone_has_the_same_entry_gates_rules_and_traps() -> None:
    campaign = original()
    Gate.objects.create(campaign=campaign, kind="training", settings={}, tries=2)
    new_guidelines(campaign, text="Listen.", user=campaign.created_by)
    unit = campaign.campaign_units.get(position=0).unit
    campaign.campaign_units.create(unit=unit, position=800, purpose="training", explanation="Hear the noise.")
    trap = make_trap(campaign)
    SpokenTraps.objects.create(campaign=campaign, wanted=1, seed=4)
    set_rules(campaign, rules={"gold": Rule(0.3, 4, Action.WARN)}, user=campaign.created_by)

    clone = clone_campaign(campaign, user=UserFactory())

    assert [(gate.kind, gate.tries) for gate in clone.gates.all()] == [("training", 2)]
    newest = newest_guidelines(clone)
    assert newest
    assert newest.text == "Listen."
    assert clone.campaign_units.get(purpose="training").explanation == "Hear the noise."
    again = clone.campaign_units.get(purpose="trap").trap_clips.get()
    assert (again.clip, again.sentence, again.slot) == (trap.clip, trap.sentence, trap.slot)
    assert TrapClip.objects.count() == 2
    assert clone.spoken_traps.seed == 4
    assert declared_rules(clone) == declared_rules(campaign)


@pytest.mark.databases
def test_clone_takes_no_people_no_links_and_no_end_along() -> None:
    campaign, user = original(), UserFactory()

    clone = clone_campaign(campaign, user=user)

    assert (clone.status, clone.opened_at, clone.closes_at) == ("draft", None, None)
    assert (clone.title, clone.slug != campaign.slug) == ("Which one? (copy)", True)
    assert [(row.user, row.role) for row in clone.memberships.all()] == [(user, Role.ADMIN)]
    assert not Invitation.objects.filter(campaign=clone).exists()


@pytest.mark.databases
def test_clone_of_a_clone_has_a_title_that_fits() -> None:
    campaign = make_campaign(status="closed")
    Campaign.objects.update(title="x" * 120)
    campaign.refresh_from_db()

    clone = clone_campaign(campaign, user=campaign.created_by)

    assert len(clone.title) <= 120


@pytest.mark.parametrize(("role", "is_researcher", "may"), [("admin", True, True), ("admin", False, False)])
def test_clone_is_made_by_those_who_manage_it_and_may_launch(
    client: Client, role: str, is_researcher: bool, may: bool
) -> None:
    campaign = make_campaign()
    client.force_login(make_member(campaign, role, is_researcher=is_researcher))

    response = client.post(reverse("campaign-clone", args=[campaign.slug]))

    assert response.status_code == (302 if may else 403)
    assert Campaign.objects.count() == (2 if may else 1)
