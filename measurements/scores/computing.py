"""Computing metrics over the responses of a dataset, in the background, and keeping what came."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils.translation import gettext as _

from accounts.models import User
from corpus.models import Clip, Dataset, Response, ResponseTurn, System, Turn, Unit, UnitMember
from infrastructure.background.jobs import start_job
from infrastructure.background.kinds import ShowProgress
from infrastructure.models import Job
from measurements import reasons
from measurements.metrics.contract import Evidence, Input, Metric, score_response, score_system
from measurements.metrics.registry import METRICS
from measurements.models import MetricRun, MetricScore
from measurements.scores.evidence import AUDIO, PITCH, READERS, Readers, evidence_of
from measurements.scores.features import extract_needed
from measurements.scores.jobs import KIND, metrics_job

BATCH = 20
Source = MetricScore.Source


@dataclass
class Work:
    """The metrics of a run, and what metrics of whole systems still need of each response."""

    metrics: list[Metric]
    of_systems: dict[int, list[Evidence]] = field(default_factory=dict)

    @property
    def inputs(self) -> frozenset[Input]:
        return frozenset(name for metric in self.metrics for name in (*metric.inputs, *metric.hints))

    @property
    def per_response(self) -> list[Metric]:
        return [metric for metric in self.metrics if metric.function]

    @property
    def per_system(self) -> list[Metric]:
        return [metric for metric in self.metrics if metric.corpus]


def computable(names: Iterable[str]) -> list[Metric]:
    """The metrics of these names. Raises ValueError for one that is not known or cannot be computed here."""
    metrics = []
    for name in dict.fromkeys(names):
        if (metric := METRICS.get(name)) is None:
            raise ValueError(_("There is no metric %(name)s.") % {"name": repr(name)})
        if metric.is_imported_only:
            raise ValueError(
                _("%(metric)s: its scores are imported; nothing here computes it.") % {"metric": metric.title}
            )
        metrics.append(metric)
    if not metrics:
        raise ValueError(_("Choose a metric."))
    return metrics


@transaction.atomic
def start_metrics(dataset: Dataset, *, names: Iterable[str], user: User) -> Job:
    """Have metrics computed over every response. Raises ValueError; while a run goes on, that one is it."""
    chosen = [metric.name for metric in computable(names)]
    if (current := metrics_job(dataset)) and current.is_active:
        return current
    run = MetricRun.objects.create(dataset=dataset, names=chosen, started_by=user)
    return start_job(KIND, subject=run.pk, started_by=user)


def run_metrics(subject: str, progress: ShowProgress) -> None:
    """The job: features first, then metrics. What a worker that died had done is not done again."""
    run = MetricRun.objects.select_related("dataset").get(pk=int(subject))
    extract_needed(run.dataset, Work(computable(run.names)).inputs, progress)
    compute_metrics(run.dataset, names=run.names, progress=progress, run=run)


def compute_metrics(
    dataset: Dataset,
    *,
    names: Iterable[str],
    progress: ShowProgress,
    run: MetricRun | None = None,
    units: QuerySet[Unit] | None = None,
    readers: Readers = READERS,
) -> None:
    """Compute each metric for each response and each system, and keep it in place of what was computed before.

    With units of the dataset, only for the responses in them; a system as a whole is then left alone, as
    its value is of all of its responses. Raises ValueError for a metric that cannot be computed here.
    """
    work = Work(computable(names))
    responses = _responses(dataset, units)
    total, done = responses.count(), 0
    done_before = set(run.scores.values_list("response", flat=True)) if run else set()
    for batch in _batches(responses):
        rows, knowing = [], readers.knowing(_clips_of(batch))
        for response in batch:
            rows += _scores_of(response, work, run, is_done=response.pk in done_before, readers=knowing)
            done += 1
            progress(done, total, reasons.COMPUTING_METRICS())
        _replace(rows, [metric.name for metric in work.per_response], responses=[row.pk for row in batch])
    if units is None:
        _score_systems(dataset, work, run)


def _responses(dataset: Dataset, units: QuerySet[Unit] | None) -> QuerySet[Response]:
    rows = Response.objects.filter(item__dataset=dataset).select_related("item", "system").order_by("pk")
    if units is not None:
        rows = rows.filter(pk__in=responses_in(units))
    return rows.prefetch_related("turns__clip", "item__turns__clip")


def responses_in(units: QuerySet[Unit]) -> QuerySet[Response]:
    """Every response that is heard in one of the units."""
    members = UnitMember.objects.filter(unit__in=units)
    return Response.objects.filter(
        Q(pk__in=units.values("a")) | Q(pk__in=units.values("b")) | Q(pk__in=members.values("response"))
    )


def _batches(responses: QuerySet[Response]) -> Iterator[list[Response]]:
    """A few at a time, by key: prefetching for all at once would hold every text in memory."""
    last = 0
    while batch := list(responses.filter(pk__gt=last)[:BATCH]):
        yield batch
        last = batch[-1].pk


def _clips_of(responses: Iterable[Response]) -> list[Clip]:
    """The clips of both sides, as they were prefetched."""
    clips: dict[int, Clip] = {}
    for response in responses:
        sides: tuple[Iterable[Turn | ResponseTurn], ...] = (response.item.turns.all(), response.turns.all())
        clips |= {turn.clip.pk: turn.clip for turns in sides for turn in turns if turn.clip}
    return list(clips.values())


def _scores_of(
    response: Response, work: Work, run: MetricRun | None, *, is_done: bool, readers: Readers
) -> list[MetricScore]:
    """The scores of a response; where it is done already, only its evidence for metrics of systems is taken."""
    needed = work.inputs - AUDIO - set(PITCH) if is_done else work.inputs
    evidence, made_of = evidence_of(response, needed, readers=readers)
    if work.per_system:
        light = {name: value for name, value in evidence.values.items() if name not in AUDIO}
        work.of_systems.setdefault(response.system_id, []).append(Evidence(light, evidence.missing))
    if is_done:
        return []
    rows = []
    for metric in work.per_response:
        score = score_response(metric, evidence)
        rows.append(
            MetricScore(
                system=response.system, response=response, metric=metric.name, version=metric.version, run=run,
                source=Source.COMPUTED, value=score.value, reason=score.reason,
                made_of=made_of if Input.TRANSCRIPT in metric.inputs else {},
            )
        )  # fmt: skip
    return rows


@transaction.atomic
def _replace(rows: list[MetricScore], names: Sequence[str], *, responses: Sequence[int]) -> None:
    made = {row.response_id for row in rows}
    there = MetricScore.objects.filter(source=Source.COMPUTED, metric__in=names, response__in=made & set(responses))
    there.delete()
    MetricScore.objects.bulk_create(rows, 500)


@transaction.atomic
def _score_systems(dataset: Dataset, work: Work, run: MetricRun | None) -> None:
    names = [metric.name for metric in work.per_system]
    systems = System.objects.filter(dataset=dataset)
    MetricScore.objects.filter(source=Source.COMPUTED, metric__in=names, response=None, system__in=systems).delete()
    rows = []
    for system in systems:
        for metric in work.per_system:
            score, n = score_system(metric, work.of_systems.get(system.pk, []))
            rows.append(
                MetricScore(
                    system=system, metric=metric.name, version=metric.version, source=Source.COMPUTED, run=run,
                    value=score.value, reason=score.reason, n=n,
                )
            )  # fmt: skip
    MetricScore.objects.bulk_create(rows, 500)
