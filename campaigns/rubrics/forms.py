from django import forms
from django.utils.translation import gettext_lazy

from campaigns.rubrics.tables import MAX_BYTES, Row, read_criteria
from infrastructure.files.uploaded_tables import uploaded


class CriteriaForm(forms.Form):
    file = forms.FileField(
        label=gettext_lazy("Table of criteria"),
        help_text=gettext_lazy("A CSV with the columns item and text and, optionally, number and state. UTF-8."),
    )
    reviewed = forms.BooleanField(
        label=gettext_lazy("A person reviewed them already"),
        required=False,
        help_text=gettext_lazy("Rows whose state is accepted or edited stand at once. All others come as drafts."),
    )

    def clean_file(self) -> list[Row]:
        return uploaded(self.cleaned_data["file"], read_criteria, most_bytes=MAX_BYTES)
