from django import forms
from django.utils.translation import gettext_lazy as _

from campaigns.control_units.attention_checks.making import MOST


class TrapsForm(forms.Form):
    n = forms.IntegerField(
        label=_("Spoken traps"),
        min_value=0,
        max_value=MOST,
        help_text=_("They are made of units of this campaign, drawn at random. None: those there are go."),
    )
    seed = forms.IntegerField(
        label=_("Seed"),
        min_value=0,
        max_value=2_000_000_000,
        initial=0,
        help_text=_("The same seed draws the same units and makes the same sound. Another makes others."),
    )


class RecordingsForm(forms.Form):
    file = forms.FileField(
        label=_("Recordings"),
        help_text=_("A WAV or FLAC named after its answer, or a ZIP of several. Up to 10 seconds each."),
    )
