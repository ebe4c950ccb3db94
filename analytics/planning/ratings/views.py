"""The page "How many raters, how many items"."""

from django.http import HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_GET

from accounts.requests import AccountRequest
from analytics.planning.ratings.asking import Planning, planning_of
from analytics.planning.ratings.plan import RatingPlan, plan_ratings
from campaigns.access import Right, campaign_for
from charts.marks import KEYS
from charts.planes import curves
from charts.shapes import LINES
from stats.rater_models.decision import known_within


@require_GET
def rating_planning(request: AccountRequest, slug: str) -> HttpResponse:
    campaign = campaign_for(request.user, slug, Right.MANAGE)
    found = planning_of(campaign, request.GET.dict())
    context: dict[str, object] = {"campaign": campaign, "found": found}
    if found is None:
        return render(request, "analytics/planning/rating_planning.html", context)
    valid = found.form.is_valid()
    if valid:
        context |= _shown(found, plan_ratings(found.form.components(), found.form.asked()))
    return render(request, "analytics/planning/rating_planning.html", context, status=200 if valid else 422)


def _shown(found: Planning, plan: RatingPlan) -> dict[str, object]:
    counts = plan.raters
    title = dict(found.form.fields["of"].choices)[plan.asked.of]  # type: ignore[attr-defined]
    return {
        "plan": plan,
        "quantity": title,
        "known": known_within(found.pilot.raters),
        "curves": curves(
            [plan.halves(raters) for raters in counts],
            limit=plan.asked.half,
            along=sorted({it.found.size.items for it in plan.grid}),
            x_title=_("Items"),
            y_title=_("Half width (points)"),
        ),
        "looks": [
            *((KEYS[look], _raters(n)) for look, n in zip(LINES, counts, strict=False)),
            (KEYS["reference"], _("wanted")),
        ],
    }


def _raters(n: int) -> str:
    return ngettext("%(n)s rater", "%(n)s raters", n) % {"n": n}
