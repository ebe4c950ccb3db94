from typing import Any

from django import forms
from django.contrib.auth.validators import UnicodeUsernameValidator
from django.utils.translation import gettext_lazy as _

from campaigns.imports.answers.reading import begins_like_answers
from campaigns.models import Dataset, Role
from campaigns.protocols import SHIPPED

LOUDEST_TARGET, QUIETEST_TARGET = -12.0, -40.0


class ImportForm(forms.Form):
    dataset_name = forms.CharField(
        label=_("Dataset"), max_length=200, help_text=_("A new name, or that of a dataset to add to.")
    )
    manifest = forms.FileField(
        label=_("Manifest"),
        help_text=_("CSV, JSON or JSON Lines, with one row per response or per pair; or an exported CSV of answers."),
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
        needs_audio = not (data.get("manifest") and begins_like_answers(data["manifest"]))
        if needs_audio and not data.get("archive") and not data.get("without_audio"):
            self.add_error("archive", _("Add a ZIP of the audio, or choose to import without audio."))
        return data


def _protocol_choices() -> list[tuple[str, list[tuple[str, str]]]]:
    """Every protocol that ships, grouped by what it is about."""
    kinds = {"pair": _("Two responses"), "single": _("One response"), "item": _("All responses to an item")}
    return [
        (str(title), [(name, p.title) for name, p in SHIPPED.items() if p.unit == kind])
        for kind, title in kinds.items()
    ]


class CampaignForm(forms.Form):
    title = forms.CharField(
        label=_("Title"), max_length=120, help_text=_("Annotators read it, so let it name no system.")
    )
    dataset = forms.ModelChoiceField(label=_("Dataset"), queryset=Dataset.objects.none())
    protocol = forms.ChoiceField(
        label=_("Protocol"),
        choices=_protocol_choices,
        initial="hcot",
        help_text=_("What annotators are asked about each pair, each response, or all the responses to an item."),
    )
    units = forms.ChoiceField(
        label=_("Pairs"),
        help_text=_("For protocols about pairs; others take every response, or every item."),
        choices=[
            ("imported", _("The pairs that came with the dataset")),
            ("all", _("Every two systems on every item")),
            ("subset", _("A balanced subset of those")),
        ],
        initial="all",
    )
    per_pair = forms.IntegerField(
        label=_("Items for each two systems"),
        min_value=1,
        max_value=1000,
        initial=4,
        help_text=_("For a subset."),
    )
    listening = forms.ChoiceField(
        label=_("Listening"),
        choices=[
            ("", _("As the protocol asks")),
            ("full", _("Every clip in full")),
            ("seconds", _("Three seconds of every clip")),
            ("none", _("Not checked")),
        ],
        required=False,
        help_text=_("What an annotator must have heard before an answer is taken."),
    )
    answers_per_unit = forms.IntegerField(label=_("Annotators per pair"), min_value=1, max_value=100, initial=1)
    match_loudness = forms.BooleanField(
        label=_("Match loudness"),
        required=False,
        initial=True,
        help_text=_("One constant gain per clip, no limiter."),
    )
    target_lufs = forms.FloatField(
        label=_("Loudness (LUFS)"), min_value=QUIETEST_TARGET, max_value=LOUDEST_TARGET, initial=-23.0
    )

    def __init__(self, *args: Any, datasets: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["dataset"].queryset = datasets  # type: ignore[attr-defined]


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
