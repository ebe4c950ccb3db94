from typing import Any

from django.conf import settings
from django.contrib import messages
from django.contrib.auth import logout, update_session_auth_hash
from django.contrib.auth import views as auth_views
from django.contrib.auth.decorators import login_not_required
from django.contrib.auth.forms import AuthenticationForm
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse, reverse_lazy
from django.utils.decorators import method_decorator
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from accounts import emails
from accounts.emails import confirm_email, send_confirmation
from accounts.login.attempts import MOST_MAILS_ANYWHERE, TooMany, begin_attempt, forgive_account
from accounts.login.entering import enter, logged_in_just_now
from accounts.login.forms import KeepForm
from accounts.login.guests import CannotKeep, keep_account
from accounts.login.password_links import CannotAsk, ask_for_password_link
from accounts.login.second_factor import has_second_factor
from accounts.own_account.forms import DeleteOwnAccountForm, EmailForm, LogInForm
from accounts.people.deletion import delete_own_account, why_not_deleted_by_owner
from accounts.people.dependents import n_texts_of, owned_by, parts_to_hand_over
from accounts.people.rights import CannotChange
from accounts.requests import AccountRequest, require_own_account
from accounts.setup.first_administrator import no_account_can_log_in
from accounts.sign_on import openid


class LogInView(auth_views.LoginView):
    template_name = "accounts/own_account/login.html"
    authentication_form = LogInForm

    def get(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if not openid.is_on() and no_account_can_log_in():
            return redirect("setup")
        return super().get(request, *args, **kwargs)

    def form_valid(self, form: AuthenticationForm) -> HttpResponse:
        return enter(self.request, form.get_user(), next_=self.get_redirect_url())

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        more = {
            "can_send": emails.can_send(),
            "sign_on": settings.OIDC_NAME if openid.is_on() else "",
            "is_for_guests_too": _is_of_annotators(self.get_redirect_url()),
        }
        return super().get_context_data(**kwargs) | more


def _is_of_annotators(page: str) -> bool:
    """Whether a page is one on which guests label: these have no password."""
    return page.startswith(reverse("label", args=["-"]).removesuffix("-/"))


class PasswordView(auth_views.PasswordChangeView):
    template_name = "accounts/own_account/password.html"
    success_url = "/"

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if request.user.is_authenticated and request.user.is_guest:
            raise PermissionDenied(_("You have no password yet. Keep this account first."))
        return super().dispatch(request, *args, **kwargs)


@method_decorator(login_not_required, name="dispatch")
class ForgottenView(auth_views.PasswordResetView):
    """Where a link by e-mail is asked for. Does and says the same whether there is such an account or not."""

    template_name = "accounts/own_account/forgotten.html"
    success_url = reverse_lazy("forgotten-sent")

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if not emails.can_send():
            raise Http404("This installation sends no e-mail.")
        return super().dispatch(request, *args, **kwargs)

    def form_valid(self, form: Any) -> HttpResponse:
        email, address = form.cleaned_data["email"], self.request.META.get("REMOTE_ADDR", "")
        try:
            begin_attempt(f"mail to {email}", address, most_anywhere=MOST_MAILS_ANYWHERE)
            ask_for_password_link(email, host=self.request.get_host(), secure=self.request.is_secure())
        except (TooMany, CannotAsk) as refusal:
            form.add_error(None, str(refusal))
            return self.form_invalid(form)
        return redirect(self.get_success_url())


@login_not_required
@require_safe
def forgotten_sent(request: HttpRequest) -> HttpResponse:
    return render(request, "accounts/own_account/forgotten_sent.html")


class NewPasswordView(auth_views.PasswordResetConfirmView):
    """Where such a link leads, by e-mail or from an administrator. It works once, and clears failed attempts."""

    template_name = "accounts/own_account/new_password.html"
    success_url = reverse_lazy("login")

    def get_user(self, uidb64: str) -> Any:
        """None for a disabled account, whose link is as one that no longer works; enabled again, it does."""
        user = super().get_user(uidb64)
        return user if user is not None and user.is_active else None

    def form_valid(self, form: Any) -> HttpResponse:
        messages.success(self.request, _("Your password is changed. Log in with it."))
        response = super().form_valid(form)
        forgive_account(self.user.get_username())
        return response


@require_safe
def account(request: AccountRequest) -> HttpResponse:
    """What belongs to the account, and what protects it."""
    require_own_account(request)
    context = {
        "has_second_factor": has_second_factor(request.user),
        "can_send": emails.can_send(),
        "sign_on": settings.OIDC_NAME if openid.is_on() else "",
        "linked": request.user.identities.filter(issuer=settings.OIDC_ISSUER).exists(),
    }
    return render(request, "accounts/own_account/account.html", context)


@never_cache
@require_http_methods(["GET", "POST"])
def delete_own(request: AccountRequest) -> HttpResponse:
    """What goes and what stays; the name is typed, and the password given again, or the log-in is a fresh one."""
    require_own_account(request)
    user = request.user
    form = DeleteOwnAccountForm(request.POST or None, user=user, address=request.META.get("REMOTE_ADDR", ""))
    must_log_in = not user.has_usable_password() and not logged_in_just_now(request)
    if request.method == "POST" and not must_log_in and form.is_valid():
        chosen = {name: form.cleaned_data[name] for name in ("typed", "with_answers", "with_texts")}
        try:
            delete_own_account(user, **chosen)
        except CannotChange as refusal:
            form.add_error("typed", str(refusal))
        else:
            logout(request)
            return render(request, "accounts/own_account/account_deleted.html")
    context = {
        "form": form,
        "must_log_in": must_log_in,
        "waits_for": why_not_deleted_by_owner(user),
        "parts": parts_to_hand_over(user) + owned_by(user),
        "n_texts": n_texts_of(user),
    }
    status = 422 if request.method == "POST" else 200
    return render(request, "accounts/own_account/account_delete.html", context, status=status)


@require_http_methods(["GET", "POST"])
def email(request: AccountRequest) -> HttpResponse:
    """Another e-mail address: a link is sent there, and it counts once that is followed."""
    require_own_account(request)
    if not emails.can_send():
        raise Http404("This installation sends no e-mail.")
    form = EmailForm(request.POST or None, user=request.user, address=request.META.get("REMOTE_ADDR", ""))
    if request.method == "POST" and form.is_valid():
        send_confirmation(request, request.user, form.cleaned_data["email"])
        messages.success(request, _("A link was sent there. Follow it within a day, in this browser."))
        return redirect("account")
    return render(request, "accounts/own_account/email.html", {"form": form}, status=422 if form.errors else 200)


@require_safe
def email_confirm(request: AccountRequest, token: str) -> HttpResponse:
    require_own_account(request)
    if confirmed := confirm_email(request.user, token):
        messages.success(request, _("Your e-mail address is %(email)s now.") % {"email": confirmed})
    else:
        messages.error(request, _("This link does not work any more, or belongs to another account."))
    return redirect("account")


@require_http_methods(["GET", "POST"])
def keep(request: AccountRequest) -> HttpResponse:
    """A guest chooses a username and a password, to be able to log in from anywhere."""
    if not request.user.is_guest:
        raise Http404("This account has a name and a password already.")
    form = KeepForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            user = keep_account(
                request.user, username=form.cleaned_data["username"], password=form.cleaned_data["password1"]
            )
        except CannotKeep as refusal:
            form.add_error("username", str(refusal))
        else:
            update_session_auth_hash(request, user)
            return redirect("home")
    return render(request, "accounts/own_account/keep.html", {"form": form})
