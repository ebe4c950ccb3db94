from django import forms
from django.core.files.uploadedfile import UploadedFile
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from judges.imported.reading import Options

MAX_BYTES = 50_000_000


class VerdictsForm(forms.Form):
    file = forms.FileField(
        label=gettext_lazy("Table of verdicts"),
        help_text=gettext_lazy("CSV, JSON or JSON Lines: one row per judge, unit, order and aspect. UTF-8."),
    )
    judge = forms.CharField(
        label=gettext_lazy("Name of the judge"),
        max_length=100,
        required=False,
        help_text=gettext_lazy("Where no column of the table says which judge it was."),
    )
    order = forms.ChoiceField(
        label=gettext_lazy("Order"),
        required=False,
        choices=[
            ("", gettext_lazy("a column says it")),
            ("ab", gettext_lazy("as stored (a first), everywhere")),
            ("ba", gettext_lazy("turned (b first), everywhere")),
        ],
        help_text=gettext_lazy("Single responses have none."),
    )
    columns = forms.CharField(
        label=gettext_lazy("Columns under other names"),
        required=False,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text=gettext_lazy("One per line, such as unit = pair_number."),
    )
    settings = forms.CharField(
        label=gettext_lazy("Columns that tell judges apart"),
        required=False,
        max_length=500,
        help_text=gettext_lazy("With commas between them, such as n_shots, method. Each combination is a judge."),
    )
    unknown_as_missing = forms.BooleanField(
        label=gettext_lazy("Count values that the scale does not have as missing"),
        required=False,
        help_text=gettext_lazy("Such as a score of 0 on a scale from 1. Otherwise they are faults."),
    )

    map_columns = forms.BooleanField(
        label=gettext_lazy("Map the columns myself"),
        required=False,
        help_text=gettext_lazy(
            "For columns of any name, and tables with a column for each judge, order or aspect. You see what each "
            "row becomes before anything is written; of what is said above, only what counts as missing holds."
        ),
    )

    def clean_file(self) -> UploadedFile:
        file: UploadedFile = self.cleaned_data["file"]
        if file.size is None or file.size > MAX_BYTES:
            raise forms.ValidationError(_("This table is larger than 50 MB; take the command."))
        return file

    def clean_columns(self) -> dict[str, str]:
        named = {}
        for line in filter(str.strip, self.cleaned_data["columns"].splitlines()):
            part, equals, name = line.partition("=")
            if not equals:
                raise forms.ValidationError(_("Write part = column, one per line."))
            named[part.strip()] = name.strip()
        return named

    def clean_settings(self) -> tuple[str, ...]:
        return tuple(filter(None, (name.strip() for name in self.cleaned_data["settings"].split(","))))

    @property
    def options(self) -> Options:
        """Of a valid form."""
        return Options(
            **{name: value for name, value in self.cleaned_data.items() if name not in ("file", "map_columns")}
        )
