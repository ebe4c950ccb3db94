"""How many votes there are, for Prometheus."""

from collections.abc import Iterator

from django.db.models import Sum
from prometheus_client.metrics_core import Metric

from analytics.models import VoteCount
from annotation.models import VoteChange
from infrastructure.gauges import gauge


def votes() -> Iterator[Metric]:
    folded = VoteCount.objects.aggregate(n=Sum("n"))["n"] or 0
    rest = VoteChange.objects.filter(fold=None).aggregate(n=Sum("change"))["n"] or 0
    yield gauge("votes", "Answers that compare two responses and stand, those left out included.", folded + rest)
