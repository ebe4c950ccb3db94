from collections.abc import Callable, Collection, Iterable
from dataclasses import replace
from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import Http404, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.crypto import get_random_string
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from django.views.decorators.http import require_POST, require_safe

from accounts.models import User
from accounts.requests import AccountRequest
from analytics.review.access import annotation_to, unit_for_reviewer
from analytics.review.forms import AcceptForm, UseForm
from analytics.review.queue import (
    FAR,
    QueuedUnit,
    Sign,
    Work,
    n_by_sign,
    n_by_work,
    n_reviewed,
    neighbours,
    review_units,
)
from analytics.review.unit import reviewed_unit
from analytics.review.wanted import (
    EVERY,
    KINDS,
    LEAST_APART,
    ORDERS,
    SIZES,
    Wanted,
    annotators,
    may_search_systems,
    read_wanted,
    wanted_units,
)
from annotation.models import Assignment, Reason
from annotation.review import comments
from annotation.review.adjudication import NotForReview, adjudicate, adjudicated_before, review_order
from annotation.review.bulk import KIND as BULK
from annotation.review.bulk import last_bulk
from annotation.review.exclusions import Decider, exclude_answers, include_answers
from annotation.review.marks import REVIEWABLE, last_marked, mark_units, undo_last_mark
from campaigns.access import Right, campaign_for, names_are_hidden
from campaigns.audio.delivery import delivered_to_reviewers
from campaigns.audio.unit_clips import heard_clip_id
from campaigns.models import Campaign, CampaignUnit
from infrastructure.background.jobs import latest_job
from infrastructure.files.byte_ranges import private_file
from infrastructure.templatetags.wording import refusal_text
from infrastructure.whole_numbers import whole_number
from protocols import InvalidAnswers, shown_aspects

SIGNS = {
    Sign.APART: gettext_lazy("Answers far apart"),
    Sign.FLAG: gettext_lazy("Flagged"),
    Sign.DEFECT: gettext_lazy("Defects marked"),
    Sign.RETURNED: gettext_lazy("Returned more than once"),
    Sign.WAITING: gettext_lazy("Waits for another answer"),
    Sign.IDENTITY_LEAK: gettext_lazy("Names its system"),
}
WORK = {
    Work.LEFT_OUT: gettext_lazy("With an answer left out"),
    Work.ADJUDICATED: gettext_lazy("Adjudicated"),
    Work.COMMENTED: gettext_lazy("With a comment"),
}
STATES = {"open": gettext_lazy("To review"), "done": gettext_lazy("Reviewed"), "all": gettext_lazy("Both")}
UNITS = {"study": gettext_lazy("Units of the study"), "control": gettext_lazy("Control units")}
#: Columns of the queue, by what they are sorted by.
HEADS = {
    "unit": gettext_lazy("Unit"),
    "item": gettext_lazy("Item"),
    "apart": gettext_lazy("Far apart"),
    "marks": gettext_lazy("Why"),
    "answers": gettext_lazy("Answers"),
}
LARGEST_FIRST = {"apart", "marks", "answers"}
#: Reasons that a reviewer may give for an exclusion. Withdrawal is the annotator's own decision.
REASONS = [(value, label) for value, label in Reason.choices if value != Reason.WITHDRAWN]
NOT_ANSWERS = {"csrfmiddlewaretoken", "idempotency_key", "comment"}


@require_safe
def review(request: AccountRequest, slug: str) -> HttpResponse:
    """The units to be reviewed."""
    campaign = campaign_for(request.user, slug, Right.REVIEW)
    wanted = read_wanted(request.GET)
    control, units = wanted.units == "control", review_units(campaign)
    queue, every = units.queue(control=control), units.every(control=control)
    shown = wanted_units(campaign, units, wanted.in_every_state, request.user)
    there = [unit for unit in shown if wanted.has(unit)]
    page = Paginator(there, int(wanted.size)).get_page(request.GET.get("page"))
    by_sign, by_work = n_by_sign(queue), n_by_work(every)
    bulk, last = last_bulk(campaign, request.user), last_marked(campaign, request.user)
    context = {
        "campaign": campaign,
        "wanted": wanted,
        "query": wanted.query,
        "signs": [(sign, label, by_sign[sign]) for sign, label in SIGNS.items()],
        "n_every": len(every),
        "every": EVERY,
        "work": [(work, label, by_work[work]) for work, label in WORK.items()],
        "reasons": REASONS,
        "bulk": bulk,
        "job": latest_job(BULK, bulk.pk) if bulk else None,
        "states": STATES.items(),
        "heads": [(label, *_order_link(wanted, name)) for name, label in HEADS.items()],
        "page": page,
        "rows": [(unit, _said_of(unit), _title(unit.apart.aspect, campaign) if unit.apart else "") for unit in page],
        "n_queued": len(queue),
        "n_answered": sum(bool(unit.annotators) for unit in every),
        "n_all": len(shown),
        "n_reviewed": n_reviewed(shown),
        "far": round(100 * FAR),
        "last": last,
        "undoes_answers": bulk is not None and bulk.n_answers and (last is None or bulk.made_at > last.made_at),
        **_choices(campaign, queue, request.user),
    }
    return render(request, "analytics/review/review.html", context)


@require_POST
def mark(request: AccountRequest, slug: str) -> HttpResponse:
    """Mark the selected units, or all that match, as reviewed or open again. It can be undone."""
    campaign, wanted = campaign_for(request.user, slug, Right.REVIEW), read_wanted(request.GET)
    if "all" in request.POST:
        units = [unit.pk for unit in wanted_units(campaign, review_units(campaign), wanted, request.user)]
    else:
        units = selected_units(request)
    done = request.POST.get("all", request.POST.get("done")) != "no"
    n = mark_units(campaign, units, reviewer=request.user, done=done)
    _say_marked(request, n, done=done)
    return redirect(f"{reverse('review', args=[slug])}?{wanted.query}")


@require_POST
def undo(request: AccountRequest, slug: str) -> HttpResponse:
    """Turn round what this reviewer marked last, and show the unit, where it was one."""
    campaign = campaign_for(request.user, slug, Right.REVIEW)
    n, done = undo_last_mark(campaign, reviewer=request.user)
    _say_marked(request, n, done=done)
    last = last_marked(campaign, request.user)
    query = read_wanted(request.GET).query
    if n == 1 and last and "from_unit" in request.POST:
        return redirect(f"{reverse('review-unit', args=[slug, last.campaign_unit_id])}?{query}")
    return redirect(f"{reverse('review', args=[slug])}?{query}")


@require_safe
def unit(request: AccountRequest, slug: str, pk: int) -> HttpResponse:
    campaign, row = unit_for_review(request, slug, pk, REVIEWABLE)
    wanted = read_wanted(request.GET)
    control, units = row.purpose != CampaignUnit.Purpose.STUDY, review_units(campaign)
    every = units.every(control=control)
    shown = wanted_units(campaign, units, wanted.in_every_state, request.user, control=control, along_with=pk)
    there = [one for one in shown if one.pk == pk or wanted.has(one)]
    names = comments.names_shown_to(row, request.user)
    seen = reviewed_unit(row, request.user, with_names=names is not None)
    before, after = neighbours(there, row.pk)
    queued = next((one for one in every if one.pk == row.pk), None)
    context = {
        "campaign": campaign,
        "seen": seen,
        "queued": queued,
        "signs": _said_of(queued) if queued else [],
        "facts": [(name, row.unit.item.facts[name]) for name in seen.protocol.shows if row.unit.item.facts.get(name)],
        "names_shown": names,
        "names_hidden": names_are_hidden(campaign),
        "aspects": list(shown_aspects(seen.protocol, len(seen.order))),
        "said_before": adjudicated_before(row, request.user),
        "idempotency_key": get_random_string(32),
        "comments": row.comments.select_related("by"),
        "is_control": row.purpose != CampaignUnit.Purpose.STUDY,
        "reviewed": row.reviews.select_related("by").last() if queued and queued.reviewed else None,
        "last": last_marked(campaign, request.user),
        "place": next((at for at, one in enumerate(there, start=1) if one.pk == pk), None),
        "n_wanted": len(there),
        "reasons": REASONS,
        "before": before,
        "after": after,
        "query": wanted.query,
        "n_all": len(shown),
        "n_reviewed": n_reviewed(shown),
    }
    return render(request, "analytics/review/review_unit.html", context)


@require_safe
def clip(request: AccountRequest, slug: str, pk: int, place: int, turn: int) -> HttpResponseBase:
    """A clip as annotators heard it, by where it stands for this reviewer."""
    campaign, row = unit_for_review(request, slug, pk, REVIEWABLE)
    sound = heard_clip_id(row, review_order(row, request.user), place, turn)
    heard = delivered_to_reviewers(campaign, sound) if sound else None
    if heard is None:
        raise Http404("There is no such clip.")
    return private_file(request, heard.path, size=heard.bytes, content_type="audio/wav")


@require_POST
def unit_adjudicate(request: AccountRequest, slug: str, pk: int) -> HttpResponse:
    """Keep the reviewer's own answers beside those of the annotators."""
    _campaign, row = unit_for_review(request, slug, pk)
    clicked = {name: request.POST[name] for name in request.POST if name not in NOT_ANSWERS}

    def action() -> None:
        adjudicate(
            row,
            reviewer=request.user,
            clicked=clicked,
            idempotency_key=_key_of(request),
            comment=request.POST.get("comment", "").strip(),
        )

    return _done(request, row, action, _("Your answers are saved beside the others."))


@require_POST
def unit_settle(request: AccountRequest, slug: str, pk: int) -> HttpResponse:
    """Mark one unit as reviewed, or open it again, and go on to the next."""
    campaign, row = unit_for_review(request, slug, pk, REVIEWABLE)
    wanted, done = read_wanted(request.GET), request.POST.get("done") != "no"
    control, units = row.purpose != CampaignUnit.Purpose.STUDY, review_units(campaign)
    there = wanted_units(campaign, units, wanted, request.user, control=control, along_with=pk)
    _before, after = neighbours(there, pk)
    n = mark_units(campaign, [pk], reviewer=request.user, done=done)
    _say_marked(request, n, done=done)
    shown = after if done and after else pk
    return redirect(f"{reverse('review-unit', args=[slug, shown])}?{wanted.query}")


@require_POST
def unit_comment(request: AccountRequest, slug: str, pk: int) -> HttpResponse:
    _campaign, row = unit_for_review(request, slug, pk, REVIEWABLE)
    text = request.POST.get("text", "")

    def action() -> None:
        comments.comment_on(row, reviewer=request.user, text=text, idempotency_key=_key_of(request))

    return _done(request, row, action, _("Noted."))


def _key_of(request: AccountRequest) -> str:
    """Of the form: what is sent twice by it is one."""
    return request.POST.get("idempotency_key", "")[:64] or get_random_string(32)


@require_POST
def unit_names(request: AccountRequest, slug: str, pk: int) -> HttpResponse:
    _campaign, row = unit_for_review(request, slug, pk)
    message = _("The names are shown, and this is recorded.")
    return _done(request, row, lambda: comments.show_names(row, reviewer=request.user), message)


@require_POST
def answer_use(request: AccountRequest, slug: str, pk: int, annotation: int) -> HttpResponse:
    """Leave an answer out of the analysis with a reason, or take it in again."""
    _campaign, row = unit_for_review(request, slug, pk)
    form, said = UseForm(request.POST), annotation_to(row, annotation)
    if not form.is_valid():
        return _refused(request, row, " ".join(str(error) for errors in form.errors.values() for error in errors))
    data = form.cleaned_data
    decide = include_answers if data["use"] else exclude_answers
    assignments = Assignment.objects.filter(pk=said.assignment_id)
    decider = Decider(person=request.user)
    reason = data["reason"] or Reason.OTHER
    if decide(assignments, reason=reason, decider=decider, comment=data["comment"]):
        message = (
            _("The answer is used again.") if data["use"] else _("The answer is left out. It can be included again.")
        )
        messages.success(request, message)
    else:
        messages.warning(request, _("Nothing changed."))
    return _back(request, row)


@require_POST
def answer_accept(request: AccountRequest, slug: str, pk: int, annotation: int) -> HttpResponse:
    """Accept an answer or not, with a message that its annotator reads."""
    _campaign, row = unit_for_review(request, slug, pk)
    form, said = AcceptForm(request.POST), annotation_to(row, annotation)
    if not form.is_valid():
        return _refused(request, row, _("Say whether the answer is accepted, in a message that is not too long."))
    data: dict[str, Any] = form.cleaned_data
    return _done(
        request,
        row,
        lambda: comments.review_answer(said, reviewer=request.user, **data),
        _("Saved, and the annotator was notified."),
    )


def selected_units(request: AccountRequest) -> list[int]:
    """The ids that were sent for the selected rows."""
    sent = (whole_number(word) for word in request.POST.getlist("unit"))
    return [pk for pk in sent if pk is not None]


def _said_of(unit: QueuedUnit) -> list[tuple[str, Promise]]:
    return [(str(sign), SIGNS[sign]) for sign in unit.signs]


def _title(name: str, campaign: Campaign) -> str:
    """The title of an aspect."""
    return next((aspect.title for aspect in campaign.protocol.aspects if aspect.name == name), name)


def _choices(campaign: Campaign, queue: Iterable[QueuedUnit], reviewer: User) -> dict[str, object]:
    """What the filters offer: aspects in which answers lie apart, who reviewed, and the fixed ones."""
    aspects = dict.fromkeys(unit.apart.aspect for unit in queue if unit.apart)
    people = User.objects.filter(pk__in={unit.reviewer for unit in queue if unit.reviewer}).order_by("username")
    return {
        "aspects": [(name, _title(name, campaign)) for name in aspects],
        "annotators": [(str(pk), name) for pk, name in annotators(campaign).values_list("pk", "pseudonym")],
        "reviewers": [(str(pk), name) for pk, name in people.values_list("pk", "username")],
        "least_apart": [(value, f"≥ {value} %") for value in LEAST_APART[1:]],
        "kinds": [(kind, UNITS[kind]) for kind in KINDS],
        "sizes": SIZES,
        "searches_systems": may_search_systems(campaign, reviewer),
    }


def _order_link(wanted: Wanted, name: str) -> tuple[str, str]:
    """The address that sorts by this, the other way round the second time; and how it is sorted now."""
    if name not in ORDERS:
        return "", ""
    now = {name: "ascending", f"-{name}": "descending"}.get(wanted.order, "")
    first, other = (f"-{name}", name) if name in LARGEST_FIRST else (name, f"-{name}")
    return replace(wanted, order=other if wanted.order == first else first).query, now


def _say_marked(request: AccountRequest, n: int, *, done: bool) -> None:
    if done:
        said = ngettext("%(n)s unit is marked as reviewed.", "%(n)s units are marked as reviewed.", n)
    else:
        said = ngettext("%(n)s unit is open again.", "%(n)s units are open again.", n)
    (messages.success if n else messages.warning)(request, said % {"n": n} if n else _("Nothing changed."))


def unit_for_review(
    request: AccountRequest, slug: str, pk: int, purposes: Collection[str] = (CampaignUnit.Purpose.STUDY,)
) -> tuple[Campaign, CampaignUnit]:
    """The unit and its campaign. Raises Http404, PermissionDenied."""
    row = unit_for_reviewer(request.user, slug, pk, purposes)
    return row.campaign, row


def _done(request: AccountRequest, row: CampaignUnit, action: Callable[[], object], message: str) -> HttpResponse:
    """Do it and say so, or say why not."""
    try:
        action()
    except NotForReview as refusal:
        return _refused(request, row, refusal_text(refusal))
    except InvalidAnswers as invalid:
        return _refused(request, row, " ".join(str(error) for error in invalid.errors.values()))
    messages.success(request, message)
    return _back(request, row)


def _refused(request: AccountRequest, row: CampaignUnit, why: str) -> HttpResponse:
    messages.error(request, why)
    return _back(request, row)


def _back(request: AccountRequest, row: CampaignUnit) -> HttpResponse:
    query = read_wanted(request.GET).query
    return redirect(f"{reverse('review-unit', args=[row.campaign.slug, row.pk])}?{query}")
