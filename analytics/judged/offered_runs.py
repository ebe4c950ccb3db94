"""The runs of a campaign whose verdicts can be rated as votes, and why others cannot at this moment."""

from collections.abc import Mapping
from dataclasses import dataclass

from analytics.data.rater_groups import by_run, clean_runs
from analytics.judged.cache import refusals
from campaigns.models import Campaign
from infrastructure.wording.phrases import Phrase
from judges.models import Run


@dataclass(frozen=True)
class OfferedRun:
    """A run that judged pairs here; `why_not` says why it has no board at this moment."""

    judge: str
    run: int
    why_not: str = ""


def offered_runs(campaign: Campaign, aspects: Mapping[str, str]) -> dict[str, OfferedRun]:
    """By what `by` says of each. Who did not qualify, where that is asked, has no board as it has no report."""
    runs = list(clean_runs(campaign, aspects))
    refused = refusals({run.pk for run in runs}) if runs else {}
    return {by_run(run): OfferedRun(run.judge.title, run.pk, refused.get(run.pk) or _not_done(run)) for run in runs}


def _not_done(run: Run) -> str:
    if run.status == Run.Status.DONE:
        return ""
    state = Phrase(str(Run.Status(run.status).label))
    return Phrase("Boards are of runs that are done, and this one is not: %(state)s.", state=state)
