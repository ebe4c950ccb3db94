"""How many campaigns there are, for Prometheus."""

from collections.abc import Iterator

from prometheus_client.metrics_core import Metric

from campaigns.models import Campaign
from infrastructure.gauges import by_status


def campaigns() -> Iterator[Metric]:
    yield by_status("campaigns", "Campaigns.", Campaign.objects, Campaign.Status)
