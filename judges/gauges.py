"""What judges do, for Prometheus."""

from collections.abc import Iterator

from prometheus_client.metrics_core import Metric

from infrastructure.gauges import by_status
from judges.models import Run, Verdict


def judging() -> Iterator[Metric]:
    yield by_status("verdicts", "Verdicts of judges; waiting ones are still to do.", Verdict.objects, Verdict.Status)
    yield by_status("runs", "Runs of judges.", Run.objects, Run.Status)
