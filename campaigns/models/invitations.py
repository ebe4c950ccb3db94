import secrets

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from campaigns.models.campaigns import Campaign


def new_token() -> str:
    """192 random bits: a link cannot be guessed. It is kept as it is, because it is shown to the researcher again."""
    return secrets.token_urlsafe(24)


class Panel(models.TextChoices):
    """From where people come who are known by a participant number and are paid elsewhere."""

    NONE = "", _("No panel")
    PROLIFIC = "prolific", "Prolific"
    PID = "pid", _("Another panel, with ?pid=")


class Outcome(models.TextChoices):
    """The result for a panel's participant; a link may have a code for each."""

    COMPLETED = "completed", _("Completed")
    SCREENED_OUT = "screened_out", _("Screened out")
    FAILED_CHECK = "failed_check", _("Failed a check")
    NO_CONSENT = "no_consent", _("Did not agree")


class Invitation(models.Model):
    """A link by which people join a campaign as annotators."""

    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="invitations")
    token = models.CharField(max_length=64, unique=True, default=new_token)
    note = models.CharField(max_length=200, blank=True)
    max_uses = models.PositiveIntegerField(null=True, help_text="1 for a link for one person; empty for no limit")
    allows_guests = models.BooleanField(default=True, help_text="whether people may come without an account")
    minutes = models.PositiveIntegerField(null=True, help_text="how long it takes, as the invitation page says")
    expires_at = models.DateTimeField(null=True)
    revoked_at = models.DateTimeField(null=True)
    panel = models.CharField(max_length=10, choices=Panel, blank=True, default=Panel.NONE)
    return_url = models.CharField(max_length=500, blank=True, help_text="of a panel, with {pid} and {code} in it")
    code_completed = models.CharField(max_length=60, blank=True)
    code_screened_out = models.CharField(max_length=60, blank=True)
    code_failed_check = models.CharField(max_length=60, blank=True)
    code_no_consent = models.CharField(max_length=60, blank=True)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-pk"]
        constraints = [
            models.CheckConstraint(condition=Q(max_uses=None) | Q(max_uses__gte=1), name="a_link_has_a_use"),
            models.CheckConstraint(condition=~Q(panel="") | Q(return_url=""), name="only_panels_are_returned_to"),
        ]

    def __str__(self) -> str:
        return f"invitation {self.pk} to {self.campaign}"

    def get_absolute_url(self) -> str:
        return reverse("join", args=[self.token])

    @property
    def has_expired(self) -> bool:
        return self.expires_at is not None and self.expires_at <= timezone.now()

    def code_for(self, outcome: str) -> str:
        return str(getattr(self, f"code_{outcome}"))


class Arrival(models.Model):
    """A person who came by a link. The only table with participant numbers."""

    invitation = models.ForeignKey(Invitation, on_delete=models.CASCADE, related_name="arrivals")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="arrivals")
    use = models.PositiveIntegerField(help_text="1 for the first person who came, and so on")
    click = models.CharField(max_length=32, blank=True, help_text="of the page from which the annotator joined")
    participant = models.CharField(max_length=100, blank=True, help_text="PROLIFIC_PID or pid")
    study = models.CharField(max_length=100, blank=True, help_text="STUDY_ID")
    session = models.CharField(max_length=100, blank=True, help_text="SESSION_ID of the last time")
    arrived_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(fields=["invitation", "use"], name="one_arrival_per_use"),
            models.UniqueConstraint(fields=["invitation", "user"], name="one_arrival_per_person"),
            models.UniqueConstraint(
                fields=["invitation", "participant"], condition=~Q(participant=""), name="one_arrival_per_participant"
            ),
            models.UniqueConstraint(
                fields=["invitation", "click"], condition=~Q(click=""), name="one_arrival_per_click"
            ),
        ]

    def __str__(self) -> str:
        return f"arrival {self.pk}"


class ConsentText(models.Model):
    """What annotators of a campaign agree to before they start. A change is a new version."""

    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="consent_texts")
    version = models.PositiveIntegerField()
    text = models.TextField()
    made_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    made_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-version"]
        constraints = [
            models.UniqueConstraint(fields=["campaign", "version"], name="one_consent_text_per_version"),
            models.CheckConstraint(condition=~Q(text=""), name="a_consent_text_says_something"),
        ]

    def __str__(self) -> str:
        return f"consent to {self.campaign}, version {self.version}"


class Consent(models.Model):
    """An account agreed to a version of the consent text."""

    text = models.ForeignKey(ConsentText, on_delete=models.CASCADE, related_name="consents")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="consents")
    given_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["pk"]
        constraints = [models.UniqueConstraint(fields=["text", "user"], name="one_consent_per_text_and_person")]

    def __str__(self) -> str:
        return f"{self.text} by {self.user}"
