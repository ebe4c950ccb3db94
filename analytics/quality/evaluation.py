"""Every signal about everybody, at one moment."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from analytics.quality.inputs import Given
from analytics.quality.signals import SIGNALS, Measurement
from campaigns.quality.rule import Action, Rule

#: By signal, everybody's measurement in the order of their index.
Evaluation = dict[str, list[Measurement]]


def default_rules(*, arena: bool = False) -> dict[str, Rule]:
    return {name: signal.default_in(arena=arena) for name, signal in SIGNALS.items()}


def evaluate(given: Given, rules: Mapping[str, Rule]) -> Evaluation:
    """Measure all signals, stage by stage: an annotator with a raised signal is no longer one of the others.

    So a panel in which most are careless does not become the measure of those who are not.
    """
    found: Evaluation = {}
    for stage in sorted({signal.stage for signal in SIGNALS.values()}):
        for name, signal in SIGNALS.items():
            if signal.stage == stage:
                found[name] = signal.measure(given, rules[name].tolerated)
        given = replace(given, counts=given.counts & ~np.isin(given.rater, sorted(_spoken_against(found, rules))))
    return {name: found[name] for name in SIGNALS}


def crossed(found: Evaluation, rules: Mapping[str, Rule]) -> set[tuple[str, int]]:
    """Signal and annotator wherever a rule that does something is crossed."""
    return {
        (name, rater)
        for name, measurements in found.items()
        for rater, measured in enumerate(measurements)
        if rules[name].action != Action.NOTHING and measured.crosses(rules[name])
    }


def _spoken_against(found: Evaluation, rules: Mapping[str, Rule]) -> set[int]:
    return {rater for _, rater in crossed(found, rules)}
