from typing import Any

from django import forms
from django.contrib.auth.validators import UnicodeUsernameValidator
from django.utils.translation import gettext_lazy as _

from accounts.models import User
from accounts.usernames import require_no_look_alike
from campaigns.models import Role

_UNKNOWN = _("There is no account with this username. Check its spelling, or tick that it is to be created.")
_TAKEN = _("A user with that username already exists.")


class MemberForm(forms.Form):
    username = forms.CharField(
        label=_("Username"),
        max_length=150,
        validators=[UnicodeUsernameValidator()],
        widget=forms.TextInput(attrs={"list": "accounts-to-add", "autocomplete": "off"}),
    )
    role = forms.ChoiceField(label=_("Role"), choices=Role.choices, initial=Role.ANNOTATOR)
    is_new = forms.BooleanField(
        label=_("They have no account yet: create one"),
        required=False,
        help_text=_("Its first password is then shown once."),
    )

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        if name := data.get("username"):
            is_there = User.objects.named(name).exists()
            if is_there == data.get("is_new", False):
                self.add_error("username", _TAKEN if is_there else _UNKNOWN)
            elif not is_there:
                self._require_no_look_alike(name)
        return data

    def _require_no_look_alike(self, name: str) -> None:
        try:
            require_no_look_alike(name)
        except forms.ValidationError as refusal:
            self.add_error("username", refusal)
