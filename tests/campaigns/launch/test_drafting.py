"""A draft can be changed at every step until it opens, and nothing stale is left behind."""

from collections.abc import Callable

import pytest

from campaigns.control_units.checks import set_checks
from campaigns.launch.edit import NotADraft, set_answers, set_protocol, set_systems, set_units
from campaigns.models import Campaign, CampaignUnit
from corpus.models import System, Unit
from protocols import SHIPPED
from tests.cases import each
from tests.factories import RARE_A, make_campaign, make_unit

pytestmark = pytest.mark.django_db
Purpose = CampaignUnit.Purpose


def purposes(campaign: Campaign) -> dict[str, int]:
    rows = list(campaign.campaign_units.values_list("purpose", flat=True))
    return {purpose: rows.count(purpose) for purpose in set(rows)}


def with_checks() -> Campaign:
    campaign = make_campaign(status="draft", units=6)
    set_checks(campaign, gold=None, identical=2, repeat=1, check_every=4)
    unit = make_unit(campaign.dataset, "gold")
    campaign.campaign_units.create(unit=unit, position=99, purpose=Purpose.GOLD, expected={"overall": ["a"]})
    return campaign


def test_units_drawn_again_keep_gold_and_draw_the_other_checks_from_them() -> None:
    campaign = with_checks()
    new = [make_unit(campaign.dataset, f"new {n}") for n in range(4)]

    set_units(campaign, units=new, choice={"how": "all"}, repeats=2)

    assert purposes(campaign) == {"study": 4, "gold": 1, "identical": 2, "repeat": 2}
    assert {row.unit for row in campaign.campaign_units.exclude(purpose=Purpose.GOLD)} == set(new)
    gold = campaign.campaign_units.get(purpose=Purpose.GOLD)
    assert (gold.unit.key, gold.expected) == ("gold", {"overall": ["a"]})
    assert campaign.units_choice == {"how": "all"}


def test_units_of_another_kind_are_refused() -> None:
    campaign = with_checks()
    single = Unit.objects.create(
        dataset=campaign.dataset, item=campaign.dataset.items.first(), kind="single", key="s",
        a=campaign.dataset.items.first().responses.first(),
    )  # fmt: skip

    with pytest.raises(ValueError, match="another kind"):
        set_units(campaign, units=[single], choice={}, repeats=0)

    assert purposes(campaign) == {"study": 6, "gold": 1, "identical": 2, "repeat": 1}


def test_other_systems_make_the_units_be_chosen_again() -> None:
    campaign = with_checks()
    systems = System.objects.filter(dataset=campaign.dataset)

    same = set_systems(campaign, title="Other", dataset=campaign.dataset, systems=systems)
    left = purposes(campaign)
    fewer = set_systems(campaign, title="Other", dataset=campaign.dataset, systems=systems.filter(name=RARE_A))

    assert (same, fewer) == (False, True)
    assert left == {"study": 6, "gold": 1, "identical": 2, "repeat": 1}
    assert purposes(campaign) == {}


def test_new_title_brings_a_new_address_without_the_old_words() -> None:
    campaign = make_campaign(status="draft", units=0)
    Campaign.objects.filter(pk=campaign.pk).update(title=RARE_A, slug=RARE_A.lower())
    campaign.refresh_from_db()

    set_systems(campaign, title="Better", dataset=campaign.dataset, systems=campaign.dataset.systems.all())

    assert (campaign.title, campaign.slug) == ("Better", "better")


@pytest.mark.parametrize(
    ("protocol", "again", "left"),
    [
        ("hcot", False, {"study": 6, "gold": 1, "identical": 2, "repeat": 1}),
        ("blind_overall", False, {"study": 6, "repeat": 1}),
        ("acr", True, {}),
    ],
)
def test_other_questions_forget_answers_to_the_old_ones(protocol: str, again: bool, left: dict[str, int]) -> None:
    campaign = with_checks()

    changed = set_protocol(campaign, protocol=SHIPPED[protocol], target_lufs=-23.0, show_waveform=False)

    assert changed == again
    assert purposes(campaign) == left
    assert campaign.protocol == SHIPPED[protocol]
    assert campaign.show_waveform is False


def test_other_loudness_forgets_the_problems_of_the_old_one() -> None:
    campaign = make_campaign(status="draft", audio_problems=[{"where": "x", "message": "loud"}])

    set_protocol(campaign, protocol=campaign.protocol, target_lufs=-30.0, show_waveform=True)

    assert (campaign.target_lufs, campaign.audio_problems) == (-30.0, [])


@each(
    "action",
    [
        lambda c: set_systems(c, title="x", dataset=c.dataset, systems=[]),
        lambda c: set_protocol(c, protocol=c.protocol, target_lufs=None, show_waveform=True),
        lambda c: set_units(c, units=[], choice={}, repeats=0),
        lambda c: set_answers(c, answers_per_unit=9, closes_at=None, closes_when_complete=False),
    ],
    undo=True,
)
def test_campaign_that_opened_meanwhile_is_not_changed(action: Callable[[Campaign], object]) -> None:
    stale = make_campaign(status="draft")
    Campaign.objects.update(status="open")
    before = Campaign.objects.values().get(), purposes(stale)

    with pytest.raises(NotADraft):
        action(stale)

    assert (Campaign.objects.values().get(), purposes(stale)) == before
