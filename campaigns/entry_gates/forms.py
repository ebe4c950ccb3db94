"""Forms of the page on which a researcher sets up the entry gates: one for each gate."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from campaigns.audio.signals.staircase import EASIEST_DB, HARDEST_DB
from campaigns.control_units.checks import GoldAnswer
from campaigns.control_units.forms import gold_in
from campaigns.entry_gates.guidelines import MAX_LENGTH
from campaigns.entry_gates.settings import CAN_BE_FAILED, HEADPHONE_TRIALS, OF_UNITS, USUAL, GatePlan, read_settings
from campaigns.models import Gate, GateKind

HELP = {
    GateKind.GUIDELINES: _("Your own text, below. A new version is read again by everybody."),
    GateKind.VOLUME: _("Noise as loud as the clips, by which everybody sets their volume."),
    GateKind.HEADPHONES: _(
        "Which of three tones is the quietest, six times; through loudspeakers that is hard to "
        "say (Woods et al. 2017). The result depends on the sound card, too, so it is better "
        "to let people in and record it."
    ),
    GateKind.ENVIRONMENT: _(
        "Which of two voices has less noise, harder each time, until the threshold is found: at most eighteen pairs."
    ),
    GateKind.TRAINING: _("Units whose answer you know; it is shown after each, with your explanation."),
    GateKind.QUALIFICATION: _("Units whose answer you know; it is not shown, and this share has to be correct."),
}


class GateForm(forms.Form):
    """A gate, on or off, with the settings of its kind."""

    on = forms.BooleanField(label=_("Ask for it"), required=False)
    tries = forms.IntegerField(label=_("Tries"), min_value=1, max_value=20)
    on_failure = forms.ChoiceField(label=_("Annotators who do not pass"), choices=Gate.OnFailure.choices)
    valid_minutes = forms.IntegerField(
        label=_("Valid for (minutes)"),
        min_value=1,
        max_value=1_000_000,
        required=False,
        help_text=_("Then it is asked again; empty: for good."),
    )
    pass_at = forms.IntegerField(label=_("Correct trials needed"), min_value=1, max_value=HEADPHONE_TRIALS)
    pass_db = forms.FloatField(
        label=_("Noise to be noticed (dB)"),
        min_value=EASIEST_DB,
        max_value=HARDEST_DB,
        help_text=_("Signal-to-noise ratio: the higher, the quieter it has to be."),
    )
    threshold = forms.FloatField(
        label=_("Share to be right"),
        min_value=0.01,
        max_value=1,
        help_text=_("From 0 to 1, of all expected answers."),
    )
    units = forms.FileField(
        label=_("Table of units"),
        required=False,
        help_text=_(
            "A CSV as for gold: unit, aspect, value, optionally slot and tolerance, and feedback "
            "with the explanation. Without a file the units stay as they are."
        ),
    )

    def __init__(self, data: Any = None, files: Any = None, *, kind: str, gate: Gate | None) -> None:
        usual = USUAL[kind].columns()
        there = usual if gate is None else {name: getattr(gate, name) for name in usual}
        initial = {"on": gate is not None} | there | there["settings"]
        super().__init__(data, files, prefix=kind, initial=initial)
        self.kind = GateKind(kind)
        self.help = HELP[self.kind]
        self.particular = list(usual["settings"])
        for name in set(self.fields) - self._asked():
            del self.fields[name]
        if self.is_bound and f"{kind}-on" not in self.data:
            for field in self.fields.values():
                field.required = False

    def clean_units(self) -> list[GoldAnswer] | None:
        if not (file := self.cleaned_data["units"]):
            return None
        return gold_in(file)

    @property
    def plan(self) -> GatePlan | None:
        """What was filled in, None where the gate is off; the form must be valid."""
        data = self.cleaned_data
        if not data["on"]:
            return None
        usual = USUAL[self.kind]
        return GatePlan(
            on_failure=data.get("on_failure") or usual.on_failure,
            tries=data.get("tries") or usual.tries,
            valid_minutes=data.get("valid_minutes"),
            settings=read_settings(self.kind, {name: data[name] for name in self.particular}),
        )

    def details(self) -> list[forms.BoundField]:
        return [field for field in self if field.name != "on"]

    def _asked(self) -> set[str]:
        asked = {"on", *self.particular}
        if self.kind in CAN_BE_FAILED:
            asked |= {"tries", "on_failure"}
        if self.kind != GateKind.GUIDELINES:
            asked |= {"valid_minutes"}
        return asked | ({"units"} if self.kind in OF_UNITS else set())


class GuidelinesForm(forms.Form):
    text = forms.CharField(
        label=_("Text"),
        max_length=MAX_LENGTH,
        widget=forms.Textarea(attrs={"rows": 14}),
        help_text=_("A line that begins with # is a heading, with ## a smaller one, with - an item of a list."),
    )
