"""Probes: a run on perturbed copies, and how many of its verdicts are still those of the unperturbed run."""

from dataclasses import dataclass

from accounts.models import User
from judges import reasons
from judges.models import Run
from judges.runs.lifecycle import CannotRun, Plan, start_run
from judges.sounds.perturbations import Perturbation
from judges.verdicts.aggregated import Place, reconciled_answers


@dataclass(frozen=True)
class Unchanged:
    """Of `n` answers that both runs have, so many are the same; the others have none in one of the two."""

    aspect: str
    title: str
    same: int
    n: int
    missing: int

    @property
    def share(self) -> float | None:
        return self.same / self.n if self.n else None


def start_probe(run: Run, perturbation: Perturbation, *, user: User) -> Run:
    """The same judge over the same units, changed in one way. Raises CannotRun."""
    if run.status != Run.Status.DONE or run.unperturbed_id:
        raise CannotRun(reasons.PROBE_OF_PROBE())
    if perturbation.name == "swapped_order" and run.orders == Run.Orders.BOTH:
        raise CannotRun(reasons.BOTH_ORDERS_ASKED())
    orders = _TURNED[run.orders] if perturbation.name == "swapped_order" else run.orders
    plan = Plan(
        orders=orders,
        samples=run.samples,
        budget_usd=run.budget_usd,
        label_set=run.label_set,
        perturbation=perturbation,
        unperturbed=run,
    )
    return start_run(run.campaign, run.judge, plan=plan, user=user)


def unchanged(probe: Run) -> list[Unchanged]:
    """By aspect; both orders and several samples are reconciled first, in either run."""
    if probe.unperturbed is None:
        return []
    probe.unperturbed.campaign = probe.campaign
    clean, changed = _values(probe.unperturbed), _values(probe)
    found = []
    for aspect in probe.campaign.protocol.counted_aspects:
        places = {place for place in clean.keys() | changed.keys() if place[1] == aspect.name}
        both = [place for place in places if clean.get(place) is not None and changed.get(place) is not None]
        same = sum(clean[place] == changed[place] for place in both)
        found.append(Unchanged(aspect.name, aspect.title, same, len(both), len(places) - len(both)))
    return found


_TURNED: dict[str, str] = {"ab": "ba", "ba": "ab"}


def _values(run: Run) -> dict[Place, str | None]:
    return {place: one.value for place, one in reconciled_answers(run).items()}
