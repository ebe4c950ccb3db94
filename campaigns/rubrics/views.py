from django.contrib import messages
from django.core.paginator import Paginator
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.requests import AccountRequest
from campaigns.access import Right, campaign_for, rights_in
from campaigns.models import Campaign, Criterion
from campaigns.rubrics.forms import CriteriaForm
from campaigns.rubrics.progress import must_be_reviewed, reviewed, unreviewed, used_items
from campaigns.rubrics.reviewing import add_criterion, decide, needs_none
from campaigns.rubrics.tables import MAX_BYTES, criteria_lines, take_criteria
from corpus.models import Item
from infrastructure.files.csv_files import CSV
from infrastructure.files.downloads import download
from infrastructure.files.upload_limits import takes_files
from infrastructure.files.uploaded_tables import InvalidTable
from infrastructure.templatetags.wording import refusal_text
from infrastructure.whole_numbers import whole_number

PER_PAGE = 100


@require_safe
def rubric(request: AccountRequest, slug: str) -> HttpResponse:
    """The items of the campaign with their criteria, and how far their review is."""
    row = _campaign(request, slug, Right.REVIEW)
    return render(request, "campaigns/rubrics/rubric.html", _context(request, row, CriteriaForm()))


@require_http_methods(["GET", "POST"])
def rubric_item(request: AccountRequest, slug: str, pk: int) -> HttpResponse:
    """One item with what it is about, to decide about its criteria."""
    row = _campaign(request, slug, Right.REVIEW)
    if (item := used_items(row).filter(pk=pk).first()) is None:
        raise Http404("This campaign has no such item.")
    fault = ""
    if request.method == "POST":
        try:
            _decide(request, row, item)
        except Criterion.DoesNotExist as error:
            raise Http404("This item has no such criterion.") from error
        except ValueError as refusal:
            fault = refusal_text(refusal)
        else:
            return redirect("rubric-item", slug=slug, pk=_where_to_go_on(row, item, request.POST["verb"]))
    return render(
        request, "campaigns/rubrics/rubric_item.html", _item_context(row, item, fault), status=422 if fault else 200
    )


@require_safe
def rubric_table(request: AccountRequest, slug: str) -> HttpResponse:
    row = _campaign(request, slug, Right.REVIEW)
    return download(criteria_lines(row), name=f"{slug}-criteria.csv", content_type=CSV)


@takes_files(most=MAX_BYTES)
@require_POST
def rubric_upload(request: AccountRequest, slug: str) -> HttpResponse:
    row = _campaign(request, slug, Right.MANAGE)
    form = CriteriaForm(request.POST, request.FILES)
    if form.is_valid() and (n := _took(request, row, form)) is not None:
        messages.success(request, _("Criteria that came: %(n)s.") % {"n": n})
        return redirect("rubric", slug=slug)
    return render(request, "campaigns/rubrics/rubric.html", _context(request, row, form), status=422)


def _campaign(request: AccountRequest, slug: str, right: Right) -> Campaign:
    row = campaign_for(request.user, slug, right)
    if not row.protocol.item_criteria:
        raise Http404("The items of this campaign bring no criteria.")
    return row


def _decide(request: AccountRequest, row: Campaign, item: Item) -> None:
    verb, text = request.POST.get("verb", ""), request.POST.get("text", "")
    if verb == "add":
        add_criterion(row, item, text, by=request.user)
    elif verb == "none":
        needs_none(row, item, by=request.user)
    else:
        criterion = whole_number(request.POST.get("criterion", ""))
        if criterion is None or not item.criteria.filter(pk=criterion).exists():
            raise Criterion.DoesNotExist
        decide(row, criterion, verb, by=request.user, text=text)


def _where_to_go_on(row: Campaign, item: Item, verb: str) -> int:
    """This item while it is not through, or was added to; then the next one that is not."""
    waiting = unreviewed(row)
    if verb == "add" or (item.n_drafted == 0 and verb != "none") or waiting.filter(pk=item.pk).exists():  # type: ignore[attr-defined]
        return item.pk
    following = waiting.filter(key__gt=item.key).first() or waiting.first()
    return following.pk if following else item.pk


def _took(request: AccountRequest, row: Campaign, form: CriteriaForm) -> int | None:
    data = form.cleaned_data
    try:
        return take_criteria(row, data["file"], by=request.user, reviewed=data["reviewed"])
    except InvalidTable as invalid:
        for fault in invalid.faults[:20]:
            form.add_error("file", fault)
    except ValueError as refusal:
        form.add_error(None, refusal_text(refusal))
    return None


def _context(request: AccountRequest, row: Campaign, form: CriteriaForm) -> dict[str, object]:
    waiting = unreviewed(row)
    only_waiting = request.GET.get("show") == "waiting"
    items = (waiting if only_waiting else used_items(row)).prefetch_related("criteria", "turns")
    return {
        "campaign": row,
        "form": form,
        "reviewed": reviewed(row),
        "page": Paginator(items, PER_PAGE).get_page(request.GET.get("page")),
        "only_waiting": only_waiting,
        "first": waiting.first(),
        "fixed": row.status != Campaign.Status.DRAFT,
        "frozen": not must_be_reviewed(row),
        "may_manage": Right.MANAGE in rights_in(row, request.user),
    }


def _item_context(row: Campaign, item: Item, fault: str) -> dict[str, object]:
    others = list(used_items(row).values_list("pk", flat=True))
    at = others.index(item.pk)
    return {
        "campaign": row,
        "item": item,
        "fault": fault,
        "criteria": item.criteria.prefetch_related("decisions__by"),
        "turns": item.turns.select_related("clip"),
        "reviewed": reviewed(row),
        "place": at + 1,
        "earlier": others[at - 1] if at else None,
        "later": others[at + 1] if at + 1 < len(others) else None,
        "fixed": row.status != Campaign.Status.DRAFT,
    }
