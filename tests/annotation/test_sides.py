"""Which response is heard first: even over a unit, nearly even over a person, and not predictable."""

import random
from collections import Counter
from itertools import pairwise

import pytest

from annotation.answers.submit import record_answers
from annotation.assignment.next_unit import next_assignment
from annotation.assignment.presentation_order import drawn_order
from annotation.models import Assignment
from tests.cases import each
from tests.factories import DIRECT_ANSWERS, make_campaign, make_member


@each("of_unit, order", [(["ab"], "ba"), (["ba"], "ab"), (["ab", "ba", "ba"], "ab")])
def test_units_balance_comes_before_the_annotators(of_unit: list[str], order: str) -> None:
    for seed in range(20):
        drawn = drawn_order("ab", of_unit=of_unit, of_annotator=[order] * 9, rng=random.Random(seed))
        assert drawn == order


def test_first_draw_is_a_fair_coin() -> None:
    rng = random.Random(2)
    drawn = Counter(drawn_order("ab", of_unit=[], of_annotator=[], rng=rng) for _ in range(10_000))

    assert 4_850 < drawn["ab"] < 5_150


def test_annotator_stays_near_even_and_is_still_surprised() -> None:
    """Efron's coin with p = 2/3 keeps the difference small for ever; a fair one would drift to about ±100."""
    rng = random.Random(3)
    had: list[str] = []
    for _ in range(2_000):
        had.append(drawn_order("ab", of_unit=[], of_annotator=had, rng=rng))

    assert abs(had.count("ab") - had.count("ba")) < 15
    assert 0.25 < sum(a == b for a, b in pairwise(had)) / 2_000 < 0.5


def test_several_responses_come_in_every_order() -> None:
    rng = random.Random(4)
    drawn = Counter(drawn_order("abc", of_unit=["abc"], of_annotator=[], rng=rng) for _ in range(6_000))

    assert len(drawn) == 6
    assert min(drawn.values()) > 850


@pytest.mark.django_db
def test_both_orders_of_every_unit_are_heard_where_two_answers_are_wanted() -> None:
    campaign = make_campaign(units=6, answers_per_unit=2)
    for _ in range(2):
        annotator = make_member(campaign)
        while assignment := next_assignment(campaign, annotator):
            record_answers(assignment.pk, annotator=annotator, clicked=DIRECT_ANSWERS, idempotency_key="k")

    heard = Counter(Assignment.objects.values_list("campaign_unit", "order"))

    assert len(heard) == 12
