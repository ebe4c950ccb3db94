"""The page of the signals against the signals."""

from analytics.quality.evidence import ENOUGH, FALSE_ALARMS
from analytics.quality.signals import SIGNALS, Signal
from analytics.quality.signals.together import TOLERATED
from annotation.models import Reason
from tests.paths import PROJECT

PAGE = (PROJECT / "docs/reference/quality-signals.md").read_text(encoding="utf-8")


def in_arena(signal: Signal) -> str:
    return f" ({signal.in_arena})" if signal.in_arena else ""


def test_page_has_a_row_for_every_signal_in_order() -> None:
    rows = [line for line in PAGE.splitlines() if line.startswith("| `")]

    assert rows == [
        f"| `{s.name}` | {s.title} | {s.meaning} | {s.needs} "
        f"| {s.default.tolerated:g} | {s.default.minimum} | {s.default.action}{in_arena(s)} |"
        for s in SIGNALS.values()
    ]


def test_page_says_how_much_evidence_is_enough() -> None:
    assert f"it ever reaches {ENOUGH:g} in at most {FALSE_ALARMS:.0%}".replace("%", " %") in PAGE


def test_page_says_what_checks_together_tolerate() -> None:
    told = "gold and traps {gold}, identical pairs {identical},\n  repeats {repeat}.".format(**TOLERATED)

    assert told in PAGE


def test_every_reason_is_one_that_a_decision_can_have() -> None:
    assert {signal.reason for signal in SIGNALS.values()} <= set(Reason.values)


def test_names_and_places_are_unlike() -> None:
    assert len({signal.place for signal in SIGNALS.values()}) == len(SIGNALS)
