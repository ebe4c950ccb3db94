from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from accounts.requests import AccountRequest
from campaigns.access import Right, campaign_for
from campaigns.models import Campaign
from judges.imported.forms import VerdictsForm
from judges.imported.plan import KNOWN_COLUMNS, VerdictsPlan, plan_verdicts
from judges.imported.writing import VerdictsRefused, units_by_key, write_verdicts

MOST_LISTED = 50


@require_http_methods(["GET", "POST"])
def verdicts_import(request: AccountRequest, slug: str) -> HttpResponse:
    """Take in a table of verdicts; nothing is written while a row is at fault."""
    campaign = campaign_for(request.user, slug, Right.MANAGE)
    form = VerdictsForm(request.POST or None, request.FILES or None)
    plan = None
    if request.method == "POST" and form.is_valid():
        table = form.table
        plan = plan_verdicts(table.rows, table.columns, protocol=campaign.protocol, units=units_by_key(campaign))
        if not plan.errors and _written(request, campaign, plan, form):
            return redirect("comparison", slug=slug)
    context = {
        "campaign": campaign,
        "form": form,
        "plan": plan,
        "problems": plan.problems[:MOST_LISTED] if plan else [],
        "unlisted": max(0, len(plan.problems) - MOST_LISTED) if plan else 0,
        "columns": {part: ", ".join(names) for part, names in KNOWN_COLUMNS.items()},
    }
    return render(request, "judges/verdicts_import.html", context, status=422 if plan or form.errors else 200)


def _written(request: AccountRequest, campaign: Campaign, plan: VerdictsPlan, form: VerdictsForm) -> bool:
    try:
        done = write_verdicts(campaign, plan, user=request.user)
    except VerdictsRefused as refusal:
        form.add_error(None, str(refusal))
        return False
    told = {"new": done.new, "there": done.there, "runs": ", ".join(run.judge.title for run in done.runs)}
    messages.success(request, _("%(runs)s: %(new)s verdicts came, %(there)s were there already.") % told)
    for problem in plan.problems:
        messages.warning(request, problem.message)
    return True
