from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from accounts.models import User
from accounts.people.invited import Faulty, Line, lines_of
from accounts.people.listing import COLUMNS, TITLES, Show, Wanted
from accounts.usernames import WithUsername


class AccountForm(WithUsername):
    """A new account, as an administrator makes it. Its owner chooses the password."""

    class Meta:
        model = User
        fields = ("username", "email", "is_researcher")
        labels = {"email": _("E-mail address")}
        help_texts = {
            "username": _("What they log in with."),
            "email": _(
                "May be empty. Where the link to choose a password is sent, if this installation sends e-mail."
            ),
        }


class PersonForm(WithUsername):
    """The username and e-mail address of an account that is there."""

    class Meta:
        model = User
        fields = ("username", "email")
        labels = {"email": _("E-mail address")}
        help_texts = {
            "username": _("What they log in with. Tell them before you change it."),
            "email": _("May be empty. Links to choose a password are sent there."),
        }


class InviteForm(forms.Form):
    """Several people at once, one on each line."""

    people = forms.CharField(
        label=_("People"),
        widget=forms.Textarea(attrs={"rows": 8, "spellcheck": "false", "placeholder": "ada, ada@lab.example"}),
        help_text=_(
            "One on each line: username, e-mail address. Each may be left out: without a username it is what stands "
            "before the @. Columns copied from a spreadsheet work, too."
        ),
    )
    is_researcher = forms.BooleanField(
        label=_("They are researchers: may import datasets and launch campaigns"), required=False
    )

    def clean_people(self) -> list[Line]:
        try:
            return lines_of(str(self.cleaned_data["people"]))
        except Faulty as faulty:
            raise forms.ValidationError(faulty.messages) from faulty


class ListForm(forms.Form):
    """What the table of accounts shows; nonsense in the address counts as nothing."""

    q = forms.CharField(label=_("Username or e-mail address"), required=False, max_length=150)
    show = forms.ChoiceField(label=_("Show"), required=False, choices=list(TITLES.items()))

    @classmethod
    def wanted(cls, query: Any) -> Wanted:
        sort = query.get("sort", "")
        show = query.get("show", "")
        return Wanted(
            search=query.get("q", "").strip(),
            show=Show(show) if show in set(Show) else Show.ALL,
            sort=sort if sort.removeprefix("-") in COLUMNS else "username",
        )


class DeleteAccountForm(forms.Form):
    with_answers = forms.BooleanField(
        label=_("Do not use its answers"),
        required=False,
        help_text=_("They are left out of everything that is computed from now on. Otherwise they stay in use."),
    )
    with_texts = forms.BooleanField(
        label=_("Remove what it wrote as a reviewer"),
        required=False,
        help_text=_(
            "Comments, reasons and messages about the work of others. They explain decisions to those who stay; "
            "the decisions themselves stay in any case."
        ),
    )
    typed = forms.CharField(
        label=_("Type the username to confirm"), widget=forms.TextInput(attrs={"autocomplete": "off"})
    )
