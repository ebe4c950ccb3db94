from collections.abc import Callable
from typing import Any

from django.contrib.auth.middleware import LoginRequiredMiddleware
from django.http import HttpRequest, HttpResponse, HttpResponseBase, HttpResponseRedirect
from django.shortcuts import redirect

from accounts.setup.first_administrator import no_account_can_log_in


class LoginRequired(LoginRequiredMiddleware):
    """Sends logged-out users to the log-in page, and scripts a 401, because they cannot use a page."""

    def process_view(
        self, request: HttpRequest, view_func: Callable[..., HttpResponseBase], view_args: Any, view_kwargs: Any
    ) -> HttpResponseBase | None:
        refusal = super().process_view(request, view_func, view_args, view_kwargs)
        return HttpResponse(status=401) if refusal and request.headers.get("HX-Request") else refusal

    def handle_no_permission(
        self, request: HttpRequest, view_func: Callable[..., HttpResponseBase]
    ) -> HttpResponseRedirect:
        """To the log-in page; in an installation without accounts to the page that says how to begin."""
        if no_account_can_log_in():
            return redirect("setup")
        return super().handle_no_permission(request, view_func)


class PrivatePages:
    """Middleware: no cache stores a page, neither the browser's nor a proxy's, unless a view allows it."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        response.headers.setdefault("Cache-Control", "private, no-store")
        return response
