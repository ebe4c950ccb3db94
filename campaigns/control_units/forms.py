from django import forms
from django.core.files.uploadedfile import UploadedFile
from django.utils.translation import gettext_lazy as _

from campaigns.control_units.checks import GoldAnswer, read_gold
from infrastructure.files.uploaded_tables import uploaded

MAX_GOLD_BYTES = 1_000_000


class ChecksForm(forms.Form):
    """Gold as a table; numbers of the checks that are drawn."""

    gold = forms.FileField(
        label=_("Gold units"),
        required=False,
        help_text=_(
            "A CSV with the columns unit, aspect, value and, optionally, slot and tolerance (in "
            "steps of the scale). Values are those of exports: a, b, both_good, … Without a file "
            "the gold units stay as they are."
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
    return uploaded(file, read_gold, most_bytes=MAX_GOLD_BYTES)
