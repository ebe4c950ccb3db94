"""Forms of invitation links: for the researcher who creates them, and for people who join by one."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from campaigns.models import Outcome, Panel
from campaigns.people.consent import MAX_LENGTH
from campaigns.people.invitations import MOST_AT_ONCE, Terms
from campaigns.people.panels import NUMBER

ONE_USE, REUSABLE = "one_use", "reusable"


class InvitationForm(forms.Form):
    kind = forms.ChoiceField(
        label=_("Link"),
        choices=[(ONE_USE, _("For one person each")), (REUSABLE, _("For several people"))],
        initial=ONE_USE,
    )
    how_many = forms.IntegerField(
        label=_("How many links"),
        min_value=1,
        max_value=MOST_AT_ONCE,
        initial=1,
        help_text=_("Links for one person each."),
    )
    max_uses = forms.IntegerField(
        label=_("At most so many people"),
        min_value=1,
        max_value=1_000_000,
        required=False,
        help_text=_("By a link for several; empty: no limit."),
    )
    expires_at = forms.DateTimeField(
        label=_("Expires"),
        required=False,
        widget=forms.DateTimeInput(attrs={"type": "datetime-local"}, format="%Y-%m-%dT%H:%M"),
        help_text=_("People who joined before can continue."),
    )
    minutes = forms.IntegerField(
        label=_("Minutes it takes"),
        min_value=1,
        max_value=100_000,
        required=False,
        help_text=_("Shown to the people who are invited."),
    )
    note = forms.CharField(label=_("Note"), max_length=200, required=False, help_text=_("Only you see it."))
    allows_guests = forms.BooleanField(label=_("Let people in without an account"), required=False, initial=True)
    panel = forms.ChoiceField(label=_("Panel"), choices=Panel.choices, required=False)
    return_url = forms.CharField(
        label=_("Address to return to"),
        max_length=500,
        required=False,
        help_text=_("Of another panel, such as https://panel.example/done?id={pid}&code={code}."),
    )
    code_completed = forms.CharField(label=_("Code: completed"), max_length=60, required=False)
    code_screened_out = forms.CharField(label=_("Code: screened out"), max_length=60, required=False)
    code_failed_check = forms.CharField(label=_("Code: failed a check"), max_length=60, required=False)
    code_no_consent = forms.CharField(label=_("Code: did not agree"), max_length=60, required=False)

    @property
    def terms(self) -> Terms:
        """What was filled in; the form must be valid."""
        data = self.cleaned_data
        taken_over = ("expires_at", "allows_guests", "minutes", "note", "panel", "return_url")
        return Terms(
            max_uses=1 if data["kind"] == ONE_USE else data["max_uses"],
            codes={outcome: data[f"code_{outcome}"] for outcome in Outcome.values},
            **{name: data[name] for name in taken_over},
        )

    @property
    def how_many_links(self) -> int:
        return int(self.cleaned_data["how_many"]) if self.cleaned_data["kind"] == ONE_USE else 1

    @property
    def panel_is_chosen(self) -> bool:
        return self.is_bound and bool(self.data.get("panel"))

    def for_all_links(self) -> list[forms.BoundField]:
        return [field for field in self if not field.name.startswith(("panel", "return_url", "code_"))]

    def for_panels(self) -> list[forms.BoundField]:
        return [field for field in self if field.name.startswith(("panel", "return_url", "code_"))]


class ConsentForm(forms.Form):
    text = forms.CharField(
        label=_("Text"),
        max_length=MAX_LENGTH,
        widget=forms.Textarea(attrs={"rows": 10}),
        help_text=_("A change is a new version, to which every annotator has to agree before the next unit."),
    )


class JoinForm(forms.Form):
    """The form for joining by a link; `agree` is the version of the text that was read."""

    agree = forms.IntegerField(required=False)
    participant = forms.RegexField(
        rf"\A{NUMBER.pattern}\Z",
        required=False,
        strip=True,
        error_messages={"invalid": _("This is no participant number.")},
    )
    click = forms.RegexField(r"\A[A-Za-z0-9]{32}\Z", required=False)

    def __init__(self, *args: Any, asks_number: bool = False, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["participant"].required = asks_number
