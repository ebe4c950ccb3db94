"""The eleven real pairs as anybody would import them, before judges that listen, beside what people said of them."""

from pathlib import Path

import pytest
from django.core.management import call_command

from accounts.models import User
from analytics.comparing import comparison_of
from analytics.judge_comparison import Measured
from campaigns.launch import create_campaign
from campaigns.models import Campaign, Dataset
from campaigns.protocols import SHIPPED
from campaigns.units import imported_pairs
from judges.features.moonshine import missing as recogniser_missing
from judges.features.quality import missing as quality_missing
from judges.models import Run
from tests.judges.running import a_judge, a_run, worked

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.skipif(bool(quality_missing() or recogniser_missing()), reason="the extractors are not installed"),
]


def test_real_pairs_are_judged_and_compared_with_people(shared_data: Path) -> None:
    """How well a judge does is a finding about these eleven pairs; that every pair gets its verdict is ours."""
    campaign = imported(shared_data / "audio")
    for kind in ("longest", "dnsmos", "trace_rules"):
        run = worked(a_run(campaign, a_judge(campaign, kind)), slice_s=600.0)
        assert (run.status, list(run.verdicts.values_list("status", flat=True))) == ("done", ["ok"] * 11)

    found = beside_people(campaign)
    assert {kind: one.accuracy.n for kind, one in found.items()} == dict.fromkeys(found, 11)
    assert all(one.ties_merged for one in found.values())  # people's ties have no type here
    agreed = {kind: round(11 * (one.accuracy.estimate or 0)) for kind, one in found.items()}
    assert agreed == {"longest": 8, "dnsmos": 9, "trace_rules": 7}


def imported(audio: Path) -> Campaign:
    user = User.objects.create_user("ada", is_researcher=True)
    call_command(
        "import_dataset",
        audio / "manifest.csv",
        audio=audio,
        dataset="Tomato",
        labels="People",
        user=user.username,
    )
    dataset = Dataset.objects.get(name="Tomato")
    units = imported_pairs(dataset)
    campaign = create_campaign(dataset, title="Tomato", protocol=SHIPPED["hcot"], units=units, user=user)
    # Judges hear the originals, so nothing has to be prepared for people first.
    Campaign.objects.filter(pk=campaign.pk).update(status=Campaign.Status.OPEN)
    return Campaign.objects.get(pk=campaign.pk)


def beside_people(campaign: Campaign) -> dict[str, Measured]:
    kinds = dict(Run.objects.filter(campaign=campaign).values_list("pk", "judge__kind"))
    rows = comparison_of(campaign).rows
    return {kinds[row.run]: row.by_aspect["overall"] for row in rows if row.run}
