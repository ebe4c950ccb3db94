"""The comparison of a campaign: cached until there are new answers; judges that did not qualify are refused."""

import hashlib
import json
from collections.abc import Collection
from dataclasses import astuple, replace
from typing import Any

from django.core.cache import cache

from accounts.models import User
from analytics.data.label_arrays import EVERYTHING, Reading, label_arrays, stamp_of
from analytics.judged.comparison import Comparison, compare, compared_aspects
from analytics.judged.counting import AS_USUAL, Counting
from analytics.judged.looks import reached_planned_size
from campaigns.models import Campaign
from infrastructure.templatetags.wording import worded
from infrastructure.wording.phrases import Phrase
from infrastructure.wording.reasons import Reasoned
from judges.definitions.qualifying import keep_qualification, last_qualifications, must_qualify
from judges.models import JudgeQualification, Run
from stats import reasons

KEPT_S = 3600
#: Of the arithmetic. A new one takes every comparison anew.
VERSION = "3"


class CannotQualify(Reasoned, ValueError):
    """There is nothing from which one could tell. The message is for a researcher."""


def comparison_of(
    campaign: Campaign, reference: str = "", reading: Reading = EVERYTHING, counting: Counting = AS_USUAL
) -> Comparison:
    """From the cache where nothing was said since."""
    asked = json.dumps([reference, *astuple(reading), *astuple(counting)])
    name = hashlib.sha256(asked.encode()).hexdigest()[:16]
    planned = reached_planned_size(campaign)
    key, stamp = f"comparison-{VERSION}-{campaign.pk}-{name}", (*stamp_of(campaign), planned)
    kept: tuple[Any, Comparison] | None = cache.get(key)
    if kept and kept[0] == stamp:
        return _with_refusals(kept[1])
    found = compare(label_arrays(campaign, reading), reference, counting, planned=planned)
    cache.set(key, (stamp, found), KEPT_S)
    return _with_refusals(found)


def qualify_judge(campaign: Campaign, run: Run, *, reference: str, user: User) -> JudgeQualification:
    """Take the labels of this campaign as the labelled prompts of the run's judge. Raises CannotQualify."""
    arrays = label_arrays(campaign)
    found, aspect = compare(arrays, reference), compared_aspects(arrays)[0].name
    rows = {row.key: row.by_aspect[aspect].accuracy for row in found.rows}
    judged, people = rows.get(f"run-{run.pk}"), rows.get("humans")
    if judged is None or judged.estimate is None:
        raise CannotQualify(reasons.NOTHING_LABELLED())
    return keep_qualification(
        run.judge, campaign=campaign, aspect=aspect, right=round(judged.estimate * judged.n), n=judged.n,
        people=people.estimate if people else None, user=user,
    )  # fmt: skip


def refusals(runs: Collection[int]) -> dict[int, Phrase]:
    """Why these runs have no figures, by run: judges of kinds that have to qualify first, and did not."""
    rows = Run.objects.filter(pk__in=runs).select_related("judge")
    judges = {row.pk: row.judge for row in rows if must_qualify(row.judge)}
    last = last_qualifications({judge.pk for judge in judges.values()}) if judges else {}
    found = {run: _refusal(last.get(judge.pk)) for run, judge in judges.items()}
    return {run: why for run, why in found.items() if why}


def _with_refusals(found: Comparison) -> Comparison:
    why = refusals([row.run for row in found.rows if row.run])
    rows = [replace(row, refused=worded(why[row.run])) if row.run in why else row for row in found.rows]
    shown = {
        name: tuple(it for it in pairs if not {it.one.run, it.other.run} & why.keys())
        for name, pairs in found.differences.items()
    }
    return replace(found, rows=tuple(rows), differences=shown)


def _refusal(qualified: JudgeQualification | None) -> Phrase | None:
    if qualified is None:
        return Phrase("It was not put before labelled prompts yet.")
    if qualified.qualified:
        return None
    return Phrase("It did not qualify: %(reason)s.", reason=qualified.reason)
