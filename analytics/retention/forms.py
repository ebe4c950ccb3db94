from django import forms
from django.utils.translation import gettext_lazy

#: A hundred years.
MOST_DAYS = 36_500


class RetentionForm(forms.Form):
    """Days after the close; nothing is as the installation has it, and nought is for ever."""

    identity_days = forms.IntegerField(
        label=gettext_lazy("Identities of annotators, days after the close"),
        required=False,
        min_value=0,
        max_value=MOST_DAYS,
        help_text=gettext_lazy("Empty: the installation's default. 0: for ever."),
    )
    audio_days = forms.IntegerField(
        label=gettext_lazy("Recordings, days after the close"),
        required=False,
        min_value=0,
        max_value=MOST_DAYS,
        help_text=gettext_lazy(
            "Empty: the installation's default. 0: for ever. They are deleted once every campaign "
            "of the dataset has been closed for that long."
        ),
    )
