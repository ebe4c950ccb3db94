from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.core.paginator import Paginator
from django.http import Http404, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.crypto import get_random_string
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_POST, require_safe

from accounts.models import User
from accounts.requests import AccountRequest
from analytics.review.forms import AcceptForm, UseForm
from analytics.review.queue import FAR, QueuedUnit, Sign, Wanted, n_reviewed, neighbours, read_wanted, review_queue
from analytics.review.unit import clip_at, reviewed_unit
from annotation.models import Annotation, Assignment, Reason
from annotation.review import comments
from annotation.review.adjudication import NotForReview, adjudicate, adjudicated_before, review_order
from annotation.review.exclusions import Decider, exclude_answers, include_answers
from campaigns.access import Right, campaign_for, rights_in
from campaigns.models import Campaign, CampaignUnit, DeliveredClip
from infrastructure.byte_ranges import private_file
from protocols import InvalidAnswers, shown_aspects

PER_PAGE = 25
SIGNS = {
    Sign.APART: gettext_lazy("Answers far apart"),
    Sign.FLAG: gettext_lazy("Flagged"),
    Sign.DEFECT: gettext_lazy("Defects marked"),
    Sign.RETURNED: gettext_lazy("Given back more than once"),
    Sign.WAITING: gettext_lazy("Waits for another answer"),
    Sign.TELLS: gettext_lazy("Tells who speaks"),
}
STATES = {"open": gettext_lazy("To review"), "done": gettext_lazy("Reviewed"), "all": gettext_lazy("Both")}
#: Reasons that a person may give for leaving an answer out. Only the person's own wish is nobody else's to give.
REASONS = [(value, label) for value, label in Reason.choices if value != Reason.WITHDRAWN]
NOT_ANSWERS = {"csrfmiddlewaretoken", "idempotency_key", "comment"}


@require_safe
def review(request: AccountRequest, slug: str) -> HttpResponse:
    """The units that somebody should look at."""
    campaign = campaign_for(request.user, slug, Right.REVIEW)
    wanted, queue = _wanted(request), review_queue(campaign)
    there = [unit for unit in queue if wanted.has(unit)]
    page = Paginator(there, PER_PAGE).get_page(request.GET.get("page"))
    context = {
        "campaign": campaign,
        "wanted": wanted,
        "query": _query(wanted),
        "signs": [(sign, label, sum(sign in unit.signs for unit in queue)) for sign, label in SIGNS.items()],
        "states": STATES.items(),
        "page": page,
        "rows": [(unit, _said_of(unit), _furthest(unit, campaign)) for unit in page],
        "n_all": len(queue),
        "n_reviewed": n_reviewed(queue),
        "far": round(100 * FAR),
    }
    return render(request, "analytics/review.html", context)


@require_safe
def unit(request: AccountRequest, slug: str, pk: int) -> HttpResponse:
    campaign, row = unit_for_review(request, slug, pk)
    wanted, queue = _wanted(request), review_queue(campaign)
    names = comments.names_shown_to(row, request.user)
    seen = reviewed_unit(row, request.user, with_names=names is not None)
    before, after = neighbours(queue, wanted, row.pk)
    queued = next((one for one in queue if one.pk == row.pk), None)
    context = {
        "campaign": campaign,
        "seen": seen,
        "queued": queued,
        "signs": _said_of(queued) if queued else [],
        "facts": [(name, row.unit.item.facts[name]) for name in seen.protocol.shows if row.unit.item.facts.get(name)],
        "names_shown": names,
        "aspects": list(shown_aspects(seen.protocol, len(seen.order))),
        "said_before": adjudicated_before(row, request.user),
        "idempotency_key": get_random_string(32),
        "comments": row.comments.select_related("by"),
        "reviewed": row.reviews.select_related("by").last(),
        "reasons": REASONS,
        "before": before,
        "after": after,
        "query": _query(wanted),
        "n_all": len(queue),
        "n_reviewed": n_reviewed(queue),
    }
    return render(request, "analytics/review_unit.html", context)


@require_safe
def clip(request: AccountRequest, slug: str, pk: int, place: int, turn: int) -> HttpResponseBase:
    """A clip as annotators heard it, by where it stands for this reviewer."""
    campaign, row = unit_for_review(request, slug, pk)
    wanted = clip_at(row, review_order(row, request.user), place, turn)
    delivered = DeliveredClip.objects.filter(clip=wanted, form=campaign.delivery_form).select_related("clip").first()
    if delivered is None:
        raise Http404("There is no such clip.")
    return private_file(request, delivered.path, size=delivered.bytes, content_type="audio/wav")


@require_POST
def unit_adjudicate(request: AccountRequest, slug: str, pk: int) -> HttpResponse:
    """Keep the reviewer's own answers beside those of the annotators."""
    _campaign, row = unit_for_review(request, slug, pk)
    clicked = {name: request.POST[name] for name in request.POST if name not in NOT_ANSWERS}

    def deed() -> None:
        adjudicate(
            row,
            reviewer=request.user,
            clicked=clicked,
            idempotency_key=request.POST.get("idempotency_key", "")[:64] or get_random_string(32),
            comment=request.POST.get("comment", "").strip(),
        )

    return _done(request, row, deed, _("Your answers are kept beside the others."))


@require_POST
def unit_settle(request: AccountRequest, slug: str, pk: int) -> HttpResponse:
    _campaign, row = unit_for_review(request, slug, pk)
    return _done(request, row, lambda: comments.settle_unit(row, reviewer=request.user), _("Marked as reviewed."))


@require_POST
def unit_comment(request: AccountRequest, slug: str, pk: int) -> HttpResponse:
    _campaign, row = unit_for_review(request, slug, pk)
    text = request.POST.get("text", "")
    return _done(request, row, lambda: comments.comment_on(row, reviewer=request.user, text=text), _("Noted."))


@require_POST
def unit_names(request: AccountRequest, slug: str, pk: int) -> HttpResponse:
    _campaign, row = unit_for_review(request, slug, pk)
    told = _("The names are shown, and it is kept that you saw them.")
    return _done(request, row, lambda: comments.show_names(row, reviewer=request.user), told)


@require_POST
def answer_use(request: AccountRequest, slug: str, pk: int, annotation: int) -> HttpResponse:
    """Leave an answer out of the analysis with a reason, or take it in again."""
    _campaign, row = unit_for_review(request, slug, pk)
    form, said = UseForm(request.POST), _annotation(row, annotation)
    if not form.is_valid():
        return _refused(request, row, " ".join(str(error) for errors in form.errors.values() for error in errors))
    data = form.cleaned_data
    decide = include_answers if data["use"] else exclude_answers
    assignments = Assignment.objects.filter(pk=said.assignment_id)
    decider = Decider(person=request.user)
    reason = data["reason"] or Reason.OTHER
    if decide(assignments, reason=reason, decider=decider, comment=data["comment"]):
        told = (
            _("The answer is used again.") if data["use"] else _("The answer is left out. It can be taken in again.")
        )
        messages.success(request, told)
    else:
        messages.warning(request, _("That was so already."))
    return _back(request, row)


@require_POST
def answer_accept(request: AccountRequest, slug: str, pk: int, annotation: int) -> HttpResponse:
    """Accept an answer or not, with a message that its annotator reads."""
    _campaign, row = unit_for_review(request, slug, pk)
    form, said = AcceptForm(request.POST), _annotation(row, annotation)
    if not form.is_valid():
        return _refused(request, row, _("Say whether the answer is accepted, in a message that is not too long."))
    data: dict[str, Any] = form.cleaned_data
    return _done(
        request, row, lambda: comments.review_answer(said, reviewer=request.user, **data), _("Kept and told.")
    )


def _said_of(unit: QueuedUnit) -> list[tuple[str, Promise]]:
    return [(str(sign), SIGNS[sign]) for sign in unit.signs]


def _furthest(unit: QueuedUnit, campaign: Campaign) -> str:
    """The title of the aspect in which the answers lie furthest apart."""
    name = unit.apart.aspect if unit.apart else ""
    return next((aspect.title for aspect in campaign.protocol.aspects if aspect.name == name), name)


def unit_for_review(request: AccountRequest, slug: str, pk: int) -> tuple[Campaign, CampaignUnit]:
    """The unit of the study, for whoever may see what others said of it. Raises Http404, PermissionDenied."""
    campaign = campaign_for(request.user, slug, Right.REVIEW)
    study = CampaignUnit.objects.filter(campaign=campaign, purpose=CampaignUnit.Purpose.STUDY)
    row = get_object_or_404(study.select_related("unit__item"), pk=pk)
    row.campaign = campaign
    _require_nothing_left_to_answer(row, request.user)
    return campaign, row


def _require_nothing_left_to_answer(row: CampaignUnit, user: User) -> None:
    """Whoever labels in the campaign, too, sees no answers to a unit that they may still be given."""
    answered = row.assignments.filter(annotator=user, status=Assignment.Status.ANSWERED)
    if Right.LABEL in rights_in(row.campaign, user) and not answered.exists():
        raise PermissionDenied(_("You label in this campaign yourself, and have not answered this unit."))


def _annotation(row: CampaignUnit, pk: int) -> Annotation:
    ours = Annotation.objects.filter(assignment__campaign_unit=row).select_related("assignment__campaign_unit")
    return get_object_or_404(ours, pk=pk)


def _done(request: AccountRequest, row: CampaignUnit, deed: Callable[[], object], told: str) -> HttpResponse:
    """Do it and say so, or say why not."""
    try:
        deed()
    except NotForReview as refusal:
        return _refused(request, row, str(refusal))
    except InvalidAnswers as invalid:
        return _refused(request, row, " ".join(str(error) for error in invalid.errors.values()))
    messages.success(request, told)
    return _back(request, row)


def _refused(request: AccountRequest, row: CampaignUnit, why: str) -> HttpResponse:
    messages.error(request, why)
    return _back(request, row)


def _back(request: AccountRequest, row: CampaignUnit) -> HttpResponse:
    return redirect(f"{reverse('review-unit', args=[row.campaign.slug, row.pk])}?{_query(_wanted(request))}")


def _wanted(request: AccountRequest) -> Wanted:
    return read_wanted(request.GET.get("sign", ""), request.GET.get("state", ""))


def _query(wanted: Wanted) -> str:
    return f"state={wanted.state}" + (f"&sign={wanted.sign}" if wanted.sign else "")
