from django import forms
from django.utils.translation import gettext_lazy as _

from corpus.audio.delivery import LOUDEST_TARGET, QUIETEST_TARGET


class LoudnessForm(forms.Form):
    """Another target; empty means that loudness is not matched."""

    target_lufs = forms.FloatField(
        label=_("Loudness (LUFS)"),
        min_value=QUIETEST_TARGET,
        max_value=LOUDEST_TARGET,
        required=False,
        help_text=_("Empty: play every clip at its own level."),
    )
