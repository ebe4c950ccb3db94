"""What judges say comes in whole, in the stored frame, and exactly once."""

import errno
from dataclasses import replace
from typing import Any

import pytest
from django.db import OperationalError

from campaigns.models import Campaign
from judges.kinds import KINDS
from judges.kinds.contract import Case, Kind, Opinion
from judges.models import Run, Verdict, VerdictAnswer
from judges.verdicts.context import Work
from judges.verdicts.record import judge_verdict, record_opinion
from protocols import SHIPPED, Aspect
from protocols.scales.named import BY_NAME
from tests.cases import each
from tests.factories import make_campaign
from tests.judges.running import a_judge, a_run, kind_added, worked

pytestmark = pytest.mark.django_db


def answers_of(verdict: Verdict) -> dict[str, str]:
    return {f"{row.aspect}.{row.slot}" if row.slot else row.aspect: row.value for row in verdict.answers.all()}


@pytest.mark.parametrize(("order", "slot"), [("ab", "a"), ("ba", "b")])
def test_answers_are_stored_in_the_frame_of_a_and_b(order: str, slot: str) -> None:
    campaign = make_campaign(units=1)
    run = worked(a_run(campaign, a_judge(campaign, "always_first"), orders=order))

    verdict = run.verdicts.get()
    assert (run.status, verdict.status, verdict.order) == ("done", "ok", order)
    assert answers_of(verdict) == dict.fromkeys(["content", "voice_quality", "paralinguistics", "overall"], slot)


def test_answers_about_one_response_name_its_slot() -> None:
    """The second that is heard, in the order ba, is a."""
    naturalness = Aspect("naturalness", "Naturalness", "How natural?", BY_NAME["acr"], per_response=True)
    campaign = make_campaign(units=1)
    verdict = a_run(campaign, a_judge(campaign), orders="ba").verdicts.get()
    protocol = replace(SHIPPED["hcot"], aspects=(naturalness,))

    record_opinion(verdict, Opinion("ok", {"naturalness.1": "5", "naturalness.2": "2"}), protocol)

    assert answers_of(verdict) == {"naturalness.b": "5", "naturalness.a": "2"}


@pytest.mark.databases
def test_answers_that_the_protocol_refuses_are_unparsed_and_shown() -> None:
    campaign = make_campaign(units=1)
    verdict = a_run(campaign, a_judge(campaign)).verdicts.get()
    opinion = Opinion("ok", {"content": "3", "overall": "1"})

    record_opinion(verdict, opinion, campaign.protocol)

    verdict.refresh_from_db()
    assert verdict.status == "unparsed"
    assert "'3' is not one of the choices" in verdict.message
    assert verdict.said == {"refused_answers": {"content": "3", "overall": "1"}}
    assert not verdict.answers.exists()


def test_what_is_said_is_not_said_twice() -> None:
    campaign = make_campaign(units=1)
    verdict = a_run(campaign, a_judge(campaign)).verdicts.get()
    first = Opinion("ok", dict.fromkeys(["content", "voice_quality", "paralinguistics", "overall"], "1"))

    assert record_opinion(verdict, first, campaign.protocol)
    assert not record_opinion(verdict, Opinion("refused"), campaign.protocol)

    verdict.refresh_from_db()
    assert (verdict.status, verdict.answers.count()) == ("ok", 4)


def test_a_faulty_kind_is_an_error_of_the_verdict_and_of_nothing_else() -> None:
    def broken(_case: Case, _settings: Any, _tools: Any) -> Opinion:
        raise ZeroDivisionError

    campaign = make_campaign(units=2)
    kind = Kind("broken", "1", "Broken", "", broken, lambda _protocol, _settings: "")
    with kind_added(kind):
        run = worked(a_run(campaign, a_judge(campaign, "broken")))

    assert (run.status, run.stopped_for) == ("failed", "not_asked")
    assert {row.message for row in run.verdicts.all()} == {
        "The judge itself failed (ZeroDivisionError); the log says where."
    }


@pytest.mark.parametrize("fault", [OperationalError("gone"), OSError(errno.ENOSPC, "No space left on device")])
def test_verdict_whose_database_or_disk_was_gone_stays_to_do(fault: Exception) -> None:
    faults = [fault]

    def judge(*_asked: Any) -> Opinion:
        if faults:
            raise faults.pop()
        return Opinion("refused")

    campaign = make_campaign(units=1)
    with kind_added(Kind("cut_off", "1", "Cut off", "", judge, lambda _protocol, _settings: "")):
        run = a_run(campaign, a_judge(campaign, "cut_off"))
        with pytest.raises(type(fault)):
            worked(run)
        assert run.verdicts.get().status == "waiting"

        run.verdicts.update(heartbeat_at=None)  # as if its lease had lapsed
        assert worked(run).verdicts.get().status == "refused"


@pytest.mark.databases
def test_a_case_names_no_system_and_holds_what_raters_are_told() -> None:
    seen: list[Case] = []

    def look(case: Case, _settings: Any, _tools: Any) -> Opinion:
        seen.append(case)
        return Opinion("refused")

    campaign = make_campaign(units=1, facts={"secret": "Xylophagous", "dimension": "semantic"}, protocol="arena")
    with kind_added(Kind("looker", "1", "Looker", "", look, lambda _protocol, _settings: "")):
        worked(a_run(campaign, a_judge(campaign, "looker"), orders="both"))

    first, second = seen
    assert [turn.text for turn in first.prompt] == ["Prompt of 0"]
    assert first.responses == second.responses[::-1]
    assert "Xylophagous" not in repr(first)
    assert "Quokkawise" not in repr(first)
    assert first.facts == {"dimension": "semantic"}


def test_judging_what_is_said_already_changes_nothing() -> None:
    campaign = make_campaign(units=1)
    run = worked(a_run(campaign, a_judge(campaign)))
    before = list(VerdictAnswer.objects.values())

    outcome = judge_verdict(run.verdicts.get().pk, Work(Run.objects.get()))

    assert outcome.status == "ok"
    assert list(VerdictAnswer.objects.values()) == before


@each("name", [n for n in SHIPPED if not KINDS["random"].fits(SHIPPED[n], {})], undo=True)
def test_every_protocol_is_judged_to_the_end(name: str) -> None:
    campaign: Campaign = make_campaign(units=2, protocol=name, facts={"dimension": "semantic", "feature": "pace"})

    run = worked(a_run(campaign, a_judge(campaign), orders="both"))

    assert {row.status for row in run.verdicts.all()} == {"ok"}
    assert VerdictAnswer.objects.exists()
