import json
from dataclasses import dataclass

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from accounts.people.rights import require_account
from accounts.requests import AccountRequest
from charts.planes import Plane, contour
from corpus.access import dataset_for, datasets_to_launch
from corpus.models import Clip, Dataset, ResponseTurn
from measurements.clip_features.jobs import dataset_clips, extracting_job, how_far, start_extracting
from measurements.clip_features.rows import features_of_clips
from measurements.features.blueprint import Blueprint, blueprint
from measurements.features.contract import Feature


@dataclass(frozen=True)
class Shown:
    """One turn of a response with its features, as the page shows them."""

    turn: ResponseTurn
    features: dict[str, Feature]
    blueprint: Blueprint
    pitch: Plane | None
    loudness: Plane | None

    @property
    def blueprint_text(self) -> str:
        return json.dumps(self.blueprint.as_json(), indent=1, ensure_ascii=False)


@require_http_methods(["GET", "POST"])
def dataset_features(request: AccountRequest, slug: str) -> HttpResponse:
    """What was measured on the clips of a dataset, and a button that has the rest measured."""
    row, may_start = _dataset(request, slug)
    if request.method == "POST":
        if not may_start:
            raise PermissionDenied(_("Only who may launch campaigns over this dataset can start this."))
        start_extracting(row, user=request.user)
        messages.success(request, _("The features are being extracted; you can leave this page."))
        return redirect("dataset-features", slug=slug)
    job, clips = extracting_job(row), dataset_clips(row)
    context = {
        "dataset": row,
        "job": job,
        "n_clips": clips.count(),
        "extracted": how_far(clips),
        "may_start": may_start,
    }
    return render(
        request, "analytics/measured/_features.html" if request.htmx else "analytics/measured/features.html", context
    )


@require_safe
def item_features(request: AccountRequest, slug: str, pk: int) -> HttpResponse:
    """The features of every response to an item, for those who may know who speaks."""
    row, _may_start = _dataset(request, slug)
    if (item := row.items.filter(pk=pk).first()) is None:
        raise Http404("This dataset has no such item.")
    said = ResponseTurn.objects.filter(response__item=item, clip__isnull=False)
    turns = list(said.select_related("clip", "response__system").order_by("response__system__name", "position"))
    features = features_of_clips([turn.clip for turn in turns if turn.clip])
    shown = [_shown(turn, turn.clip, features[turn.clip.pk]) for turn in turns if turn.clip]
    context = {"dataset": row, "item": item, "shown": shown}
    return render(request, "analytics/measured/item_features.html", context)


def _dataset(request: AccountRequest, slug: str) -> tuple[Dataset, bool]:
    """The dataset, and whether this person may have work done on it."""
    require_account(request.user)
    row = dataset_for(request.user, slug)
    return row, datasets_to_launch(request.user).filter(pk=row.pk).exists()


def _shown(turn: ResponseTurn, clip: Clip, features: dict[str, Feature]) -> Shown:
    def drawn(name: str, key: str, y_title: str) -> Plane | None:
        if features[name].status != "ok":
            return None
        return contour(features[name].value[key], clip.seconds, x_title=_("Time (s)"), y_title=y_title)

    pitch, loudness = (
        drawn("pitch", "contour_hz", _("Pitch (Hz)")),
        drawn("loudness", "contour_lufs", _("Loudness (LUFS)")),
    )
    return Shown(turn, features, blueprint(features), pitch, loudness)
