"""Judges of some kinds stand in a report only once they did as well as people on labelled prompts."""

from collections.abc import Collection

from accounts.models import User
from campaigns.models import Campaign
from judges.kinds import KINDS
from judges.kinds.without_models.embedding import qualification
from judges.models import Judge, JudgeQualification


def must_qualify(judge: Judge) -> bool:
    kind = KINDS.get(judge.kind)
    return kind is not None and kind.must_qualify


def keep_qualification(
    judge: Judge, *, campaign: Campaign, aspect: str, right: int, n: int, people: float | None, user: User
) -> JudgeQualification:
    """Keep how the judge did on a campaign's labelled prompts, and whether that is enough."""
    found = qualification(right, n, people=people)
    return JudgeQualification.objects.create(
        judge=judge, campaign=campaign, aspect=aspect, right=right, n=n, people=people,
        qualified=found.qualified, reason=found.reason, made_by=user,
    )  # fmt: skip


def last_qualifications(judges: Collection[int]) -> dict[int, JudgeQualification]:
    """The last one of each of these judges that has one."""
    return {row.judge_id: row for row in JudgeQualification.objects.filter(judge__in=judges).order_by("pk")}
