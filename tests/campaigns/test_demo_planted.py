from itertools import combinations

from campaigns.demo.planted_labels import planted_labels
from corpus.demo.planted import faulty_dimension
from corpus.demo.speech import DEMO_SYSTEMS


def test_every_planted_fault_has_its_dimension() -> None:
    assert {system.name: faulty_dimension(system) for system in DEMO_SYSTEMS} == {
        "aurora": "",
        "breeze": "voice_quality",
        "cinder": "voice_quality",
        "dune": "paralinguistics",
        "ember": "paralinguistics",
        "flint": "content",
    }


def test_the_clean_system_wins_overall_and_in_the_dimension_of_the_fault() -> None:
    labels = {aspect: (label, a, b) for aspect, label, a, b in planted_labels("dune", "aurora")}

    assert labels == {
        "content": ("both_good", True, True),
        "voice_quality": ("both_good", True, True),
        "paralinguistics": ("b", False, True),
        "overall": ("b", False, True),
    }


def test_two_faulty_systems_are_both_bad_overall() -> None:
    faulty = [system.name for system in DEMO_SYSTEMS if system.name != "aurora"]
    overall = {
        label
        for pair in combinations(faulty, 2)
        for aspect, label, _, _ in planted_labels(*pair)
        if aspect == "overall"
    }

    assert overall == {"both_bad"}
