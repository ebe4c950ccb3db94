"""Protocols to look at: those that ship, and this installation's own."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.http import Http404, HttpResponse, JsonResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from accounts.models import User
from accounts.people.rights import require_account, require_launcher
from accounts.requests import AccountRequest
from campaigns.access import Right, campaigns_with
from campaigns.models import ProtocolVersion
from campaigns.protocol_composer.answers_template import answers_template
from campaigns.protocol_composer.known_protocols import (
    KINDS,
    Known,
    campaigns_asking,
    known_protocol,
    own_versions,
    uses,
)
from campaigns.protocol_composer.own_protocols import may_add_version
from infrastructure.files.downloads import download
from infrastructure.templatetags.wording import worded
from infrastructure.wording.phrases import Phrase
from protocols import SHIPPED, Aspect, Protocol, digest, fact_title, shown_aspects, shown_examples, to_document
from protocols.documents.schema import json_schema
from protocols.documents.yaml_files import to_yaml
from protocols.judging import judge_instructions
from protocols.kinds.agreement import alpha_title
from protocols.presentation.preview import N_SHOWN, sample

METRIC_TITLES: dict[str, str] = {
    **{f"krippendorff_alpha_{level}": alpha_title(level) for level in ("typed_tie", "ordinal", "interval")},
    "cohen_kappa": Phrase("Cohen’s κ"),
    "": Phrase("none: texts are read, not counted"),
}


@dataclass(frozen=True)
class DescribedAspect:
    """An aspect, with what the page says about it."""

    aspect: Aspect
    conditions: list[str]
    metric: str


@require_safe
def protocols(request: AccountRequest) -> HttpResponse:
    require_launcher(request.user)
    used, archived = uses(), bool(request.GET.get("archived"))
    context = {
        "archived": archived,
        "n_archived": ProtocolVersion.objects.filter(archived_at__isnull=False, number=1).count(),
        "kinds": [(title, _shipped(kind, used)) for kind, title in KINDS.items()],
        "own": [_versions(rows, used, request.user) for rows in own_versions(archived=archived)],
    }
    return render(request, "protocols/protocols.html", context)


@require_safe
def protocol(request: AccountRequest, name: str, version: str) -> HttpResponse:
    known = _known(request, name, version)
    asking = campaigns_asking(known.protocol)
    visible = campaigns_with(request.user, Right.VIEW)
    context = {
        "known": known,
        "protocol": known.protocol,
        "seen": seen(known.protocol),
        "described": [_described_aspect(known.protocol, aspect) for aspect in known.protocol.aspects],
        "kind": KINDS[known.protocol.unit],
        "digest": digest(to_document(known.protocol)),
        "n_uses": asking.count(),
        "campaigns": asking.filter(pk__in=visible.values("pk"))[:20],
        "others": ProtocolVersion.objects.filter(name=name).exclude(version=version) if known.row else [],
        "is_mine": known.row is not None and may_add_version(name, request.user),
    }
    return render(request, "protocols/protocol.html", context)


@require_safe
def protocol_yaml(request: AccountRequest, name: str, version: str) -> HttpResponse:
    known = _known(request, name, version)
    content_type = "application/yaml; charset=utf-8"
    return download(to_yaml(known.protocol), name=f"{name}-{version}.yaml", content_type=content_type)


@require_safe
def protocol_answers(request: AccountRequest, name: str, version: str) -> HttpResponse:
    """A table of answers to fill in."""
    known = _known(request, name, version)
    text = answers_template(known.protocol)
    return download(text, name=f"{name}-{version}-answers.csv", content_type="text/csv; charset=utf-8")


@require_safe
def protocol_schema(request: AccountRequest) -> JsonResponse:
    """The JSON Schema of a protocol, for editors and scripts."""
    require_account(request.user)
    return JsonResponse(
        json_schema(), content_type="application/schema+json", json_dumps_params={"indent": 2, "ensure_ascii": False}
    )


def seen(protocol: Protocol) -> dict[str, Any]:
    """The protocol as annotators and judges get it."""
    asked = sample(protocol)
    n_responses = N_SHOWN[protocol.unit]
    return {
        "protocol": protocol,
        "facts": [fact_title(name) for name in protocol.shows],
        "aspects": list(shown_aspects(asked, n_responses)),
        "examples": list(shown_examples(protocol)),
        "places": range(1, n_responses + 1),
        "judge": judge_instructions(asked, n_responses),
    }


def _known(request: AccountRequest, name: str, version: str) -> Known:
    require_launcher(request.user)
    if (known := known_protocol(f"{name}/{version}")) is None:
        raise Http404("There is no such protocol.")
    return known


def _shipped(kind: str, used: dict[tuple[str, str], int]) -> list[dict[str, Any]]:
    return [
        {"known": Known(one), "n_uses": used.get((one.name, one.version), 0)}
        for one in SHIPPED.values()
        if one.unit == kind
    ]


def _versions(rows: list[ProtocolVersion], used: dict[tuple[str, str], int], user: User) -> dict[str, Any]:
    """The versions of one own protocol, newest first; the user who saved the first adds others."""
    newest = rows[0]
    return {
        "known": Known(newest.protocol, newest),
        "kind": KINDS[newest.unit],
        "older": rows[1:],
        "n_uses": sum(used.get((row.name, row.version), 0) for row in rows),
        "is_mine": user.is_superuser or rows[-1].created_by_id == user.pk,
    }


def _described_aspect(protocol: Protocol, aspect: Aspect) -> DescribedAspect:
    metric = aspect.scale.kind.agreement
    return DescribedAspect(aspect, list(_conditions(protocol, aspect)), worded(METRIC_TITLES.get(metric, metric)))


def _conditions(protocol: Protocol, aspect: Aspect) -> Iterator[str]:
    """When it is asked and how it may be answered, where that is not simply always and once."""
    if aspect.per_response:
        yield _("Asked of each response")
    if not aspect.required:
        yield _("May be left out")
    if aspect.after:
        yield _("Opens after %(titles)s") % {
            "titles": ", ".join(worded(protocol.aspect(n).title) for n in aspect.after)
        }
    for name, value in aspect.only_if.items():
        gate = protocol.aspect(name)
        label = next((option.label for option in gate.scale.options if option.value == value), value)
        yield _("Only if %(title)s is “%(label)s”") % {"title": worded(gate.title), "label": worded(label)}
    for fact, value in aspect.only_for.items():
        yield _("Only of items with %(fact)s %(value)s") % {"fact": worded(fact_title(fact)), "value": value}
    if aspect.unlike:
        yield _("Not the same answer as %(title)s") % {"title": worded(protocol.aspect(aspect.unlike).title)}
