"""Going through the steps of a launch as a browser does, for tests."""

from typing import Any

from django.test import Client
from django.urls import reverse

from campaigns.models import Campaign
from corpus.models import Dataset


def begin(client: Client, dataset: Dataset, /, *, title: str = "Mine", **fields: Any) -> Any:
    """The first step; it makes the draft."""
    systems = [system.pk for system in dataset.systems.all()]
    asked = {"title": title, "dataset": dataset.pk, "systems": systems}
    return client.post(reverse("campaign-new"), asked | fields)


def step(client: Client, campaign: Campaign, name: str, **fields: Any) -> Any:
    return client.post(reverse(f"launch-{name}", args=[campaign.slug]), USUAL[name] | fields)


def launched(client: Client, dataset: Dataset, *, title: str = "Mine", **fields: Any) -> Campaign:
    """A draft that went through every step that has to be done; `fields` belong to whichever step knows them."""
    assert begin(client, dataset, title=title).status_code == 302
    campaign = Campaign.objects.get(title=title)
    for name, usual in USUAL.items():
        chosen = {field: value for field, value in fields.items() if field in usual or field in OTHERS.get(name, ())}
        if name == "units" and Campaign.objects.get(pk=campaign.pk).protocol.unit != "pair":
            chosen["how"] = "every"
        response = step(client, campaign, name, **chosen)
        assert response.status_code == 302, response.context["form"].errors
    return Campaign.objects.get(pk=campaign.pk)


USUAL: dict[str, dict[str, Any]] = {
    "protocol": {"protocol": "hcot", "listening": "", "target_lufs": -23},
    "units": {"how": "all", "per_pair": 4, "repeat_share": 0, "pace": 30},
    "answers": {"answers_per_unit": 1},
}
OTHERS = {"protocol": ("match_loudness", "show_waveform"), "answers": ("closes_at", "closes_when_complete")}
