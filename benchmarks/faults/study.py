"""What every installation of the fault bench has in it; written by its own shell."""

from datetime import timedelta
from typing import Any

from django.utils import timezone

from accounts.models import User
from benchmarks.faults.sizes import (
    AT_ONCE,
    FEW,
    JUDGED,
    LABELLERS,
    LISTENERS,
    PER_UNIT,
    TIMEOUT_S,
    UNITS,
    VOTERS,
    WAYS_TO_BE_ILL,
)
from benchmarks.server.crowd_fill import fill as fill_crowd
from benchmarks.server.voting_fill import fill as fill_arena
from benchmarks.server.voting_fill import session_for, session_of
from campaigns.models import Campaign
from corpus.models import ResponseTurn
from judges.definitions.judges import make_judge
from judges.kinds import KINDS
from judges.language_models.prices import set_terms
from judges.language_models.registry import add_model
from judges.models import LanguageModel, Run
from judges.runs.lifecycle import Plan, start_run
from tests.factories import make_campaign


def fill(*, model_url: str) -> dict[str, Any]:
    """A campaign to label, one to judge, an arena, and a model at that address."""
    arena = fill_arena(voters=VOTERS, votes=300)
    heard = fill_crowd(annotators=LISTENERS, items=4, viewers=0, before=0, answers_per_unit=LISTENERS)
    labelled = make_campaign(units=UNITS, answers_per_unit=PER_UNIT)
    make_campaign(units=1, closes_at=timezone.now() + timedelta(days=1))
    sessions = [session_of(labelled, f"labeller{n}") for n in range(LABELLERS)]
    judged = _campaign_to_judge(JUDGED)
    owner = User.objects.create_user(username="ruth", is_researcher=True, is_superuser=True)
    model = add_model(
        base_url=model_url, user=owner, title="Model", model="m", api_key="sk-1", timeout_s=TIMEOUT_S, shared=True
    )
    limits: dict[str, None] = dict.fromkeys(("requests_per_minute", "tokens_per_minute", "usd_in", "usd_out"))
    set_terms(model, at_once=AT_ONCE, user=owner, **limits)
    return {
        "heard": heard["slug"],
        "listeners": heard["annotators"],
        "arena": arena["slug"],
        "voters": arena["sessions"],
        "labelled": labelled.slug,
        "labellers": sessions,
        "leaver": session_of(labelled, "leaver"),
        "judged": judged.slug,
        "few": [_campaign_to_judge(FEW).slug for _way in range(WAYS_TO_BE_ILL)],
        "owner": session_for(owner),
    }


def start_judging(slug: str) -> int:
    """A run of both orders; return its id."""
    campaign, model = Campaign.objects.get(slug=slug), LanguageModel.objects.get()
    kind = KINDS["transcript_llm"]
    judge = make_judge(kind, title="Reader", settings={}, language_model=model, user=model.created_by)
    return int(start_run(campaign, judge, plan=Plan(orders=Run.Orders.BOTH), user=model.created_by).pk)


def _campaign_to_judge(units: int) -> Campaign:
    campaign = make_campaign(units=units)
    said = ResponseTurn.objects.filter(response__item__dataset=campaign.dataset)
    for turn in said:
        ResponseTurn.objects.filter(pk=turn.pk).update(text=f"This is answer {turn.pk} in {campaign.slug}.")
    return campaign
