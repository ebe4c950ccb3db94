from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("campaigns", "0016_choices_of_the_launch")]

    operations = [
        migrations.AddField(
            model_name="campaign", name="closes_at", field=models.DateTimeField(blank=True, null=True)
        ),
        migrations.AddField(
            model_name="campaign",
            name="closes_when_complete",
            field=models.BooleanField(default=False, help_text="once every unit has its answers"),
        ),
    ]
