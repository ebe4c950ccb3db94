"""Composing a protocol in the browser, from nothing, from another one, or from a file."""

from dataclasses import replace
from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from accounts.models import User
from accounts.people.rights import require_launcher
from accounts.requests import AccountRequest
from campaigns.models import ProtocolVersion
from campaigns.protocol_composer.composition import Composition
from campaigns.protocol_composer.files import UploadForm, excerpt
from campaigns.protocol_composer.known_protocols import Known, known_protocol
from campaigns.protocol_composer.lines import write_options
from campaigns.protocol_composer.own_protocols import (
    MAX_ASPECTS,
    MAX_EXAMPLES,
    NotSaved,
    free_name,
    free_version,
    may_add_version,
    reasons_against,
    save_version,
)
from campaigns.protocol_composer.protocol_views import seen
from infrastructure.files.upload_limits import takes_files
from protocols import Protocol, digest, to_document
from protocols.documents.yaml_files import MAX_BYTES, InvalidYaml, from_yaml, to_yaml
from protocols.presentation.preview import showable
from protocols.scales.named import BY_NAME

#: So much of an uploaded file's digest stands in the address, under which the browser keeps what is not saved yet.
UPLOAD_MARK = 12


@require_http_methods(["GET", "POST"])
def protocol_new(request: AccountRequest) -> HttpResponse:
    require_launcher(request.user)
    base = _base(request)
    if request.method == "GET":
        composition = Composition.of(_beginning(base, request.user)) if base else Composition.blank()
        return _builder(request, composition, base)
    composition = Composition(request.POST)
    try:
        row = _save(composition, request.user, base)
    except NotSaved as reason:
        return _refused(request, reason, base)
    if row is None:
        return _with_faults(request, composition, base)
    messages.success(
        request,
        _("“%(title)s”, version %(version)s, is saved.") % {"title": row.title, "version": row.version},
        extra_tags="saved",
    )
    return redirect(row)


@require_POST
def protocol_preview(request: AccountRequest) -> HttpResponse:
    """What annotators would see of the form as it is, and what is wrong with it."""
    require_launcher(request.user)
    composition = Composition(request.POST)
    _refuse(composition, request.user)
    return render(request, "protocols/_composed.html", _composed(composition))


@takes_files(most=2 * MAX_BYTES)  # as a file and as text
@require_http_methods(["GET", "POST"])
def protocol_upload(request: AccountRequest) -> HttpResponse:
    require_launcher(request.user)
    form = UploadForm(request.POST, request.FILES) if request.method == "POST" else UploadForm()
    if not form.is_valid():
        return render(request, "protocols/upload.html", {"form": form})
    text = form.cleaned_data["text"]
    try:
        protocol = _within_limits(from_yaml(text))
    except InvalidYaml as fault:
        context = {"form": UploadForm(initial={"text": text}), "fault": fault, "lines": excerpt(text, fault.line)}
        return render(request, "protocols/upload.html", context)
    known = known_protocol(f"{protocol.name}/{protocol.version}")
    if known and known.protocol == protocol:
        messages.info(request, _("This protocol is there already."))
        return redirect(known)
    composition = Composition.of(protocol)
    _refuse(composition, request.user)
    return _builder(request, composition, None, upload=digest(to_document(protocol))[:UPLOAD_MARK])


def _base(request: AccountRequest) -> Known | None:
    """The protocol that the address names as the beginning, if it names one."""
    reference = request.GET.get("from", "")
    known = known_protocol(reference) if reference else None
    if reference and known is None:
        raise Http404("There is no such protocol to begin with.")
    return known


def _beginning(base: Known, user: User) -> Protocol:
    """A new version of one's own protocol, or a protocol of one's own made from another."""
    name, version = base.protocol.name, base.protocol.version
    if base.row and may_add_version(name, user):
        return replace(base.protocol, version=free_version(name, version))
    return replace(base.protocol, name=free_name(name, user), version="1")


def _save(composition: Composition, user: User, base: Known | None) -> ProtocolVersion | None:
    """The saved version, or None where there are faults. Raises NotSaved."""
    if composition.protocol is None or composition.faults:
        return None
    return save_version(composition.protocol, user=user, based_on=base.reference if base else "")


def _refused(request: AccountRequest, reason: NotSaved, base: Known | None) -> HttpResponse:
    """The form again; where the version is taken, with the next one filled in."""
    if reason.field != "version":
        return _with_faults(request, Composition(request.POST), base, extra=reason)
    posted = request.POST.copy()
    posted["version"] = reason.suggestion
    notice = _("%(reason)s It is now called version %(version)s: save it again.")
    messages.warning(request, notice % {"reason": reason, "version": reason.suggestion})
    return _with_faults(request, Composition(posted), base)


def _with_faults(
    request: AccountRequest, composition: Composition, base: Known | None, *, extra: NotSaved | None = None
) -> HttpResponse:
    _refuse(composition, request.user)
    if extra and not composition.refusals:
        composition.refuse(extra.field, str(extra), extra.suggestion)
    composition.show_faults()
    return _builder(request, composition, base)


def _refuse(composition: Composition, user: User) -> None:
    """Add what stands in the way of saving; of fields that are still empty the protocol says so itself."""
    draft = composition.protocol or showable(composition.document)
    for reason in reasons_against(draft, user=user) if draft else ():
        if composition.document.get(reason.field):
            composition.refuse(reason.field, str(reason), reason.suggestion)


def _builder(
    request: AccountRequest, composition: Composition, base: Known | None, *, upload: str = ""
) -> HttpResponse:
    upload = upload or request.GET.get("upload", "")[:UPLOAD_MARK]
    query = {"from": base.reference} if base else {"upload": upload} if upload else {}
    context = {
        "base": base,
        "is_version": base is not None and composition.head["name"].value() == base.protocol.name,
        "action": f"{reverse('protocol-new')}?{urlencode(query)}" if query else reverse("protocol-new"),
        "is_posted": request.method == "POST",
        "scales": {name: _as_begun(name) for name in BY_NAME},
        "max_aspects": MAX_ASPECTS,
        "max_examples": MAX_EXAMPLES,
    }
    return render(request, "protocols/builder.html", context | _composed(composition))


def _as_begun(name: str) -> dict[str, Any]:
    """A scale of ours as the beginning of one's own."""
    scale = BY_NAME[name]
    options = [{"value": o.value, "label": o.label, "help": o.help} for o in scale.options]
    return {"choices": write_options(options), "frame": scale.frame, "measure": scale.measure}


def _composed(composition: Composition) -> dict[str, Any]:
    shown = composition.protocol or showable(composition.document)
    faults = composition.faults
    return {
        "composition": composition,
        "faults": faults,
        "seen": seen(shown) if shown else None,
        "yaml": to_yaml(composition.protocol) if composition.protocol and not faults else "",
        "version": composition.document["version"],
    }


def _within_limits(protocol: Protocol) -> Protocol:
    """Raises InvalidYaml where the builder's page could not hold it."""
    if len(protocol.aspects) > MAX_ASPECTS or len(protocol.examples) > MAX_EXAMPLES:
        raise InvalidYaml(
            None, _("more than %(a)s aspects or %(e)s examples") % {"a": MAX_ASPECTS, "e": MAX_EXAMPLES}
        )
    return protocol
