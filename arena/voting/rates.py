"""How many votes came in each hour of the last day."""

from datetime import datetime, timedelta

from django.db.models import Count
from django.db.models.functions import TruncHour
from django.utils import timezone

from annotation.models import Annotation
from campaigns.models import Campaign

HOURS = 24


def votes_by_hour(campaign: Campaign) -> list[tuple[datetime, int]]:
    """Each of the last hours with the votes that were given in it, the latest first."""
    now = timezone.localtime().replace(minute=0, second=0, microsecond=0)
    since = now - timedelta(hours=HOURS - 1)
    rows = Annotation.objects.filter(assignment__campaign=campaign, supersedes=None, recorded_at__gte=since)
    counted = rows.order_by().values(hour=TruncHour("recorded_at")).annotate(n=Count("pk"))
    found = {row["hour"]: row["n"] for row in counted}
    hours = (now - timedelta(hours=n) for n in range(HOURS))
    return [(hour, found.get(hour, 0)) for hour in hours]
