from dataclasses import dataclass
from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from campaigns.imports.rows import Row, UnreadableManifest, rows_of
from judges.imported.plan import Columns, UnusableColumns, find_columns, rows_of_judges

MAX_BYTES = 50_000_000


@dataclass(frozen=True)
class Table:
    rows: list[tuple[int, Row]]
    columns: Columns


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
            ("ab", gettext_lazy("a was heard first, everywhere")),
            ("ba", gettext_lazy("b was heard first, everywhere")),
        ],
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
    table: Table

    def clean_file(self) -> list[tuple[int, Row]]:
        file = self.cleaned_data["file"]
        if file.size > MAX_BYTES:
            raise forms.ValidationError(_("This table is larger than 50 MB; take the command."))
        try:
            return rows_of_judges(rows_of(file.read()))
        except UnreadableManifest as fault:
            raise forms.ValidationError(str(fault)) from fault

    def clean_columns(self) -> dict[str, str]:
        named = {}
        for line in filter(str.strip, self.cleaned_data["columns"].splitlines()):
            part, equals, name = line.partition("=")
            if not equals:
                raise forms.ValidationError(_("Write part = column, one per line."))
            named[part.strip()] = name.strip()
        return named

    def clean(self) -> dict[str, Any] | None:
        data = super().clean() or {}
        if self.errors:
            return data
        settings = tuple(filter(None, (name.strip() for name in data["settings"].split(","))))
        try:
            columns = find_columns(
                data["file"], named=data["columns"], settings=settings, judge=data["judge"], order=data["order"]
            )
        except UnusableColumns as fault:
            raise forms.ValidationError(str(fault)) from fault
        self.table = Table(data["file"], columns)
        return data
