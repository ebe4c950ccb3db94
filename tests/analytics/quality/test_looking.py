"""Rules act once, by their own record; a person has the last word; two looks at once are one."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Barrier

import pytest
from django.db import connection, connections
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from pytest_django import Settings

from analytics.data.labels import campaign_labels
from analytics.models import QualityFlag, QualityLook
from analytics.quality import evaluate
from analytics.quality.decisions import include_all, resume
from analytics.quality.evaluate import Seen, campaigns_to_look_at, look_at, see
from analytics.tasks import look_at_campaign_task, look_at_quality_task
from annotation.answers.revise import take_back
from annotation.answers.submit import record_answers
from annotation.assignment.next_unit import is_paused
from annotation.models import AnnotatorDecision, Assignment, UseDecision
from annotation.review.exclusions import Decider, exclude_answers, include_answers
from annotation.withdrawal.withdraw import withdraw
from campaigns.models import Campaign
from campaigns.quality.rule import Action, Rule
from campaigns.quality.rules import declared_rules, set_rules
from tests.analytics.quality.answering import (
    NOTHING_ELSE,
    RIGHT,
    WRONG,
    answer_gold,
    answer_study,
    campaign_with_gold,
    membership,
    only_gold,
)
from tests.cases import each
from tests.factories import DIRECT_ANSWERS, UserFactory, make_campaign, make_member

pytestmark = pytest.mark.django_db


def flags() -> list[tuple[str, str, str]]:
    return list(QualityFlag.objects.values_list("signal", "event", "action"))


def n_used(campaign: Campaign) -> int:
    return len(list(campaign_labels(campaign)))


# -- acting ------------------------------------------------------------------------------------------------------


def test_failing_gold_pauses_by_default_and_says_why() -> None:
    campaign = campaign_with_gold()
    annotator = make_member(campaign)
    answer_gold(campaign, annotator, WRONG, WRONG, WRONG)

    [flag] = [flag for flag in look_at(campaign) if flag.signal == "gold"]

    assert (flag.value, flag.n, flag.action, flag.detail) == (1.0, 3, "pause", "3 of 3")
    assert flag.rule == {"tolerated": 0.1, "minimum": 3, "action": "pause"}
    [decision] = AnnotatorDecision.objects.all()
    assert (decision.yes, decision.reason, decision.rule, decision.by) == (False, "gold", "gold beyond 0.1", None)
    assert is_paused(campaign, annotator)


def test_passing_gold_is_nothing_to_speak_of() -> None:
    campaign = campaign_with_gold()
    answer_gold(campaign, make_member(campaign), RIGHT, RIGHT, RIGHT)

    assert look_at(campaign) == []


def test_looking_again_changes_nothing() -> None:
    campaign = campaign_with_gold()
    only_gold(campaign, Action.PAUSE)
    annotator = make_member(campaign)
    answer_gold(campaign, annotator, WRONG, WRONG, WRONG)
    look_at(campaign)

    assert look_at(campaign) == []
    answer_gold(campaign, annotator, WRONG)
    assert look_at(campaign) == []
    assert (flags(), AnnotatorDecision.objects.count()) == ([("gold", "crossed", "pause")], 1)


@pytest.mark.databases
def test_warning_does_nothing_but_say_so() -> None:
    campaign = campaign_with_gold()
    only_gold(campaign, Action.WARN)
    annotator = make_member(campaign)
    answer_gold(campaign, annotator, WRONG, WRONG, WRONG)

    look_at(campaign)

    assert flags() == [("gold", "crossed", "warn")]
    assert not AnnotatorDecision.objects.exists()
    assert not UseDecision.objects.exists()


def test_signal_that_is_switched_off_says_nothing() -> None:
    campaign = campaign_with_gold()
    only_gold(campaign, Action.NOTHING)
    answer_gold(campaign, make_member(campaign), WRONG, WRONG, WRONG)

    assert look_at(campaign) == []


def test_signal_that_recovers_is_recorded() -> None:
    campaign = campaign_with_gold(40)
    only_gold(campaign, Action.WARN)
    annotator = make_member(campaign)
    answer_gold(campaign, annotator, WRONG, WRONG, WRONG)
    look_at(campaign)
    answer_gold(campaign, annotator, *[RIGHT] * 26)
    look_at(campaign)
    assert flags() == [("gold", "crossed", "warn")]

    answer_gold(campaign, annotator, RIGHT)
    look_at(campaign)

    assert flags() == [("gold", "crossed", "warn"), ("gold", "recovered", "nothing")]


# -- excluding ---------------------------------------------------------------------------------------------------


@pytest.mark.databases
def test_excluding_leaves_out_what_there_is_and_what_comes() -> None:
    campaign = campaign_with_gold()
    only_gold(campaign, Action.EXCLUDE)
    annotator, other = make_member(campaign), make_member(campaign)
    answer_study(campaign, annotator, 2)
    answer_study(campaign, other)
    answer_gold(campaign, annotator, WRONG, WRONG, WRONG)

    look_at(campaign)
    assert n_used(campaign) == 1
    answer_study(campaign, annotator)
    look_at(campaign)

    assert n_used(campaign) == 1
    assert set(UseDecision.objects.values_list("use", "reason", "rule")) == {(False, "gold", "gold beyond 0.1")}
    assert UseDecision.objects.count() == 3


@pytest.mark.databases
def test_person_who_takes_an_exclusion_back_has_the_last_word() -> None:
    campaign = campaign_with_gold()
    only_gold(campaign, Action.EXCLUDE)
    annotator = make_member(campaign)
    answer_study(campaign, annotator, 2)
    answer_gold(campaign, annotator, WRONG, WRONG, WRONG)
    look_at(campaign)

    include_all(membership(campaign, annotator), by=UserFactory(), reason="other", comment="It was a bad clip.")
    answer_study(campaign, annotator)
    answer_gold(campaign, annotator, WRONG)
    look_at(campaign)

    assert n_used(campaign) == 3
    assert flags() == [("gold", "crossed", "exclude"), ("gold", "lifted", "")]


def test_answer_that_a_person_took_back_in_stays_in() -> None:
    campaign = campaign_with_gold()
    only_gold(campaign, Action.EXCLUDE)
    annotator = make_member(campaign)
    kept, left_out = answer_study(campaign, annotator, 2)
    answer_gold(campaign, annotator, WRONG, WRONG, WRONG)
    look_at(campaign)

    include_answers([kept], decider=Decider(UserFactory()))
    answer_gold(campaign, annotator, WRONG)
    look_at(campaign)

    assert set(Assignment.objects.filter(excluded=True)) == {left_out}


@pytest.mark.databases
def test_answer_that_a_person_left_out_stays_theirs() -> None:
    campaign = campaign_with_gold()
    only_gold(campaign, Action.EXCLUDE)
    annotator = make_member(campaign)
    [answered] = answer_study(campaign, annotator)
    person = UserFactory()
    exclude_answers([answered], reason="technical", decider=Decider(person))
    answer_gold(campaign, annotator, WRONG, WRONG, WRONG)

    look_at(campaign)

    assert list(UseDecision.objects.values_list("by", flat=True)) == [person.pk]


# -- pausing -----------------------------------------------------------------------------------------------------


def test_person_who_resumes_somebody_has_the_last_word_even_when_the_rule_speaks_up_anew() -> None:
    campaign = campaign_with_gold(60)
    only_gold(campaign, Action.PAUSE)
    annotator = make_member(campaign)
    answer_gold(campaign, annotator, WRONG, WRONG, WRONG)
    look_at(campaign)

    resume(membership(campaign, annotator), by=UserFactory(), reason="other", comment="")
    answer_gold(campaign, annotator, WRONG)
    look_at(campaign)
    assert not is_paused(campaign, annotator)
    answer_gold(campaign, annotator, *[RIGHT] * 36)
    look_at(campaign)
    answer_gold(campaign, annotator, *[WRONG] * 19)
    look_at(campaign)

    assert not is_paused(campaign, annotator)
    assert flags() == [
        ("gold", "crossed", "pause"),
        ("gold", "recovered", "nothing"),
        ("gold", "crossed", "warn"),
    ]


def test_stricter_rule_acts_on_what_was_only_warned_of() -> None:
    campaign = campaign_with_gold()
    only_gold(campaign, Action.WARN)
    annotator = make_member(campaign)
    answer_gold(campaign, annotator, WRONG, WRONG, WRONG)
    look_at(campaign)

    only_gold(campaign, Action.PAUSE)
    look_at(campaign)
    look_at(campaign)

    assert is_paused(campaign, annotator)
    assert flags() == [("gold", "crossed", "warn"), ("gold", "crossed", "pause")]


def test_somebody_who_is_paused_already_is_not_paused_twice() -> None:
    campaign = campaign_with_gold()
    set_rules(
        campaign,
        rules=NOTHING_ELSE | {"gold": Rule(0.1, 3, Action.PAUSE), "checks": Rule(0.0, 3, Action.PAUSE)},
        user=campaign.created_by,
    )
    answer_gold(campaign, make_member(campaign), *[WRONG] * 5)

    look_at(campaign)

    assert flags() == [("gold", "crossed", "pause"), ("checks", "crossed", "pause")]
    assert AnnotatorDecision.objects.count() == 1


# -- what is looked at --------------------------------------------------------------------------------------------


def rested() -> None:
    QualityLook.objects.update(took_s=0)


def test_only_campaigns_with_something_new_are_looked_at() -> None:
    quiet, busy = make_campaign(), make_campaign()
    answer_study(quiet, make_member(quiet))
    look_at(quiet)
    answer_study(busy, make_member(busy))

    assert list(campaigns_to_look_at()) == [busy.pk]
    look_at(busy)
    assert list(campaigns_to_look_at()) == []


@pytest.mark.databases
def test_campaign_that_is_being_deleted_keeps_no_other_from_being_looked_at() -> None:
    going, there = make_campaign(), make_campaign()
    for campaign in (going, there):
        answer_study(campaign, make_member(campaign))
    Campaign.objects.filter(pk=going.pk).update(deleting_since=timezone.now())

    assert list(campaigns_to_look_at()) == [there.pk]


def test_new_rules_are_something_new() -> None:
    campaign = campaign_with_gold()
    answer_study(campaign, make_member(campaign))
    look_at(campaign)

    only_gold(campaign, Action.WARN)
    rested()

    assert list(campaigns_to_look_at()) == [campaign.pk]


@pytest.mark.databases
def test_answer_whose_id_came_late_is_something_new() -> None:
    """Two transactions may commit in another order than they drew their ids."""
    campaign = make_campaign()
    answer_study(campaign, make_member(campaign))
    look_at(campaign)
    QualityLook.objects.update(n=0, took_s=0)

    assert list(campaigns_to_look_at()) == [campaign.pk]


@pytest.mark.databases
def test_campaign_that_takes_long_rests_long() -> None:
    campaign = make_campaign()
    annotator = make_member(campaign)
    answer_study(campaign, annotator)
    look_at(campaign)
    QualityLook.objects.update(took_s=60)
    answer_study(campaign, annotator)

    assert list(campaigns_to_look_at()) == []


@pytest.mark.databases
@pytest.mark.parametrize(("embedded", "rests"), [(True, True), (False, False)])
def test_rest_is_longer_beside_pages(settings: Settings, *, embedded: bool, rests: bool) -> None:
    settings.EMBEDDED = embedded
    campaign = make_campaign()
    annotator = make_member(campaign)
    answer_study(campaign, annotator)
    look_at(campaign)
    answer_study(campaign, annotator)

    QualityLook.objects.update(took_s=1, made_at=timezone.now() - timedelta(seconds=50))

    assert list(campaigns_to_look_at()) == ([] if rests else [campaign.pk])


def test_task_asks_for_one_look_at_each(monkeypatch: pytest.MonkeyPatch) -> None:
    campaign = campaign_with_gold()
    answer_gold(campaign, make_member(campaign), WRONG, WRONG, WRONG)
    asked: list[int] = []
    monkeypatch.setattr(look_at_campaign_task, "delay", asked.append)

    assert look_at_quality_task() == 1
    assert [look_at_campaign_task(pk) for pk in asked] == [len(flags())]
    assert look_at_quality_task() == 0
    assert look_at_campaign_task(0) == 0


def test_look_that_fails_changes_nothing_and_is_taken_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """A check that could not run is never a failed check."""
    campaign = campaign_with_gold()
    annotator = make_member(campaign)
    answer_gold(campaign, annotator, WRONG, WRONG, WRONG)

    def broken(campaign: Campaign) -> Seen:
        raise MemoryError

    with monkeypatch.context() as patched:
        patched.setattr(evaluate, "see", broken)
        with pytest.raises(MemoryError):
            look_at(campaign)

    assert flags() == []
    assert not is_paused(campaign, annotator)
    look_at(campaign)
    assert is_paused(campaign, annotator)


@pytest.mark.databases
def test_look_that_another_overtook_does_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    campaign = campaign_with_gold()
    only_gold(campaign, Action.PAUSE)
    answer_gold(campaign, make_member(campaign), WRONG, WRONG, WRONG)
    overtaking: list[list[QualityFlag]] = []

    def slow(campaign: Campaign) -> Seen:
        seen = see(campaign)
        monkeypatch.setattr(evaluate, "see", see)
        answer_study(campaign, make_member(campaign))
        overtaking.append(look_at(campaign))
        return seen

    monkeypatch.setattr(evaluate, "see", slow)

    assert look_at(campaign) == []
    assert [len(flags) for flags in overtaking] == [1]
    assert QualityLook.objects.get().n == 4


@pytest.mark.django_db(transaction=True)
def test_two_workers_at_once_act_once(monkeypatch: pytest.MonkeyPatch) -> None:
    campaign = campaign_with_gold()
    only_gold(campaign, Action.PAUSE)
    annotator = make_member(campaign)
    answer_study(campaign, annotator, 2)
    answer_gold(campaign, annotator, WRONG, WRONG, WRONG)
    QualityLook.objects.create(campaign=campaign)
    both_have_seen = Barrier(2, timeout=20)

    def together(campaign: Campaign) -> Seen:
        seen = see(campaign)
        both_have_seen.wait()
        return seen

    monkeypatch.setattr(evaluate, "see", together)
    with ThreadPoolExecutor(2) as pool:
        found = sorted(len(one) for one in pool.map(_looked, [campaign] * 2))

    assert found == [0, 1]
    assert (len(flags()), AnnotatorDecision.objects.count()) == (1, 1)


def _looked(campaign: Campaign) -> list[QualityFlag]:
    try:
        return look_at(campaign)
    finally:
        connections.close_all()


# -- what is computed --------------------------------------------------------------------------------------------


def measured(campaign: Campaign, signal: str) -> list[float | None]:
    return [one.value for one in see(campaign).found[signal]]


def test_answers_come_as_they_are_in_the_database() -> None:
    campaign = campaign_with_gold(2)
    annotator = make_member(campaign)
    answer_study(campaign, annotator, 2, took_s=12)
    answer_gold(campaign, annotator, RIGHT, WRONG)

    read = see(campaign).read

    assert read.main == "overall"
    assert read.given.purpose.tolist() == ["study", "study", "gold", "gold"]
    assert read.given.passed.tolist() == [-1, -1, 1, 0]
    assert read.given.took[:2] == pytest.approx([12, 12], abs=0.1)
    assert read.given.audio.tolist() == [3.0] * 4
    values = [read.given.values[code] for code in read.given.value]
    orders = [row.order for row in read.rows]
    assert values == [*("a" if order == "ab" else "b" for order in orders[:2]), "both_good", "both_bad"]
    assert read.given.shown.tolist()[:2] == [0, 0]


def test_changed_answer_counts_as_it_stands_and_took_as_long_as_the_first() -> None:
    campaign = make_campaign()
    annotator = make_member(campaign)
    [assignment] = answer_study(campaign, annotator, took_s=40)
    take_back(campaign, annotator)
    record_answers(assignment.pk, annotator=annotator, clicked=WRONG, idempotency_key="again")

    given = see(campaign).read.given

    assert [given.values[code] for code in given.value] == ["both_bad"]
    assert given.took.tolist() == pytest.approx([40], abs=0.1)


@pytest.mark.databases
def test_listening_that_nobody_reported_is_unknown_and_silence_is_none() -> None:
    campaign = make_campaign()
    answer_study(campaign, make_member(campaign))
    assert measured(campaign, "listening") == [1.0]

    from_elsewhere = make_campaign()
    [assignment] = answer_study(from_elsewhere, make_member(from_elsewhere))
    assignment.annotations.update(listening={})
    assert measured(from_elsewhere, "listening") == [None]


def test_withdrawn_answers_are_nobodys() -> None:
    campaign = campaign_with_gold()
    annotator = make_member(campaign)
    answer_gold(campaign, annotator, WRONG, WRONG, WRONG)
    withdraw(campaign, annotator, identity=True, answers=True)

    assert look_at(campaign) == []
    assert see(campaign).read.rows == ()


@each("protocol", ["acr", "ccr", "dubbing", "arena", "rubric", "attributes"], undo=True)
def test_every_kind_of_protocol_can_be_looked_at(protocol: str) -> None:
    campaign = make_campaign(protocol=protocol)
    make_member(campaign)

    assert set(see(campaign).found) == set(declared_rules(campaign)) | set(see(campaign).rules)
    assert look_at(campaign) == []


@pytest.mark.databases
def test_seeing_costs_the_same_however_much_there_is() -> None:
    costs = []
    for people in (1, 3):
        campaign = campaign_with_gold()
        for _ in range(people):
            annotator = make_member(campaign)
            answer_study(campaign, annotator, 2)
            answer_gold(campaign, annotator, RIGHT)
        campaign = Campaign.objects.get(pk=campaign.pk)
        with CaptureQueriesContext(connection) as queries:
            see(campaign)
        costs.append(len(queries))

    assert costs == [11, 11]


def test_checked_answers_pass_where_any_expected_value_was_given() -> None:
    campaign = campaign_with_gold(1)
    annotator = make_member(campaign)
    answer_gold(campaign, annotator, DIRECT_ANSWERS | {"overall": "both_good"})

    assert measured(campaign, "gold") == [0.0]
