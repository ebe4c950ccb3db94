"""What a rehearsal showed: per kind how many were caught, by what and how soon, and what that means for the rules."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from statistics import median
from typing import Any

from analytics.quality.signals import SIGNALS
from analytics.simulation.panel import KINDS
from analytics.simulation.session import Caught

#: Of each bad kind so many should be caught, and of honest people no more be flagged.
CAUGHT, FLAGGED = 0.9, 0.1


@dataclass(frozen=True)
class KindReport:
    """`by` counts annotators by signal; `after` is the median number of answers before the first flag."""

    kind: str
    n: int
    caught: int
    by: dict[str, int]
    after: float | None

    @property
    def holds(self) -> bool:
        share = self.caught / self.n if self.n else 0.0
        return share <= FLAGGED if self.kind == "honest" else share >= CAUGHT


@dataclass(frozen=True)
class Report:
    """`silent` are the signals that had nothing to go by; `sessions` how many were simulated without a database."""

    campaign: str
    seed: int
    units: int
    kinds: tuple[KindReport, ...]
    silent: tuple[str, ...] = ()
    refused: int = 0
    sessions: tuple[dict[str, int], ...] = ()
    each: int = 10

    @property
    def holds(self) -> bool:
        return all(kind.holds for kind in self.kinds)

    def document(self) -> dict[str, Any]:
        return asdict(self) | {"holds": self.holds}


def by_kind(caught: Iterable[Caught]) -> tuple[KindReport, ...]:
    found = list(caught)
    kinds = [kind for kind in KINDS if any(one.kind == kind for one in found)]
    return tuple(_of_kind(kind, [one for one in found if one.kind == kind]) for kind in kinds)


def _of_kind(kind: str, found: Sequence[Caught]) -> KindReport:
    times = [one.after for one in found if one.after is not None]
    by = Counter(signal for one in found for signal in one.by)
    return KindReport(kind, len(found), len(times), dict(by.most_common()), median(times) if times else None)


def lines(report: Report) -> Iterator[str]:
    """The report as text."""
    yield f"Rehearsal of {report.campaign}, seed {report.seed}, {report.units} units each"
    yield ""
    yield f"{'kind':<16}{'caught':>8}{'after':>8}  by"
    for kind in report.kinds:
        after = "–" if kind.after is None else f"{kind.after:g}"
        by = ", ".join(f"{signal} {n}" for signal, n in kind.by.items()) or "nothing"
        yield f"{kind.kind:<16}{f'{kind.caught}/{kind.n}':>8}{after:>8}  {by}"
    yield ""
    yield from _meaning(report)
    if report.sessions:
        yield ""
        yield from _distribution(report)


def _meaning(report: Report) -> Iterator[str]:
    yield "The rules hold what they should." if report.holds else "The rules do not hold what they should."
    for kind in report.kinds:
        if not kind.holds and kind.kind == "honest":
            signals = ", ".join(kind.by)
            yield f"- {kind.caught} of {kind.n} honest people were flagged, by {signals}: tolerate more there."
        elif not kind.holds:
            yield f"- Only {kind.caught} of {kind.n} of the kind {kind.kind} were caught: add gold units or traps."
    for name in report.silent:
        yield f"- {SIGNALS[name].title} had nothing to go by: it needs {SIGNALS[name].needs}."
    if report.refused:
        yield f"- {report.refused} answers were refused at first, because too little had been heard."


def _distribution(report: Report) -> Iterator[str]:
    yield f"{len(report.sessions)} sessions in memory alone, with the same rules and {report.each} of each kind:"
    yield f"{'kind':<16}{'least':>8}{'mean':>8}{'most':>8}"
    for kind in report.sessions[0]:
        counts = [session[kind] for session in report.sessions]
        yield f"{kind:<16}{min(counts):>8}{sum(counts) / len(counts):>8.1f}{max(counts):>8}"
