"""The form of an arena's settings."""

from collections.abc import Mapping
from dataclasses import asdict, fields
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from arena.models import ArenaSettings
from arena.settings.setup import Terms, arena_of
from campaigns.models import Campaign

MOST = 100_000


class ArenaForm(forms.Form):
    rule = forms.ChoiceField(
        label=_("Which pair comes next"),
        choices=ArenaSettings.Rule.choices,
        help_text=_("Under every rule, the probability of a pair is stored with each vote."),
    )
    is_public = forms.BooleanField(
        label=_("Public: anyone with the address may vote"),
        required=False,
        help_text=_("Otherwise only people with an invitation, as in any campaign."),
    )
    takes_guests = forms.BooleanField(label=_("Voters of a public arena need no account"), required=False)
    reveals_names = forms.BooleanField(
        label=_("Show the names of both systems after each vote"),
        required=False,
        help_text=_("Votes are then final. Voters who know the names may recognise voices later."),
    )
    reason_required = forms.BooleanField(
        label=_("A vote needs a written reason"),
        required=False,
        help_text=_("Otherwise the reason can be left out. Fixed once the campaign is open."),
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

    def __init__(self, data: Mapping[str, Any] | None = None, *, campaign: Campaign) -> None:
        """Of a campaign: its protocol may ask for nothing in words, or be fixed by now."""
        row = arena_of(campaign)
        terms = {name: getattr(row, name) if row else value for name, value in asdict(Terms()).items()}
        texts = [aspect for aspect in campaign.protocol.aspects if aspect.scale.kind.is_written]
        is_required = row is not None and any(aspect.required for aspect in texts)
        super().__init__(data, initial=terms | {"reason_required": is_required})
        self.fields["reason_required"].disabled = campaign.status != Campaign.Status.DRAFT
        if not texts:
            del self.fields["reason_required"]

    @property
    def terms(self) -> Terms:
        return Terms(**{it.name: self.cleaned_data[it.name] for it in fields(Terms)})

    @property
    def needs_reason(self) -> bool:
        return bool(self.cleaned_data.get("reason_required"))
