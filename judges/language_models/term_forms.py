"""How a model may be asked, what it is sent, and what it costs."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from judges.language_models.parameter_forms import ParametersForm, PricesForm, filled, model_shown
from judges.models import LanguageModel

#: How often and how many at a time a model is asked.
LIMITS = ("at_once", "requests_per_minute", "tokens_per_minute")


class TermsForm(ParametersForm, PricesForm):
    """How a model may be asked, what it is sent, and what it costs."""

    at_once = forms.IntegerField(label=_("Calls at the same time"), min_value=1, max_value=64)
    requests_per_minute = forms.IntegerField(label=_("Calls a minute at most"), min_value=1, required=False)
    tokens_per_minute = forms.IntegerField(label=_("Tokens a minute at most"), min_value=1, required=False)
    field_order = ["at_once", "requests_per_minute", "tokens_per_minute"]

    def __init__(
        self, data: Any, *, model: LanguageModel, price: Any, proposed: dict[str, Any] | None = None
    ) -> None:
        """`proposed` replaces the model's values in the form before anything is sent."""
        held = model_shown(model, price)
        initial = terms_of(model, price) | (proposed or {})
        super().__init__(filled(data, held) if data is not None else None, initial=initial)

    @property
    def limits(self) -> dict[str, Any]:
        return {name: self.cleaned_data[name] for name in LIMITS}


def terms_of(model: LanguageModel, price: Any) -> dict[str, Any]:
    """The current values, for the form."""
    return {name: getattr(model, name) for name in LIMITS} | model_shown(model, price)
