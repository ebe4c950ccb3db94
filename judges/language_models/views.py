from urllib.parse import urlencode

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.people.rights import require_administrator, require_launcher
from accounts.requests import AccountRequest
from campaigns.access import Right, campaign_for
from campaigns.models import Campaign
from infrastructure.templatetags.wording import refusal_text, worded
from judges.backends.contract import JudgeError
from judges.language_models.criteria_drafts import drafts_job, items_to_draft, latest_run, start_drafts, stop_drafts
from judges.language_models.forms import DraftsForm, ModelForm
from judges.language_models.model_list import about, proposal_for
from judges.language_models.model_list import models as listed_models
from judges.language_models.parameter_forms import in_words, parameters_shown
from judges.language_models.prices import with_prices
from judges.language_models.registry import (
    Trial,
    add_model_with_terms,
    disable_model,
    models_for,
    try_model,
    why_not_asked,
)
from judges.language_models.use import use_of_models
from judges.models import DraftReply, LanguageModel


@require_safe
def models_and_keys(request: AccountRequest) -> HttpResponse:
    """Every model with whose key it has, when it was called last, what it cost, and what failed."""
    require_administrator(request.user)
    return render(request, "judges/language_models/models_and_keys.html", {"models": use_of_models()})


@require_http_methods(["GET", "POST"])
def models(request: AccountRequest) -> HttpResponse:
    """The language models that may be asked, and a form for another."""
    require_launcher(request.user)
    form = ModelForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        row = add_model_with_terms(
            form.columns,
            parameters=form.parameters,
            headers=form.cleaned_data["extra_headers"],
            prices=form.prices,
            user=request.user,
        )
        if reason := why_not_asked(row):
            messages.warning(
                request, _("The model is listed, but cannot be called: %(reason)s") % {"reason": worded(reason)}
            )
        else:
            messages.success(request, _("The model was added. Test the connection once."))
        return redirect("models")
    context = {
        "form": form,
        "models": with_prices(models_for(request.user).select_related("created_by")),
        "listed": listed_models(),
        "about": about(),
    }
    return render(request, "judges/language_models/models.html", context, status=422 if form.errors else 200)


@require_safe
def model_proposal(request: AccountRequest) -> HttpResponse:
    """What the list of models says of a name and an address, as fields of the form."""
    require_launcher(request.user)
    proposal = proposal_for(request.GET.get("model", ""), request.GET.get("base_url", ""))
    context = {"form": ModelForm(proposal=proposal), "about": about(), "was_asked": bool(request.GET.get("model"))}
    return render(request, "judges/language_models/_model_fields.html", context)


@require_POST
def model_test(request: AccountRequest, pk: int) -> HttpResponse:
    """Ask the model for one word, now."""
    row = _model(request, pk)
    try:
        trial = try_model(row)
    except JudgeError as error:
        messages.error(request, _("%(model)s: %(reason)s") % {"model": row, "reason": worded(error.reason)})
        return redirect("models")
    _tell_of(request, row, trial)
    if trial.changed and (row.created_by_id == request.user.pk or request.user.is_superuser):
        return redirect(f"{reverse('model-terms', args=[row.pk])}?{urlencode(parameters_shown(trial.parameters))}")
    return redirect("models")


def _tell_of(request: AccountRequest, row: LanguageModel, trial: Trial) -> None:
    """The result of a test, for the user who started it."""
    said = trial.output
    parts = {"model": row, "name": said.model, "seconds": f"{said.seconds:.1f}"}
    if trial.changed:
        works = _("%(model)s answered, but only with other parameters: %(parameters)s. Keep them below.")
        messages.warning(request, works % (parts | {"parameters": in_words(trial.parameters)}))
    elif said.status == "ok":
        messages.success(request, _("%(model)s answered in %(seconds)s s, as %(name)s.") % parts)
    elif said.finish_reason == "length":
        cut_off = _("%(model)s was cut off at the limit of tokens. If it thinks first, give it tokens for thinking.")
        messages.warning(request, cut_off % parts)
    else:
        said_otherwise = _("%(model)s answered, but not in the requested form; its drafts may be unreadable.")
        messages.warning(request, said_otherwise % parts)


@require_POST
def model_disable(request: AccountRequest, pk: int) -> HttpResponse:
    row = _model(request, pk)
    disable_model(row, user=request.user)
    messages.success(request, _("%(model)s is disabled, and its key is deleted.") % {"model": row})
    return redirect("models")


@require_http_methods(["GET", "POST"])
def rubric_drafts(request: AccountRequest, slug: str) -> HttpResponse:
    """Have a model draft criteria for the items that have none; what came of the last time."""
    row = _campaign(request, slug)
    form = DraftsForm(request.POST or None, models=models_for(request.user))
    if request.method == "POST" and form.is_valid() and _started(row, form, request):
        return redirect("rubric-drafts", slug=slug)
    page = "judges/language_models/_drafts.html" if request.htmx else "judges/language_models/drafts.html"
    return render(request, page, _context(request, row, form), status=422 if form.errors else 200)


@require_POST
def rubric_drafts_stop(request: AccountRequest, slug: str) -> HttpResponse:
    row = _campaign(request, slug)
    stop_drafts(row)
    messages.success(request, _("No more drafts are requested; those that exist stay."))
    return redirect("rubric-drafts", slug=slug)


def _model(request: AccountRequest, pk: int) -> LanguageModel:
    require_launcher(request.user)
    if (row := models_for(request.user).filter(pk=pk).first()) is None:
        raise Http404("There is no such model among yours.")
    return row


def _campaign(request: AccountRequest, slug: str) -> Campaign:
    row = campaign_for(request.user, slug, Right.MANAGE)
    if not row.protocol.item_criteria:
        raise Http404("The items of this campaign bring no criteria.")
    return row


def _started(row: Campaign, form: DraftsForm, request: AccountRequest) -> bool:
    data = form.cleaned_data
    try:
        start_drafts(row, data["model"], n_per_item=data["n_per_item"], user=request.user)
    except ValueError as refusal:
        form.add_error(None, refusal_text(refusal))
    return not form.errors


def _context(request: AccountRequest, row: Campaign, form: DraftsForm) -> dict[str, object]:
    job, run = drafts_job(row), latest_run(row)
    replies = run.replies.select_related("item") if run else DraftReply.objects.none()
    return {
        "campaign": row,
        "form": form,
        "models": models_for(request.user).exists(),
        "job": job,
        "run": run,
        "n_read": replies.exclude(status__in=DraftReply.FAILED).count(),
        "failed": replies.filter(status__in=DraftReply.FAILED),
        "n_waiting": items_to_draft(row).count(),
        "fixed": row.status != Campaign.Status.DRAFT,
    }
