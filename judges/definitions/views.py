from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from accounts.requests import AccountRequest
from campaigns.access import require_launcher
from judges.definitions.forms import JudgeForm, shown_settings
from judges.definitions.judges import archive_judge, judges_for, make_judge
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
    rows = [(row, KINDS.get(row.kind), shown_settings(row)) for row in judges_for(request.user)]
    context = {"judges": rows, "kinds": KINDS.values(), "has_models": models_for(request.user).exists()}
    return render(request, "judges/judges.html", context)


@require_http_methods(["GET", "POST"])
def judge_new(request: AccountRequest, kind: str) -> HttpResponse:
    require_launcher(request.user)
    found = _kind(kind)
    models = models_for(request.user)
    form = JudgeForm(request.POST or None, kind=found, models=models, initial={"title": found.title})
    if request.method == "POST" and form.is_valid() and _made(request, form):
        return redirect("judges")
    context = {"kind": found, "form": form, "no_model": found.asks_model and not models.exists()}
    return render(request, "judges/judge_new.html", context, status=422 if form.errors else 200)


@require_POST
def judge_archive(request: AccountRequest, pk: int) -> HttpResponse:
    require_launcher(request.user)
    if (row := judges_for(request.user).filter(pk=pk).first()) is None:
        raise Http404("There is no such judge among yours.")
    archive_judge(row, user=request.user)
    messages.success(request, _("%(judge)s is offered no more. Its runs stay.") % {"judge": row})
    return redirect("judges")


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
        messages.success(request, _("The terms of %(model)s hold from now on.") % {"model": row})
        return redirect("models")
    context = {
        "model": row,
        "form": form,
        "about": about(),
        "proposed": proposed,
        "prices": row.prices.select_related("set_by").order_by("-pk"),
    }
    return render(request, "judges/model_terms.html", context, status=422 if form.errors else 200)


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
        form.add_error(None, str(refusal))
        return False
    if row.title == data["title"].strip():
        messages.success(request, _("%(judge)s is there. Start a run from a campaign's page.") % {"judge": row})
    else:
        messages.info(request, _("The same judge is there already: %(judge)s.") % {"judge": row})
    return True
