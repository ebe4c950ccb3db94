from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from analytics.exports.formats.format import Format
from analytics.exports.request import Wanted


class ExportForm(forms.Form):
    """Which files, and of which answers."""

    formats = forms.MultipleChoiceField(label=gettext_lazy("Formats"), widget=forms.CheckboxSelectMultiple)
    more = forms.MultipleChoiceField(
        label=gettext_lazy("Beside the used answers"),
        required=False,
        widget=forms.CheckboxSelectMultiple,
        choices=[
            ("excluded", gettext_lazy("what was left out, with the reason")),
            ("checks", gettext_lazy("answers to checks, with what passes")),
            ("adjudicated", gettext_lazy("what reviewers adjudicated")),
        ],
    )
    judges = forms.BooleanField(label=gettext_lazy("With judges’ verdicts, in the same columns"), required=False)
    text = forms.BooleanField(
        label=gettext_lazy("With written texts"),
        required=False,
        help_text=gettext_lazy("Reasons, flags and reasoning. People may have written who they are."),
    )
    fresh = forms.BooleanField(
        label=gettext_lazy("Draw new pseudonyms for this export"),
        required=False,
        help_text=gettext_lazy("It can then not be joined with other exports by annotator."),
    )
    licence = forms.RegexField(
        r"^[a-z0-9.-]{1,40}\Z",
        label=gettext_lazy("Licence of the dataset"),
        required=False,
        help_text=gettext_lazy("In the words of the Hugging Face hub, such as cc-by-4.0. For the dataset card."),
    )
    language = forms.RegexField(
        r"^[a-z]{2,3}\Z",
        label=gettext_lazy("Language"),
        required=False,
        help_text=gettext_lazy("Its code, such as en. For the dataset card."),
    )

    def __init__(self, *args: Any, known: list[Format], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["formats"].choices = [(it.name, _(it.title)) for it in known]  # type: ignore[attr-defined]

    @property
    def wanted(self) -> Wanted:
        data = self.cleaned_data
        return Wanted(
            more=tuple(data["more"]),
            text=data["text"],
            judges=data["judges"],
            pseudonyms="fresh" if data["fresh"] else "campaign",
            licence=data["licence"],
            language=data["language"],
        )
