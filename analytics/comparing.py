"""The comparison of a campaign: kept until anybody says something new, and judges refused that did not qualify."""

import hashlib
from dataclasses import replace
from typing import Any

from django.core.cache import cache
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from accounts.models import User
from analytics.judge_comparison import Comparison, RaterRow, compare, compared_aspects
from analytics.label_arrays import label_arrays, stamp_of
from campaigns.models import Campaign
from judges.models import JudgeQualification, Run
from judges.qualifying import keep_qualification, last_qualifications, must_qualify

KEPT_S = 3600
#: Of the arithmetic. A new one takes every comparison anew.
VERSION = "1"
#: Why something is undefined, as analytics.stats words it.
REASONS = (
    gettext_noop("both raters gave one and the same label to every unit"),
    gettext_noop("no unit has labels from two raters"),
    gettext_noop("one unit alone says nothing of how others would vary"),
    gettext_noop("one cluster alone says nothing of how others would vary"),
    gettext_noop("no unit to compare"),
    gettext_noop("nothing to count"),
    gettext_noop("it gave no answer to any of these units"),
)


class CannotQualify(ValueError):
    """There is nothing from which one could tell. The message is for a researcher."""


def comparison_of(campaign: Campaign, reference: str = "") -> Comparison:
    """From the cache where nothing was said since."""
    name = hashlib.sha256(reference.encode()).hexdigest()[:16]
    key, stamp = f"comparison-{VERSION}-{campaign.pk}-{name}", stamp_of(campaign)
    kept: tuple[Any, Comparison] | None = cache.get(key)
    if kept and kept[0] == stamp:
        return _with_refusals(kept[1])
    found = compare(label_arrays(campaign), reference)
    cache.set(key, (stamp, found), KEPT_S)
    return _with_refusals(found)


def qualify_judge(campaign: Campaign, run: Run, *, reference: str, user: User) -> JudgeQualification:
    """Take the labels of this campaign as the labelled prompts of the run's judge. Raises CannotQualify."""
    arrays = label_arrays(campaign)
    found, aspect = compare(arrays, reference), compared_aspects(arrays)[0].name
    rows = {row.key: row.by_aspect[aspect].accuracy for row in found.rows}
    judged, people = rows.get(f"run-{run.pk}"), rows.get("humans")
    if judged is None or judged.estimate is None:
        raise CannotQualify(_("Nothing that this run judged has a label of people."))
    return keep_qualification(
        run.judge, campaign=campaign, aspect=aspect, right=round(judged.estimate * judged.n), n=judged.n,
        people=people.estimate if people else None, user=user,
    )  # fmt: skip


def _with_refusals(found: Comparison) -> Comparison:
    """Judges of kinds that have to qualify first have no figures before they did."""
    runs = {row.pk: row.judge for row in _runs_to_qualify([row.run for row in found.rows if row.run])}
    if not runs:
        return found
    last = last_qualifications({judge.pk for judge in runs.values()})
    rows = []
    for row in found.rows:
        judge = runs.get(row.run or 0)
        qualified = last.get(judge.pk) if judge else None
        rows.append(row if judge is None else _refused(row, qualified))
    return replace(found, rows=tuple(rows))


def _runs_to_qualify(pks: list[int]) -> list[Run]:
    rows = Run.objects.filter(pk__in=pks).select_related("judge")
    return [row for row in rows if must_qualify(row.judge)]


def _refused(row: RaterRow, qualified: JudgeQualification | None) -> RaterRow:
    if qualified is None:
        return replace(row, refused=_("It was not put before labelled prompts yet."))
    if qualified.qualified:
        return row
    return replace(row, refused=_("It did not qualify: %(reason)s.") % {"reason": qualified.reason})
