from django import forms
from django.utils.translation import gettext_lazy

from campaigns.models import EventKind
from campaigns.webhooks.hooks import CHOSEN
from infrastructure.outgoing.addresses import AddressRefused
from infrastructure.templatetags.wording import worded
from infrastructure.webhooks.endpoints import check_webhook_url


class WebhookForm(forms.Form):
    """An address for events, and their kinds."""

    url = forms.CharField(
        label=gettext_lazy("Address"),
        max_length=500,
        widget=forms.URLInput(attrs={"autocomplete": "off"}),
        help_text=gettext_lazy("Of your server, such as https://lab.example/earshot. It is sent a POST with JSON."),
    )
    events = forms.MultipleChoiceField(
        label=gettext_lazy("Events"),
        choices=[(kind.value, kind.label) for kind in CHOSEN],
        initial=[EventKind.CLOSED.value, EventKind.RUN.value, EventKind.ALARM.value],
        widget=forms.CheckboxSelectMultiple,
    )

    def clean_url(self) -> str:
        url = str(self.cleaned_data["url"]).strip()
        try:
            check_webhook_url(url)
        except AddressRefused as refusal:
            raise forms.ValidationError(worded(refusal.reason)) from refusal
        return url
