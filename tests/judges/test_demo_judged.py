"""What is planted in the demo is found by judges that listen with the real extractors. It takes most of a minute."""

from collections import defaultdict
from collections.abc import Iterable
from fractions import Fraction

import numpy as np
import pytest
from django.core.management import call_command

from campaigns.models import Campaign
from corpus.models import ResponseTurn, Unit
from judges.models import Run, Verdict, VerdictAnswer
from measurements.features.sound.dnsmos import missing as quality_missing
from measurements.features.speech.moonshine import missing as recogniser_missing
from tests.judges.running import worked

pytestmark = [
    pytest.mark.slow,
    pytest.mark.django_db,
    pytest.mark.skipif(bool(quality_missing() or recogniser_missing()), reason="the extractors are not installed"),
]
CLEAN, NOISY, CLIPPED, HASTY, FLAT = "aurora", "breeze", "cinder", "dune", "ember"
FAULT = {NOISY: {"DNSMOS too low"}, CLIPPED: {"DNSMOS too low", "clipped"}, HASTY: {"too fast"}, FLAT: {"monotone"}}
#: What an answer of the stored frame is worth to a; a tie of any kind is half a win for each.
WORTH = {"a": Fraction(1), "b": Fraction(0)}
LONG_S = 600.0
#: DNSMOS's own settings: from which score a response is acceptable, and within which margin two are equal.
ACCEPTABLE, MARGIN = 3.0, 0.2


def test_judges_find_what_is_planted_in_the_demo() -> None:
    call_command("seed_demo", arena=False)
    runs = {run.judge.kind: run for run in Run.objects.select_related("judge")}

    dnsmos = worked(runs["dnsmos"], slice_s=LONG_S)
    assert (dnsmos.status, statuses(dnsmos)) == ("done", ["ok"] * 30)
    assert answers_to(dnsmos, "voice_quality") == answers_by_scores(dnsmos)
    last = sorted((won, name) for name, won in wins(dnsmos, "voice_quality").items())
    # Which of the two is last hangs on one pair whose scores lie close to the margin, and they differ by processor.
    assert {name for _, name in last[:2]} == {NOISY, CLIPPED}
    assert last[1][0] < last[2][0]
    # By the mean of its scores, clipping costs more than noise.
    scores = mean_scores()
    assert sorted(scores, key=scores.__getitem__)[:2] == [CLIPPED, NOISY]

    rules = runs["trace_rules"]
    only_judge(rules, [pair_of(CLEAN, faulty) for faulty in FAULT])
    assert statuses(worked(rules, slice_s=LONG_S)) == ["ok"] * len(FAULT)
    assert faults_found(rules) == {CLEAN: set(), **FAULT}


def statuses(run: Run) -> list[str]:
    return list(run.verdicts.values_list("status", flat=True))


def answers_to(run: Run, aspect: str) -> dict[int, str]:
    """By unit."""
    return dict(VerdictAnswer.objects.filter(verdict__run=run, aspect=aspect).values_list("verdict__unit", "value"))


def answers_by_scores(run: Run) -> dict[int, str]:
    """By unit, what the scores of the two responses say by the paper's steps (TRACE/HCoT §3.2)."""
    found = {}
    for verdict in run.verdicts.select_related("unit"):
        a, b = (score_of(response) for response in (verdict.unit.a_id, verdict.unit.b_id))
        if a < ACCEPTABLE and b < ACCEPTABLE:
            found[verdict.unit_id] = "both_bad"
        elif min(a, b) >= ACCEPTABLE and abs(a - b) <= MARGIN:
            found[verdict.unit_id] = "both_good"
        else:
            found[verdict.unit_id] = "a" if a > b else "b"
    return found


def score_of(response: int | None) -> float:
    heard = ResponseTurn.objects.filter(response=response, clip__features__name="quality")
    return float(np.mean([value["ovrl"] for value in heard.values_list("clip__features__value", flat=True) if value]))


def wins(run: Run, aspect: str) -> dict[str, Fraction]:
    won: dict[str, Fraction] = defaultdict(Fraction)
    for value, a, b in VerdictAnswer.objects.filter(verdict__run=run, aspect=aspect).values_list(
        "value", "verdict__unit__a__system__name", "verdict__unit__b__system__name"
    ):
        of_a = WORTH.get(value, Fraction(1, 2))
        won[a] += of_a
        won[b] += 1 - of_a
    return won


def mean_scores() -> dict[str, float]:
    scores: dict[str, list[float]] = defaultdict(list)
    heard = ResponseTurn.objects.filter(clip__features__name="quality")
    for value, system in heard.values_list("clip__features__value", "response__system__name"):
        assert value is not None
        scores[system].append(value["ovrl"])
    return {system: sum(found) / len(found) for system, found in scores.items()}


def pair_of(one: str, other: str) -> Unit:
    judged = Campaign.objects.get(title__contains="which answer").campaign_units.values("unit")
    pair = Unit.objects.filter(pk__in=judged, a__system__name=one, b__system__name=other).first()
    assert pair is not None
    return pair


def only_judge(run: Run, units: Iterable[Unit]) -> None:
    """The rest is not recognised here, for the sake of time."""
    Verdict.objects.filter(run=run).exclude(unit__in=list(units)).delete()


def faults_found(run: Run) -> dict[str, set[str]]:
    found: dict[str, set[str]] = defaultdict(set)
    for verdict in run.verdicts.select_related("unit__a__system", "unit__b__system"):
        for place, slot in enumerate(verdict.order, 1):
            response = getattr(verdict.unit, slot)
            faults = (found_here[str(place)] for found_here in verdict.said["faults"].values())
            found[response.system.name].update(*faults)
    return found
