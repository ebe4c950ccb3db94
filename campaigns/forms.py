from typing import Any

from django import forms
from django.contrib.auth.validators import UnicodeUsernameValidator
from django.core.files.uploadedfile import UploadedFile
from django.utils.translation import gettext_lazy as _

from campaigns.audio.delivery import LOUDEST_TARGET, QUIETEST_TARGET
from campaigns.checks import GoldAnswer, InvalidGold, read_gold
from campaigns.imports.answers.tables import begins_like_answers
from campaigns.imports.studies import holds_study
from campaigns.models import Role

MAX_GOLD_BYTES = 1_000_000


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


class LoudnessForm(forms.Form):
    """Another target; empty means that loudness is not matched."""

    target_lufs = forms.FloatField(
        label=_("Loudness (LUFS)"),
        min_value=QUIETEST_TARGET,
        max_value=LOUDEST_TARGET,
        required=False,
        help_text=_("Empty: play every clip at its own level."),
    )


class MemberForm(forms.Form):
    username = forms.CharField(
        label=_("Username"),
        max_length=150,
        validators=[UnicodeUsernameValidator()],
        help_text=_("An account is made where there is none."),
    )
    role = forms.ChoiceField(label=_("Role"), choices=Role.choices, initial=Role.ANNOTATOR)


class ChecksForm(forms.Form):
    """Gold as a table; numbers of the checks that are drawn."""

    gold = forms.FileField(
        label=_("Gold units"),
        required=False,
        help_text=_(
            "A CSV with the columns unit, aspect, value and, if you like, slot and tolerance (in steps of the "
            "scale). Values are those of exports: a, b, both_good, … Without a file the gold units stay as they are."
        ),
    )
    identical = forms.IntegerField(
        label=_("Identical pairs"),
        min_value=0,
        max_value=200,
        help_text=_("One response twice. Who hears a difference is not listening, or guesses."),
    )
    repeat = forms.IntegerField(
        label=_("Repeats"),
        min_value=0,
        max_value=200,
        help_text=_("Units that come a second time, to see how far people agree with themselves."),
    )
    check_every = forms.IntegerField(
        label=_("Units between two checks"),
        min_value=2,
        max_value=100,
        help_text=_("About so many; a little more or less each time, so that nobody can count."),
    )

    def clean_gold(self) -> list[GoldAnswer] | None:
        if not (file := self.cleaned_data["gold"]):
            return None
        return gold_in(file)


def gold_in(file: UploadedFile) -> list[GoldAnswer]:
    """The answers in an uploaded table. Raises ValidationError."""
    if (file.size or 0) > MAX_GOLD_BYTES:
        raise forms.ValidationError(_("This table is larger than 1 MB."))
    try:
        return read_gold(file.read().decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise forms.ValidationError(_("This is not UTF-8 text. Save it as UTF-8.")) from error
    except InvalidGold as invalid:
        raise forms.ValidationError(invalid.faults) from invalid
