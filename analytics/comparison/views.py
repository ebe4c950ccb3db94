from urllib.parse import urlencode

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from accounts.requests import AccountRequest
from analytics.comparison.page import (
    axis_of,
    baseline_words,
    csv_lines,
    json_text,
    matrix,
    picture_of,
    shown_rows,
)
from analytics.data.label_arrays import PEOPLE
from analytics.judged.cache import CannotQualify, comparison_of, qualify_judge
from analytics.judged.comparison import Comparison
from analytics.judged.counting import notes_of
from analytics.reports.kinds import KINDS
from analytics.reports.pages.serving import PICTURES, picture_file
from analytics.reports.pages.settings import Choice, counting_choices, counting_of, filter_choices, reading_of
from campaigns.access import Right, campaign_for, rights_in
from campaigns.models import Campaign
from infrastructure.files.downloads import download
from infrastructure.templatetags.wording import refusal_text, worded
from judges.models import Run
from protocols import Aspect
from stats.judges.watched import LEAST_PEOPLE

TEXTS = {"csv": "text/csv", "json": "application/json"}


@require_safe
def comparison(request: AccountRequest, slug: str) -> HttpResponse:
    """Every judge, annotator and imported label set beside one reference."""
    campaign = campaign_for(request.user, slug, Right.VIEW)
    filters, ways = filter_choices(campaign, request.GET.dict()), counting_choices(campaign, request.GET.dict())
    counting = counting_of(ways)
    found = comparison_of(campaign, request.GET.get("reference", ""), reading_of(filters), counting)
    aspect = _aspect(campaign, found, request)
    rights = rights_in(campaign, request.user)
    titles = {it.name: it.title for it in campaign.protocol.aspects}
    said = _address(found, [*filters, *ways])
    axis = axis_of(found, aspect.name) if found.rows and aspect else None
    context = {
        "campaign": campaign,
        "claims": KINDS["judges"].claims,
        "comparison": found,
        "aspect": aspect.name if aspect else "",
        "aspects": [(name, titles[name]) for name in found.aspects],
        "references": [(key, _reference_title(key, title)) for key, title in found.references],
        "reference_title": dict(found.references).get(found.reference, ""),
        "filters": filters,
        "ways": ways,
        "counted": notes_of(counting),
        "is_narrowed": any(it.chosen for it in filters),
        "rows": shown_rows(found, aspect.name, axis) if found.rows and aspect and axis else [],
        "baselines": found.baselines.get(aspect.name) if aspect else None,
        "most_frequent": baseline_words(found, aspect) if aspect else "",
        "matrix": matrix(found, aspect.name) if aspect else [],
        "differences": found.differences.get(aspect.name, ()) if aspect else (),
        "least_people": LEAST_PEOPLE,
        "lowest": axis.low if axis else None,
        "may_manage": Right.MANAGE in rights,
        "may_review": Right.REVIEW in rights,
        "files": _files(campaign, found, aspect, said),
        "query": urlencode(said),
    }
    return render(request, "analytics/comparison/comparison.html", context)


@require_safe
def comparison_file(request: AccountRequest, slug: str, form: str) -> HttpResponse:
    campaign = campaign_for(request.user, slug, Right.VIEW)
    if form not in (*TEXTS, *PICTURES):
        raise Http404("A comparison can be had as CSV and as JSON, and as a picture.")
    reading = reading_of(filter_choices(campaign, request.GET.dict()))
    counting = counting_of(counting_choices(campaign, request.GET.dict()))
    found = comparison_of(campaign, request.GET.get("reference", ""), reading, counting)
    name = f"comparison-{slug}.{form}"
    if form in PICTURES:
        aspect = _aspect(campaign, found, request)
        if (figure := picture_of(found, aspect) if aspect else None) is None:
            raise Http404("There is nothing to draw: no κ is defined.")
        return picture_file(figure, form, name)
    text = (
        "".join(csv_lines(found))
        if form == "csv"
        else json_text(found, campaign=slug, reference=found.reference, counting=counting)
    )
    return download(text, name=name, content_type=f"{TEXTS[form]}; charset=utf-8")


@require_POST
def qualify(request: AccountRequest, slug: str, pk: int) -> HttpResponse:
    campaign = campaign_for(request.user, slug, Right.MANAGE)
    if (run := Run.objects.filter(campaign=campaign, pk=pk).select_related("judge").first()) is None:
        raise Http404("There is no such run of this campaign.")
    reference = request.POST.get("reference", "")
    try:
        row = qualify_judge(campaign, run, reference=reference, user=request.user)
    except CannotQualify as refusal:
        messages.error(request, refusal_text(refusal))
    else:
        if row.qualified:
            messages.success(request, _("%(judge)s qualified.") % {"judge": run.judge})
        else:
            parameters = {"judge": run.judge, "reason": worded(row.reason)}
            messages.warning(request, _("%(judge)s did not qualify: %(reason)s.") % parameters)
    return redirect(f"{reverse('comparison', args=[slug])}?{urlencode({'reference': reference})}")


def _reference_title(key: str, title: str) -> str:
    return _("the campaign’s people") if key == PEOPLE else title


def _aspect(campaign: Campaign, found: Comparison, request: AccountRequest) -> Aspect | None:
    """The one that the address says, else the first that is compared."""
    asked = request.GET.get("aspect", "")
    name = asked if asked in found.aspects else next(iter(found.aspects), "")
    return campaign.protocol.aspect(name) if name else None


def _address(found: Comparison, filters: list[Choice]) -> dict[str, str]:
    """What is chosen, as an address says it."""
    said = {"reference": found.reference} | {it.option.name: it.chosen for it in filters}
    return {name: value for name, value in said.items() if value}


def _files(campaign: Campaign, found: Comparison, aspect: Aspect | None, said: dict[str, str]) -> dict[str, str]:
    """Addresses of the data of all aspects, and of the picture of this one."""
    forms = dict.fromkeys(TEXTS, said)
    if aspect and picture_of(found, aspect):
        forms |= {form: said | {"aspect": aspect.name} for form in PICTURES}
    address = {form: reverse("comparison-file", args=[campaign.slug, form]) for form in forms}
    return {form: f"{address[form]}?{urlencode(query)}" for form, query in forms.items()}
