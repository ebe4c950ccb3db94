"""The page on which the columns of a table of verdicts are mapped: what each becomes, and what comes of it."""

from typing import Any
from uuid import UUID

from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods

from accounts.requests import AccountRequest
from campaigns.access import Right, campaign_for, names_are_hidden
from campaigns.models import Campaign
from corpus.imports.files.rows import UnreadableManifest
from corpus.imports.mapping.mapping import MAX_NAME, VERDICTS, TableMapping
from corpus.imports.mapping.page.forms import fixed_lines, groups_by_shape, lines_of, posted_mapping
from corpus.imports.mapping.page.preview import N_SHOWN, Preview, StoredTable, short, stored_table
from corpus.imports.mapping.page.recipes import is_name, keep_recipe, recipes_for, recipes_of
from corpus.imports.mapping.page.views import is_to_be_read, place_of, reading_page
from corpus.imports.mapping.rows.tally import Tally
from infrastructure.templatetags.wording import refusal_text
from infrastructure.whole_numbers import whole_number
from judges.imported.columns import UnusableColumns
from judges.imported.guessing import guess_verdicts
from judges.imported.mapped import MARK, known_in_campaign, mapped_verdicts
from judges.imported.reading import Options, faults_of, plan_table
from judges.imported.uploads import ImportRefused, map_verdict_columns
from judges.imported.views import import_of
from judges.imported.writing import units_by_key
from judges.models import VerdictImport

SHAPES = [(VERDICTS, gettext_lazy("Verdicts on units of the campaign"))]
#: As papers write them, and tables.
ORDERS = [("AB", "AB"), ("BA", "BA")]
#: What is shown of a verdict, in this order.
SHOWN = ("unit", "judge", "order", "condition", "aspect", "value", "status", "sample", "reasoning")
MOST_FAULTS = 20


@require_http_methods(["GET", "POST"])
def verdict_import_columns(request: AccountRequest, slug: str, pk: UUID) -> HttpResponse:
    """What each column becomes, with the verdicts that come of it; imported when that is asked for."""
    campaign = campaign_for(request.user, slug, Right.MANAGE)
    row = import_of(campaign, pk)
    if row.status != VerdictImport.Status.MAPPING:
        return redirect(row)
    try:
        if is_to_be_read(request, row.folder, row.table_path):
            return reading_page(request, row.table_path, name=row.table_name)
        table = stored_table(row.folder, row.table_path)
    except (FileNotFoundError, UnreadableManifest):  # the upload is gone, at this moment perhaps
        return redirect(row)
    if request.method == "GET":
        return _page(request, row, table, _first_mapping(request, campaign, table))
    return _posted(request, row, table)


def _posted(request: AccountRequest, row: VerdictImport, table: StoredTable) -> HttpResponse:
    """The result so far, or the beginning of the import."""
    mapping = posted_mapping(request.POST, table.profile, None, shapes=[VERDICTS])
    if "check" not in request.POST or faults_of(mapping, table.profile.names, row.campaign):
        return _page(request, row, table, mapping)
    name = request.POST.get("recipe", "").strip()
    if name and not is_name(name):
        refused = _("A recipe needs a name of at most %(n)s characters.") % {"n": MAX_NAME}
        return _page(request, row, table, mapping, refusal=refused)
    try:
        map_verdict_columns(row, mapping=mapping)
    except (ImportRefused, UnusableColumns) as refusal:
        return _page(request, row, table, mapping, refusal=refusal_text(refusal))
    if name:
        keep_recipe(user=request.user, name=name, columns=table.profile.names, mapping=mapping)
    return redirect(row)


def _first_mapping(request: AccountRequest, campaign: Campaign, table: StoredTable) -> TableMapping:
    """A chosen recipe, the latest for these columns, or a guess."""
    if (asked := whole_number(request.GET.get("recipe", ""))) is not None:
        return TableMapping.from_json(get_object_or_404(recipes_of(request.user), pk=asked).mapping)
    if "guess" not in request.GET and (latest := recipes_for(request.user, table.profile.names, [VERDICTS]).first()):
        return TableMapping.from_json(latest.mapping)
    return guess_verdicts(table.profile, units_by_key(campaign).keys())


def _page(
    request: AccountRequest, row: VerdictImport, table: StoredTable, mapping: TableMapping, *, refusal: str = ""
) -> HttpResponse:
    campaign, profile = row.campaign, table.profile
    hidden = names_are_hidden(campaign)
    systems = None if hidden else set(campaign.dataset.systems.values_list("name", flat=True))
    outcome = preview_verdicts(table, mapping, campaign, Options.of(row))
    shown: dict[str, Any] = {
        "import": row, "campaign": campaign, "into": campaign.title, "file": row.table_name,
        "action": reverse("verdict-import-columns", args=[campaign.slug, row.pk]), "profile": profile,
        "mapping": mapping, "lines": lines_of(mapping, profile, systems), "fixed": fixed_lines(mapping, [VERDICTS]),
        "orders": ORDERS, "preview": outcome, "left_out": table.left_out,
        "needed": [(place_of(profile, column), why) for column, why in outcome.faults],
    }  # fmt: skip
    if request.htmx:
        return render(request, "corpus/imports/_import_mapped.html", shown)
    offered = list(recipes_for(request.user, profile.names, [VERDICTS]))
    same = next((recipe for recipe in offered if recipe.mapping == mapping.as_json()), None)
    shown |= {
        "groups": groups_by_shape([VERDICTS]), "shapes": SHAPES, "recipes": offered, "used": same, "refusal": refusal,
        "recipe_name": request.POST.get("recipe", ""),
    }  # fmt: skip
    return render(request, "corpus/imports/import_columns.html", shown, status=409 if refusal else 200)


def preview_verdicts(table: StoredTable, mapping: TableMapping, campaign: Campaign, options: Options) -> Preview:
    """Go through the first rows by the mapping; nothing is written."""
    found = Preview(table.place, faults_of(mapping, table.profile.names, campaign))
    found.unused = [
        (name, False) for name in table.profile.names if name not in mapping.columns and name not in mapping.only
    ]
    if found.faults:
        return found
    found.whole = table.is_first_whole
    shown: dict[int, list[list[tuple[str, str]]]] = {}
    for number, row in mapped_verdicts(table.first, mapping, Tally(), known=known_in_campaign(campaign)):
        if number in shown or len(shown) < N_SHOWN:
            cells = [(part, str(row[MARK + part])) for part in SHOWN if row[MARK + part]]
            cells += [(name, str(row[name])) for name in mapping.of("setting") if row[name] not in (None, "")]
            shown.setdefault(number, []).append([(name, short(cell)) for name, cell in cells])
    plan = plan_table(table.first, Options(unknown_as_missing=options.unknown_as_missing, mapping=mapping.as_json()),
                      campaign)  # fmt: skip
    found.shown = list(shown.items())
    units = {key[0] for verdicts in plan.judges.values() for key in verdicts}
    found.counts = {
        "rows": plan.rows, "made": plan.n_verdicts, "units": len(units), "judges": len(plan.judges),
        "missing": plan.n_missing,
    }  # fmt: skip
    found.n_planned = plan.n_verdicts
    found.problems = [it for it in plan.problems if it.severity == "warning"] + plan.errors[:MOST_FAULTS]
    return found
