"""The eleven real pairs as anybody would import them, before judges that listen, beside what people said of them."""

from pathlib import Path

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.test import Client
from django.urls import reverse

from accounts.models import User
from analytics.judged.cache import comparison_of
from analytics.judged.sides import Measured
from campaigns.models import Campaign
from infrastructure.templatetags.wording import figure
from judges.management.commands.seed_demo_studies import REAL_CAMPAIGN, REAL_LABELS
from judges.models import Run
from judges.runs.baselines import BASELINES, baseline_progress
from measurements.features.sound.dnsmos import missing as quality_missing
from measurements.features.speech.moonshine import missing as recogniser_missing
from tests.judges.running import worked

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.skipif(bool(quality_missing() or recogniser_missing()), reason="the extractors are not installed"),
]

#: How often of eleven they agree with people.
FOUND = {"longest": 8, "dnsmos": 9, "trace_rules": 7}


# A minute: every extractor over 22 clips. Each is tried on a real clip in test_feature_rows, the page elsewhere.
@pytest.mark.slow
def test_the_demo_has_real_pairs_judged_and_compared_with_people(shared_data: Path, client: Client) -> None:
    """How well a judge does is a finding about these eleven pairs; that every pair gets its verdict is ours."""
    for _time in range(2):  # the second changes nothing
        call_command("seed_demo", clips=shared_data / "audio", arena=False)
    campaign = Campaign.objects.get(title=REAL_CAMPAIGN)
    runs = Run.objects.filter(campaign=campaign).select_related("judge")
    for run in runs:
        assert (worked(run, slice_s=600.0).status, statuses(run)) == ("done", ["ok"] * 11)

    found = beside_people(campaign)
    assert campaign.status == "open"
    assert sorted(found) == sorted({*BASELINES} - {"majority"})  # it finds no labels of other pairs to learn from
    assert (progress := baseline_progress(campaign)).to_start == 0
    assert len(progress.unfit) == 1
    assert {kind: one.accuracy.n for kind, one in found.items()} == dict.fromkeys(found, 11)
    assert all(one.ties_merged for one in found.values())  # people's ties have no type here
    agreed = {kind: round(11 * (one.accuracy.estimate or 0)) for kind, one in found.items()}
    assert {kind: agreed[kind] for kind in FOUND} == FOUND
    client.force_login(User.objects.get(username="researcher"))
    page = client.get(reverse("comparison", args=[campaign.slug])).content.decode()
    kappas = {kind: one.kappa.estimate for kind, one in found.items()}
    assert [kind for kind, kappa in kappas.items() if kappa is None or f"<b>{figure(kappa)}</b>" not in page] == []
    assert f'<option value="labels-{REAL_LABELS}" selected>' in page


def test_a_folder_without_a_table_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match=r"There is no manifest\.csv in"):
        call_command("seed_demo", clips=tmp_path)


def statuses(run: Run) -> list[str]:
    return list(run.verdicts.values_list("status", flat=True))


def beside_people(campaign: Campaign) -> dict[str, Measured]:
    kinds = dict(Run.objects.filter(campaign=campaign).values_list("pk", "judge__kind"))
    rows = comparison_of(campaign).rows
    return {kinds[row.run]: row.by_aspect["overall"] for row in rows if row.run}
