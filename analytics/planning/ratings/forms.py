"""What one assumes of ratings, and what one wants to know: the fields of the page, and of the operation."""

from collections.abc import Mapping, Sequence
from typing import Any

from django import forms
from django.core.validators import MaxValueValidator, MinValueValidator
from django.utils.translation import gettext_lazy as _

from analytics.planning.ratings.plan import Asked
from infrastructure.templatetags.wording import worded
from protocols import Aspect
from stats.rater_models.components import FACETS, RESIDUAL, Components
from stats.rater_models.decision import MOST_PER_RESPONSE

MOST_ITEMS, MOST_RATERS, MOST_SYSTEMS, MOST_SECONDS = 10_000, 1_000, 1_000, 3_600
#: Variances of ratings from 1 to 5, where nothing better is known: raters differ by about half a point.
USUAL: Mapping[str, float] = {
    "system": 0.3, "item": 0.1, "rater": 0.25, "response": 0.1, "system_rater": 0.05, "item_rater": 0.0,
    "residual": 0.6,
}  # fmt: skip
QUANTITIES = (
    ("difference", _("the difference of two systems, adjusted for severity")),
    ("plain_difference", _("the difference of two plain means")),
    ("mean", _("the mean of one system")),
)


class PlanForm(forms.Form):
    """Variances by facet, and what is wanted; every field has something to begin with."""

    aspect = forms.ChoiceField(label=_("Question"))
    of = forms.ChoiceField(label=_("To be known"), choices=QUANTITIES)
    half = forms.FloatField(
        label=_("To within ±"),
        min_value=0.001,
        max_value=1_000,
        widget=forms.NumberInput(attrs={"step": "any"}),
        help_text=_("Half the width of the interval (95 %), in points of the scale."),
    )
    raters = forms.IntegerField(label=_("Raters there are"), min_value=1, max_value=MOST_RATERS)
    items = forms.IntegerField(label=_("Items there are"), min_value=1, max_value=MOST_ITEMS)
    per_response = forms.IntegerField(
        label=_("Raters per response"),
        min_value=1,
        max_value=MOST_PER_RESPONSE,
        help_text=_("Of the table and the picture below."),
    )
    systems = forms.IntegerField(label=_("Systems"), min_value=1, max_value=MOST_SYSTEMS)
    pace = forms.IntegerField(label=_("Seconds per rating"), min_value=1, max_value=MOST_SECONDS)
    system = forms.FloatField(label=_("System"))
    item = forms.FloatField(label=_("Item"))
    rater = forms.FloatField(label=_("Rater (severity)"))
    response = forms.FloatField(label=_("Response (system × item)"))
    system_rater = forms.FloatField(label=_("System × rater (taste)"))
    item_rater = forms.FloatField(label=_("Item × rater"))
    residual = forms.FloatField(label=_("Rest"))

    def __init__(self, *args: Any, aspects: Sequence[Aspect], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["aspect"].choices = [(it.name, worded(it.title)) for it in aspects]  # type: ignore[attr-defined]
        for name in (*FACETS, RESIDUAL):
            field = self.fields[name]
            field.min_value, field.max_value = 0.0, 10_000.0  # type: ignore[attr-defined]
            field.validators += [MinValueValidator(0.0), MaxValueValidator(10_000.0)]
            field.widget.attrs |= {"step": "any", "min": "0"}

    @property
    def wanted(self) -> list[forms.BoundField]:
        return [it for it in self if it.name not in (*FACETS, RESIDUAL)]

    @property
    def variances(self) -> list[forms.BoundField]:
        return [self[name] for name in (*FACETS, RESIDUAL)]

    def clean(self) -> dict[str, Any]:
        said = super().clean() or {}
        variances = [said.get(name) for name in (*FACETS, RESIDUAL)]
        if None not in variances and not any(variances):
            self.add_error("residual", _("Ratings that never vary need no plan: one variance is above 0."))
        if said.get("per_response", 0) > said.get("raters", MOST_RATERS):
            self.add_error("per_response", _("A response is rated by no more raters than there are."))
        return said

    def components(self) -> Components:
        return Components({name: self.cleaned_data[name] for name in (*FACETS, RESIDUAL)}, {}, 0)

    def asked(self) -> Asked:
        said = self.cleaned_data
        names = ("of", "half", "raters", "items", "per_response", "systems", "pace")
        return Asked(**{name: said[name] for name in names})
