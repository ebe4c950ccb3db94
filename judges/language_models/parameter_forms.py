"""The parameters sent to a model beside the messages, and the price of its tokens: the fields, and their values."""

import json
import re
from collections.abc import Mapping
from typing import Any, cast

from django import forms
from django.utils.translation import gettext_lazy as _

from judges.backends.parameters import RESERVED, LimitName, Parameters
from judges.language_models.model_list import Proposal
from judges.language_models.prices import PRICES
from judges.models import LanguageModel

#: A header's name (RFC 9110 §5.1), and those that belong to the connection or have a field of their own.
HEADER = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
OWN_HEADERS = frozenset(
    {"authorization", "host", "content-length", "content-type", "content-encoding", "transfer-encoding", "connection",
     "accept-encoding", "te", "upgrade", "expect"}
)  # fmt: skip
MOST_HEADERS, MOST_LETTERS = 20, 2000
FIELDS = ("limit_name", "sends_temperature", "reasoning_effort", "thinking_tokens", "extra_body")


class ParametersForm(forms.Form):
    """What a model takes."""

    limit_name = forms.ChoiceField(
        label=_("Limit of a reply's tokens"),
        choices=LanguageModel.LimitName.choices,
        initial=LanguageModel.LimitName.MAX_TOKENS,
        help_text=_("What the parameter is called. OpenAI's models take max_completion_tokens."),
    )
    sends_temperature = forms.TypedChoiceField(
        label=_("Temperature"),
        choices=[("yes", _("as the judge has it")), ("no", _("none is sent"))],
        coerce=lambda value: value == "yes",
        initial="yes",
        help_text=_("Reasoning models refuse one."),
    )
    reasoning_effort = forms.RegexField(
        r"^[A-Za-z0-9_.-]*$",
        label=_("Reasoning effort"),
        max_length=20,
        required=False,
        help_text=_("As the server calls it, such as low or high. Empty: the server's own."),
    )
    thinking_tokens = forms.IntegerField(
        label=_("Tokens for thinking"),
        min_value=0,
        max_value=200_000,
        initial=0,
        help_text=_("Added to the limit of each reply, where a model's thinking counts against it."),
    )
    extra_body = forms.CharField(
        label=_("Further parameters"),
        required=False,
        max_length=MOST_LETTERS,
        widget=forms.Textarea(attrs={"rows": 2, "spellcheck": "false"}),
        help_text=_('A JSON object, sent as it is, such as {"top_k": 1}. It is shown with each call: no secrets.'),
    )
    extra_headers = forms.CharField(
        label=_("Further headers"),
        required=False,
        max_length=MOST_LETTERS,
        widget=forms.Textarea(attrs={"rows": 2, "autocomplete": "off", "spellcheck": "false"}),
        help_text=_(
            "One per line, as Name: value. Stored encrypted like the key and never shown again; "
            "leave it empty to keep them, or enter a single - to delete them."
        ),
    )

    def clean_extra_body(self) -> dict[str, Any]:
        text = str(self.cleaned_data["extra_body"]).strip()
        try:
            found = json.loads(text) if text else {}
        except (ValueError, RecursionError) as error:
            raise forms.ValidationError(_("This is no JSON object.")) from error
        if not isinstance(found, dict):
            raise forms.ValidationError(_("This is no JSON object."))
        if taken := sorted(RESERVED & set(found)):
            raise forms.ValidationError(_("%(name)s has a field of its own.") % {"name": taken[0]})
        return found

    def clean_extra_headers(self) -> dict[str, str] | None:
        """The headers; None where the existing ones are kept."""
        lines = [line.strip() for line in str(self.cleaned_data["extra_headers"]).splitlines() if line.strip()]
        if not lines:
            return None
        if lines == ["-"]:
            return {}
        headers = dict(map(_header, lines))
        if len(headers) > MOST_HEADERS:
            raise forms.ValidationError(_("These are too many headers."))
        return headers

    @property
    def parameters(self) -> Parameters:
        found = {name: self.cleaned_data[name] for name in FIELDS}
        return Parameters(**found | {"limit_name": cast(LimitName, found["limit_name"])})


def _price(label: Any, help_text: Any = "") -> forms.DecimalField:
    return forms.DecimalField(
        label=label, help_text=help_text, min_value=0, max_digits=10, decimal_places=4, required=False
    )


class PricesForm(forms.Form):
    """What a million tokens cost, in US dollars."""

    usd_in = _price(_("US dollars per million tokens of the question"), _("0 for a model of your own."))
    usd_audio_in = _price(_("… of sound in it"), _("Empty: as the text."))
    usd_cached_in = _price(_("… of it, read from a cache"), _("Empty: as the text."))
    usd_out = _price(
        _("US dollars per million tokens of the reply"),
        _("Calls keep the price of their time. Leave both empty where you do not know it."),
    )
    usd_reasoning_out = _price(_("… of thinking"), _("Empty: as the reply."))
    usd_audio_out = _price(_("… of sound in the reply"), _("Empty: as the reply."))

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        if (cleaned.get("usd_in") is None) != (cleaned.get("usd_out") is None):
            raise forms.ValidationError(_("A price has two parts: for the question and for the reply."))
        return cleaned

    @property
    def prices(self) -> dict[str, Any]:
        return {name: self.cleaned_data.get(name) for name in PRICES}


def parameters_shown(parameters: Parameters) -> dict[str, Any]:
    """Parameters as the form has them."""
    return {
        "limit_name": parameters.limit_name,
        "sends_temperature": "yes" if parameters.sends_temperature else "no",
        "reasoning_effort": parameters.reasoning_effort,
        "thinking_tokens": parameters.thinking_tokens,
        "extra_body": json.dumps(parameters.extra_body) if parameters.extra_body else "",
    }


def proposal_shown(proposal: Proposal) -> dict[str, Any]:
    """What is proposed for a model, as the form has it."""
    prices: Mapping[str, Any] = {name: proposal.prices.get(name) for name in PRICES}
    return {"sound_form": proposal.sound_form} | parameters_shown(proposal.parameters) | dict(prices)


def model_shown(model: LanguageModel, price: Any) -> dict[str, Any]:
    """What a model has, as the form has it; of its headers nothing."""
    held = {name: getattr(price, name) for name in PRICES} if price else {}
    return parameters_shown(model.parameters) | held


def in_words(parameters: Parameters) -> str:
    """Parameters in one line, for a message."""
    limit = str(_("no limit") if parameters.limit_name == "none" else parameters.limit_name)
    parts = [limit, str(_("temperature") if parameters.sends_temperature else _("no temperature"))]
    parts += [f"reasoning_effort {parameters.reasoning_effort}"] if parameters.reasoning_effort else []
    return ", ".join(parts)


def filled(data: Mapping[str, Any], held: Mapping[str, Any]) -> dict[str, Any]:
    """A form's data; where a field is not named at all, what is held."""
    return dict(held) | {name: data[name] for name in data}


def as_posted(checked: Mapping[str, Any]) -> dict[str, Any]:
    """The same fields as a program names them, as the form takes them."""
    data = dict(checked)
    if "sends_temperature" in data:
        data["sends_temperature"] = "yes" if data["sends_temperature"] else "no"
    if "extra_body" in data:
        data["extra_body"] = json.dumps(data["extra_body"])
    if "extra_headers" in data:
        lines = [f"{name}: {value}" for name, value in data["extra_headers"].items()]
        data["extra_headers"] = "\n".join(lines) or "-"
    return data


def _header(line: str) -> tuple[str, str]:
    name, colon, value = line.partition(":")
    name, value = name.strip(), value.strip()
    if not colon or not HEADER.fullmatch(name) or not value or not (value.isascii() and value.isprintable()):
        raise forms.ValidationError(_("Each line is Name: value."))
    if name.lower() in OWN_HEADERS:
        raise forms.ValidationError(_("%(name)s is set by Earshot itself.") % {"name": name})
    return name, value
