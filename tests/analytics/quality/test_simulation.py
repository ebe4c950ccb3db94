"""The simulated panel against the default rules: the bad kinds are caught, the honest are left alone."""

from collections import Counter

import numpy as np
import pytest

from analytics.quality.evaluation import default_rules
from analytics.simulation.panel import BAD, KINDS, Person, Task, panel
from analytics.simulation.session import OVERALL_AND_REASON, Session, simulate, without
from protocols import SHIPPED, read_answers
from tests.cases import each


@each("seed", [100, 101])
def test_default_rules_catch_nine_of_ten_of_each_bad_kind_and_flag_at_most_one_honest_person(seed: int) -> None:
    caught = Counter(one.kind for one in simulate(seed) if one.by)

    assert {kind: caught[kind] >= 9 for kind in BAD} == dict.fromkeys(BAD, True)
    assert caught["honest"] <= 1


def test_honest_people_alone_are_hardly_ever_flagged() -> None:
    """Every signal looks after every fifth of a hundred answers, and forty people are watched."""
    flagged = [one for one in simulate(200, each=40, kinds=["honest"]) if one.by]

    assert len(flagged) <= 1


def test_whoever_is_caught_is_caught_by_what_they_do() -> None:
    found = simulate(103, each=6)
    by = {kind: {signal for one in found if one.kind == kind for signal in one.by} for kind in KINDS}

    assert {"side", "pattern"} <= by["always-left"]
    assert "pattern" in by["straight-liner"]
    assert {"fast", "faster", "listening"} <= by["speeder"]
    assert by["copy-paste"] == {"repeated-text"}
    assert "gold" in by["random"]


def test_rules_that_are_switched_off_catch_nobody() -> None:
    rules = default_rules()

    assert not any(one.by for one in simulate(0, rules=without(rules, *rules), each=2))


def test_same_seed_is_the_same_session() -> None:
    session = Session(units=40)

    assert simulate(5, each=2, session=session) == simulate(5, each=2, session=session)


@each("kind", KINDS)
@each("protocol", sorted(SHIPPED))
def test_every_kind_answers_every_protocol_as_its_form_wants_it(kind: str, protocol: str) -> None:
    asked = SHIPPED[protocol]
    order = {"pair": "ba", "single": "a", "item": "bac"}[asked.unit]
    person = Person(kind, np.random.default_rng(1))
    for n in range(8):
        quality = {slot: float(place + n) / 4 - 1 for place, slot in enumerate(order)}

        did = person.behave(Task(asked, order, quality, audio_s=12.0))

        read_answers(asked, did.clicked, n_responses=len(order))
        assert 0 <= did.heard <= 1


def test_honest_people_prefer_what_is_better_and_hear_that_two_are_one() -> None:
    person = Person("honest", np.random.default_rng(2))
    better = Task(OVERALL_AND_REASON, "ab", {"a": 3.0, "b": -3.0}, audio_s=10.0)
    same = Task(OVERALL_AND_REASON, "ab", {"a": 1.0, "b": 1.0}, audio_s=10.0, identical=True)

    said = [Counter(person.behave(task).clicked["overall"] for _ in range(100)) for task in (better, same)]

    assert said[0]["1"] > 90
    assert said[1]["both_good"] + said[1]["both_bad"] > 80


def test_what_is_obvious_is_said_in_the_frame_of_the_screen() -> None:
    person = Person("honest", np.random.default_rng(3))
    told = Task(OVERALL_AND_REASON, "ba", {"a": 0.0, "b": 0.0}, audio_s=10.0, obvious={"overall": ["b"]})

    assert Counter(person.behave(told).clicked["overall"] for _ in range(100))["1"] > 90


def test_panel_has_so_many_of_each_and_no_two_alike() -> None:
    people = panel(1, each=3)

    assert Counter(person.kind for person in people) == dict.fromkeys(KINDS, 3)
    assert len({person.pace for person in people}) == len(people)


def test_unknown_kind_is_refused() -> None:
    with pytest.raises(ValueError, match="no kind"):
        Person("lazy", np.random.default_rng(0))
