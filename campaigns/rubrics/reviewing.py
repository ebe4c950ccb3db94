"""The actions that add, accept, edit and drop criteria."""

from collections.abc import Iterable
from dataclasses import dataclass

from django.db import transaction
from django.db.models import Max
from django.utils.translation import gettext as _

from accounts.models import User
from campaigns.access import require_draft
from campaigns.models import Campaign, Criterion, CriterionDecision, CriterionState, NoCriteria
from corpus.models import Item

MAX_TEXT = 500
MOST_PER_ITEM = 20
VERBS = {"accept": CriterionState.ACCEPTED, "edit": CriterionState.EDITED, "drop": CriterionState.DROPPED}


@dataclass(frozen=True)
class Origin:
    """The source of criteria; for a model also its name and prompt."""

    source: str
    by: User
    model: str = ""
    prompt_version: str = ""
    prompt: str = ""


@transaction.atomic
def add_criterion(campaign: Campaign, item: Item, text: str, *, by: User) -> Criterion:
    """A criterion that a person wrote here; it stands at once. Raises ValueError."""
    require_draft(campaign)
    [row] = draft_criteria(item, [text], origin=Origin(Criterion.Source.HAND, by))
    return _decided(row, CriterionState.ACCEPTED, row.text, by)


@transaction.atomic
def draft_criteria(
    item: Item, texts: Iterable[str], *, origin: Origin, numbers: Iterable[int] | None = None
) -> list[Criterion]:
    """Drafts to be reviewed, numbered after all there were unless `numbers` says otherwise. Raises ValueError."""
    texts = [checked_text(text) for text in texts]
    Item.objects.select_for_update().get(pk=item.pk)
    there = dict(item.criteria.exclude(state=CriterionState.DROPPED).values_list("text", "number"))
    if twice := next((text for text in texts if text in there or texts.count(text) > 1), None):
        raise ValueError(_("This item has the criterion “%(text)s” already.") % {"text": twice})
    if len(there) + len(texts) > MOST_PER_ITEM:
        raise ValueError(_("An item has at most %(n)s criteria.") % {"n": MOST_PER_ITEM})
    first = next_number(item)
    NoCriteria.objects.filter(item=item).delete()
    return [
        Criterion.objects.create(
            item=item, number=number, text=text, drafted_text=text, source=origin.source, model=origin.model,
            prompt_version=origin.prompt_version, prompt=origin.prompt, created_by=origin.by,
        )
        for number, text in zip(numbers or range(first, first + len(texts)), texts, strict=True)
    ]  # fmt: skip


@transaction.atomic
def decide(campaign: Campaign, criterion_id: int, verb: str, *, by: User, text: str = "") -> Criterion:
    """Accept a criterion as it was drafted, accept it with another text, or drop it. The decision is added.

    Raises Criterion.DoesNotExist, ValueError for an unknown verb, an unusable text, or a campaign that has opened.
    """
    require_draft(campaign)
    row = Criterion.objects.select_for_update().get(pk=criterion_id, item__dataset=campaign.dataset_id)
    if (state := VERBS.get(verb)) is None:
        raise ValueError(_("A criterion is accepted, edited or dropped."))
    if state == CriterionState.EDITED:
        text = checked_text(text)
        if row.item.criteria.exclude(pk=row.pk).exclude(state=CriterionState.DROPPED).filter(text=text).exists():
            raise ValueError(_("This item has the criterion “%(text)s” already.") % {"text": text})
        state = CriterionState.ACCEPTED if text == row.drafted_text else state
        return _decided(row, state, text, by)
    return _decided(row, state, row.drafted_text if state == CriterionState.ACCEPTED else row.text, by)


@transaction.atomic
def needs_none(campaign: Campaign, item: Item, *, by: User) -> NoCriteria:
    """Say that the item needs no criterion of its own. Raises ValueError where one stands or is drafted."""
    require_draft(campaign)
    if item.criteria.exclude(state=CriterionState.DROPPED).exists() or item.facts.get("criteria"):
        raise ValueError(_("This item has criteria; drop them first."))
    return NoCriteria.objects.get_or_create(item=item, defaults={"by": by})[0]


def next_number(item: Item) -> int:
    """After every number there was, and after those that the dataset brought."""
    last = item.criteria.aggregate(last=Max("number"))["last"] or 0
    return max(last, len(item.facts.get("criteria") or ())) + 1


def checked_text(text: str) -> str:
    """Raises ValueError for a text that is no question to ask."""
    text = " ".join(text.split())
    if not text or "\x00" in text or any("\ud800" <= character <= "\udfff" for character in text):
        raise ValueError(_("A criterion needs a text."))
    if len(text) > MAX_TEXT:
        raise ValueError(_("A criterion has at most %(n)s characters.") % {"n": MAX_TEXT})
    return text


def _decided(row: Criterion, state: CriterionState, text: str, by: User) -> Criterion:
    row.state, row.text = state, text
    row.save(update_fields=["state", "text"])
    CriterionDecision.objects.create(criterion=row, state=state, text=text, by=by)
    return row
