"""When rules notice an annotator who guesses: against all sessions listed one by one, simulation, and real units."""

import math
from itertools import product
from uuid import uuid4

import numpy as np
import pytest
from django.test import Client
from django.urls import reverse

from analytics.quality.guessing.forecast import forecast_guesser
from analytics.quality.guessing.sessions import SESSIONS, Rules, acting, gaps, noticed
from analytics.quality.signals import SIGNALS
from annotation.answers.submit import record_answers
from annotation.assignment.control_units import APART
from annotation.assignment.next_unit import next_assignment
from campaigns.control_units.forecast import ControlUnit
from campaigns.launch.checklist import warnings
from campaigns.models import Campaign, Role
from campaigns.quality.rule import Action, Rule
from campaigns.quality.rules import set_rules
from tests.analytics.quality.given import given
from tests.cases import each
from tests.factories import DIRECT_ANSWERS, make_campaign, make_member

GOLD = (ControlUnit("gold", 0.25),)
TRAP = (ControlUnit("trap", 0.2),)
PAUSES = ("gold", Rule(0.1, 3, Action.PAUSE))
TOGETHER = ("checks", Rule(0.0, 4, Action.WARN))


def listed(passes: float, n: int, name: str, rule: Rule) -> list[float]:
    """The chance that the rule is crossed first at each of `n` gold units, by all sequences and the signal."""
    found = [0.0] * (n + 1)
    for sequence in product([0, 1], repeat=n):
        chance = math.prod(passes if passed else 1 - passes for passed in sequence)
        for met in range(1, n + 1):
            rows = given([0] * met, purpose=["gold"] * met, passed=list(sequence[:met]))
            if SIGNALS[name].measure(rows, rule.tolerated)[0].crosses(rule):
                found[met] += chance
                break
    return found


@each("rule", [PAUSES, TOGETHER])
def test_gold_alone_is_what_every_sequence_of_answers_gives(rule: tuple[str, Rule]) -> None:
    by_unit = listed(0.25, 6, *rule)

    found = [noticed(GOLD * 6, (rule,), units=2 * n, check_every=2).chance for n in range(1, 7)]

    np.testing.assert_allclose(found, np.cumsum(by_unit)[1:], atol=1e-12)
    half = next(n for n, total in enumerate(np.cumsum(by_unit)) if total >= 0.5)
    assert noticed(GOLD * 6, (rule,), units=12, check_every=2).typical == 3 * half


SESSION_CASES: list[tuple[tuple[ControlUnit, ...], Rules, int, int]] = [
    (GOLD * 6, (PAUSES,), 60, 8),
    (GOLD * 3 + TRAP * 2, (PAUSES, TOGETHER), 30, 5),
    (GOLD * 2 + tuple(ControlUnit("repeat", 0.25, n + APART) for n in (1, 4, 7)), (TOGETHER,), 24, 4),
    ((ControlUnit("gold", 0.9), ControlUnit("gold", 0.1)) * 3, (PAUSES,), 40, 5),
    (tuple(ControlUnit("repeat", 0.1, n + APART) for n in range(4, 9)), (("repeat", Rule(0.1, 3, Action.EXCLUDE)),),
     14, 1),
]  # fmt: skip


@pytest.mark.parametrize(("control", "rules", "units", "check_every"), SESSION_CASES)
def test_simulated_sessions_agree_with_the_exact_figures(
    control: tuple[ControlUnit, ...], rules: Rules, units: int, check_every: int
) -> None:
    """By the inequality of Dvoretzky, Kiefer and Wolfowitz, at one false alarm in ten thousand."""
    widest = math.sqrt(math.log(2 / 1e-4) / (2 * SESSIONS))

    for until in range(units // 2, units + 1, 3):
        exact = noticed(control, rules, units=until, check_every=check_every, most_steps=10**9)
        simulated = noticed(control, rules, units=until, check_every=check_every, most_steps=0)

        assert (exact.n_sessions, simulated.n_sessions) == (0, SESSIONS)
        assert abs(exact.chance - simulated.chance) <= widest
    assert exact.chance > 0.03


def test_order_of_control_units_and_of_rules_changes_nothing() -> None:
    mixed = GOLD * 3 + TRAP * 3

    forth = noticed(mixed, (PAUSES, TOGETHER), units=40, check_every=5, most_steps=10**9)
    back = noticed(mixed[::-1], (TOGETHER, PAUSES), units=40, check_every=5, most_steps=10**9)

    assert (back.chance, back.typical) == (pytest.approx(forth.chance), forth.typical)


def test_repeat_that_comes_too_late_adds_nothing_and_a_longer_session_more() -> None:
    rule = (("repeat", Rule(0.1, 1, Action.PAUSE)),)
    repeats = tuple(ControlUnit("repeat", 0.01, after) for after in (8, 9, 10))

    by_length = [noticed(repeats, rule, units=units, check_every=1).chance for units in (7, 9, 12)]

    assert by_length[0] == 0
    assert by_length == sorted(by_length)
    assert by_length[2] > by_length[0]


def test_whoever_cannot_fail_is_never_noticed() -> None:
    assert noticed((ControlUnit("gold", 1.0),) * 9, (PAUSES,), units=90, check_every=4).chance == 0


def test_only_rules_about_kinds_that_are_there_count_and_only_those_strict_enough() -> None:
    rules = {name: signal.default for name, signal in SIGNALS.items()}

    assert [name for name, _ in acting(rules, {"gold"}, least=Action.WARN)] == ["gold", "checks"]
    assert [name for name, _ in acting(rules, {"gold", "trap"}, least=Action.PAUSE)] == ["gold"]
    assert acting(rules, {"trap"}, least=Action.PAUSE) == ()
    assert acting(rules, set(), least=Action.WARN) == ()


def checked(*, units: int, gold: int = 0, repeats: tuple[int, ...] = (), **fields: object) -> Campaign:
    """A draft with gold units that a guesser passes with 25 %, and repeats of the units at these places."""
    campaign = make_campaign(status="draft", units=units, **fields)
    rows = list(campaign.campaign_units.select_related("unit").order_by("position"))
    for n in range(gold):
        campaign.campaign_units.create(
            unit=rows[n].unit, position=500 + n, purpose="gold", expected={"overall": ["a"]}
        )
    for place in repeats:
        campaign.campaign_units.create(unit=rows[place - 1].unit, position=700 + place, purpose="repeat")
    return campaign


@pytest.mark.django_db
def test_forecast_reads_the_campaign_and_its_rules() -> None:
    campaign = checked(units=24, gold=4, check_every=4)

    found = forecast_guesser(campaign)

    assert found is not None
    assert found.stopped == noticed(GOLD * 4, (PAUSES,), units=24, check_every=4)
    assert found.flagged == noticed(GOLD * 4, (PAUSES, TOGETHER), units=24, check_every=4)
    assert (found.units, found.apart, found.out_of_reach, found.n_sessions) == (24, APART, 0, 0)
    off = {name: Rule(0.1, 3, Action.NOTHING) for name in ("gold", "checks")}
    set_rules(campaign, rules=off, user=campaign.created_by)
    again = forecast_guesser(campaign)
    assert again is not None
    assert (again.flagged, again.stopped) == (None, None)


@pytest.mark.django_db
def test_control_units_come_to_a_real_annotator_as_the_calculation_has_them() -> None:
    """A repeat not before as many units as are said, and one control unit after each gap."""
    campaign = checked(units=16, gold=2, repeats=(3, 6), check_every=4)
    Campaign.objects.filter(pk=campaign.pk).update(status="open")
    campaign.refresh_from_db()
    annotator = make_member(campaign)
    met = []
    answered = 0
    while row := next_assignment(campaign, annotator):
        if row.campaign_unit.purpose == "study":
            answered += 1
        else:
            met.append((answered, row.campaign_unit.purpose, row.campaign_unit.unit_id))
        record_answers(row.pk, annotator=annotator, clicked=DIRECT_ANSWERS, idempotency_key=uuid4())

    places = {row.unit_id: n for n, row in enumerate(campaign.campaign_units.filter(purpose="study"), start=1)}
    assert len(met) >= 3
    assert all(at >= places[unit] + APART for at, purpose, unit in met if purpose == "repeat")
    between = np.diff([0, *(at for at, _, _ in met)])
    assert set(between.tolist()) <= set(gaps(4))


@pytest.mark.django_db
def test_check_list_says_what_rules_do_not_notice_and_repeats_that_cannot_come(client: Client) -> None:
    campaign = checked(units=6, gold=1, repeats=(1, 2), check_every=2)
    client.force_login(make_member(campaign, Role.RESEARCHER))

    said = {it.message: it.url for it in warnings(campaign)}
    page = client.get(reverse("checks", args=[campaign.slug])).content.decode()

    here = reverse("checks", args=[campaign.slug])
    assert said["1 repeat cannot come: at least 5 units must lie before the second time, of 6."] == here
    never = "never, as too few control units come for the rules"
    assert said[f"A rule notices who guesses: {never}."] == reverse("quality-rules", args=[campaign.slug])
    assert page.count(never) == 2
    nothing = {name: Rule(0.1, 3, Action.NOTHING) for name in ("gold", "checks", "repeat")}
    set_rules(campaign, rules=nothing, user=campaign.created_by)
    assert "No rule says anything about who guesses." in {it.message for it in warnings(campaign)}
    page = client.get(reverse("checks", args=[campaign.slug])).content.decode()
    assert page.count("never, as no rule about these control units does that") == 2


@pytest.mark.django_db
def test_pages_say_after_how_many_units_and_how_it_was_found(client: Client) -> None:
    campaign = checked(units=40, gold=8, check_every=4)
    client.force_login(make_member(campaign, Role.RESEARCHER))
    expected = forecast_guesser(campaign)
    assert expected is not None
    assert expected.stopped is not None

    page = client.get(reverse("checks", args=[campaign.slug])).content.decode()
    checklist = client.get(reverse("launch-open", args=[campaign.slug])).content.decode()

    line = f"typically after {expected.stopped.typical} units, {expected.stopped.percent} % by the end of 40 units"
    assert line in page
    assert "Calculated exactly." in page
    assert f"A rule pauses or excludes such a person: {line}." in checklist


@pytest.mark.django_db
def test_arena_has_no_forecast() -> None:
    campaign = checked(units=40, gold=8, check_every=4, label_page="arena")

    assert not [it for it in warnings(campaign) if "guesses" in it.message]
