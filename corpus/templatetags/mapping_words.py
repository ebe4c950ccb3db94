"""What the fields of a mapped row are called on its page."""

from typing import Any

from django import template
from django.utils.translation import gettext_lazy as _

from corpus.imports.mapping.page.forms import GROUPS
from corpus.models import Import

register = template.Library()

WORDS: dict[str, Any] = {value: label for _group, options in GROUPS for value, label in options} | {
    "item": _("Item"), "index": _("Pair"), "unit": _("Unit"), "systems": _("Systems"), "aspect": _("Question"),
    "value": _("Answer"), "status": _("Status"), "order": _("Order"), "condition": _("Changed sound"),
}  # fmt: skip


@register.filter
def field_word(name: str) -> str:
    """The word for a field; for a label of a pair, its question."""
    if name.startswith("label_"):
        return name.removeprefix("label_")
    return str(WORDS.get(name, name))


@register.filter
def mapping_used(row: Import) -> dict[str, Any]:
    """The mapping by which an import was read: with what is usual for its tool, or as it was chosen."""
    of_tool: dict[str, Any] = row.report.get("tool", {}).get("mapping", {})
    chosen: dict[str, Any] = row.choices.get("mapping", {})
    return of_tool or chosen
