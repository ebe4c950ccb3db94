"""What people answered, for Prometheus."""

from collections.abc import Iterator

from prometheus_client.metrics_core import Metric

from annotation.models import Annotation
from infrastructure.gauges import gauge


def answers() -> Iterator[Metric]:
    yield gauge("annotations", "Units answered by people, each change of mind included.", Annotation.objects.count())
