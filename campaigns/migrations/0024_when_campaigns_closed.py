from django.db import migrations
from django.utils import timezone


def count_from_now(apps, _schema_editor):
    """Nobody wrote down when they closed: what is kept for some days after is kept for some days from now."""
    apps.get_model("campaigns", "Campaign").objects.filter(status="closed").update(closed_at=timezone.now())


class Migration(migrations.Migration):

    dependencies = [("campaigns", "0023_retention")]

    operations = [migrations.RunPython(count_from_now, migrations.RunPython.noop, elidable=True)]
