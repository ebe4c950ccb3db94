from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from accounts.models import ApiToken
from accounts.requests import AccountRequest
from accounts.tokens.forms import TokenForm
from accounts.tokens.tokens import SCOPES, CannotMakeToken, make_token, revoke_token


@never_cache
@require_http_methods(["GET", "POST"])
def tokens(request: AccountRequest) -> HttpResponse:
    """The user's own tokens. The text of a new one is shown only in the response that creates it."""
    if request.user.is_guest:
        raise PermissionDenied(_("Guests only label. Keep your account under a name first."))
    form, new = TokenForm(request.POST or None), ""
    if request.method == "POST" and form.is_valid():
        try:
            new = make_token(request.user, **form.cleaned_data)[1]
        except CannotMakeToken as refusal:
            form.add_error(None, str(refusal))
        else:
            form = TokenForm()
    rows = ApiToken.objects.filter(user=request.user)
    context = {
        "form": form,
        "new": new,
        "tokens": [(row, [SCOPES[scope] for scope in row.scopes]) for row in rows],
    }
    return render(request, "accounts/tokens/tokens.html", context, status=422 if form.errors else 200)


@require_POST
def token_revoke(request: AccountRequest, pk: int) -> HttpResponse:
    row = ApiToken.objects.filter(user=request.user, pk=pk).first()
    if row is None:
        raise Http404("There is no such token of yours.")
    revoke_token(row, by=request.user)
    return redirect("tokens")
