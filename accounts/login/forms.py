from typing import Any

from django import forms
from django.contrib.auth.forms import BaseUserCreationForm
from django.utils.translation import gettext_lazy as _

from accounts.login.attempts import TooMany, begin_attempt, forgive
from accounts.models import User
from accounts.usernames import WithUsername


class KeepForm(WithUsername, BaseUserCreationForm):  # type: ignore[type-arg]  # at run time it takes none
    """A username and a password, twice."""

    class Meta:
        model = User
        fields = ("username",)


class CodeForm(forms.Form):
    code = forms.CharField(
        label=_("Code"),
        max_length=40,
        widget=forms.TextInput(attrs={"autocomplete": "one-time-code", "autofocus": True, "spellcheck": "false"}),
    )

    def clean_code(self) -> str:
        return "".join(str(self.cleaned_data["code"]).split()).casefold()


class SureForm(forms.Form):
    """The password once more, before something that protects the account is changed."""

    password = forms.CharField(
        label=_("Your password"),
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "current-password"}),
    )

    def __init__(self, *args: Any, user: User, address: str, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._user, self._address = user, address
        if not user.has_usable_password():
            del self.fields["password"]  # they come by the single sign-on

    def clean_password(self) -> str:
        password = str(self.cleaned_data["password"])
        try:
            attempt = begin_attempt(self._user.username, self._address, is_known=True)
        except TooMany as refusal:
            raise forms.ValidationError(str(refusal)) from refusal
        if not self._user.check_password(password):
            raise forms.ValidationError(_("This is not your password."))
        forgive(attempt)
        return password
