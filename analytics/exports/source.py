"""What goes into a file: a campaign's answers and verdicts as they are wanted, a thousand at a time."""

import secrets
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property

from django.db.models import Count, Prefetch, QuerySet, prefetch_related_objects
from django.utils.translation import gettext_noop

from analytics.data.inclusion import answers_in
from analytics.data.labels import LabelledUnit, campaign_labels, in_chunks, units_by_id
from analytics.exports.request import Wanted
from annotation.review.adjudication import RATER, standing_adjudications
from campaigns.background.jobs import ShowProgress
from campaigns.models import Campaign, Membership, Role, Unit
from judges.models import Run, Verdict, VerdictAnswer

#: Stands for a text that somebody wrote and that was not wanted. No choice of any protocol looks like it.
WITHHELD = "[withheld]"
#: Units of which the clips are looked up together: SQLite refuses to be asked for many hundreds at once.
UNITS_AT_ONCE = 200
#: The clips of a unit, from the unit.
CLIPS = (
    "item__turns__clip", "a__turns__clip", "b__turns__clip", "members__response__turns__clip",
)  # fmt: skip


class Source:
    """`notes` counts what a format leaves out, by reason; `progress` is told each annotation and verdict."""

    def __init__(self, campaign: Campaign, wanted: Wanted, progress: ShowProgress) -> None:
        self.campaign, self.wanted = campaign, wanted
        self.notes: Counter[str] = Counter()
        self._progress, self._done = progress, 0

    def with_judges(self) -> "Source":
        """The same, with judges' verdicts; what is left out is counted in the same place."""
        found = Source(self.campaign, replace(self.wanted, judges=True), self._progress)
        found.notes = self.notes
        return found

    def people(self) -> Iterator[LabelledUnit]:
        """What people answered, under their pseudonyms."""
        for row in campaign_labels(self.campaign, self.wanted.use):
            self._tell()
            named = replace(row, rater=self._called(row.rater))
            yield named if self.wanted.text else self._without_texts(named)

    def verdicts(self) -> Iterator[tuple[Verdict, Unit]]:
        """What judges said of clean audio, run by run; what is still to do is not there. Empty unless wanted."""
        if not self.wanted.judges:
            return
        for ids in in_chunks(list(self._verdict_rows.values_list("pk", flat=True))):
            rows = Verdict.objects.filter(pk__in=ids).order_by("run_id", "pk").select_related("run__judge")
            rows = rows.prefetch_related(Prefetch("answers", VerdictAnswer.objects.order_by("pk")))
            units = units_by_id(row.unit_id for row in rows)
            for row in rows:
                self._tell()
                yield row, units[row.unit_id]

    def units_with_clips(self) -> Iterator[list[Unit]]:
        """The campaign's units, in its order, some at a time; checks only where they are wanted."""
        rows = self.campaign.campaign_units.order_by("position")
        rows = rows if self.wanted.use.checks else rows.filter(purpose="study")
        ids = dict.fromkeys(rows.values_list("unit_id", flat=True))  # a unit may be there twice: as a repeat, say
        for chunk in in_chunks(list(ids), UNITS_AT_ONCE):
            found = units_by_id(chunk)
            prefetch_related_objects(list(found.values()), *CLIPS)
            yield [found[pk] for pk in chunk]

    @cached_property
    def positions(self) -> dict[int, int]:
        """The places of the study's units, by their ids."""
        return dict(self.campaign.campaign_units.filter(purpose="study").values_list("unit_id", "position"))

    @cached_property
    def item_numbers(self) -> dict[int, int]:
        """Items by their ids, counted as they came into the dataset: draws of items are made in this order."""
        ids = self.campaign.dataset.items.order_by("pk").values_list("pk", flat=True)
        return {pk: number for number, pk in enumerate(ids, start=1)}

    def said(self, aspect: str, value: str) -> str:
        """The value of a verdict, or that it was withheld."""
        return value if self.wanted.text or aspect not in self._written else WITHHELD

    @cached_property
    def n(self) -> int:
        """How many annotations and verdicts there are."""
        found = answers_in(self.campaign, self.wanted.use).count()
        if self.wanted.use.adjudicated:
            found += standing_adjudications(self.campaign).count()
        return found + (self._verdict_rows.count() if self.wanted.judges else 0)

    @property
    def _verdict_rows(self) -> QuerySet[Verdict]:
        runs = Run.objects.filter(campaign=self.campaign, perturbation__isnull=True)
        return Verdict.objects.filter(run__in=runs).exclude(status=Verdict.Status.WAITING).order_by("run_id", "pk")

    @cached_property
    def _written(self) -> frozenset[str]:
        return frozenset(aspect.name for aspect in self.campaign.protocol.aspects if aspect.scale.is_text)

    @cached_property
    def _fresh(self) -> dict[str, str]:
        rows = Membership.objects.filter(campaign=self.campaign, role=Role.ANNOTATOR)
        names = list(rows.order_by("pk").values_list("pseudonym", flat=True))
        secrets.SystemRandom().shuffle(names)
        return {name: f"R{n}" for n, name in enumerate(names, start=1)}

    def _called(self, rater: str) -> str:
        return rater if rater == RATER or self.wanted.pseudonyms == "campaign" else self._fresh[rater]

    def _without_texts(self, row: LabelledUnit) -> LabelledUnit:
        labels = (replace(it, value=WITHHELD) if it.aspect in self._written else it for it in row.labels)
        return replace(row, flag=WITHHELD if row.flag else "", labels=tuple(labels))

    def _tell(self) -> None:
        self._done += 1
        if self._done % 100 == 0 or self._done >= self.n:
            self._progress(min(self._done, self.n), self.n, gettext_noop("Writing every answer"))


def funnel(campaign: Campaign) -> dict[str, int]:
    """How many answers were asked for, came, were left out, and are used; of the study, none that was withdrawn."""
    study = campaign.assignments.filter(campaign_unit__purpose="study").exclude(status="planned")
    by_status = dict(study.values_list("status").annotate(Count("pk")).order_by())
    everything = answers_in(campaign, replace(Wanted().use, excluded=True)).count()
    used = answers_in(campaign).count()
    return {
        "assigned": sum(by_status.values()),
        "answered": everything,
        "excluded": everything - used,
        "used": used,
    }
