"""What goes into a file: a campaign's answers and verdicts as they are wanted, a thousand at a time."""

import secrets
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property

from django.db.models import Count, prefetch_related_objects

from analytics.data.inclusion import answers_in
from analytics.data.labels import (
    Record,
    campaign_labels,
    in_chunks,
    judged_labels,
    units_by_id,
    verdicts_said,
)
from analytics.exports.request import Wanted
from annotation.review.adjudication import RATER, standing_adjudications
from campaigns.models import Campaign, Membership, Role
from corpus.imports.reasons import WRITING_ANSWERS
from corpus.models import Unit
from infrastructure.background.kinds import ShowProgress
from infrastructure.wording.reasons import Reason

#: Replaces a written text that was not requested. No choice of any protocol looks like it.
WITHHELD = "[withheld]"
#: Units of which the clips are looked up together: SQLite refuses to be asked for many hundreds at once.
UNITS_AT_ONCE = 200
#: The clips of a unit, from the unit.
CLIPS = (
    "item__turns__clip", "a__turns__clip", "b__turns__clip", "members__response__turns__clip",
)  # fmt: skip


class Source:
    """`left_out` counts what a format leaves out, by reason; `progress` is told each annotation and verdict."""

    def __init__(self, campaign: Campaign, wanted: Wanted, progress: ShowProgress) -> None:
        self.campaign, self.wanted = campaign, wanted
        self.left_out: Counter[Reason] = Counter()
        self._progress, self._done = progress, 0

    def with_judges(self) -> "Source":
        """The same, with judges' verdicts; what is left out is counted in the same place."""
        found = Source(self.campaign, replace(self.wanted, judges=True), self._progress)
        found.left_out = self.left_out
        return found

    def records(self) -> Iterator[Record]:
        """Everything that is wanted: people first, then judges run by run."""
        yield from self.people()
        yield from self.verdicts()

    def people(self) -> Iterator[Record]:
        """What people answered, under their pseudonyms."""
        for row in campaign_labels(self.campaign, self.wanted.use):
            yield self._shown(replace(row, given=replace(row.given, annotator=self._called(row.given.annotator))))

    def verdicts(self) -> Iterator[Record]:
        """What judges said of clean audio, run by run; what is still to do is not there. Empty unless wanted."""
        if self.wanted.judges:
            yield from map(self._shown, judged_labels(self.campaign))

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

    @cached_property
    def n(self) -> int:
        """How many annotations and verdicts there are."""
        found = answers_in(self.campaign, self.wanted.use).count()
        if self.wanted.use.adjudicated:
            found += standing_adjudications(self.campaign).count()
        return found + (verdicts_said(self.campaign).count() if self.wanted.judges else 0)

    @cached_property
    def _written(self) -> frozenset[str]:
        return frozenset(aspect.name for aspect in self.campaign.protocol.aspects if aspect.scale.kind.is_written)

    @cached_property
    def _fresh(self) -> dict[str, str]:
        rows = Membership.objects.filter(campaign=self.campaign, role=Role.ANNOTATOR)
        names = list(rows.order_by("pk").values_list("pseudonym", flat=True))
        secrets.SystemRandom().shuffle(names)
        return {name: f"R{n}" for n, name in enumerate(names, start=1)}

    def _called(self, rater: str) -> str:
        return rater if rater == RATER or self.wanted.pseudonyms == "campaign" else self._fresh[rater]

    def _shown(self, row: Record) -> Record:
        """Without written texts, unless they are wanted."""
        self._tell()
        if self.wanted.text:
            return row
        given = replace(row.given, flag=WITHHELD) if row.given.flag else row.given
        answers = (replace(it, value=WITHHELD) if it.aspect in self._written else it for it in row.answers)
        return replace(row, given=given, answers=tuple(answers))

    def _tell(self) -> None:
        self._done += 1
        if self._done % 100 == 0 or self._done >= self.n:
            self._progress(min(self._done, self.n), self.n, WRITING_ANSWERS())


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
