"""The terms of an arena, as somebody who runs it sets them."""

from dataclasses import asdict
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from arena.models import ArenaSettings
from arena.setup import Terms

MOST = 100_000


class ArenaForm(forms.Form):
    rule = forms.ChoiceField(
        label=_("Which pair comes next"),
        choices=ArenaSettings.Rule.choices,
        help_text=_("Whatever the rule, how likely a pair was is kept with each vote."),
    )
    is_public = forms.BooleanField(
        label=_("Public: whoever has the address may vote"),
        required=False,
        help_text=_("Otherwise only people with an invitation, as in any campaign."),
    )
    takes_guests = forms.BooleanField(label=_("Voters of a public arena need no account"), required=False)
    reveals_names = forms.BooleanField(
        label=_("Tell the names of both systems after each vote"),
        required=False,
        help_text=_("Votes are then final. Whoever knows names may recognise voices later."),
    )
    votes_per_hour = forms.IntegerField(label=_("Votes of one person in an hour"), min_value=1, max_value=MOST)
    votes_per_address = forms.IntegerField(
        label=_("Votes from one network address in an hour"),
        min_value=1,
        max_value=MOST,
        help_text=_("Of a public arena. A classroom or an office may share one address."),
    )
    guests_per_address = forms.IntegerField(
        label=_("New guests from one network address in an hour"), min_value=1, max_value=MOST
    )

    @property
    def terms(self) -> Terms:
        return Terms(**self.cleaned_data)

    @classmethod
    def initial_of(cls, row: ArenaSettings | None) -> dict[str, Any]:
        return {name: getattr(row, name) if row else value for name, value in asdict(Terms()).items()}
