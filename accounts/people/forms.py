from django import forms
from django.utils.translation import gettext_lazy as _

from accounts.models import User


class AccountForm(forms.ModelForm):  # type: ignore[type-arg]  # at run time it takes none
    """A new account, as an administrator makes it. Its owner chooses the password."""

    class Meta:
        model = User
        fields = ("username", "email", "is_researcher")
        help_texts = {
            "username": _("What they log in with."),
            "email": _(
                "May be empty. Where the link to choose a password is sent, if this installation sends e-mail."
            ),
        }
