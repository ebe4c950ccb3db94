"""Figures of an installation for Prometheus: every app registers what it counts, and config serves all of them."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from django.db.models import Count, Manager, Min, TextChoices
from django.utils import timezone
from prometheus_client.metrics_core import GaugeMetricFamily, Metric

from infrastructure.background.workers import last_sign_of_life
from infrastructure.models import Delivery, Job

#: Reads some figures from the database, each time that it is asked.
Reader = Callable[[], Iterable[Metric]]
_readers: list[Reader] = []


def register(reader: Reader) -> None:
    _readers.append(reader)


def read_gauges() -> Iterator[Metric]:
    """What every app registered. Raises DatabaseError."""
    for reader in _readers:
        yield from reader()


def gauge(name: str, help_text: str, value: float) -> Metric:
    return GaugeMetricFamily(f"earshot_{name}", help_text, value=value)


def by_status(name: str, help_text: str, rows: Manager[Any], statuses: type[TextChoices]) -> Metric:
    """Every status, those that nothing is in with nought."""
    counted = dict(rows.order_by().values_list("status").annotate(n=Count("pk")))
    family = GaugeMetricFamily(f"earshot_{name}", help_text, labels=["status"])
    for status in statuses:
        family.add_metric([status.value], counted.get(status.value, 0))
    return family


def background_work() -> Iterator[Metric]:
    now = timezone.now()
    yield by_status("jobs", "Background jobs.", Job.objects, Job.Status)
    yield by_status("deliveries", "Events on their way to webhooks.", Delivery.objects, Delivery.Status)
    oldest = Job.objects.filter(status=Job.Status.QUEUED).aggregate(at=Min("created_at"))["at"]
    yield gauge(
        "oldest_queued_job_seconds", "How long it has waited.", (now - oldest).total_seconds() if oldest else 0
    )
    if seen := last_sign_of_life():
        yield gauge("worker_heartbeat_age_seconds", "Since any worker was seen.", (now - seen).total_seconds())
