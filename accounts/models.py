from django.contrib.auth.models import AbstractUser
from django.db import models
from django.utils.translation import gettext_lazy as _


class User(AbstractUser):
    """An account. What it may do in a campaign is a Membership; superusers administer the installation."""

    is_researcher = models.BooleanField(
        _("researcher"), default=False, help_text=_("May import datasets and launch campaigns.")
    )
    is_guest = models.BooleanField(
        _("guest"), default=False, help_text=_("Came by an invitation link, without a password. May only label.")
    )

    @property
    def may_launch(self) -> bool:
        return (self.is_researcher or self.is_superuser) and not self.is_guest
