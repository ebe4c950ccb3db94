"""Webhooks of a campaign and their deliveries."""

from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.requests import AccountRequest
from campaigns.access import Right, campaign_for
from campaigns.models import Webhook
from campaigns.webhooks.forms import WebhookForm
from campaigns.webhooks.hooks import CannotSend, add_webhook, disable_webhook, send_again, send_test, webhooks_of
from infrastructure.models import Delivery
from infrastructure.templatetags.wording import refusal_text

#: So many deliveries of an address are shown, the newest.
SHOWN = 50


@require_http_methods(["GET", "POST"])
def webhooks(request: AccountRequest, slug: str) -> HttpResponse:
    row = campaign_for(request.user, slug, Right.MANAGE)
    form = WebhookForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            hook, secret = add_webhook(row, **form.cleaned_data, user=request.user)
        except CannotSend as refusal:
            form.add_error(None, refusal_text(refusal))
        else:
            messages.success(
                request, _("The webhook was created. Its secret, shown once: %(secret)s") % {"secret": secret}
            )
            return redirect("webhook", slug=slug, pk=hook.pk)
    context = {"campaign": row, "form": form, "hooks": webhooks_of(row)}
    return render(request, "campaigns/webhooks/webhooks.html", context, status=422 if form.errors else 200)


@require_safe
def webhook(request: AccountRequest, slug: str, pk: int) -> HttpResponse:
    hook = _hook(request, slug, pk)
    context = {"campaign": hook.campaign, "hook": hook, "deliveries": hook.deliveries.all()[:SHOWN], "shown": SHOWN}
    return render(request, "campaigns/webhooks/webhook.html", context)


@require_POST
def webhook_test(request: AccountRequest, slug: str, pk: int) -> HttpResponse:
    hook = _hook(request, slug, pk)
    try:
        send_test(hook)
    except CannotSend as refusal:
        messages.error(request, refusal_text(refusal))
    else:
        messages.success(request, _("A test was sent. Reload the page to see the result."))
    return redirect("webhook", slug=slug, pk=pk)


@require_POST
def webhook_disable(request: AccountRequest, slug: str, pk: int) -> HttpResponse:
    disable_webhook(_hook(request, slug, pk), by=request.user)
    messages.success(request, _("It receives nothing more, and its secret is deleted."))
    return redirect("webhooks", slug=slug)


@require_POST
def delivery_again(request: AccountRequest, slug: str, pk: int, delivery: UUID) -> HttpResponse:
    hook = _hook(request, slug, pk)
    row = Delivery.objects.filter(endpoint=hook, pk=delivery).select_related("endpoint").first()
    if row is None:
        raise Http404("There is no such delivery.")
    try:
        send_again(row)
    except CannotSend as refusal:
        messages.error(request, refusal_text(refusal))
    return redirect("webhook", slug=slug, pk=pk)


def _hook(request: AccountRequest, slug: str, pk: int) -> Webhook:
    campaign = campaign_for(request.user, slug, Right.MANAGE)
    hook = Webhook.objects.filter(campaign=campaign, pk=pk).select_related("campaign").first()
    if hook is None:
        raise Http404("There is no such address.")
    return hook
