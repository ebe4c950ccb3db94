from django.db import models


class WorkerBeat(models.Model):
    """When a worker was last seen at work; written by a task."""

    name = models.CharField(max_length=200, unique=True, help_text="as Celery calls it")
    seen_at = models.DateTimeField()

    class Meta:
        ordering = ["name"]

    def __str__(self) -> str:
        return f"{self.name}, seen {self.seen_at:%Y-%m-%d %H:%M:%S}"
