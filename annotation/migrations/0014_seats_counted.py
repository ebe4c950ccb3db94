from typing import Any

from django.db import migrations
from django.db.models import Count, OuterRef, Subquery
from django.db.models.functions import Coalesce



def count_seats(apps: Any, _schema_editor: Any) -> None:
    """Give every unit the number of its assignments that hold a seat."""
    assignments = apps.get_model("annotation", "Assignment").objects
    units = apps.get_model("campaigns", "CampaignUnit").objects
    seated = assignments.filter(campaign_unit=OuterRef("pk"), status__in=["reserved", "answered"], excluded=False)
    counts = seated.order_by().values("campaign_unit").annotate(n=Count("pk")).values("n")
    units.update(seats_taken=Coalesce(Subquery(counts), 0))


class Migration(migrations.Migration):
    dependencies = [("annotation", "0013_assignments_by_expiry")]

    operations = [migrations.RunPython(count_seats, migrations.RunPython.noop)]
