import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from django import forms
from django.core.files.uploadedfile import UploadedFile
from django.utils.translation import gettext_lazy as _

from measurements.likelihood.nll import DELTA

MAX_TABLE_BYTES = 100 * 1024**2


class MetricsForm(forms.Form):
    """Which metrics to compute, of those that can be."""

    names = forms.MultipleChoiceField(error_messages={"required": _("Choose a metric.")})

    def __init__(self, *args: Any, names: list[str], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field = self.fields["names"]
        if isinstance(field, forms.MultipleChoiceField):
            field.choices = [(name, name) for name in names]


class ScoresForm(forms.Form):
    file = forms.FileField(
        label=_("Table of scores"),
        help_text=_(
            "CSV or JSON Lines with system, metric and value and, for scores of responses, item; or a row for "
            "each system with a column for each metric; or VERSA’s lines. "
            "Nothing is written unless every row is right."
        ),
    )


class NumbersForm(forms.Form):
    file = forms.FileField(
        label=_("Table of numbers"),
        help_text=_(
            "CSV or JSON Lines with a unit’s key (unit, item_id, index, pair) and columns of numbers: SNR, a gap of "
            "MOS. Names that end in _a and _b are of the two responses: tokens_a, tokens_b."
        ),
    )
    key = forms.CharField(label=_("Column of the unit’s key, if called otherwise"), required=False, max_length=100)
    columns = forms.CharField(
        label=_("Columns to take, with commas between them; else all"), required=False, max_length=2000
    )

    def clean_columns(self) -> list[str]:
        return [it.strip() for it in self.cleaned_data["columns"].split(",") if it.strip()]


class LikelihoodsForm(forms.Form):
    file = forms.FileField(
        label=_("Log-probabilities"),
        help_text=_("JSON Lines or Parquet with model, pair, side (positive, negative) and logprobs."),
    )


class DeltaForm(forms.Form):
    delta = forms.IntegerField(label=_("Window in frames"), min_value=1, max_value=100_000, initial=DELTA)


class NamesForm(forms.Form):
    names = forms.CharField(
        label=_("Names to look for"),
        required=False,
        widget=forms.Textarea(attrs={"rows": 6}),
        help_text=_("One per line. Introductions such as “my name is …” are looked for in any case."),
    )

    def clean_names(self) -> list[str]:
        return [line.strip()[:200] for line in self.cleaned_data["names"].splitlines() if line.strip()]


@contextmanager
def as_path(upload: UploadedFile) -> Iterator[Path]:
    """The upload as a file on disk, for as long as it is read."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table"
        with path.open("wb") as file:
            for chunk in upload.chunks():
                file.write(chunk)
        yield path
