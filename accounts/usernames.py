"""Usernames in forms: nobody is called like another, whatever the capitals."""

from typing import Any

from django import forms
from django.utils.translation import gettext as _

from accounts.look_alikes import BLANK, look_alike
from accounts.models import User


class WithUsername(forms.ModelForm):  # type: ignore[type-arg]  # at run time it takes none
    """A form of an account; the model's constraint would say it beside no field."""

    def clean_username(self) -> Any:
        """It is kept in Unicode's compatibility form, which may be longer and have other characters."""
        column = User._meta.get_field("username")
        username = column.clean(User.normalize_username(self.cleaned_data["username"]), self.instance)
        if set(username) & set(BLANK):
            said = _("Use letters, digits, signs and spaces: a name that cannot be seen cannot be chosen.")
            raise forms.ValidationError(said, code="invisible")
        if User.objects.named(username).exclude(pk=self.instance.pk).exists():
            raise forms.ValidationError(_("A user with that username already exists."), code="unique")
        require_no_look_alike(username, but=self.instance.pk)
        return username


def require_no_look_alike(username: str, *, but: int | None = None) -> None:
    """Raise ValidationError where an account has a name that looks like this one and is another."""
    if other := looks_like_another(username, but=but):
        said = _("This looks like the username %(name)s, with letters of another script. Choose another.")
        raise forms.ValidationError(said % {"name": other}, code="looks_alike")


def looks_like_another(username: str, *, but: int | None = None) -> str | None:
    """The name of an account, other than the one with that key, that looks like this one and is another."""
    others = User.objects.filter(is_guest=False).order_by("pk").values_list("pk", "username")
    return look_alike(username, (name for pk, name in others if pk != but))
