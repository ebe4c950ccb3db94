"""Repeats inside imported pairs: the same rater, the same clips, in either orientation, under other keys."""

from pathlib import Path

import pytest
from sklearn.metrics import cohen_kappa_score

from analytics.reports.kinds import agreement
from protocols import SHIPPED
from tests.acceptance.importing import import_pairs, written
from tests.analytics.reports.shown import figures_of, rows_of

pytestmark = pytest.mark.django_db
TURNED = {"1": "2", "2": "1", "tie": "tie"}
FIRST = ("1", "2", "tie", "1", "2", "1")
AGAIN = ("1", "2", "1", "2", "2", "1")


def test_rater_is_held_against_what_was_said_of_the_same_clips_before(tmp_path: Path) -> None:
    """Every other repeat has its clips the other way round, and so has its label."""
    rows = []
    for number, (first, again) in enumerate(zip(FIRST, AGAIN, strict=True)):
        sides = [("one", f"{number}-one.wav"), ("other", f"{number}-other.wav")]
        for key, said, turned in ((f"a{number}", first, False), (f"b{number}", again, number % 2 == 1)):
            (system_a, audio_a), (system_b, audio_b) = reversed(sides) if turned else sides
            rows.append(
                {
                    "index": key, "instruction_id": str(number), "instruction_text": f"Pair {number}",
                    "model_a": system_a, "model_b": system_b, "audio1_path": audio_a, "audio2_path": audio_b,
                    "label_overall": TURNED[said] if turned else said,
                }
            )  # fmt: skip
    campaign = import_pairs(
        written(tmp_path / "pairs.csv", rows), SHIPPED["untyped_tie"], title="Twice", labels="listener"
    )
    figures = figures_of(agreement.KIND, campaign, labels="labels-listener")
    (row,) = rows_of(figures["repeats"])
    found = {name: cell for name, cell in row.items() if hasattr(cell, "estimate")}
    same = sum(one == two for one, two in zip(FIRST, AGAIN, strict=True)) / len(FIRST)
    estimates = [round(it.estimate, 6) for it in found.values() if it.estimate is not None]
    assert round(same, 6) in estimates
    assert round(cohen_kappa_score(FIRST, AGAIN), 6) in estimates
    assert {it.n for it in found.values()} == {len(FIRST)}
