"""Both orders and several samples become one answer by one rule, stated over rows and over arrays."""

import random

import pytest
from django.utils import timezone

from analytics.data.label_arrays import answers_of, label_arrays
from campaigns.models import Campaign, Response, System, UnitMember
from judges.models import Run, Verdict, VerdictAnswer
from judges.runs.lifecycle import orders_of, slots_in
from judges.verdicts.aggregated import reconciled_answers
from tests.factories import make_campaign
from tests.judges.running import a_judge

pytestmark = pytest.mark.django_db
#: By protocol: the aspect, and some of its values as they are stored.
ASKED = {
    "hcot": ("overall", ("a", "b", "both_bad")),
    "acr": ("overall", ("1", "3", "5")),
    "dubbing": ("best_system", ("a", "b")),
}


def judged_at_random(campaign: Campaign, orders: str, samples: int, rng: random.Random) -> Run:
    """Verdicts of which some are not there, some are missing, and the rest say anything."""
    run = Run.objects.create(
        campaign=campaign, judge=a_judge(campaign, "random"), orders=orders, samples=samples,
        status="done", started_by=campaign.created_by,
    )  # fmt: skip
    aspect, values = ASKED[campaign.protocol.name]
    for row in campaign.campaign_units.select_related("unit"):
        slots = slots_in(row.unit)
        for order in orders_of(slots, orders):
            if rng.random() < 0.1:
                continue
            for sample in range(samples):
                read = rng.random() < 0.8
                verdict = Verdict.objects.create(
                    run=run, unit=row.unit, order=order, sample=sample, status="ok" if read else "error",
                    message="" if read else "no", judged_at=timezone.now(),
                )  # fmt: skip
                if read:
                    slot = slots[0] if campaign.protocol.aspect(aspect).per_response else ""
                    VerdictAnswer.objects.create(verdict=verdict, aspect=aspect, slot=slot, value=rng.choice(values))
    return run


@pytest.mark.parametrize("orders", ["ab", "ba", "both"])
@pytest.mark.parametrize("samples", [1, 3])
@pytest.mark.parametrize("protocol", ASKED)
def test_rows_and_arrays_say_the_same(protocol: str, samples: int, orders: str) -> None:
    rng = random.Random(f"{protocol} {samples} {orders}")
    campaign = make_campaign(units=30, protocol=protocol)
    third_system = System.objects.create(dataset=campaign.dataset, name="a third")
    for row in campaign.campaign_units.all()[:15]:
        if row.unit.kind == "item":  # some have a third response
            third = Response.objects.create(item=row.unit.item, system=third_system)
            UnitMember.objects.create(unit=row.unit, slot="c", response=third)
    run = judged_at_random(campaign, orders, samples, rng)
    aspect = campaign.protocol.aspect(ASKED[protocol][0])

    by_rows = {
        (unit, slot): one for (unit, name, slot), one in reconciled_answers(run).items() if name == aspect.name
    }
    arrays = label_arrays(campaign)
    places, categories = list(by_rows), arrays.categories(aspect)
    by_arrays = answers_of(arrays.runs[0], aspect.name, places, categories)

    values = [categories[code] if code >= 0 else None for code in by_arrays.codes]
    assert values == [one.value for one in by_rows.values()]
    assert by_arrays.inconsistent.tolist() == [one.state == "inconsistent" for one in by_rows.values()]
    assert len([value for value in values if value is not None]) > 3
