from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from campaigns.rubrics.tables import MAX_BYTES, InvalidCriteria, Row, read_criteria


class CriteriaForm(forms.Form):
    file = forms.FileField(
        label=gettext_lazy("Table of criteria"),
        help_text=gettext_lazy("A CSV with the columns item and text and, if you like, number and state. UTF-8."),
    )
    reviewed = forms.BooleanField(
        label=gettext_lazy("A person reviewed them already"),
        required=False,
        help_text=gettext_lazy("Rows whose state is accepted or edited stand at once. All others come as drafts."),
    )

    def clean_file(self) -> list[Row]:
        file = self.cleaned_data["file"]
        if file.size > MAX_BYTES:
            raise forms.ValidationError(_("This table is larger than 2 MB."))
        try:
            return read_criteria(file.read().decode("utf-8-sig"))
        except UnicodeDecodeError as error:
            raise forms.ValidationError(_("This is not UTF-8 text. Save it as UTF-8.")) from error
        except InvalidCriteria as invalid:
            raise forms.ValidationError(invalid.faults[:20]) from invalid
