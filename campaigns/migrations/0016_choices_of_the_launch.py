from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("campaigns", "0015_quality_rules")]

    operations = [
        migrations.AddField(
            model_name="campaign",
            name="systems",
            field=models.ManyToManyField(
                blank=True, help_text="that take part; none means all", related_name="+", to="campaigns.system"
            ),
        ),
        migrations.AddField(
            model_name="campaign",
            name="units_choice",
            field=models.JSONField(
                blank=True, default=dict, help_text="how the units were chosen (choosing.UnitsChoice)"
            ),
        ),
        migrations.AddField(
            model_name="campaign",
            name="launch_steps",
            field=models.JSONField(
                blank=True, default=list, help_text="steps of the launch that were gone through"
            ),
        ),
    ]
