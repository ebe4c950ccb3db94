import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import soundfile
from django.db import connection
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries

from accounts.models import AuditEntry
from campaigns.audio.delivery import clips_of, prepare_audio_of
from campaigns.launch.checklist import obstacles, warnings
from campaigns.launch.lifecycle import (
    CannotOpen,
    WrongStatus,
    close_campaign,
    create_campaign,
    open_campaign,
    pause_campaign,
    prepare_audio,
    set_loudness_target,
)
from campaigns.models import Campaign, Membership, Role
from campaigns.people import members
from campaigns.people.members import LastAdmin, end_membership
from corpus.datasets.units import imported_pairs, pairs_of_systems
from corpus.models import Clip, Dataset, DeliveredClip, LabelSet, Turn
from infrastructure.background.health import health
from infrastructure.background.jobs import JobFailed, run_job
from infrastructure.models import Job
from protocols import SHIPPED
from tests.factories import RARE_A, RARE_B, DatasetFactory, UserFactory, make_campaign, make_member, make_unit
from tests.importing import PAIRS

pytestmark = pytest.mark.django_db


def delivered(campaign: Campaign) -> Campaign:
    for clip in clips_of(campaign):
        DeliveredClip.objects.create(clip=clip, form=campaign.delivery_form, gain_db=0, integrated_lufs=-23, bytes=1)
    return campaign


def refusals(campaign: Campaign) -> list[str]:
    with pytest.raises(CannotOpen) as refusal:
        open_campaign(campaign)
    return [obstacle.message for obstacle in refusal.value.obstacles]


def test_open_campaign_lets_a_clean_draft_in() -> None:
    campaign = delivered(make_campaign(status="draft"))

    opened, _again = (open_campaign(campaign, by=campaign.created_by) for _ in "ab")

    [entry] = AuditEntry.objects.filter(event="campaign_opened")
    assert entry.by == campaign.created_by
    assert opened.status == Campaign.Status.OPEN
    assert opened.opened_at is not None


def test_open_campaign_refuses_unprepared_audio() -> None:
    assert refusals(make_campaign(status="draft")) == ["Clips whose audio is not prepared: 6."]


def test_open_campaign_refuses_units_without_audio() -> None:
    campaign = make_campaign(status="draft", units=0)
    unit = make_unit(campaign.dataset, "mute", with_audio=False)
    campaign.campaign_units.create(unit=unit, position=0)

    assert refusals(campaign) == ["Units without audio: 1, first mute."]


def test_campaign_whose_items_have_no_prompt_opens_and_is_warned_of() -> None:
    campaign = delivered(make_campaign(status="draft"))
    Turn.objects.filter(item__key="0").update(text="", clip=None)
    Turn.objects.filter(item__key="1").delete()

    said = [it.message for it in warnings(campaign) if "prompt" in it.message]

    assert obstacles(campaign) == []
    assert said == ["Items without a prompt: 2, first 0. Only the responses are heard there."]


def test_open_campaign_refuses_a_campaign_without_units() -> None:
    assert refusals(make_campaign(status="draft", units=0)) == ["The campaign has no units."]


def test_open_campaign_names_the_clip_that_failed() -> None:
    problem = {"where": "x/y.wav", "message": "Too loud.", "highest_target_lufs": -25.0}
    campaign = make_campaign(status="draft", audio_problems=[problem])

    assert refusals(campaign) == ["Clips that cannot be delivered: 1, first x/y.wav. Too loud."]


def test_open_campaign_refuses_a_title_that_names_a_system() -> None:
    campaign = delivered(make_campaign(status="draft"))
    Campaign.objects.update(title=f"{RARE_A.upper()} again")

    assert refusals(campaign) == [f"The title names {RARE_A}, and annotators read it."]


def test_campaign_goes_from_open_to_paused_to_open_to_closed() -> None:
    campaign = delivered(make_campaign())

    states = [turn(campaign).status for turn in (pause_campaign, open_campaign, close_campaign)]

    assert states == ["paused", "open", "closed"]


@pytest.mark.parametrize("turn", [open_campaign, pause_campaign, close_campaign])
def test_closed_campaign_stays_closed(turn: object) -> None:
    campaign = make_campaign(status="closed")

    with pytest.raises(WrongStatus):
        turn(campaign)  # type: ignore[operator]


@pytest.mark.databases
def test_create_campaign_freezes_the_protocol_and_shuffles_the_units() -> None:
    dataset = DatasetFactory()
    units = [make_unit(dataset, f"{n:02d}") for n in range(20)]

    campaign = create_campaign(
        dataset, title="A", protocol=SHIPPED["hcot_guided"], units=units, user=dataset.created_by, answers_per_unit=3
    )

    given = [row.unit for row in campaign.campaign_units.select_related("unit")]
    assert set(given) == set(units)
    assert given != units
    assert campaign.protocol.elicitation == "guided"
    assert campaign.memberships.get().role == Role.ADMIN


@pytest.mark.databases
def test_pairs_of_systems_are_the_same_units_when_asked_again() -> None:
    dataset = DatasetFactory()
    for n in range(3):
        make_unit(dataset, str(n)).delete()

    first, again = pairs_of_systems(dataset), pairs_of_systems(dataset)

    assert first == again
    assert len(first) == 3
    assert imported_pairs(dataset) == []


def test_pairs_of_systems_deal_a_subset_over_all_items() -> None:
    dataset = DatasetFactory()
    for n in range(6):
        make_unit(dataset, str(n)).delete()

    some = pairs_of_systems(dataset, per_pair=4)

    assert len({unit.item_id for unit in some}) == 4


@pytest.mark.databases
def test_home_costs_the_same_queries_for_one_campaign_and_for_three(
    client: Client, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    user = UserFactory(is_superuser=True)
    client.force_login(user)
    make_campaign()
    with django_assert_num_queries(HOME_QUERIES):
        client.get(reverse("home"))
    make_campaign()
    make_campaign()
    with django_assert_num_queries(HOME_QUERIES):
        client.get(reverse("home"))


def test_home_says_which_labels_were_imported_beside_the_answers(client: Client) -> None:
    """As of the demo, whose simulated people are in a table of labels: 0 answers are not all there is."""
    user = UserFactory(is_superuser=True)
    client.force_login(user)
    campaign = make_campaign()
    assert "imported set" not in client.get(reverse("home")).content.decode()

    for name in ("Simulated people", "What was planted"):
        LabelSet.objects.create(dataset=campaign.dataset, name=name, created_by=user)

    assert "and 2 imported sets of labels" in client.get(reverse("home")).content.decode()


#: session, user, campaigns to label, campaigns to run, imported labels, their annotations, their units, alarms, what
#: comes next, workers, jobs, deletions that stopped (administrators are told)
HOME_QUERIES = 12


@pytest.mark.databases
def test_campaign_page_costs_the_same_queries_for_more_units(
    client: Client, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    for units in (1, 3):
        campaign = delivered(make_campaign(units=units, status="draft"))
        client.force_login(make_member(campaign, Role.ADMIN))
        with django_assert_num_queries(CAMPAIGN_QUERIES):
            client.get(campaign.get_absolute_url())


#: session, user, campaign, roles (2), job; of the check-list: units there, units without audio, undelivered clips,
#: items without a prompt, systems, gold, gates, systems chosen and all, what is compared, other levels, repeats,
#: control units, invitations, annotators; of the steps: units, checks, rules, gates, invitations, annotators; of
#: the page: roles, units, left, workers, jobs, loudness
CAMPAIGN_QUERIES = 31


def quiet(_done: int, _total: int, _note: str) -> None:
    """A progress that nobody looks at."""


def test_open_campaign_refuses_a_title_that_names_a_system_between_underscores() -> None:
    campaign = delivered(make_campaign(status="draft"))
    Campaign.objects.update(title=f"{RARE_A}_vs_other")

    assert refusals(campaign) == [f"The title names {RARE_A}, and annotators read it."]


@pytest.mark.databases
def test_set_loudness_target_of_a_campaign_that_opened_meanwhile_is_refused() -> None:
    stale = make_campaign(status="draft")
    Campaign.objects.update(status="open")

    with pytest.raises(WrongStatus):
        set_loudness_target(stale, -30.0, user=stale.created_by)

    assert Campaign.objects.get().target_lufs == -23.0
    assert not Job.objects.exists()


@pytest.mark.databases
@pytest.mark.parametrize("status", ["open", "paused", "closed"])
def test_prepare_audio_of_an_opened_campaign_does_nothing(status: str) -> None:
    campaign = make_campaign(status=status)
    Clip.objects.update(rate=8_000)
    before = Campaign.objects.values().get()

    prepare_audio_of(str(campaign.pk), quiet)

    assert Campaign.objects.values().get() == before
    assert not DeliveredClip.objects.exists()


@pytest.mark.databases
def test_prepare_audio_whose_target_changes_meanwhile_fails_and_leaves_the_problems_alone() -> None:
    campaign = make_campaign(status="draft", audio_problems=["of the new target"])

    def change_target(_done: int, _total: int, _note: str) -> None:
        Campaign.objects.update(target_lufs=-30.0)

    with pytest.raises(JobFailed, match="changed meanwhile"):
        prepare_audio_of(str(campaign.pk), change_target)

    assert Campaign.objects.get().audio_problems == ["of the new target"]


def test_prepare_audio_names_every_clip_whose_original_is_gone() -> None:
    campaign = make_campaign(status="draft", units=1)

    with pytest.raises(JobFailed, match=r"^Some clips cannot be delivered; the campaign’s page names them\.$"):
        prepare_audio_of(str(campaign.pk), quiet)

    problems = Campaign.objects.get().audio_problems
    assert [problem["where"] for problem in problems] == [
        "the prompt of item 0", f"0/{RARE_A}.wav", f"0/{RARE_B}.wav",
    ]  # fmt: skip
    assert {problem["message"] for problem in problems} == {
        "The original cannot be read (No such file or directory); import the dataset again."
    }


def recorded(campaign: Campaign, *, peak: float = 0.1, click: float = 0.0, silent: int = 0) -> None:
    """Write an original for each clip: a tone with a click in it, or silence for the last so many."""
    clips = list(clips_of(campaign))
    for n, clip in enumerate(clips):
        samples = peak * np.sin(2 * np.pi * 440 * np.arange(16_000) / 16_000)
        samples[8_000] += click
        clip.path.parent.mkdir(parents=True, exist_ok=True)
        is_silent = n >= len(clips) - silent
        soundfile.write(clip.path, 0 * samples if is_silent else samples, 16_000, format="WAV", subtype="FLOAT")


@pytest.mark.databases
def test_campaign_with_a_silent_clip_opens(media_root: Path) -> None:
    campaign = make_campaign(status="draft", units=1)
    recorded(campaign, silent=1)

    prepare_audio_of(str(campaign.pk), quiet)

    levels = DeliveredClip.objects.order_by("clip").values_list("gain_db", "integrated_lufs")
    assert list(levels)[2] == (0.0, None)
    assert [lufs for _gain, lufs in list(levels)[:2]] == pytest.approx([-23, -23], abs=0.1)
    assert open_campaign(Campaign.objects.get()).status == "open"


@pytest.mark.databases
def test_campaign_with_a_clip_beyond_full_scale_opens_without_a_target(media_root: Path) -> None:
    campaign = make_campaign(status="draft", units=1, target_lufs=None)
    recorded(campaign, peak=1.25)

    prepare_audio_of(str(campaign.pk), quiet)

    assert list(DeliveredClip.objects.values_list("gain_db", flat=True)) == pytest.approx([-1.94] * 3, abs=0.01)
    assert open_campaign(Campaign.objects.get()).status == "open"


@pytest.mark.databases
@pytest.mark.parametrize(("has_originals", "is_refused"), [(True, True), (False, False)])
def test_clips_that_cannot_be_delivered_are_no_failed_job_unless_their_originals_are_gone(
    media_root: Path, has_originals: bool, is_refused: bool
) -> None:
    campaign = make_campaign(status="draft", units=1)
    if has_originals:
        recorded(campaign, peak=0.01, click=0.9)

    job = prepare_audio(campaign, user=campaign.created_by)
    run_job(job.pk)
    job.refresh_from_db()

    assert len(Campaign.objects.get().audio_problems) == 3
    assert job.error == "Some clips cannot be delivered; the campaign’s page names them."
    assert (job.status, job.input_refused) == ("failed", is_refused)
    assert (health().last_failure(campaign.created_by) is None) == is_refused


@pytest.mark.databases
def test_delivery_form_tells_targets_apart_that_are_close() -> None:
    forms = {Campaign(target_lufs=target, delivery_rate=16_000).delivery_form for target in (-23.0, -23.04, None)}

    assert len(forms) == 3


def test_imported_pairs_leave_out_those_made_for_a_campaign(imported: Callable[..., Dataset]) -> None:
    dataset = imported(PAIRS)

    made = pairs_of_systems(dataset)

    assert len(made) == 3
    assert [unit.key for unit in imported_pairs(dataset)] == ["0", "1"]


@pytest.mark.django_db(transaction=True)
def test_end_membership_keeps_the_last_admin_when_two_leave_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    campaign = make_campaign()
    for _ in range(2):
        make_member(campaign, Role.ADMIN)
    now = members.timezone.now

    def late() -> object:
        time.sleep(0.3)  # long enough for both to have counted the admins before either has left
        return now()

    def leave(member: Membership) -> str:
        try:
            end_membership(member)
        except LastAdmin:
            return "stays"
        finally:
            connection.close()
        return "left"

    monkeypatch.setattr(members, "timezone", SimpleNamespace(now=late))
    with ThreadPoolExecutor(2) as pool:
        outcomes = list(pool.map(leave, campaign.memberships.all()))

    assert sorted(outcomes) == ["left", "stays"]
    assert campaign.memberships.filter(ended_at=None).count() == 1
