from django import forms
from django.utils.translation import gettext_lazy as _

from accounts.tokens.tokens import READ, SCOPES

DAYS = [(7, _("a week")), (30, _("a month")), (90, _("three months")), (365, _("a year"))]


class TokenForm(forms.Form):
    """What a new token is for, and for how long."""

    name = forms.CharField(label=_("Name"), max_length=80, help_text=_("To recognise it later."))
    scopes = forms.MultipleChoiceField(
        label=_("It may"),
        choices=list(SCOPES.items()),
        initial=[READ],
        widget=forms.CheckboxSelectMultiple,
        help_text=_("Never more than you may do yourself."),
    )
    days = forms.TypedChoiceField(label=_("It ends after"), choices=DAYS, coerce=int, initial=90)
