from decimal import Decimal
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from campaigns.models import Campaign
from corpus.models import LabelSet
from judges.models import Run
from judges.runs.lifecycle import MOST_SAMPLES, Plan
from judges.sounds.perturbations import FLAGS, NAMES, RANGES, Perturbation


class BudgetForm(forms.Form):
    """Another budget, where one is given."""

    budget_usd = forms.DecimalField(
        label=_("New budget in US dollars"),
        min_value=Decimal("0.0001"),
        max_digits=10,
        decimal_places=4,
        required=False,
    )


#: Values with which a probe is usually begun, by the perturbation (AudioJudge §6 goes down to 1 dB).
USUAL = {"white_noise": 10, "gain": -6, "speed": 10, "trailing_silence": 2}


class RunForm(forms.Form):
    """What a run is to do."""

    orders = forms.ChoiceField(
        label=_("Orders"),
        choices=Run.Orders.choices,
        initial=Run.Orders.BOTH,
        help_text=_("Both ways shows whether the judge prefers what it hears first, at twice the cost."),
    )
    samples = forms.IntegerField(
        label=_("How often each unit in each order"), min_value=1, max_value=MOST_SAMPLES, initial=1
    )
    budget_usd = forms.DecimalField(
        label=_("Budget in US dollars"),
        min_value=Decimal("0.0001"),
        max_digits=10,
        decimal_places=4,
        required=False,
        help_text=_("No call is begun once so much is spent. What is under way then still counts."),
    )
    label_set = forms.ModelChoiceField(
        label=_("Examples from"),
        queryset=LabelSet.objects.none(),
        required=False,
        empty_label=_("no examples"),
        help_text=_("For judges that learn from labelled units. None of an item that is judged is shown."),
    )

    def __init__(self, *args: Any, campaign: Campaign, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["label_set"].queryset = campaign.dataset.label_sets.all()  # type: ignore[attr-defined]

    @property
    def plan(self) -> Plan:
        return Plan(**self.cleaned_data)


class ProbeForm(forms.Form):
    """One change of a known size."""

    perturbation = forms.ChoiceField(label=_("What is changed"))
    value = forms.FloatField(
        label=_("By how much"),
        required=False,
        help_text=_("White noise: dB below the speech. Gain: dB. Speed: percent. Silence at the end: seconds."),
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["perturbation"].choices = list(TITLES.items())  # type: ignore[attr-defined]

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        if name := cleaned.get("perturbation"):
            cleaned["made"] = self._made(name, cleaned.get("value"))
        return cleaned

    def _made(self, name: Any, value: float | None) -> Perturbation:
        try:
            return Perturbation(name, 0.0 if name in FLAGS else float(USUAL[name] if value is None else value))
        except ValueError as refusal:
            unit, low, high = RANGES[name]
            del unit
            raise forms.ValidationError(
                _("Between %(low)s and %(high)s."), params={"low": f"{low:g}", "high": f"{high:g}"}
            ) from refusal


TITLES = {
    "white_noise": _("White noise"),
    "gain": _("Gain"),
    "speed": _("Speed"),
    "trailing_silence": _("Silence at the end"),
    "swapped_order": _("The other order"),
    "transcript_only": _("Texts only, without sound"),
}


assert set(TITLES) == set(NAMES)  # noqa: S101 - a perturbation without a title would be offered by its name
