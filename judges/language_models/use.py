"""What each language model was used for: last calls, this month's bill, and what failed, for administrators."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

from django.db.models import Count, Max, Q, Sum
from django.utils import timezone

from infrastructure.wording.reasons import Reason
from judges.models import Call, LanguageModel, Verdict

#: Failures of so many days are shown.
LATELY = timedelta(days=7)
FAILED = Q(status=Verdict.Status.ERROR)


@dataclass(frozen=True)
class ModelUse:
    """Spent since the month began, as far as prices are known; `n_unpriced` calls have none.

    `last_fault` is why the last call failed; None where a later one was read.
    """

    model: LanguageModel
    last_used: datetime | None
    n_calls: int
    n_unpriced: int
    spent_usd: Decimal
    n_failed: int
    last_fault: Reason | None


def use_of_models() -> list[ModelUse]:
    """Every model in force, in five queries."""
    now = timezone.now()
    month = timezone.localtime(now).replace(day=1, hour=0, minute=0, second=0, microsecond=0)
    calls = Call.objects.order_by().values("language_model")
    bill = {"n": Count("pk"), "unpriced": Count("pk", filter=Q(cost_usd=None)), "usd": Sum("cost_usd")}
    spent = _by_model(calls.filter(made_at__gte=month).annotate(**bill))
    last = _by_model(calls.annotate(at=Max("made_at"), good=Max("pk", filter=~FAILED)))
    failures = calls.filter(FAILED, made_at__gte=now - LATELY)
    failed = _by_model(failures.annotate(n=Count("pk"), latest=Max("pk")))
    faults = Call.objects.in_bulk([row["latest"] for row in failed.values()])
    found = []
    for model in LanguageModel.objects.filter(disabled_at=None).select_related("created_by"):
        ever, bad = last.get(model.pk, {}), failed.get(model.pk, {})
        fault = faults.get(bad.get("latest"))
        bill_of = spent.get(model.pk, {})
        found.append(
            ModelUse(
                model=model,
                last_used=ever.get("at"),
                n_calls=bill_of.get("n", 0),
                n_unpriced=bill_of.get("unpriced", 0),
                spent_usd=bill_of.get("usd") or Decimal(0),
                n_failed=bad.get("n", 0),
                last_fault=fault.message if fault and fault.pk > (ever.get("good") or 0) else None,
            )
        )
    return found


def _by_model(rows: Iterable[dict[str, Any]]) -> dict[int, dict[str, Any]]:
    return {row["language_model"]: row for row in rows}
