"""A protocol that comes as a file, or as text put into a box."""

from dataclasses import dataclass
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from protocols.documents.yaml_files import MAX_BYTES

AROUND = 3


class UploadForm(forms.Form):
    """`text` is what was read, whichever way it came."""

    file = forms.FileField(label=_("File"), required=False, help_text=_("YAML, up to 100 kB."))
    text = forms.CharField(
        label=_("Or its text"), required=False, strip=False, widget=forms.Textarea(attrs={"rows": 14})
    )

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        if file := data.get("file"):
            data["text"] = self._read(file)
        elif not data.get("text", "").strip() and not self.errors:
            self.add_error("file", _("Choose a file, or put its text below."))
        return data

    def _read(self, file: Any) -> str:
        if file.size > MAX_BYTES:
            self.add_error("file", _("The file is larger than %(n)s kB.") % {"n": MAX_BYTES // 1000})
            return ""
        try:
            return str(file.read().decode("utf-8-sig"))
        except UnicodeDecodeError:
            self.add_error("file", _("This is not a text file in UTF-8."))
            return ""


@dataclass(frozen=True)
class ShownLine:
    number: int
    text: str
    at_fault: bool


def excerpt(text: str, line: int | None) -> list[ShownLine]:
    """The line at fault and those around it."""
    if line is None:
        return []
    numbered = enumerate(text.splitlines(), 1)
    return [ShownLine(n, one, n == line) for n, one in numbered if abs(n - line) <= AROUND]
