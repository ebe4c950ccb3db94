from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from campaigns.imports.answers.tables import begins_like_answers
from campaigns.imports.studies import holds_study


class ImportForm(forms.Form):
    dataset_name = forms.CharField(
        label=_("Dataset"), max_length=200, help_text=_("A new name, or that of a dataset to add to.")
    )
    manifest = forms.FileField(
        label=_("Manifest"),
        help_text=_(
            "CSV, JSON or JSON Lines, with one row per response or per pair; or what a campaign exported: a table of "
            "answers, or the ZIP for Hugging Face with the whole study."
        ),
    )
    archive = forms.FileField(
        label=_("Audio"),
        required=False,
        help_text=_("A ZIP of WAV, FLAC, MP3 or OGG files, as the manifest names them."),
    )
    without_audio = forms.BooleanField(
        label=_("Import without audio"),
        required=False,
        help_text=_("Texts and labels only; audio can follow later."),
    )
    label_set_name = forms.CharField(
        label=_("Name of the labels"),
        max_length=200,
        required=False,
        help_text=_("If the manifest brings labels."),
    )

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        file = data.get("manifest")
        needs_audio = not (file and (holds_study(file) or begins_like_answers(file)))
        if needs_audio and not data.get("archive") and not data.get("without_audio"):
            self.add_error("archive", _("Add a ZIP of the audio, or choose to import without audio."))
        return data
