"""How a judge holds under probes: the share of verdicts that are the same on changed copies, with its interval."""

from dataclasses import dataclass

from judges.models import Run
from judges.runs.probes import Unchanged, unchanged
from judges.sounds.perturbations import Perturbation
from stats.proportions import wilson
from stats.results import Interval


@dataclass(frozen=True)
class ProbedAspect:
    """One aspect under one probe; without an interval, nothing could be compared."""

    of: Unchanged
    interval: Interval | None


@dataclass(frozen=True)
class Probed:
    run: Run
    perturbation: Perturbation
    aspects: list[ProbedAspect]


def probe_report(run: Run) -> list[Probed]:
    """Every probe of the run that is done, by what was changed and by how much (AudioJudge, section 6)."""
    probes = run.probes.filter(status=Run.Status.DONE).select_related("judge")
    found = []
    for probe in probes:
        probe.campaign, probe.unperturbed = run.campaign, run
        aspects = [ProbedAspect(one, wilson(one.same, one.n)) for one in unchanged(probe)]
        found.append(Probed(probe, Perturbation.from_json(probe.perturbation or {}), aspects))
    return sorted(found, key=lambda one: (one.perturbation.name, one.perturbation.value))
