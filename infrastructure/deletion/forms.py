from typing import Any

from django import forms
from django.utils.translation import gettext_lazy

from infrastructure.deletion.subjects import Subject


class RenameForm(forms.Form):
    name = forms.CharField(label=gettext_lazy("Name"))

    def __init__(self, *args: Any, subject: Subject, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field: Any = self.fields["name"]
        field.max_length = subject.longest_name
        field.widget.attrs["maxlength"] = field.max_length
        field.help_text = subject.rename_note


class DeleteForm(forms.Form):
    """The name is typed, so that nothing is deleted by a slip."""

    typed = forms.CharField(
        label=gettext_lazy("Type the name to confirm"), widget=forms.TextInput(attrs={"autocomplete": "off"})
    )
