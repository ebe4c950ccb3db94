from decimal import Decimal

from django import forms
from django.utils.translation import gettext_lazy as _


class BudgetForm(forms.Form):
    """Another budget, where one is given."""

    budget_usd = forms.DecimalField(
        label=_("New budget in US dollars"),
        min_value=Decimal("0.0001"),
        max_digits=10,
        decimal_places=4,
        required=False,
    )
