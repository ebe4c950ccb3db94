"""Drafts of criteria by a language model: requested in the background, and stored with prompt and reply."""

from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from threading import Event

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.models import User
from campaigns.access import require_draft
from campaigns.models import Campaign, Criterion
from campaigns.rubrics.progress import used_items
from campaigns.rubrics.reviewing import Origin, checked_text, draft_criteria
from corpus.models import Item
from infrastructure.background.jobs import JobFailed, latest_job, start_job
from infrastructure.background.kinds import ShowProgress
from infrastructure.models import Job
from infrastructure.wording.reasons import TEXT, ReasonCode, Reasoned
from judges import reasons
from judges.backends.contract import Backend, Cancelled, JudgeError, JudgeInput, JudgeOutput
from judges.language_models.calls.json_safe import storable_reason
from judges.language_models.prompts import CRITERIA_VERSION, criteria_prompt, criteria_schema
from judges.language_models.registry import backend_of, models_for
from judges.models import DraftReply, DraftRun, LanguageModel

KIND = "draft-criteria"
FEWEST, MOST = 1, 6
AT_ONCE = 4
BEAT_S = 2.0
MAX_TOKENS = 800
DRAFTING = ReasonCode("drafting_criteria", "Drafting criteria")
Outcome = JudgeOutput | JudgeError | Cancelled


@dataclass(frozen=True)
class Asked:
    """An item with the prompt for it; without one there is nothing to ask about."""

    item: Item
    prompt: str


def items_to_draft(campaign: Campaign) -> QuerySet[Item]:
    """The campaign's items without any criterion, in whatever state, that are not marked as needing none."""
    return used_items(campaign).filter(criteria=None, no_criteria=None).exclude(facts__has_key="criteria")


@transaction.atomic
def start_drafts(campaign: Campaign, model: LanguageModel, *, n_per_item: int, user: User) -> Job:
    """Have a model draft criteria for every item that has none. Raises ValueError."""
    require_draft(campaign)
    if not models_for(user).filter(pk=model.pk).exists():
        raise ValueError(_("This model does not exist, or no longer exists."))
    if not FEWEST <= n_per_item <= MOST:
        raise ValueError(_("A model drafts %(fewest)s to %(most)s criteria.") % {"fewest": FEWEST, "most": MOST})
    if (current := drafts_job(campaign)) and current.is_active:
        return current
    run = DraftRun.objects.create(campaign=campaign, language_model=model, n_per_item=n_per_item, started_by=user)
    return start_job(KIND, subject=run.pk, started_by=user)


def stop_drafts(campaign: Campaign) -> int:
    """Ask nothing more; what came stays. Return how many runs were stopped."""
    return DraftRun.objects.filter(campaign=campaign, stopped_at=None).update(stopped_at=timezone.now())


def latest_run(campaign: Campaign) -> DraftRun | None:
    return DraftRun.objects.filter(campaign=campaign).select_related("language_model").last()


def drafts_job(campaign: Campaign) -> Job | None:
    run = latest_run(campaign)
    return latest_job(KIND, run.pk) if run else None


def draft_criteria_of(subject: str, progress: ShowProgress) -> None:
    """Ask for every item of the run that was not asked for yet; taken up again, it repeats nothing that came."""
    run = DraftRun.objects.select_related("campaign", "language_model", "started_by").get(pk=int(subject))
    if run.campaign.status != Campaign.Status.DRAFT:
        return
    there = run.replies.values("item")
    asked = [
        _asked(run, item) for item in items_to_draft(run.campaign).exclude(pk__in=there).prefetch_related("turns")
    ]
    try:
        backend = backend_of(run.language_model)
    except JudgeError as error:
        raise JobFailed(error.reason) from error
    try:
        _ask_all(backend, run, asked, progress)
    finally:
        backend.close()


def _ask_all(backend: Backend, run: DraftRun, asked: list[Asked], progress: ShowProgress) -> None:
    """Raises JobFailed once the server says something that it would say of every item."""
    there = run.replies.count()
    total = there + len(asked)

    def beat() -> None:
        progress(run.replies.count(), total, DRAFTING())

    for one, outcome in _answers(backend, run, asked, beat):
        if isinstance(outcome, Cancelled):
            continue
        _keep(run, one, outcome)
        beat()
        if isinstance(outcome, JudgeError) and outcome.permanent and one.prompt:
            raise JobFailed(outcome.reason)


def _asked(run: DraftRun, item: Item) -> Asked:
    texts = [turn.text.strip() for turn in item.turns.all() if turn.text.strip()]
    if not texts:
        return Asked(item, "")
    return Asked(item, criteria_prompt(run.campaign.protocol, item.facts, texts, n=run.n_per_item))


def _answers(
    backend: Backend, run: DraftRun, asked: list[Asked], beat: Callable[[], None]
) -> Iterator[tuple[Asked, Outcome]]:
    """Replies as they come, a few asked at once; a beat every two seconds keeps the job while they take long."""
    waiting, stop = iter(asked), Event()
    running: dict[Future[Outcome], Asked] = {}
    with ThreadPoolExecutor(max_workers=AT_ONCE) as pool:
        try:
            while True:
                if DraftRun.objects.filter(pk=run.pk).exclude(stopped_at=None).exists():
                    stop.set()
                while len(running) < AT_ONCE and not stop.is_set() and (one := next(waiting, None)):
                    running[pool.submit(_attempt, backend, one, run.n_per_item, stop)] = one
                if not running:
                    return
                finished, _rest = wait(running, timeout=BEAT_S, return_when=FIRST_COMPLETED)
                beat()
                for future in finished:
                    yield running.pop(future), future.result()
        finally:
            stop.set()


def _attempt(backend: Backend, one: Asked, n: int, stop: Event) -> Outcome:
    if not one.prompt:
        return JudgeError(reasons.PROMPT_WITHOUT_TEXT(), permanent=True)
    wanted = JudgeInput(
        messages=({"role": "user", "content": one.prompt},),
        schema=criteria_schema(n),
        schema_name="criteria",
        max_tokens=MAX_TOKENS,
    )
    try:
        return backend.ask(wanted, is_cancelled=stop.is_set)
    except (JudgeError, Cancelled) as refusal:
        return refusal


@transaction.atomic
def _keep(run: DraftRun, one: Asked, outcome: JudgeOutput | JudgeError) -> DraftReply:
    """The reply, and the drafts in it, unless a person wrote criteria meanwhile."""
    if isinstance(outcome, JudgeError):
        status = DraftReply.Status.ERROR if one.prompt else DraftReply.Status.SKIPPED
        return DraftReply.objects.create(
            run=run, item=one.item, status=status, message=storable_reason(outcome.reason), prompt=one.prompt
        )
    status, message = DraftReply.Status(outcome.status), outcome.problem
    if outcome.status in ("ok", "repaired"):
        try:
            texts = read_criteria_reply(outcome, run.n_per_item)
            origin = Origin(Criterion.Source.LLM, run.started_by, outcome.model, CRITERIA_VERSION, one.prompt)
            if items_to_draft(run.campaign).filter(pk=one.item.pk).exists():
                with transaction.atomic():
                    draft_criteria(one.item, texts, origin=origin)
        except ValueError as fault:
            status = DraftReply.Status.UNPARSED
            message = fault.reason if isinstance(fault, DraftsRefused) else TEXT(text=str(fault))
    return DraftReply.objects.create(
        run=run,
        item=one.item,
        status=status,
        message=message,
        prompt=one.prompt,
        raw=outcome.raw,
        model=outcome.model,
        tokens_in=outcome.tokens_in,
        tokens_out=outcome.tokens_out,
        seconds=outcome.seconds,
        attempts=outcome.attempts,
    )


class DraftsRefused(Reasoned, ValueError):
    """The reply holds no drafts."""


def read_criteria_reply(outcome: JudgeOutput, n: int) -> list[str]:
    """The texts of a reply. Raises ValueError where it is not a list of 1 to `n` different questions."""
    texts = outcome.data.get("criteria")
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        raise DraftsRefused(reasons.DRAFTS_NO_LIST())
    checked = list(dict.fromkeys(checked_text(text) for text in texts))
    if not 1 <= len(checked) <= n:
        raise DraftsRefused(reasons.DRAFTS_WRONG_NUMBER(n=len(checked), most=n))
    return checked
