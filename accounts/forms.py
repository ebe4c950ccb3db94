from django.contrib.auth.forms import BaseUserCreationForm

from accounts.models import User


class KeepForm(BaseUserCreationForm):  # type: ignore[type-arg]  # at run time it takes none
    """A username and a password, twice. No e-mail address: nothing is ever sent."""

    class Meta:
        model = User
        fields = ("username",)
