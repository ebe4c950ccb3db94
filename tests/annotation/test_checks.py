"""Gold, identical pairs and repeats: mixed in, once for everybody, alike to look at, and apart from the study."""

from itertools import pairwise
from pathlib import Path

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import User
from analytics.data.labels import campaign_labels
from annotation.answers.submit import record_answers
from annotation.assignment.next_unit import next_assignment, plan_next
from annotation.assignment.progress import answers_by_campaign, own_progress
from annotation.listening.clips import clip_behind, clip_token
from annotation.listening.reports import clip_seconds
from annotation.models import Assignment
from campaigns.control_units.checks import read_gold, set_gold, set_identical_pairs, set_repeats
from campaigns.models import Campaign, CampaignUnit
from infrastructure.files.uploaded_tables import InvalidTable
from tests.annotation.test_listening import deliver_fakes
from tests.cases import each
from tests.factories import DIRECT_ANSWERS, make_assignment, make_campaign, make_member

pytestmark = pytest.mark.django_db
GOLD = "unit,aspect,value\n0,overall,a\n0,content,both_bad\n1,overall,b\n"


def campaign_with_checks(units: int = 20, every: int = 4, answers_per_unit: int = 3) -> Campaign:
    campaign = make_campaign(units=units, status="draft", check_every=every, answers_per_unit=answers_per_unit)
    set_gold(campaign, read_gold(GOLD))
    set_identical_pairs(campaign, 2)
    set_repeats(campaign, 2)
    Campaign.objects.update(status="open")
    return Campaign.objects.get(pk=campaign.pk)


def answer_all(campaign: Campaign, annotator: User, *, planning: bool = False) -> list[str]:
    """The purposes of everything that came, in order."""
    came = []
    while assignment := next_assignment(campaign, annotator):
        if planning:
            plan_next(campaign, annotator)
        record_answers(assignment.pk, annotator=annotator, clicked=DIRECT_ANSWERS, idempotency_key="k")
        came.append(assignment.campaign_unit.purpose)
    return came


@pytest.mark.parametrize("planning", [False, True])
def test_everybody_gets_each_check_once_and_spread_out(planning: bool) -> None:
    campaign = campaign_with_checks(units=40)

    for _ in range(2):
        came = answer_all(campaign, make_member(campaign), planning=planning)

        assert came.count("study") == 40
        assert {purpose: came.count(purpose) for purpose in ("gold", "identical", "repeat")} == {
            "gold": 2,
            "identical": 2,
            "repeat": 2,
        }
        at = [n for n, purpose in enumerate(came) if purpose != "study"]
        assert min(b - a for a, b in pairwise(at)) >= 3
    assert not Assignment.objects.filter(status="planned").exists()


def test_repeat_comes_only_after_the_first_time() -> None:
    campaign = campaign_with_checks(units=30, every=2)
    annotator = make_member(campaign)
    answer_all(campaign, annotator)

    mine = Assignment.objects.filter(annotator=annotator).order_by("reserved_at")
    met = [(row.campaign_unit.unit_id, row.campaign_unit.purpose) for row in mine.select_related("campaign_unit")]
    for nth, (unit, purpose) in enumerate(met):
        if purpose == "repeat":
            assert nth - met.index((unit, "study")) > 5


def test_checks_are_no_answers_of_the_study() -> None:
    campaign = campaign_with_checks(units=20, answers_per_unit=1)

    answer_all(campaign, make_member(campaign))

    assert len(list(campaign_labels(campaign))) == 20
    [(_, progress)] = answers_by_campaign([campaign])
    assert (progress.answered, progress.total) == (20, 20)


def test_progress_does_not_reveal_a_check() -> None:
    campaign = campaign_with_checks(units=24, every=4)
    annotator = make_member(campaign)
    totals = []
    while assignment := next_assignment(campaign, annotator):
        before = own_progress(campaign, annotator)
        record_answers(assignment.pk, annotator=annotator, clicked=DIRECT_ANSWERS, idempotency_key="k")
        after = own_progress(campaign, annotator)
        assert after.answered == before.answered + 1
        totals.append(before.total)

    steps = {later - earlier for earlier, later in pairwise(totals)}
    assert steps <= {-1, 0, 1}
    assert max(totals) - min(totals) <= 2


def test_identical_pair_is_one_response_twice_and_looks_like_any_other(client: Client, media_root: Path) -> None:
    campaign = campaign_with_checks()
    deliver_fakes(campaign)
    annotator = make_member(campaign)
    twice = campaign.campaign_units.filter(purpose="identical").first()
    assignment = make_assignment(campaign, annotator, campaign_unit=twice, order="ba")
    client.force_login(annotator)

    heard = [clip_behind(clip_token(assignment, place, 1), annotator).clip_id for place in (1, 2)]
    page = client.get(reverse("label", args=[campaign.slug])).content.decode()

    assert heard[0] == heard[1]
    assert set(clip_seconds(assignment)) == {"0-1", "1-1", "2-1"}
    assert page.count("data-clip=") == 3
    assert all(word not in page for word in ("identical", "gold", "repeat"))


def test_expected_answers_are_kept_in_the_stored_frame() -> None:
    campaign = campaign_with_checks()

    gold = {
        row.unit.key: row.expected for row in campaign.campaign_units.filter(purpose="gold").select_related("unit")
    }
    identical = campaign.campaign_units.filter(purpose="identical").first()

    assert gold == {"0": {"overall": ["a"], "content": ["both_bad"]}, "1": {"overall": ["b"]}}
    assert identical
    assert identical.expected["overall"] == ["both_good", "both_bad"]


def test_gold_tolerance_counts_steps_of_the_scale() -> None:
    campaign = make_campaign(protocol="acr", units=1, status="draft")

    set_gold(campaign, read_gold("unit,aspect,value,tolerance\n0,overall,5,1\n"))

    assert CampaignUnit.objects.get(purpose="gold").expected == {"overall": ["4", "5"]}


def test_tables_of_gold_may_have_semicolons() -> None:
    assert read_gold(GOLD.replace(",", ";")) == read_gold(GOLD)


@each(
    "table, fault",
    [
        ("unit,value\n0,a\n", "aspect is missing"),
        ("unit,aspect,value\n99,overall,a\n", "no unit '99'"),
        ("unit,aspect,value\n0,beauty,a\n", "no 'beauty'"),
        ("unit,aspect,value\n0,overall,1\n", "'1' is not among a, b, both_good, both_bad"),
        ("unit,aspect,value,slot\n0,overall,a,a\n", "asked of the unit"),
        ("unit,aspect,value,tolerance\n0,overall,a,1\n", "no tolerance"),
        ("unit,aspect,value,tolerance\n0,overall,a,many\n", "no whole number"),
        ('unit,aspect,value\n0,"overall,a\n', "not valid CSV"),
    ],
    undo=True,
)
def test_faulty_gold_is_refused_with_its_row_and_changes_nothing(table: str, fault: str) -> None:
    campaign = make_campaign(status="draft")
    set_gold(campaign, read_gold("unit,aspect,value\n1,overall,a\n"))

    with pytest.raises(InvalidTable, match=fault):
        set_gold(campaign, read_gold(table))

    assert CampaignUnit.objects.get(purpose="gold").unit.key == "1"


@pytest.mark.parametrize("protocol", ["forced_choice", "acr"])
def test_identical_pairs_want_a_tie_to_choose(protocol: str) -> None:
    with pytest.raises(ValueError, match="tie"):
        set_identical_pairs(make_campaign(protocol=protocol, status="draft"), 1)


def test_checks_of_an_opened_campaign_are_fixed() -> None:
    campaign = make_campaign()

    for change in (lambda: set_gold(campaign, []), lambda: set_repeats(campaign, 1)):
        with pytest.raises(ValueError, match="fixed"):
            change()
