from django.db import models


class KeptFigures(models.Model):
    """Figures that take long to compute, as a job computed them last."""

    name = models.CharField(max_length=40, unique=True)
    data = models.JSONField()
    at = models.DateTimeField(help_text="when they were computed")

    class Meta:
        ordering = ["name"]

    def __str__(self) -> str:
        return f"{self.name}, {self.at:%Y-%m-%d %H:%M}"
