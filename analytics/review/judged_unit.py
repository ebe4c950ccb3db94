"""What judges and imported labels say of one unit, in the order in which a reviewer hears it."""

from collections.abc import Iterable
from dataclasses import dataclass

from django.utils.translation import gettext as _

from analytics.judged.cache import refusals
from campaigns.models import CampaignUnit
from campaigns.rubrics.asking import protocol_for
from corpus.models import Label
from corpus.models.labels import NO_CHECKS
from judges.models import Run, Verdict
from protocols import Protocol

Said = tuple[str, str, str]


@dataclass(frozen=True)
class ShownAnswer:
    """An answer to one aspect (of the response at this place), in words."""

    title: str
    place: int | None
    said: str


@dataclass(frozen=True)
class JudgeSaid:
    """One verdict with its answers, and the place heard first; `refused` says why its judge does not count."""

    verdict: Verdict
    heard_first: int
    answers: list[ShownAnswer]
    refused: str


@dataclass(frozen=True)
class LabelsSaid:
    title: str
    answers: list[ShownAnswer]


def said_by_judges(unit: CampaignUnit, order: str) -> list[JudgeSaid]:
    """Every verdict on the unit by judges that heard it as it is, by run, order and sample."""
    rows = (
        Verdict.objects.filter(run__campaign=unit.campaign_id, unit=unit.unit_id, run__perturbation__isnull=True)
        .exclude(run__status=Run.Status.IMPORTING)
        .select_related("run__judge")
        .prefetch_related("answers")
        .order_by("run", "order", "sample")
    )
    protocol, why = protocol_for(unit.campaign, unit.unit.item), refusals({row.run_id for row in rows})
    return [
        JudgeSaid(
            row,
            order.index(row.order[0]) + 1,
            _shown(protocol, order, [(it.aspect, it.slot, it.value) for it in row.answers.all()]),
            why.get(row.run_id, ""),
        )
        for row in rows
    ]


def said_by_labels(unit: CampaignUnit, order: str) -> list[LabelsSaid]:
    """What each imported label set says of the unit."""
    rows = Label.objects.filter(annotation__unit=unit.unit_id, annotation__label_set__purpose__in=NO_CHECKS)
    rows = rows.select_related("annotation__label_set")
    protocol = protocol_for(unit.campaign, unit.unit.item)
    found: dict[str, list[Said]] = {}
    for row in rows.order_by("annotation__label_set", "pk"):
        found.setdefault(str(row.annotation.label_set), []).append((row.aspect, row.slot, row.value))
    return [LabelsSaid(title, _shown(protocol, order, said)) for title, said in found.items()]


def _shown(protocol: Protocol, order: str, said: Iterable[Said]) -> list[ShownAnswer]:
    place = {aspect.name: (at, aspect) for at, aspect in enumerate(protocol.aspects)}
    found = []
    for name, slot, stored in said:
        at, aspect = place.get(name, (len(place), None))
        value = stored
        if aspect:
            kind = aspect.scale.kind
            value = str(kind.label(kind.shown(stored, order)))
            value = _("Response %(n)s") % {"n": value} if kind.any_response else value
        shown = ShownAnswer(aspect.title if aspect else name, order.index(slot) + 1 if slot else None, value)
        found.append((at, shown.place or 0, shown))
    return [shown for *_at, shown in sorted(found, key=lambda one: one[:2])]
