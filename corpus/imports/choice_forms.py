"""How a file is read where it can be read in several ways: asked when it is uploaded, and after its check."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from corpus.imports.manifest.choices import APART, FIRST, MAPPING, MERGE, ONE, SPLIT, Choices

CLASH_CHOICES = [
    ("", _("Not chosen yet")),
    (SPLIT, _("Split: an item for each prompt")),
    (FIRST, _("Keep the first prompt; rows with another one are left out")),
    (MERGE, _("Merge: one item, shown with its first prompt")),
]
OF_ONE = "of_item_"


class ChoicesForm(forms.Form):
    clashing_items = forms.ChoiceField(
        label=_("Items with different prompts"),
        choices=CLASH_CHOICES,
        required=False,
        help_text=_("An exported table has the words of every row again, except of rows that are left out."),
    )
    same_prompts = forms.ChoiceField(
        label=_("Prompts under several items"),
        choices=[("", _("Not chosen: different items")), (APART, _("Different items")), (ONE, _("One item"))],
        required=False,
        help_text=_("Intervals over items depend on it: the same prompt counts once, or several times."),
    )
    item_column = forms.CharField(
        label=_("Column that tells items apart"),
        max_length=200,
        required=False,
        help_text=_("Empty: item or instruction_id."),
    )
    label_column = forms.CharField(
        label=_("Column of the labels"),
        max_length=200,
        required=False,
        help_text=_("Of the overall question. Empty: label, label_overall and the like."),
    )
    without_labels = forms.BooleanField(label=_("Import without labels"), required=False)

    def choices(self) -> Choices:
        return Choices(**self.cleaned_data)


class ChoicesAfterCheckForm(ChoicesForm):
    """The same with a choice for each item that the check found with different prompts, and the columns there are."""

    def __init__(self, data: Any, *, found: dict[str, Any], chosen: Choices) -> None:
        super().__init__(data, initial=chosen.as_json())
        self.chosen = bool(chosen.as_json().keys() - {MAPPING})
        self._clashing = [clash["item"] for clash in found.get("clashes", [])]
        self._may_use(found)
        for n, item in enumerate(self._clashing if len(self._clashing) > 1 else ()):
            self.fields[f"{OF_ONE}{n}"] = forms.ChoiceField(
                label=_("Item %(item)s") % {"item": item},
                choices=[("", _("As chosen for all")), *CLASH_CHOICES[1:]],
                required=False,
                initial=chosen.by_item.get(item, ""),
            )

    def choices(self) -> Choices:
        whole = {name: self.cleaned_data[name] for name in ChoicesForm.base_fields if name in self.cleaned_data}
        of_one = {item: self.cleaned_data.get(f"{OF_ONE}{n}") for n, item in enumerate(self._clashing)}
        return Choices(**whole, by_item={item: choice for item, choice in of_one.items() if choice})

    def _may_use(self, found: dict[str, Any]) -> None:
        """Ask only for what matters to this file, or was chosen already; offer the columns that were found."""
        asked = {
            "clashing_items": found.get("clashes"),
            "same_prompts": found.get("repeated"),
            "item_column": found.get("item_columns"),
            "label_column": found.get("label_columns"),
            "without_labels": found.get("label_columns") or found.get("labels_are_lost"),
        }
        for name, there in asked.items():
            if not there and not self.initial.get(name) and name != "item_column":
                self.fields[name].widget = forms.HiddenInput()
        for name in ("item_column", "label_column"):
            if names := [column["name"] for column in found.get(f"{name}s", [])]:
                more = [self.initial[name]] if self.initial.get(name) and self.initial[name] not in names else []
                columns = [("", _("Not chosen yet")), *((it, it) for it in [*names, *more])]
                self.fields[name].widget = forms.Select(choices=columns)
