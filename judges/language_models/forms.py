from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from infrastructure.templatetags.wording import worded
from infrastructure.wording.names import require_visible
from judges.backends.addresses import RefusedAddress, check_url
from judges.language_models.criteria_drafts import FEWEST, MOST
from judges.language_models.model_list import Proposal, proposal_for
from judges.language_models.parameter_forms import ParametersForm, PricesForm, filled, proposal_shown
from judges.models import LanguageModel


class ModelForm(ParametersForm, PricesForm):
    """A model to be added. The key goes in and never comes out."""

    field_order = ["title", "base_url", "model", "api_key", "timeout_s", "shared", "sound_form"]
    #: What depends on the model, and is proposed by its name.
    proposed = ("sound_form", *ParametersForm.base_fields, *PricesForm.base_fields)

    title = forms.CharField(
        label=_("Title"), max_length=80, validators=[require_visible], help_text=_("Your name for it.")
    )
    base_url = forms.CharField(
        label=_("Address"),
        max_length=300,
        help_text=_("Up to /v1, such as https://api.openai.com/v1 or http://localhost:11434/v1."),
    )
    model = forms.CharField(label=_("Name of the model"), max_length=200, help_text=_("As the server calls it."))
    api_key = forms.CharField(
        label=_("API key"),
        max_length=500,
        required=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "off"}),
        help_text=_("Kept encrypted and never shown again. Leave it empty where the server wants none."),
    )
    timeout_s = forms.IntegerField(label=_("Seconds to wait for one reply"), min_value=5, max_value=900, initial=120)
    sound_form = forms.ChoiceField(
        label=_("Sound"),
        choices=LanguageModel.SoundForm.choices,
        required=False,
        help_text=_("In which form it takes sound. Judges that hear need a model that does."),
    )
    shared = forms.BooleanField(
        label=_("Others who manage campaigns may use it"),
        required=False,
        help_text=_("The owner of the key pays."),
    )

    def __init__(self, data: Any = None, *, proposal: Proposal | None = None) -> None:
        """What the data do not name is as proposed for the model that they name."""
        if data is not None:
            proposal = proposal_for(str(data.get("model", "")), str(data.get("base_url", "")))
            data = filled(data, proposal_shown(proposal))
        super().__init__(data, initial=proposal_shown(proposal) if proposal else {})
        self.proposal = proposal or Proposal()
        self.fields["model"].widget.attrs["list"] = "listed-models"

    @property
    def of_model(self) -> list[forms.BoundField]:
        """The fields that are filled by the list of models."""
        return [self[name] for name in self.proposed]

    @property
    def of_address(self) -> list[forms.BoundField]:
        return [field for field in self if field.name not in self.proposed]

    @property
    def columns(self) -> dict[str, Any]:
        """The stored settings of the model itself."""
        names = ("title", "base_url", "model", "api_key", "timeout_s", "shared", "sound_form")
        return {name: self.cleaned_data[name] for name in names}

    def clean_base_url(self) -> str:
        url = str(self.cleaned_data["base_url"]).strip().rstrip("/")
        try:
            check_url(url)
        except RefusedAddress as refusal:
            raise forms.ValidationError(worded(refusal.reason)) from refusal
        return url

    def clean_api_key(self) -> str:
        key = str(self.cleaned_data["api_key"]).strip()
        if not (key.isascii() and key.isprintable()):
            raise forms.ValidationError(_("A key has no such characters."))
        return key


class DraftsForm(forms.Form):
    model = forms.ModelChoiceField(label=_("Model"), queryset=LanguageModel.objects.none(), empty_label=None)
    n_per_item = forms.IntegerField(
        label=_("Criteria for each item"),
        min_value=FEWEST,
        max_value=MOST,
        initial=3,
        help_text=_("With two to four, the shipped rubric has seven to nine in all."),
    )

    def __init__(self, *args: Any, models: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["model"].queryset = models  # type: ignore[attr-defined]
