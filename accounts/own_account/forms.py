from typing import Any

from django import forms
from django.contrib.auth.forms import AuthenticationForm
from django.utils.translation import gettext_lazy as _

from accounts.login.attempts import TooMany, begin_attempt, forgive
from accounts.login.forms import SureForm
from accounts.login.known_browsers import is_known_browser
from accounts.people.forms import DeleteAccountForm


class LogInForm(AuthenticationForm):
    """Not looked at where too many failed lately."""

    def clean(self) -> dict[str, Any]:
        account = str(self.cleaned_data.get("username") or "")
        address = self.request.META.get("REMOTE_ADDR", "") if self.request else ""
        try:
            attempt = begin_attempt(account, address, is_known=is_known_browser(self.request, account))
        except TooMany as refusal:
            raise forms.ValidationError(str(refusal), code="too_many") from refusal
        data = super().clean()
        forgive(attempt)
        return data


class DeleteOwnAccountForm(DeleteAccountForm, SureForm):
    """The name typed, and the password once more; those without one have logged in just now."""

    field_order = ("with_answers", "with_texts", "typed", "password")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["with_answers"].label = _("Do not use my answers")
        self.fields["with_texts"].label = _("Remove what I wrote as a reviewer")


class EmailForm(SureForm):
    email = forms.EmailField(label=_("E-mail address"), widget=forms.EmailInput(attrs={"autocomplete": "email"}))
    field_order = ("email", "password")
