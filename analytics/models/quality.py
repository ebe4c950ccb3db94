from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from campaigns.models import Campaign, Membership
from infrastructure.wording.reason_field import ReasonField, ReasonsField


class QualityLook(models.Model):
    """The state of a campaign's answers at the last evaluation, so that the next one runs only if they changed."""

    campaign = models.OneToOneField(Campaign, on_delete=models.CASCADE, related_name="quality_look")
    newest = models.PositiveBigIntegerField(default=0, help_text="the last annotation's id")
    n = models.PositiveIntegerField(default=0, help_text="so many annotations: ids may come out of order")
    rules = models.PositiveBigIntegerField(default=0, help_text="the id of the rules, 0 for the defaults")
    made_at = models.DateTimeField(null=True)
    took_s = models.FloatField(default=0.0)
    found = ReasonsField(default=dict, help_text="what each signal said, by signal and membership, for the pages")

    def __str__(self) -> str:
        return f"look at {self.campaign}"


class QualityFlag(models.Model):
    """A signal's finding about one annotator, the action taken, and how it ended. Appended only.

    It is about the membership, and so about a pseudonym: it stays true when the person withdraws.
    """

    class Event(models.TextChoices):
        CROSSED = "crossed", _("Raised")
        RECOVERED = "recovered", _("Is all right again")
        LIFTED = "lifted", _("Reversed by a person")

    membership = models.ForeignKey(Membership, on_delete=models.CASCADE, related_name="quality_flags")
    signal = models.CharField(max_length=40)
    event = models.CharField(max_length=10, choices=Event)
    value = models.FloatField(null=True)
    n = models.PositiveIntegerField(default=0)
    rule = models.JSONField(default=dict, help_text="as it was then: tolerated, minimum, action")
    action = models.CharField(max_length=10, help_text="what was done")
    detail = ReasonField(help_text="what it counted, or what a person says who reverses it")
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+")
    made_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["pk"]
        indexes = [models.Index(fields=["membership", "signal"], name="flags_of_membership")]
        constraints = [
            models.CheckConstraint(
                condition=Q(event="lifted", by__isnull=False) | ~Q(event="lifted") & Q(by__isnull=True),
                name="only_people_take_back",
            )
        ]

    def __str__(self) -> str:
        return f"{self.signal} {self.event} for {self.membership}"


class Rehearsal(models.Model):
    """Marks a campaign that only simulated annotators answer; only marked campaigns are ever removed."""

    campaign = models.OneToOneField(Campaign, on_delete=models.CASCADE, related_name="rehearsal")
    made_dataset = models.BooleanField(default=False, help_text="its dataset was made for it, and goes with it")
    is_kept = models.BooleanField(default=False)
    made_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return f"rehearsal in {self.campaign}"
