from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from accounts.people.rights import require_launcher
from accounts.requests import AccountRequest
from infrastructure.templatetags.wording import refusal_text
from judges.definitions.forms import JudgeForm, shown_settings
from judges.definitions.judges import all_judges_for, make_judge
from judges.kinds import KINDS
from judges.kinds.contract import Kind
from judges.language_models.model_list import about
from judges.language_models.parameter_forms import FIELDS
from judges.language_models.prices import price_of
from judges.language_models.registry import change_terms, models_for
from judges.language_models.term_forms import TermsForm


@require_http_methods(["GET"])
def judges(request: AccountRequest) -> HttpResponse:
    """The judges that may be run, and the kinds of which others are made."""
    require_launcher(request.user)
    archived, found = bool(request.GET.get("archived")), list(all_judges_for(request.user))
    shown = [row for row in found if bool(row.archived_at) == archived]
    rows = [(row, KINDS.get(row.kind), shown_settings(row)) for row in shown]
    context = {
        "judges": rows,
        "archived": archived,
        "n_archived": sum(bool(row.archived_at) for row in found),
        "kinds": KINDS.values(),
        "has_models": models_for(request.user).exists(),
    }
    return render(request, "judges/definitions/judges.html", context)


@require_http_methods(["GET", "POST"])
def judge_new(request: AccountRequest, kind: str) -> HttpResponse:
    require_launcher(request.user)
    found = _kind(kind)
    models = models_for(request.user)
    form = JudgeForm(request.POST or None, kind=found, models=models, initial={"title": found.title})
    if request.method == "POST" and form.is_valid() and _made(request, form):
        return redirect("judges")
    context = {"kind": found, "form": form, "no_model": found.asks_model and not models.exists()}
    return render(request, "judges/definitions/judge_new.html", context, status=422 if form.errors else 200)


@require_http_methods(["GET", "POST"])
def model_terms(request: AccountRequest, pk: int) -> HttpResponse:
    """How a model may be asked, and what it costs."""
    require_launcher(request.user)
    if (row := models_for(request.user).filter(pk=pk).first()) is None:
        raise Http404("There is no such model among yours.")
    price = price_of(row)
    proposed = {name: request.GET[name] for name in FIELDS if name in request.GET}
    form = TermsForm(request.POST or None, model=row, price=price, proposed=proposed)
    if request.method == "POST" and form.is_valid():
        change_terms(
            row,
            limits=form.limits,
            parameters=form.parameters,
            headers=form.cleaned_data["extra_headers"],
            prices=form.prices,
            user=request.user,
        )
        messages.success(request, _("The terms of %(model)s apply from now on.") % {"model": row})
        return redirect("models")
    context = {
        "model": row,
        "form": form,
        "about": about(),
        "proposed": proposed,
        "prices": row.prices.select_related("set_by").order_by("-pk"),
    }
    return render(request, "judges/definitions/model_terms.html", context, status=422 if form.errors else 200)


def _kind(name: str) -> Kind:
    if (kind := KINDS.get(name)) is None:
        raise Http404("There is no such kind of judge.")
    return kind


def _made(request: AccountRequest, form: JudgeForm) -> bool:
    data = form.cleaned_data
    try:
        row = make_judge(
            form.kind,
            title=data["title"],
            settings=form.settings,
            language_model=data.get("model"),
            user=request.user,
        )
    except ValueError as refusal:
        form.add_error(None, refusal_text(refusal))
        return False
    if row.title == data["title"].strip():
        messages.success(request, _("%(judge)s was created. Start a run from a campaign's page.") % {"judge": row})
    else:
        messages.info(request, _("There is already such a judge: %(judge)s.") % {"judge": row})
    return True
