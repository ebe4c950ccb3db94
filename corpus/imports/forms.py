import json
import zipfile
from collections.abc import Callable
from typing import Any

from django import forms
from django.conf import settings
from django.core.files.base import ContentFile
from django.core.files.uploadedfile import UploadedFile
from django.db.models import QuerySet
from django.utils.translation import gettext_lazy as _

from corpus.imports.answers.tables import begins_like_answers
from corpus.imports.files.audio_files import ZIP_DAMAGE, UnusableArchive
from corpus.imports.files.folders import manifest_of_folders, metadata_in, with_folder
from corpus.imports.files.remote_audio import names_addresses
from corpus.imports.files.rows import MAX_MANIFEST_BYTES, UnreadableManifest, rows_of
from corpus.imports.files.studies import holds_study
from corpus.imports.files.zip_names import name_in
from corpus.imports.reasons import MANIFEST_TOO_LARGE, NO_ZIP
from corpus.imports.tools.registry import names_no_sound, tool_of
from corpus.models import Import
from infrastructure.templatetags.wording import refusal_text
from infrastructure.wording.names import require_visible
from infrastructure.wording.reasons import reason_of


class ImportForm(forms.Form):
    dataset_name = forms.CharField(
        label=_("Dataset"),
        max_length=200,
        validators=[require_visible],
        help_text=_("A new name, or that of a dataset to add to."),
    )
    manifest = forms.FileField(
        label=_("Manifest"),
        required=False,
        help_text=_(
            "CSV, JSON, JSON Lines or Parquet, with one row per response or per pair; or what a campaign exported: a "
            "table of answers, or the ZIP for Hugging Face with the whole study. Any other table is mapped on the "
            "next page. Files of other tools are recognised: LMArena, Label Studio, Potato, webMUSHRA, P.808, VERSA, "
            "lm-evaluation-harness, AudioJudge, Hugging Face, τ-voice, Full-Duplex-Bench. Empty: the ZIP has one "
            "folder for each system, or is a tool's."
        ),
    )
    archive = forms.FileField(
        label=_("Audio"),
        required=False,
        help_text=_(
            "A ZIP of WAV, FLAC, MP3 or OGG files, as the manifest names them. What it names by https:// or s3:// is "
            "fetched from there, without a ZIP."
        ),
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
    map_columns = forms.BooleanField(
        label=_("Map the columns myself"),
        required=False,
        help_text=_("A table with other columns leads there by itself."),
    )

    audio_of = forms.ModelChoiceField(Import.objects.none(), required=False, widget=forms.HiddenInput)

    def __init__(self, *args: Any, refused: QuerySet[Import] | None = None, **kwargs: Any) -> None:
        """`refused` are the imports whose kept ZIP may be used again."""
        super().__init__(*args, **kwargs)
        if refused is not None:
            self.fields["audio_of"].queryset = refused  # type: ignore[attr-defined]

    @property
    def kept_audio(self) -> Import | None:
        """The refused import whose ZIP is used unless another one is added."""
        try:
            row = self.fields["audio_of"].clean(self["audio_of"].value())
        except forms.ValidationError:
            return None
        return row if row and row.kept_archive else None

    @property
    def names_lost_audio(self) -> bool:
        """Whether it names an import of the user whose ZIP is no longer kept, and adds no other."""
        try:
            row = self.fields["audio_of"].clean(self["audio_of"].value())
        except forms.ValidationError:
            return False
        return row is not None and row.kept_archive is None and not self.files.get("archive")

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        file = data.get("manifest")
        if not file and "manifest" not in self.errors:
            file = data["manifest"] = self._manifest_of_archive(data)
        needs_no_zip = (holds_study, begins_like_answers, names_no_sound, names_addresses)
        needs_audio = not (file and any(tells(file) for tells in needs_no_zip))
        data.pop("audio_of", None)
        data["archive"] = data.get("archive") or self.kept_audio
        if needs_audio and not data["archive"] and not data.get("without_audio"):
            self.add_error("archive", _("Add a ZIP of the audio, or choose to import without audio."))
        return data

    def _manifest_of_archive(self, data: dict[str, Any]) -> UploadedFile | None:
        """What a ZIP alone is: the file of a tool, sound and all, or folders of systems."""
        archive: UploadedFile | None = data.get("archive")
        if archive is None or not (tool_of(archive) or holds_study(archive)):
            return self._manifest_of_folders(archive)
        data["archive"] = None
        return archive

    def _manifest_of_folders(self, archive: UploadedFile | None) -> UploadedFile | None:
        """Of a ZIP alone, with one folder for each system."""
        if archive is None:
            self.add_error("manifest", _("Add a manifest, or a ZIP with one folder for each system."))
            return None
        try:
            with zipfile.ZipFile(archive) as opened:
                names = [name_in(info) for info in opened.infolist()]
                if metadata := metadata_in(opened.namelist()):
                    text = "".join(map(_lines_of_metadata(opened), metadata))
                    archive.seek(0)
                    return UploadedFile(ContentFile(text.encode()), archive.name or "folder.zip")
                text = manifest_of_folders(names)
        except ZIP_DAMAGE as error:
            self.add_error("archive", refusal_text(UnusableArchive(NO_ZIP(why=reason_of(error)))))
        except UnusableArchive as unusable:
            self.add_error("manifest", refusal_text(unusable))
        else:
            archive.seek(0)
            return UploadedFile(ContentFile(text.encode()), archive.name or "folders.zip")
        return None


def _lines_of_metadata(opened: zipfile.ZipFile) -> Callable[[str], str]:
    """What makes JSON Lines of a file of metadata in the ZIP. Raises UnusableArchive where it cannot be read."""

    def lines_of(name: str) -> str:
        if opened.getinfo(name).file_size > MAX_MANIFEST_BYTES:
            raise UnusableArchive(MANIFEST_TOO_LARGE(megabytes=f"{opened.getinfo(name).file_size / 1024**2:.0f}"))
        try:
            rows = rows_of(opened.read(name))
        except UnreadableManifest as unreadable:
            raise UnusableArchive(unreadable.reason) from unreadable
        return "".join(f"{json.dumps(with_folder(row, name), ensure_ascii=False)}\n" for _, row in rows)

    return lines_of


def most_import_bytes() -> int:
    """The most that a manifest and its audio may have together."""
    return int(settings.MAX_ARCHIVE_BYTES) + MAX_MANIFEST_BYTES
