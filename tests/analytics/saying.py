"""What people and judges say in tests, in few words."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.utils import timezone

from annotation.models import Annotation, Answer
from campaigns.models import Campaign
from corpus.models import LabelSet
from judges.models import Judge, Run, Verdict, VerdictAnswer
from tests.factories import make_assignment, make_label, make_member


def units_of(campaign: Campaign) -> list[Any]:
    return list(campaign.campaign_units.order_by("position"))


def people_say(campaign: Campaign, *said: Sequence[str | None], aspect: str = "overall", first_seat: int = 1) -> None:
    """One person for each sequence, with an answer (in the stored frame) to each unit, or None."""
    for seat, answers in enumerate(said, start=first_seat):
        person = make_member(campaign)
        for unit, value in zip(units_of(campaign), answers, strict=True):
            if value is not None:
                assignment = make_assignment(campaign, person, campaign_unit=unit, seat=seat, status="answered")
                annotation = Annotation.objects.create(
                    assignment=assignment, shown_at=timezone.now(), idempotency_key=f"{person.pk}-{unit.pk}"
                )
                Answer.objects.create(annotation=annotation, aspect=aspect, value=value)


def labels_say(campaign: Campaign, name: str, said: Sequence[str | None], *, rater: str = "") -> LabelSet:
    row = LabelSet.objects.create(dataset=campaign.dataset, name=name, rater=rater, created_by=campaign.created_by)
    for unit, value in zip(units_of(campaign), said, strict=True):
        if value is not None:
            make_label(row, unit.unit, value)
    return row


def make_run(campaign: Campaign, *, kind: str = "random", title: str = "Judge", **fields: Any) -> Run:
    judge = Judge.objects.create(
        title=title, kind=kind, kind_version="1", digest=title, created_by=campaign.created_by
    )
    return Run.objects.create(
        campaign=campaign, judge=judge, started_by=campaign.created_by, **({"status": "done"} | fields)
    )


def judge_says(
    campaign: Campaign,
    by_order: Mapping[str, Sequence[str | None]],
    *,
    aspect: str = "overall",
    samples: int = 1,
    run: Run | None = None,
    verdict: Mapping[str, Any] | None = None,
    **fields: Any,
) -> Run:
    """A run with a verdict on each unit; a status in place of an answer is what became of it, None is no verdict."""
    orders = "both" if len(by_order) > 1 else next(iter(by_order))
    run = run or make_run(campaign, orders=orders, samples=samples, **fields)
    for order, answers in by_order.items():
        for place, value in enumerate(answers):
            unit = units_of(campaign)[place // samples].unit
            if value is None:
                continue
            status = value if value in Verdict.Status.values else "ok"
            row = Verdict.objects.create(
                run=run, unit=unit, order=order, sample=place % samples, status=status,
                judged_at=None if status == "waiting" else timezone.now(), **(verdict or {}),
            )  # fmt: skip
            if status == "ok":
                VerdictAnswer.objects.create(verdict=row, aspect=aspect, value=value)
    return run
