"""The check-list: every kind of fault is found, what only warns does not block, and each has a way to mend it."""

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from arena.models import ArenaSettings
from campaigns.launch.checklist import islands_of_systems, obstacles, warnings
from campaigns.launch.lifecycle import CannotOpen, open_campaign
from campaigns.models import Campaign, CampaignUnit, Role
from corpus.models import DeliveredClip, Item, Response, ResponseTurn, Unit
from tests.campaigns.launch.test_launch import delivered
from tests.cases import each
from tests.factories import RARE_A, RARE_B, make_campaign, make_invitation, make_member, make_unit

pytestmark = pytest.mark.django_db


def said(campaign: Campaign) -> list[str]:
    return [warning.message for warning in warnings(campaign)]


def pair(campaign: Campaign, one: str, other: str) -> None:
    """A unit of these two systems."""
    n = campaign.campaign_units.count()
    item = Item.objects.create(dataset=campaign.dataset, key=f"item {n}")
    item.turns.create(position=1, text="Why?")
    sides = [
        Response.objects.create(item=item, system=campaign.dataset.systems.get_or_create(name=name)[0], key=name)
        for name in (one, other)
    ]
    unit = Unit.objects.create(dataset=campaign.dataset, item=item, kind="pair", key=f"{n}", a=sides[0], b=sides[1])
    CampaignUnit.objects.create(campaign=campaign, unit=unit, position=n)


def test_islands_are_found_and_a_bridge_joins_them() -> None:
    campaign = make_campaign(status="draft", units=0)
    for one, other in (("ant", "bee"), ("bee", "cat"), ("dog", "elk")):
        pair(campaign, one, other)

    apart = islands_of_systems(campaign)
    pair(campaign, "elk", "ant")

    assert apart == [["ant", "bee", "cat"], ["dog", "elk"]]
    assert islands_of_systems(campaign) == [["ant", "bee", "cat", "dog", "elk"]]


def test_system_that_no_unit_has_is_an_island_unless_it_was_not_chosen() -> None:
    campaign = make_campaign(status="draft", units=0, answers_per_unit=2)
    make_invitation(campaign)
    pair(campaign, "ant", "bee")
    campaign.dataset.systems.create(name="left out")
    before = said(campaign)

    campaign.systems.set(campaign.dataset.systems.exclude(name="left out"))

    assert before == ["Systems in 2 islands that no unit connects: ant, bee; left out."]
    assert said(campaign) == []


def test_whole_items_connect_all_their_systems() -> None:
    campaign = make_campaign(status="draft", protocol="podcast", units=1)

    assert islands_of_systems(campaign) == [sorted([RARE_A, RARE_B])]


def test_overlap_is_missed_with_one_answer_and_not_with_repeats() -> None:
    campaign = make_campaign(status="draft", units=1, answers_per_unit=1, check_every=1)
    make_invitation(campaign)
    before = said(campaign)

    campaign.campaign_units.create(unit=campaign.campaign_units.get().unit, position=9, purpose="repeat")

    assert before == ["One answer per unit and no repeats: there is nothing from which to compute agreement."]
    assert not set(before) & set(said(campaign))


@pytest.mark.parametrize(
    ("terms", "is_said"), [({}, True), ({"is_public": True}, False)], ids=["by invitation", "public"]
)
def test_arena_is_told_of_missing_voters_alone_and_not_where_everybody_may_vote(
    terms: dict[str, Any], is_said: bool
) -> None:
    campaign = make_campaign(status="draft", units=1, label_page="arena")
    ArenaSettings.objects.create(campaign=campaign, **terms)
    expected = ["Nobody can vote yet: there are no annotators and no invitation link."]

    assert said(campaign) == (expected if is_said else [])
    make_member(campaign)
    assert said(campaign) == []


def test_one_answer_per_unit_is_said_in_the_singular() -> None:
    campaign = make_campaign(status="draft", units=1)

    assert "Each unit is to have 1 answer; annotators there are: 0." in said(campaign)


def test_loudness_that_is_off_is_said() -> None:
    campaign = make_campaign(status="draft", units=1, answers_per_unit=2, target_lufs=None)
    make_invitation(campaign)

    assert said(campaign) == ["Loudness is not matched: the louder of two clips tends to be preferred."]


LEFT_OUT = "To leave responses out, choose under Units a file of pairs that does not name them."


def levels_said(campaign: Campaign) -> list[tuple[str, str]]:
    """What is said of clips at other levels than the rest: the message and what to do."""
    return [(it.message, it.fix) for it in warnings(campaign) if "(0/" in it.message]


def test_silent_clip_is_said_and_keeps_nothing_from_opening() -> None:
    campaign = delivered(make_campaign(status="draft", units=1))
    assert levels_said(campaign) == []
    DeliveredClip.objects.filter(clip__in=ResponseTurn.objects.filter(path=f"0/{RARE_A}.wav").values("clip")).update(
        integrated_lufs=None
    )

    assert obstacles(campaign) == []
    assert levels_said(campaign) == [(
        f"Clips without a loudness to match (silent, or nearly), delivered as they are: 1 (0/{RARE_A}.wav).",
        f"A system that answered with silence can be judged like any other. {LEFT_OUT}",
    )]  # fmt: skip


def test_clips_that_were_turned_down_are_said_while_loudness_is_not_matched() -> None:
    campaign = delivered(make_campaign(status="draft", units=1, target_lufs=None))
    for system, gain in ((RARE_A, -0.5), (RARE_B, -1.94)):
        turns = ResponseTurn.objects.filter(path=f"0/{system}.wav")
        DeliveredClip.objects.filter(clip__in=turns.values("clip")).update(gain_db=gain)

    assert levels_said(campaign) == [(
        "Clips turned down, by up to 1.9 dB, so that full scale does not cut them: 2 "
        f"(0/{RARE_B}.wav, 0/{RARE_A}.wav).",
        f"Against the others they are quieter than they were recorded. Match loudness to avoid that. {LEFT_OUT}",
    )]  # fmt: skip


def problem(highest: float | None, *, is_unreadable: bool = False) -> dict[str, Any]:
    return {"where": "x", "message": "So.", "highest_target_lufs": highest, "is_unreadable": is_unreadable}


EMPTY = "With the field left empty, clips keep their levels."
CHOOSE = f"Choose -30.5 LUFS or lower below. {EMPTY}"
NONE_FITS = f"No loudness fits them all. {EMPTY}"
IMPORT = "Import the dataset again with its audio: rows that are there keep their labels."


@each(
    "problems, fix",
    [
        ([problem(-28.0), problem(-30.5)], f"{CHOOSE} {LEFT_OUT}"),
        ([problem(-28.0), problem(-40.5)], f"{NONE_FITS} {LEFT_OUT}"),
        ([problem(-28.0), problem(None)], LEFT_OUT),
        ([problem(None, is_unreadable=True)], IMPORT),
        ([problem(-30.5), problem(None, is_unreadable=True)], f"{IMPORT} {CHOOSE} {LEFT_OUT}"),
    ],
    undo=True,
)
def test_clips_that_cannot_be_delivered_come_with_what_helps(problems: list[dict[str, Any]], fix: str) -> None:
    campaign = make_campaign(status="draft", audio_problems=problems)

    assert [found.fix for found in obstacles(campaign)] == [fix]


def test_responses_that_are_no_pairs_are_left_out_of_the_dataset() -> None:
    campaign = make_campaign(status="draft", protocol="acr", audio_problems=[problem(None)])

    assert [found.fix for found in obstacles(campaign)] == ["To leave responses out, import a dataset without them."]


def campaign_beside(campaign: Campaign, **fields: Any) -> Campaign:
    """Another campaign over the same dataset that delivers the same files, unless `fields` say otherwise."""
    other = make_campaign(units=0, **fields)
    Campaign.objects.filter(pk=other.pk).update(dataset=campaign.dataset, title="Beside")
    return other


def test_files_that_another_campaign_names_are_said_in_both() -> None:
    blind = make_campaign(status="draft", answers_per_unit=2)
    make_invitation(blind)
    revealing = campaign_beside(blind, answers_are_final=True, answers_per_unit=2)
    make_invitation(revealing)
    Campaign.objects.filter(pk=blind.pk).update(status="open")
    revealing.refresh_from_db()

    in_unblinding = [it for it in said(revealing) if "names" in it]

    assert said(blind) == ["The same files are heard in a campaign that reveals names: Beside."]
    assert in_unblinding == ["This campaign reveals names, and the same files are heard blind in: Which one?."]


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"answers_are_final": True, "status": "draft"},
        {"answers_are_final": True, "target_lufs": -20.0},
    ],
    ids=["blind as well", "a draft", "another loudness"],
)
def test_files_that_nobody_names_or_that_are_others_are_not_said(fields: dict[str, Any]) -> None:
    blind = make_campaign(status="draft", answers_per_unit=2)
    make_invitation(blind)
    campaign_beside(blind, **fields)

    assert said(blind) == []


def test_too_few_annotators_are_said_until_there_are_enough_or_a_link() -> None:
    campaign = make_campaign(status="draft", units=1, answers_per_unit=2)
    make_member(campaign)
    before = said(campaign)
    make_member(campaign)
    enough = said(campaign)
    campaign.memberships.filter(role=Role.ANNOTATOR).delete()
    link = make_invitation(campaign)
    by_link = said(campaign)
    type(link).objects.update(revoked_at=timezone.now())

    assert before == ["Each unit is to have 2 answers by different people; annotators there are: 1."]
    assert (enough, by_link) == ([], [])
    assert said(campaign) == ["Each unit is to have 2 answers by different people; annotators there are: 0."]


def test_gold_without_answers_blocks() -> None:
    campaign = make_campaign(status="draft", units=1)
    campaign.campaign_units.create(unit=make_unit(campaign.dataset, "gold"), position=5, purpose="gold")
    delivered(campaign)

    with pytest.raises(CannotOpen) as refusal:
        open_campaign(campaign)

    assert [found.message for found in refusal.value.obstacles] == [
        "Gold units without answers: 1. Nobody could pass or fail them."
    ]


def test_day_that_is_over_blocks() -> None:
    yesterday = timezone.now() - timedelta(days=1)
    campaign = delivered(make_campaign(status="draft", closes_at=yesterday))

    assert [found.message for found in obstacles(campaign)] == ["The day on which it closes is over."]


def test_campaign_opens_with_warnings() -> None:
    campaign = delivered(make_campaign(status="draft", target_lufs=None))

    opened = open_campaign(campaign)

    assert opened.status == Campaign.Status.OPEN


def test_every_finding_of_a_bare_draft_leads_to_the_page_that_mends_it(client: Client) -> None:
    campaign = make_campaign(status="draft", units=0, target_lufs=None)
    make_unit(campaign.dataset, "1")
    Campaign.objects.filter(pk=campaign.pk).update(title=f"{RARE_A}!")
    campaign.refresh_from_db()
    client.force_login(make_member(campaign, Role.ADMIN))

    found = [*obstacles(campaign), *warnings(campaign)]
    page = client.get(reverse("launch-open", args=[campaign.slug])).content.decode()

    assert len(found) == 5
    assert all(f'href="{finding.url}"' in page for finding in found)
    assert [client.get(finding.url).status_code for finding in found] == [200] * 5


def test_control_units_that_cannot_be_met_are_named_with_how_many_are() -> None:
    campaign = make_campaign(status="draft", units=3, check_every=2)
    for n, row in enumerate(list(campaign.campaign_units.select_related("unit")), start=10):
        campaign.campaign_units.create(unit=row.unit, position=n, purpose="gold", expected={"overall": ["a"]})

    [message] = [it for it in said(campaign) if "of the 3 control units" in it]
    assert message == "Who answers all 3 units meets 1 of the 3 control units. On average: gold units 1.0."
    assert "Who guesses passes every control unit with a chance of 25 %." in said(campaign)
    Campaign.objects.filter(pk=campaign.pk).update(check_every=1)
    campaign.refresh_from_db()
    assert not [it for it in said(campaign) if "meets" in it or "passes every" in it]
    Campaign.objects.filter(pk=campaign.pk).update(check_every=8)
    campaign.refresh_from_db()
    assert [it for it in said(campaign) if it.endswith("None can be met.")]
