"""What is replied where no view does: a page, and under `/api/` a problem, as everywhere there.

Whatever has status 400, 500 or 503 is drawn without the request: it asks nothing of database or session, for it may
be they that failed.
"""

import json
import sys

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.template import loader
from django.template.defaultfilters import filesizeformat
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views import defaults
from rest_framework.exceptions import APIException, NotFound, ParseError, PermissionDenied

from accounts.api.problems import CONTENT_TYPE
from accounts.people.rights import NotAdministrator, NotResearcher, RefusedToAll
from config.operations.tracing import request_id
from config.serving.service_unavailable import reason
from infrastructure.deletion.meanwhile import was_deleted
from infrastructure.wording.problems import document

API = "/api/"
#: When somebody may try again whose request met a database that is away or a full disk (s).
AGAIN_S = 5


class TooLarge(APIException):
    status_code = 413
    default_code = "too_large"


class Unavailable(APIException):
    status_code = 503
    default_code = "unavailable"


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:  # noqa: ARG001 - Django names it
    return _problem(request, ParseError("This request cannot be read.")) or _page("400.html", 400)


def permission_denied(request: HttpRequest, exception: Exception) -> HttpResponse:
    if refusal := _problem(request, PermissionDenied()):
        return refusal
    if isinstance(exception, NotResearcher):  # campaigns have researchers, too, who cannot know the difference
        link = request.build_absolute_uri(reverse("people"))
        return render(request, "403.html", {"exception": str(exception), "people": link}, status=403)
    if isinstance(exception, NotAdministrator):
        advice = _("Ask one of its administrators if you need it.")
        return render(request, "403.html", {"exception": str(exception), "advice": advice}, status=403)
    if isinstance(exception, RefusedToAll):
        said = {"exception": str(exception), "title": exception.title, "advice": exception.advice}
        return render(request, "403.html", said, status=403)
    return defaults.permission_denied(request, exception)


def page_not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    return _problem(request, NotFound()) or defaults.page_not_found(request, exception)


def server_error(request: HttpRequest) -> HttpResponse:
    """404 for what was deleted meanwhile, 503 with the reason and when to come again where that is known, or 500."""
    if was_deleted(sys.exc_info()[1]):
        return page_not_found(request, Http404(_("It was deleted in the meantime.")))
    if (why := reason(sys.exc_info()[1])) is None:
        fault = APIException("Something went wrong here, which is in the log. Nothing of the request was kept.")
        return _problem(request, fault) or _page("500.html", 500)
    response = _problem(request, Unavailable(str(why))) or _page("503.html", 503, why=why)
    response["Retry-After"] = str(AGAIN_S)
    return response


def body_too_large(request: HttpRequest, *, most: int, because: str) -> HttpResponse:
    """413 with the most that is taken; `because` is one of config.serving.requests.bodies.Because."""
    sentence = {
        "anonymous": _("At most %(most)s are accepted without a login. Log in, and send it again."),
        "no right": _(
            "At most %(most)s are accepted from you: larger files are for those who may import data "
            "or manage a campaign."
        ),
    }.get(because, _("At most %(most)s are accepted here."))
    why = sentence % {"most": filesizeformat(most)}
    return _problem(request, TooLarge(why)) or _page("413.html", 413, why=why)


def _page(template: str, status: int, **context: object) -> HttpResponse:
    drawn = loader.get_template(template).render({"request_id": request_id(), **context})
    return HttpResponse(drawn, status=status)


def _problem(request: HttpRequest, error: APIException) -> HttpResponse | None:
    if not request.path.startswith(API):
        return None
    return HttpResponse(json.dumps(document(error)), status=error.status_code, content_type=CONTENT_TYPE)
