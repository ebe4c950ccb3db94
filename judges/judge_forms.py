from decimal import Decimal
from typing import Any

from django import forms
from django.utils.formats import number_format
from django.utils.translation import gettext_lazy as _

from campaigns.models import Campaign, LabelSet
from campaigns.templatetags.wording import worded
from judges.judges import MAX_TITLE
from judges.kinds import KINDS
from judges.kinds.contract import Kind, Setting
from judges.models import Judge, LanguageModel, Run
from judges.parameter_forms import ParametersForm, PricesForm, filled, model_shown
from judges.perturbations import FLAGS, NAMES, RANGES, Perturbation
from judges.runs import MOST_SAMPLES, Plan

PREFIX = "setting_"
#: How often and how many at a time a model is asked.
LIMITS = ("at_once", "requests_per_minute", "tokens_per_minute")
#: Values with which a probe is usually begun, by the perturbation (AudioJudge §6 goes down to 1 dB).
USUAL = {"white_noise": 10, "gain": -6, "speed": 10, "trailing_silence": 2}


class JudgeForm(forms.Form):
    """A judge of one kind; its fields are the kind's settings."""

    title = forms.CharField(label=_("Title"), max_length=MAX_TITLE)

    def __init__(self, *args: Any, kind: Kind, models: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.kind = kind
        if kind.asks_model:
            self.fields["model"] = forms.ModelChoiceField(label=_("Model"), queryset=models, empty_label=None)
        for setting in kind.settings:
            self.fields[PREFIX + setting.name] = _field(setting)

    @property
    def settings(self) -> dict[str, Any]:
        cleaned = self.cleaned_data
        return {it.name: _typed(it, cleaned[PREFIX + it.name]) for it in self.kind.settings}


class TermsForm(ParametersForm, PricesForm):
    """How a model may be asked, what it is sent, and what it costs."""

    at_once = forms.IntegerField(label=_("Calls at the same time"), min_value=1, max_value=64)
    requests_per_minute = forms.IntegerField(label=_("Calls a minute at most"), min_value=1, required=False)
    tokens_per_minute = forms.IntegerField(label=_("Tokens a minute at most"), min_value=1, required=False)
    field_order = ["at_once", "requests_per_minute", "tokens_per_minute"]

    def __init__(
        self, data: Any, *, model: LanguageModel, price: Any, proposed: dict[str, Any] | None = None
    ) -> None:
        """`proposed` stands in the form before anything is sent, in place of what the model has."""
        held = model_shown(model, price)
        initial = terms_of(model, price) | (proposed or {})
        super().__init__(filled(data, held) if data is not None else None, initial=initial)

    @property
    def limits(self) -> dict[str, Any]:
        return {name: self.cleaned_data[name] for name in LIMITS}


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


def terms_of(model: LanguageModel, price: Any) -> dict[str, Any]:
    """What stands now, for the form."""
    return {name: getattr(model, name) for name in LIMITS} | model_shown(model, price)


def shown_settings(judge: Judge) -> list[tuple[str, str]]:
    """The settings of a judge by their titles, as its form has them; those that its kind does not know by name."""
    kind = KINDS.get(judge.kind)
    by_name = {setting.name: setting for setting in kind.settings} if kind else {}
    return [
        (worded(by_name[name].title), _shown(by_name[name], value)) if name in by_name else (name, str(value))
        for name, value in judge.settings.items()
    ]


def _shown(setting: Setting, value: Any) -> str:
    if isinstance(value, bool):
        return str(_("yes") if value else _("no"))
    titles = {choice: worded(title) for choice, title in setting.choices}
    return titles.get(value) or (number_format(value) if isinstance(value, int | float) else str(value)) or "–"


def _field(setting: Setting) -> forms.Field:
    told: dict[str, Any] = {
        "label": worded(setting.title),
        "help_text": worded(setting.help) if setting.help else "",
        "initial": setting.default,
    }
    if setting.choices:
        choices = [(str(value), worded(title)) for value, title in setting.choices]
        return forms.ChoiceField(choices=choices, **told)
    if isinstance(setting.default, bool):
        return forms.BooleanField(required=False, **told)
    if isinstance(setting.default, int):
        return forms.IntegerField(min_value=_whole(setting.least), max_value=_whole(setting.most), **told)
    if isinstance(setting.default, float):
        return forms.FloatField(min_value=setting.least, max_value=setting.most, **told)
    return forms.CharField(required=False, max_length=2000, **told)


def _whole(bound: float | None) -> int | None:
    return None if bound is None else int(bound)


def _typed(setting: Setting, value: Any) -> Any:
    """A choice comes as text, whatever its type is."""
    by_text = {str(choice): choice for choice, _title in setting.choices}
    return by_text.get(value, value) if setting.choices else value
