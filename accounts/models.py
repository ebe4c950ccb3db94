from collections.abc import Iterator
from typing import Any, ClassVar

from django.contrib.auth.models import AbstractUser
from django.contrib.auth.models import UserManager as DjangoUserManager
from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django_otp.models import Device, ThrottlingMixin, TimestampMixin
from django_otp.plugins.otp_totp.models import TOTPDevice

from accounts.sealing import sealed, unsealed


def folded(username: str) -> str:
    """What two usernames have in common that differ only in capitals, in any script."""
    return User.normalize_username(username).casefold()


class FoldedUsername(models.CharField):  # type: ignore[type-arg]  # at run time it takes none
    """The username of its row as `folded` makes it; SQLite itself knows the capitals of ASCII alone."""

    def pre_save(self, model_instance: Any, add: bool) -> str:  # noqa: ARG002 - Django passes it
        value = folded(model_instance.username)
        setattr(model_instance, self.attname, value)
        return value


class UserManager(DjangoUserManager["User"]):
    def named(self, username: str) -> models.QuerySet["User"]:
        """The user with this name, in any capitals; nobody, or one."""
        return self.filter(username_folded=folded(username))

    def get_by_natural_key(self, username: str | None) -> "User":
        """By which a user logs in. Raises User.DoesNotExist."""
        return self.named(username or "").get()


class User(AbstractUser):  # type: ignore[django-manager-missing]  # of Authenticator, whose base is untyped
    """An account. What it may do in a campaign is a Membership; superusers administer the installation."""

    is_researcher = models.BooleanField(
        _("researcher"), default=False, help_text=_("May import datasets and launch campaigns.")
    )
    is_guest = models.BooleanField(
        _("guest"), default=False, help_text=_("Came by an invitation link, without a password. May only label.")
    )
    times_logged_out = models.PositiveIntegerField(
        default=0, help_text="how often all sessions of the account were ended; part of what a session is checked by"
    )

    last_worked_at = models.DateTimeField(
        null=True, editable=False, help_text="when it was shown a unit last, of campaigns that were deleted since"
    )

    is_demo = models.BooleanField(default=False, help_text="made by the demo, and cleared with it")

    #: Three times as long: that is how much longer the letters of a name can become.
    username_folded = FoldedUsername(
        max_length=450, unique=True, editable=False, help_text="the username without regard to capitals"
    )

    objects: ClassVar[UserManager] = UserManager()

    @property
    def may_launch(self) -> bool:
        return (self.is_researcher or self.is_superuser) and not self.is_guest

    def get_session_auth_hash(self) -> str:
        return f"{super().get_session_auth_hash()}.{self.times_logged_out}"

    def get_session_auth_fallback_hash(self) -> Iterator[str]:
        for digest in super().get_session_auth_fallback_hash():
            yield f"{digest}.{self.times_logged_out}"


class ApiToken(models.Model):
    """A token with which a program uses the API. Only its hash is stored."""

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="api_tokens")
    name = models.CharField(max_length=80)
    scopes = models.JSONField(help_text="names of accounts.tokens.tokens.Scope")
    digest = models.CharField(max_length=64, unique=True, help_text="SHA-256 of the token, which is long and random")
    hint = models.CharField(max_length=12, help_text="how the token begins, to tell one from another")
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField()
    last_used_at = models.DateTimeField(null=True)
    revoked_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["-pk"]

    def __str__(self) -> str:
        return f"{self.name} of {self.user}"

    @property
    def has_expired(self) -> bool:
        return self.expires_at <= timezone.now()


class KeptReply(models.Model):
    """The API's reply to a request with an Idempotency-Key. Without a status the request is in progress."""

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="+")
    key = models.CharField(max_length=255)
    request = models.CharField(max_length=64, help_text="SHA-256 of method, address and body")
    status = models.PositiveSmallIntegerField(null=True)
    body = models.JSONField(null=True)
    is_emptied = models.BooleanField(
        default=False, help_text="something was deleted since, which the body could name"
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["user", "key"], name="one_reply_per_key")]

    def __str__(self) -> str:
        return f"reply to {self.key}"


class FailedAttempt(models.Model):
    """A failed or pending login attempt. Deleted as soon as it no longer counts."""

    account = models.CharField(max_length=64, help_text="a keyed hash of what was typed")
    address = models.CharField(max_length=64, help_text="a keyed hash")
    failed_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        indexes = [
            models.Index(fields=["address", "failed_at"], name="attempts_of_address"),
            models.Index(fields=["account", "failed_at"], name="attempts_at_account"),
        ]

    def __str__(self) -> str:
        return f"failed at {self.failed_at:%H:%M}"


class SetupCode(models.Model):
    """A code for creating the first administrator. Only its hash is stored, until it is used or has expired."""

    digest = models.CharField(max_length=64, unique=True, help_text="SHA-256 of the code, which is long and random")
    made_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return f"made at {self.made_at:%H:%M}"


class Identity(models.Model):
    """An account's identity at the single sign-on provider."""

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="identities")
    issuer = models.CharField(max_length=255)
    subject = models.CharField(max_length=255)
    linked_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["pk"]
        constraints = [models.UniqueConstraint(fields=["issuer", "subject"], name="one_account_per_identity")]

    def __str__(self) -> str:
        return f"{self.user} at {self.issuer}"


class AppendOnly(models.QuerySet["AuditEntry"]):
    """Rows that the application neither changes nor removes."""

    def update(self, **_values: object) -> int:
        raise TypeError("Entries of the audit log are only appended.")

    def delete(self) -> tuple[int, dict[str, int]]:
        raise TypeError("Entries of the audit log are only appended.")


class AuditEntry(models.Model):
    """What changed rights, data or the secrecy of names. Append-only; accounts are numbers here, not names."""

    class Subject(models.TextChoices):
        ACCOUNT = "account", _("Account")
        DATASET = "dataset", _("Dataset")
        IMPORT = "import", _("Import")
        CAMPAIGN = "campaign", _("Campaign")
        PROTOCOL = "protocol", _("Protocol")
        JUDGE = "judge", _("Judge")
        MODEL = "model", _("Model")
        INSTALLATION = "installation", _("Installation")

    at = models.DateTimeField(default=timezone.now, db_index=True)
    by = models.ForeignKey(
        User,
        null=True,
        on_delete=models.DO_NOTHING,
        db_constraint=False,
        related_name="+",
        help_text="empty for the installation itself and its commands; the account may be gone since",
    )
    event = models.CharField(max_length=64, db_index=True, help_text="a code of accounts/audit_log/entries.py")
    params = models.JSONField(default=dict)
    subject_kind = models.CharField(max_length=16, choices=Subject.choices)
    subject_number = models.BigIntegerField(null=True, help_text="its primary key; it may be gone since")
    subject_name = models.CharField(max_length=200, blank=True, help_text="its name then; empty for accounts")

    objects = AppendOnly.as_manager()

    class Meta:
        ordering = ["-pk"]
        indexes = [models.Index(fields=["subject_kind", "subject_number"], name="audit_entries_of_subject")]

    def __str__(self) -> str:
        return f"{self.event} at {self.at:%Y-%m-%d %H:%M}"

    def save(self, *args: Any, **options: Any) -> None:
        if self.pk:
            raise TypeError("Entries of the audit log are only appended.")
        super().save(*args, **options)

    def delete(self, *_args: Any, **_options: Any) -> tuple[int, dict[str, int]]:
        raise TypeError("Entries of the audit log are only appended.")


class Authenticator(TimestampMixin, ThrottlingMixin, Device):  # type: ignore[misc]  # django-otp brings no types
    """An authenticator that shows codes (TOTP, RFC 6238): that of django-otp, with its key stored encrypted.

    Six digits, a new code every thirty seconds since 1970, and that before and after it taken, too.
    """

    step, t0, digits, tolerance = 30, 0, 6, 1

    sealed_key: "models.TextField[str, str]" = models.TextField(help_text="see accounts/sealing.py")
    drift: "models.SmallIntegerField[int, int]" = models.SmallIntegerField(
        default=0, help_text="steps by which its clock is known to be off"
    )
    last_t: "models.BigIntegerField[int, int]" = models.BigIntegerField(
        default=-1, help_text="the step of the newest code; only later ones are taken"
    )

    verify_token = TOTPDevice.verify_token
    get_throttle_factor = TOTPDevice.get_throttle_factor
    config_url = TOTPDevice.config_url
    _read_str_from_settings = TOTPDevice._read_str_from_settings  # noqa: SLF001 - config_url calls it

    @property
    def bin_key(self) -> bytes:
        """Raises KeyLost."""
        return bytes.fromhex(unsealed(self.sealed_key))

    @bin_key.setter
    def bin_key(self, key: bytes) -> None:
        self.sealed_key = sealed(key.hex())
