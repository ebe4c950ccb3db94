"""The entry gates of a campaign: set by a researcher while it is a draft."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from statistics import median
from typing import Any

from django.db import transaction
from django.db.models import Max, QuerySet
from django.utils.translation import gettext as _

from campaigns.access import require_draft
from campaigns.control_units.checks import GoldAnswer, expected_by_unit
from campaigns.entry_gates.guidelines import newest_guidelines
from campaigns.entry_gates.settings import GatePlan
from campaigns.entry_gates.system_name_leaks import systems_named
from campaigns.models import BEFORE_FIRST_UNIT, Campaign, CampaignUnit, Gate, GateKind, GateTry
from campaigns.reasons import GATES_FIXED

Purpose = CampaignUnit.Purpose
#: The units of a gate by their purpose.
UNITS_OF = {GateKind.TRAINING: Purpose.TRAINING, GateKind.QUALIFICATION: Purpose.QUALIFYING}


@dataclass(frozen=True)
class Passing:
    """How people fared at a gate: each counts once, by how their last try ended.

    `median_score` is of those tries that have one; `reasons` are those for which it could not run, as they were said.
    """

    passed: int = 0
    failed: int = 0
    could_not_run: int = 0
    under_way: int = 0
    median_score: float | None = None
    reasons: tuple[str, ...] = ()

    @property
    def percent(self) -> int | None:
        """Of those with a known result; None where there are none."""
        known = self.passed + self.failed
        return round(100 * self.passed / known) if known else None


@transaction.atomic
def set_gates(
    campaign: Campaign,
    *,
    plans: Mapping[str, GatePlan | None],
    units: Mapping[str, Iterable[GoldAnswer]] | None = None,
) -> None:
    """Have these gates and no others; `units` replaces the units of training or qualification. Only in a draft.

    Raises InvalidTable with everything that is wrong with the units, ChecksFixed; then nothing changes.
    """
    require_draft(campaign, why=GATES_FIXED)
    for kind, answers in (units or {}).items():
        _set_units(campaign, UNITS_OF[GateKind(kind)], list(answers))
    for kind, plan in plans.items():
        if plan is None:
            campaign.gates.filter(kind=kind).delete()
        else:
            Gate.objects.update_or_create(campaign=campaign, kind=GateKind(kind), defaults=plan.columns())


def units_before_first_unit(campaign: Campaign) -> dict[str, list[CampaignUnit]]:
    """The units of training and qualification, by the kind of gate."""
    rows = list(campaign.campaign_units.filter(purpose__in=UNITS_OF.values()).select_related("unit"))
    return {str(kind): [row for row in rows if row.purpose == purpose] for kind, purpose in UNITS_OF.items()}


def ids_before_first_unit(campaign: Any) -> QuerySet[CampaignUnit, int]:
    """The ids of these, of the campaign with this id (or `Given`), to exclude what people did with them.

    They are few, and have an index. A query for the purpose of each of a person's units makes PostgreSQL read the
    units of all campaigns as soon as that person has some hundreds.
    """
    units = CampaignUnit.objects.filter(campaign=campaign, purpose__in=BEFORE_FIRST_UNIT)
    return units.order_by().values_list("pk", flat=True)


def units_met_again(campaign: Campaign) -> list[str]:
    """The keys of units of entry gates that are also units of the study: people would know the answer."""
    before_first_unit = campaign.campaign_units.filter(purpose__in=UNITS_OF.values()).values("unit")
    again = campaign.campaign_units.filter(purpose=Purpose.STUDY, unit__in=before_first_unit)
    return list(again.values_list("unit__key", flat=True))


def unready_gates(campaign: Campaign) -> list[tuple[str, str]]:
    """What keeps the gates from being asked, each with what to do about it."""
    kinds = set(campaign.gates.values_list("kind", flat=True))
    faults = []
    if GateKind.GUIDELINES in kinds and not campaign.guidelines_texts.exists():
        faults.append((_("Guidelines are to be read, and there are none."), _("Write them under Getting ready.")))
    for kind, purpose in UNITS_OF.items():
        if kind in kinds and not campaign.campaign_units.filter(purpose=purpose).exists():
            message = _("%(gate)s is asked for, and has no units.") % {"gate": kind.label}
            faults.append((message, _("Upload their table under Getting ready, or switch it off.")))
    return faults


def giveaways(campaign: Campaign) -> list[str]:
    """A warning for each text of an entry gate that names a system, which may be a common word; none is refused."""
    texts = {_("The text of the guidelines"): newest.text} if (newest := newest_guidelines(campaign)) else {}
    where = _("Feedback after the training unit %(unit)s")
    for row in units_before_first_unit(campaign)[GateKind.TRAINING]:
        texts[where % {"unit": row.unit.key}] = row.explanation
    sentence = _("%(where)s names %(systems)s, and annotators read it. Blind means blind.")
    found = zip(texts, systems_named(campaign.dataset, *texts.values()), strict=True)
    return [sentence % {"where": where, "systems": ", ".join(names)} for where, names in found if names]


def passing(campaign: Campaign) -> dict[str, Passing]:
    """How people fared at each gate."""
    tries = GateTry.objects.filter(campaign=campaign).order_by("number")
    last = {
        (one.kind, one.annotator_id): one for one in tries.only("kind", "annotator", "outcome", "score", "details")
    }
    return {kind: _passing([one for (of, _who), one in last.items() if of == kind]) for kind in GateKind.values}


def _passing(last_tries: list[GateTry]) -> Passing:
    counts = Counter(one.outcome or "under_way" for one in last_tries)
    scores = [one.score for one in last_tries if one.score is not None]
    reasons = [one.details.get("reason", "") for one in last_tries if one.outcome == GateTry.Outcome.COULD_NOT_RUN]
    return Passing(
        **counts,
        median_score=median(scores) if scores else None,
        reasons=tuple(reason for reason in reasons if reason),
    )


def _set_units(campaign: Campaign, purpose: str, answers: list[GoldAnswer]) -> None:
    """Units in the order of the table, instead of those there were. Raises InvalidTable."""
    chosen = expected_by_unit(campaign, answers)
    feedback = {answer.unit: answer.feedback for answer in reversed(answers) if answer.feedback}
    campaign.campaign_units.filter(purpose=purpose).delete()
    last = campaign.campaign_units.aggregate(last=Max("position"))["last"] or 0
    CampaignUnit.objects.bulk_create(
        CampaignUnit(
            campaign=campaign,
            unit=unit,
            position=position,
            purpose=purpose,
            expected=expected,
            explanation=feedback.get(unit.key, ""),
        )
        for position, (unit, expected) in enumerate(chosen, start=last + 1)
    )
