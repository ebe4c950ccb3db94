"""What may be asked of the table of a dataset's items."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from accounts.models import User
from corpus.datasets.items_table import ANY, SORTS, Wanted
from corpus.models import Dataset, ItemWarning

SIZES = (25, 50, 100)
SORT_NAMES = (
    ("", _("as imported")),
    ("key", _("by key")),
    ("-key", _("by key, last first")),
    ("-seconds", _("longest first")),
    ("seconds", _("shortest first")),
    ("-lufs", _("loudest first")),
    ("lufs", _("quietest first")),
    ("-warnings", _("most warnings first")),
    ("warnings", _("fewest warnings first")),
)


class ItemsForm(forms.Form):
    """The filters, as the address has them. What is not understood there counts as not asked."""

    q = forms.CharField(label=_("Search"), required=False, max_length=200, widget=forms.TextInput({"type": "search"}))
    system: Any = forms.ModelChoiceField(queryset=None, label=_("System"), required=False, empty_label=_("all"))
    category = forms.ChoiceField(label=_("Category"), required=False)
    warning = forms.ChoiceField(label=_("Warning"), required=False)
    missing = forms.BooleanField(label=_("A response is missing"), required=False)
    sort = forms.ChoiceField(label=_("Sort"), choices=SORT_NAMES, required=False)
    size = forms.TypedChoiceField(
        label=_("Rows"), choices=[(n, n) for n in SIZES], coerce=int, empty_value=None, required=False
    )
    same_as = forms.CharField(required=False, max_length=16, widget=forms.HiddenInput)

    def __init__(self, *args: Any, dataset: Dataset, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        fields: Any = self.fields
        fields["system"].queryset = dataset.systems.all()
        categories = dataset.items.exclude(category="").order_by("category").values_list("category", flat=True)
        fields["category"].choices = [("", _("all"))] + [(it, it) for it in categories.distinct()]
        if len(fields["category"].choices) == 1:
            del fields["category"]
        kinds = [(kind.value, kind.label) for kind in ItemWarning.Kind]
        fields["warning"].choices = [("", _("with or without")), (ANY, _("with any")), *kinds]

    @property
    def wanted(self) -> Wanted:
        self.is_valid()
        asked = self.cleaned_data
        return Wanted(
            words=asked.get("q", ""),
            category=asked.get("category", ""),
            system=asked.get("system"),
            warning=asked.get("warning", ""),
            same_as=asked.get("same_as", ""),
            missing=asked.get("missing", False),
            sort=asked.get("sort", "") if asked.get("sort", "") in SORTS else "",
        )

    @property
    def rows_per_page(self) -> int:
        self.is_valid()
        return int(self.cleaned_data.get("size") or SIZES[0])


#: Common licences of recordings and texts, by their SPDX ids.
LICENCES = (
    "CC0-1.0", "CC-BY-4.0", "CC-BY-SA-4.0", "CC-BY-NC-4.0", "CC-BY-NC-SA-4.0", "CC-BY-ND-4.0", "CC-BY-NC-ND-4.0",
    "ODC-By-1.0", "ODbL-1.0", "PDDL-1.0", "Apache-2.0", "MIT",
)  # fmt: skip


class AboutForm(forms.Form):
    """What the owner says of a dataset."""

    description = forms.CharField(
        label=_("Description"), required=False, max_length=10_000, widget=forms.Textarea({"rows": 5}),
        help_text=_("Plain text: what was recorded, how and for what."),
    )  # fmt: skip
    licence = forms.CharField(
        label=_("Licence"), required=False, max_length=200, widget=forms.TextInput({"list": "licences"}),
        help_text=_("An SPDX id such as CC-BY-4.0, or in words. It becomes the proposal for exports."),
    )  # fmt: skip
    source = forms.CharField(
        label=_("Source and citation"), required=False, max_length=4_000, widget=forms.Textarea({"rows": 3}),
        help_text=_("Where it comes from, and how it is to be cited."),
    )  # fmt: skip
    owner = forms.CharField(
        label=_("Owner"), max_length=150,
        help_text=_("A username. Another owner gets your right to import into it and to change this page."),
    )  # fmt: skip

    handed_over = forms.BooleanField(
        label=_("Hand the dataset over to another owner; only they or an administrator can return it"),
        required=False,
    )

    def __init__(self, *args: Any, owner: User, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._owner = owner

    def clean_owner(self) -> User:
        """The one it has, or another researcher."""
        if self.cleaned_data["owner"] == self._owner.username:
            return self._owner
        found = User.objects.filter(username=self.cleaned_data["owner"], is_active=True).first()
        if found is None or not found.may_launch:
            raise forms.ValidationError(
                _("There is no researcher of this username. Ask an administrator to add one.")
            )
        return found

    def clean(self) -> dict[str, Any]:
        """Whose it is does not change by the way."""
        said = self.cleaned_data
        if not said.pop("handed_over", False) and said.get("owner", self._owner) != self._owner:
            self.add_error("handed_over", _("Tick this to change the owner."))
        return said
