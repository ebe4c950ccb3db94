"""Usernames in forms: nobody is called like another, whatever the capitals."""

from typing import Any

from django import forms
from django.utils.translation import gettext as _

from accounts.models import User


class WithUsername(forms.ModelForm):  # type: ignore[type-arg]  # at run time it takes none
    """A form of an account; the model's constraint would say it beside no field."""

    def clean_username(self) -> Any:
        username = self.cleaned_data["username"]
        if User.objects.named(username).exclude(pk=self.instance.pk).exists():
            raise forms.ValidationError(_("A user with that username already exists."), code="unique")
        return username
