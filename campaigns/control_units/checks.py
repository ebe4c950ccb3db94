"""Units by which a campaign checks on those who answer: gold, identical pairs, repeats."""

import random
from collections.abc import Iterable
from dataclasses import dataclass

from django.db import transaction
from django.db.models import Max
from django.utils.translation import gettext as _

from campaigns.access import require_draft
from campaigns.models import CHECKS, Campaign, CampaignUnit
from campaigns.rubrics.asking import protocol_for
from corpus.models import Unit
from infrastructure.files.csv_files import plain
from infrastructure.files.uploaded_tables import InvalidTable, at_row, rows_of
from infrastructure.whole_numbers import whole_number
from protocols import Protocol

Purpose = CampaignUnit.Purpose
MAX_TOLERANCE = 9
COLUMNS = ("aspect", "unit", "value")


@dataclass(frozen=True)
class GoldAnswer:
    """What passes for one aspect of one unit, in the stored frame; `tolerance` counts steps of the scale."""

    unit: str
    aspect: str
    value: str
    slot: str = ""
    tolerance: int = 0
    feedback: str = ""


def read_gold(text: str) -> list[GoldAnswer]:
    """A CSV with `unit, aspect, value` and, if wanted, `slot` and `tolerance`. Raises InvalidTable.

    Rows without a value are no gold: a template has them for every unit.
    """
    found = [
        GoldAnswer(
            plain(row["unit"] or ""),
            row["aspect"] or "",
            row["value"] or "",
            row.get("slot") or "",
            _tolerance(row, number),
            (row.get("feedback") or "").strip(),
        )
        for number, (_line, row) in enumerate(rows_of(text, needed=COLUMNS), start=1)
        if (row["value"] or "").strip()
    ]
    if not found:
        raise InvalidTable([_("No row of the table has a value.")])
    return found


def checks_of(campaign: Campaign) -> dict[str, list[CampaignUnit]]:
    """The campaign's checks by their purpose."""
    rows = campaign.campaign_units.filter(purpose__in=CHECKS).select_related("unit")
    found: dict[str, list[CampaignUnit]] = {purpose: [] for purpose in CHECKS}
    for row in rows:
        found[row.purpose].append(row)
    return found


@transaction.atomic
def set_checks(
    campaign: Campaign, *, gold: list[GoldAnswer] | None, identical: int, repeat: int, check_every: int
) -> None:
    """Set every kind of check at once; `gold` None leaves the gold units as they are. Only while it is a draft.

    Raises InvalidTable, ValueError; then nothing changes.
    """
    require_draft(campaign)
    if gold is not None:
        set_gold(campaign, gold)
    set_identical_pairs(campaign, identical)
    set_repeats(campaign, repeat)
    campaign.check_every = check_every
    campaign.save(update_fields=["check_every"])


@transaction.atomic
def set_gold(campaign: Campaign, answers: Iterable[GoldAnswer]) -> int:
    """Make gold units of these, instead of those there were; return how many. Only while the campaign is a draft.

    Raises InvalidTable with everything that is wrong; then nothing changes.
    """
    require_draft(campaign)
    chosen = expected_by_unit(campaign, answers)
    campaign.campaign_units.filter(purpose=Purpose.GOLD).delete()
    _add(campaign, Purpose.GOLD, chosen)
    return len(chosen)


def expected_by_unit(campaign: Campaign, answers: Iterable[GoldAnswer]) -> list[tuple[Unit, dict[str, list[str]]]]:
    """The units named, in their order, with the values that pass by aspect (`aspect.slot` for one response).

    Raises InvalidTable with everything that is wrong.
    """
    units = {
        unit.key: unit for unit in campaign.dataset.units.filter(kind=campaign.protocol.unit).select_related("item")
    }
    faults: list[str] = []
    expected: dict[str, dict[str, list[str]]] = {}
    for number, answer in enumerate(answers, start=1):
        if answer.unit not in units:
            reason = _("the dataset has no unit %(unit)s of the protocol's kind.") % {"unit": repr(answer.unit)}
            faults.append(at_row(number, reason))
            continue
        protocol = protocol_for(campaign, units[answer.unit].item)
        try:
            values = _passing(protocol, answer)
        except ValueError as fault:
            faults.append(at_row(number, fault))
        else:
            name = f"{answer.aspect}.{answer.slot}" if answer.slot else answer.aspect
            expected.setdefault(answer.unit, {})[name] = values
    if faults:
        raise InvalidTable(faults)
    return [(units[key], values) for key, values in expected.items()]


@transaction.atomic
def set_identical_pairs(campaign: Campaign, n: int, *, seed: int = 0) -> int:
    """Let so many pairs come as one response twice, of which every tie is right; return how many there are.

    Raises ValueError where the protocol has no tie, or is not about pairs.
    """
    require_draft(campaign)
    ties = {a.name: a.scale.kind.ties for a in campaign.protocol.aspects if a.scale.kind.compares}
    if n and (campaign.protocol.unit != "pair" or not all(ties.values())):
        raise ValueError(_("Identical pairs need a protocol about pairs in which every comparison can be a tie."))
    campaign.campaign_units.filter(purpose=Purpose.IDENTICAL).delete()
    chosen = _drawn(campaign, n, seed)
    _add(campaign, Purpose.IDENTICAL, [(unit, ties) for unit in chosen])
    return len(chosen)


@transaction.atomic
def set_repeats(campaign: Campaign, n: int, *, seed: int = 1) -> int:
    """Let so many units come a second time for those who answered them; return how many there are.

    They are drawn from the first half, which people meet early enough to meet it again.
    """
    require_draft(campaign)
    campaign.campaign_units.filter(purpose=Purpose.REPEAT).delete()
    chosen = _drawn(campaign, n, seed, share=0.5)
    _add(campaign, Purpose.REPEAT, [(unit, {}) for unit in chosen])
    return len(chosen)


def _passing(protocol: Protocol, answer: GoldAnswer) -> list[str]:
    """The values that pass. Raises ValueError with what is wrong."""
    aspect = next((one for one in protocol.aspects if one.name == answer.aspect), None)
    if aspect is None or not aspect.scale.kind.is_counted:
        fault = _("the protocol asks about no %(aspect)s that could have a gold answer.")
        raise ValueError(fault % {"aspect": repr(answer.aspect)})
    if bool(answer.slot) != aspect.per_response:
        of_each, of_unit = _("%(aspect)s is asked of each response."), _("%(aspect)s is asked of the unit.")
        raise ValueError((of_each if aspect.per_response else of_unit) % {"aspect": answer.aspect})
    kind = aspect.scale.kind
    values = list(kind.stored_values)
    if answer.value not in values:
        parameters = {"value": repr(answer.value), "values": kind.listed(values)}
        raise ValueError(_("%(value)s is not among %(values)s.") % parameters)
    if answer.tolerance and not kind.is_ordered:
        fault = _("the choices of %(aspect)s have no order, so there is no tolerance.")
        raise ValueError(fault % {"aspect": answer.aspect})
    at = values.index(answer.value)
    return values[max(0, at - answer.tolerance) : at + answer.tolerance + 1]


def _drawn(campaign: Campaign, n: int, seed: int, *, share: float = 1.0) -> list[Unit]:
    """So many units of the study, from the first `share` of them."""
    study = campaign.campaign_units.filter(purpose=Purpose.STUDY).select_related("unit").order_by("position")
    units = [row.unit for row in study]
    units = units[: max(n, round(share * len(units)))]
    return random.Random(seed).sample(units, min(n, len(units)))  # noqa: S311 - a draw, not a secret


def _add(campaign: Campaign, purpose: str, chosen: list[tuple[Unit, dict[str, list[str]]]]) -> None:
    last = campaign.campaign_units.aggregate(last=Max("position"))["last"] or 0
    CampaignUnit.objects.bulk_create(
        CampaignUnit(campaign=campaign, unit=unit, position=position, purpose=purpose, expected=expected)
        for position, (unit, expected) in enumerate(chosen, start=last + 1)
    )


def _tolerance(row: dict[str, str | None], number: int) -> int:
    text = (row.get("tolerance") or "0").strip()
    if (tolerance := whole_number(text, most=MAX_TOLERANCE)) is None:
        reason = _("the tolerance %(text)s is no whole number from 0 to %(most)s.")
        message = reason % {"text": repr(text), "most": MAX_TOLERANCE}
        raise InvalidTable([at_row(number, message)])
    return tolerance
