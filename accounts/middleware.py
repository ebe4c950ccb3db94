from collections.abc import Callable
from typing import Any

from django.contrib.auth.middleware import LoginRequiredMiddleware
from django.http import HttpRequest, HttpResponse, HttpResponseBase, HttpResponseRedirect
from django.shortcuts import redirect

from accounts.setup.first_administrator import nobody_can_log_in


class LoginRequired(LoginRequiredMiddleware):
    """Sends the logged out to the log-in page, but tells scripts so with 401: a page is no use to them."""

    def process_view(
        self, request: HttpRequest, view_func: Callable[..., HttpResponseBase], view_args: Any, view_kwargs: Any
    ) -> HttpResponseBase | None:
        refusal = super().process_view(request, view_func, view_args, view_kwargs)
        return HttpResponse(status=401) if refusal and request.headers.get("HX-Request") else refusal

    def handle_no_permission(
        self, request: HttpRequest, view_func: Callable[..., HttpResponseBase]
    ) -> HttpResponseRedirect:
        """To the log-in page; in an installation without accounts to the page that says how to begin."""
        if nobody_can_log_in():
            return redirect("setup")
        return super().handle_no_permission(request, view_func)


class PrivatePages:
    """Middleware: no cache keeps a page, of the browser or on the way to it, but where a view has said otherwise."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        response.headers.setdefault("Cache-Control", "private, no-store")
        return response
