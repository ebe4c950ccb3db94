from django.db import models


class Claimable(models.Model):
    """Work to be done: one worker at a time claims the row, and keeps it by a heartbeat (`background/queues.py`)."""

    tries = models.PositiveIntegerField(
        default=0, help_text="counts the workers that claimed it; only the latest may write what came of it"
    )
    heartbeat_at = models.DateTimeField(
        null=True, help_text="the last sign of life of the worker that has it; none while no worker has it"
    )

    class Meta:
        abstract = True
