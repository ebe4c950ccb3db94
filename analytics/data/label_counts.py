"""How often each label was given, counted by the database: for pages that show no more than that."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping

from django.core.cache import cache
from django.db.models import Count, Min, QuerySet

from analytics.data.inclusion import USED, Use, answers_in, state_of_answers
from annotation.models import Answer
from campaigns.models import Campaign
from corpus.models import ImportedAnnotation, Label, LabelSet, Unit

KEPT_S = 3600
#: What a value looks like that was chosen, and not written.
CHOICE = re.compile(r"-?[0-9]{1,3}|[a-z][a-z_]{0,19}")


def label_counts(label_set: LabelSet, use: Use = USED) -> dict[str, Counter[str]]:
    """How often each label was given, by aspect in the order of the source (TRACE/HCoT Table 6)."""
    rows = Label.objects.filter(annotation__label_set=label_set)
    return _counted(rows if use.excluded else rows.filter(annotation__excluded=""))


def left_out_of(label_set: LabelSet) -> QuerySet[ImportedAnnotation]:
    """The annotations of an imported label set that were left out of the analysis where it comes from."""
    return label_set.annotations.exclude(excluded="")


def campaign_label_counts(campaign: Campaign, use: Use = USED) -> dict[str, Counter[str]]:
    """How often each label was given in a campaign, by aspect, in the stored frame. From the cache where nothing was
    said since.
    """
    key = "-".join(["label-counts", str(campaign.pk), *use.words])
    stamp = (str(campaign.created_at), *state_of_answers(campaign))
    kept: tuple[object, dict[str, Counter[str]]] | None = cache.get(key)
    if kept and kept[0] == stamp:
        return kept[1]
    found = _counted(Answer.objects.filter(annotation__in=answers_in(campaign, use).order_by().values("pk")))
    cache.set(key, (stamp, found), KEPT_S)
    return found


def _counted(rows: QuerySet[Label] | QuerySet[Answer]) -> dict[str, Counter[str]]:
    counts: dict[str, Counter[str]] = {}
    for row in rows.values("aspect", "value").annotate(n=Count("pk"), first=Min("pk")).order_by("first"):
        counts.setdefault(row["aspect"], Counter())[row["value"]] = row["n"]
    return counts


def is_of_pairs(label_set: LabelSet) -> bool:
    return not label_set.annotations.exclude(unit__kind=Unit.Kind.PAIR).exists()


def choices(counts: Mapping[str, Iterable[str]]) -> list[str]:
    """The values that were chosen, typed ties first; an aspect answered in words of one's own adds none."""
    chosen = {value for values in counts.values() if all(map(CHOICE.fullmatch, values)) for value in values}
    ties = [value for value in ("a", "b", "both_good", "both_bad", "tie") if value in chosen]
    numbers = sorted((value for value in chosen if value.lstrip("-").isdecimal()), key=float)
    return ties + numbers + sorted(chosen.difference(ties, numbers))
