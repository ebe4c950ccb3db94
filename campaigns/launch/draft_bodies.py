"""What a program sends of a draft: read by the forms of the launch, so that what they refuse is refused here."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from rest_framework import serializers
from rest_framework.exceptions import ValidationError

from accounts.api.problems import Unprocessable, cleaned
from accounts.models import User
from campaigns.launch.create import Draft
from campaigns.launch.forms import AnswersForm, ProtocolForm, SystemsForm, UnitsForm
from campaigns.launch.pair_files import MOST_ROWS, PairRow, find_pairs
from campaigns.launch.sample_units import How
from campaigns.launch.stopping import AGREEMENT, JUDGES, PLACES, WORTH
from campaigns.models import Campaign, CampaignUnit
from campaigns.protocol_composer.known_protocols import known_protocol
from corpus.access import datasets_for_campaigns
from corpus.audio.delivery import LOUDEST_TARGET, QUIETEST_TARGET
from corpus.models import Dataset, System
from infrastructure.files.uploaded_tables import InvalidTable
from protocols import Protocol

#: What a step of the launch asks, by the fields of a body. `drop_units` is no choice.
OF_SYSTEMS = frozenset({"title", "dataset", "systems"})
OF_PROTOCOL = frozenset({"protocol", "listening"})
OF_UNITS = frozenset({"units", "per_pair", "repeat_share", "pairs"})
Purpose = CampaignUnit.Purpose


class PairSerializer(serializers.Serializer):
    """A pair of a list of your own, as a line of the file of pairs on the page."""

    item = serializers.CharField(max_length=200)
    system_a = serializers.CharField(max_length=200)
    system_b = serializers.CharField(max_length=200)
    take_a = serializers.CharField(max_length=200, default="", allow_blank=True, help_text="else the first take")
    take_b = serializers.CharField(max_length=200, default="", allow_blank=True)


class LoudnessSerializer(serializers.Serializer):
    target_lufs = serializers.FloatField(
        min_value=QUIETEST_TARGET,
        max_value=LOUDEST_TARGET,
        allow_null=True,
        required=False,
        help_text="null: play every clip at its own level; left out: the target stays",
    )


class StopsWhenSerializer(serializers.Serializer):
    """A rule, with the numbers that it takes."""

    rule = serializers.ChoiceField(
        [PLACES, AGREEMENT, JUDGES, WORTH],
        help_text="places: the first `places` of the board are settled; agreement: α is known to ±`width`; "
        "judges: the κ of each judge with people is known to ±`kappa`; "
        "worth: at `price` for an answer the cheapest open place costs more than `worth`",
    )
    places = serializers.IntegerField(min_value=1, max_value=100, required=False)
    width = serializers.FloatField(min_value=0.01, max_value=1, required=False)
    kappa = serializers.FloatField(min_value=0.01, max_value=1, required=False)
    price = serializers.FloatField(min_value=0.0001, max_value=1e6, required=False)
    worth = serializers.FloatField(min_value=0.0001, max_value=1e9, required=False)


class NewCampaignSerializer(serializers.Serializer):
    """The choices of the steps of a launch; what is not named is as the pages begin with."""

    title = serializers.CharField(max_length=120, help_text="annotators read it, so let it name no system")
    dataset = serializers.CharField(max_length=80, help_text="its slug")
    systems = serializers.ListField(
        child=serializers.CharField(max_length=200), required=False, help_text="by name; all, if none is named"
    )
    protocol = serializers.CharField(max_length=101, help_text="name/version, or the name alone")
    listening = serializers.ChoiceField(
        ["full", "seconds", "none"], required=False, help_text="in place of the protocol's own rule"
    )
    target_lufs = serializers.FloatField(
        min_value=QUIETEST_TARGET,
        max_value=LOUDEST_TARGET,
        default=-23.0,
        allow_null=True,
        help_text="null: play every clip at its own level",
    )
    show_waveform = serializers.BooleanField(default=True)
    units = serializers.ChoiceField(
        How.values, required=False, help_text="of pairs: all, subset, imported or file; else: every"
    )
    pairs = serializers.ListField(
        child=PairSerializer(), required=False, max_length=MOST_ROWS, help_text="with `units: file`"
    )
    per_pair = serializers.IntegerField(min_value=1, max_value=1000, default=4, help_text="items, for a subset")
    repeat_share = serializers.IntegerField(min_value=0, max_value=50, default=0, help_text="percent of the units")
    answers_per_unit = serializers.IntegerField(min_value=1, max_value=100, default=1)
    closes_at = serializers.DateTimeField(required=False, allow_null=True)
    closes_when_complete = serializers.BooleanField(default=False)
    stops_when = StopsWhenSerializer(
        required=False,
        allow_null=True,
        help_text="a rule by which it closes once its figures are settled; null: none",
    )


class ChangedCampaignSerializer(NewCampaignSerializer):
    """`name` is changed at any time and keeps the address; all the rest while it is a draft."""

    name = serializers.CharField(max_length=200, required=False, help_text="another title; its address stays")
    drop_units = serializers.BooleanField(
        default=False, help_text="let gold units and others made by hand go, where they do not fit what is chosen"
    )


def new_draft(user: User, said: Mapping[str, Any]) -> Draft:
    """Raises ValidationError, Unprocessable."""
    title, dataset, systems = _over(user, said)
    protocol = _asked(said)
    return Draft(
        title=title,
        dataset=dataset,
        systems=systems,
        protocol=protocol,
        target_lufs=said["target_lufs"],
        show_waveform=said["show_waveform"],
        **_units(said, protocol, dataset, systems),
        **_end(said),
    )


def changed_draft(user: User, campaign: Campaign, said: Mapping[str, Any]) -> Draft:
    """The draft as it is, with what was sent in place of what was there. Raises ValidationError, Unprocessable."""
    known, there = _as_it_is(campaign), {"title": campaign.title, "dataset": campaign.dataset.slug}
    if OF_SYSTEMS & said.keys():
        kept = {} if "dataset" in said else {"systems": [it.name for it in campaign.systems.all()] or None}
        title, dataset, systems = _over(user, there | kept | dict(said))
    else:
        title, dataset, systems = campaign.title, campaign.dataset, tuple(campaign.systems.all())
    if OF_PROTOCOL & said.keys():
        protocol = _asked({"protocol": f"{campaign.protocol.name}/{campaign.protocol.version}"} | dict(said))
    else:
        protocol = campaign.protocol
    return Draft(
        title=title,
        dataset=dataset,
        systems=systems or tuple(dataset.systems.all()),
        protocol=protocol,
        target_lufs=said.get("target_lufs", campaign.target_lufs),
        show_waveform=said.get("show_waveform", campaign.show_waveform),
        **_units(_chosen_units(campaign, protocol) | dict(said), protocol, dataset, systems),
        **_end(known | dict(said)),
    )


def _as_it_is(campaign: Campaign) -> dict[str, Any]:
    names = ("answers_per_unit", "closes_at", "closes_when_complete", "stops_when")
    return {name: getattr(campaign, name) for name in names}


def _chosen_units(campaign: Campaign, protocol: Protocol) -> dict[str, Any]:
    study, repeats = (campaign.campaign_units.filter(purpose=p).count() for p in (Purpose.STUDY, Purpose.REPEAT))
    there = campaign.units_choice
    chosen = {"per_pair": there.get("per_pair") or 4, "repeat_share": round(100 * repeats / study) if study else 0}
    same_kind = protocol.unit == campaign.protocol.unit
    return chosen | ({"units": there["how"]} if same_kind and there.get("how") else {})


def _over(user: User, said: Mapping[str, Any]) -> tuple[str, Dataset, tuple[System, ...]]:
    datasets = datasets_for_campaigns(user)
    if (dataset := datasets.filter(slug=said["dataset"]).first()) is None:
        raise ValidationError({"dataset": ["You have no such dataset to launch a campaign over."]})
    systems = {"title": said["title"], "dataset": dataset.pk, "systems": _systems(dataset, said.get("systems"))}
    data = cleaned(SystemsForm(systems, datasets=datasets, dataset=dataset))
    return data["title"], dataset, tuple(data["systems"])


def _asked(said: Mapping[str, Any]) -> Protocol:
    known = known_protocol(said["protocol"])
    asked = {"protocol": known.choice if known else said["protocol"], "listening": said.get("listening", "")}
    data = cleaned(ProtocolForm(asked | {"target_lufs": QUIETEST_TARGET}))
    protocol: Protocol = data["protocol"]
    return replace(protocol, listening=data["listening"]) if data["listening"] else protocol


def _units(
    said: Mapping[str, Any], protocol: Protocol, dataset: Dataset, systems: tuple[System, ...]
) -> dict[str, Any]:
    has_imported = protocol.unit == "pair" and dataset.units.filter(imported=True).exists()
    of_pairs = How.FILE if said.get("pairs") else How.IMPORTED if has_imported else How.ALL
    begins_with = of_pairs if protocol.unit == "pair" else How.EVERY
    how = {"how": said.get("units", begins_with), "pace": 1} | {n: said[n] for n in ("per_pair", "repeat_share")}
    data = cleaned(UnitsForm(how, kind=protocol.unit, has_imported=has_imported, keeps_file=True))
    chosen = {"how": data["how"], "per_pair": data.get("per_pair"), "repeat_share": data["repeat_share"]}
    return chosen | {"pairs": _pairs(said["pairs"], dataset, systems) if said.get("pairs") else ()}


def _pairs(rows: list[dict[str, str]], dataset: Dataset, systems: tuple[System, ...]) -> tuple[Any, ...]:
    """Raises Unprocessable with every pair that is not there."""
    table = [
        PairRow(n, row["item"], (row["system_a"], row["system_b"]), (row.get("take_a", ""), row.get("take_b", "")))
        for n, row in enumerate(rows, start=1)
    ]
    try:
        return tuple(find_pairs(dataset, table, systems=tuple(it.pk for it in systems)))
    except InvalidTable as invalid:
        raise Unprocessable("There are no such pairs.", [("pairs", it) for it in invalid.faults[:100]]) from invalid


def _end(said: Mapping[str, Any]) -> dict[str, Any]:
    names = ("answers_per_unit", "closes_at", "closes_when_complete")
    rule = {f"stop_{name}": value for name, value in (said.get("stops_when") or {}).items()}
    form = AnswersForm({name: said.get(name) for name in names} | rule)
    cleaned(form)
    return form.chosen


def _systems(dataset: Dataset, names: list[str] | None) -> list[int]:
    """The ids, all of the dataset's where none is named. Raises ValidationError."""
    there = dict(System.objects.filter(dataset=dataset).values_list("name", "pk"))
    if unknown := [name for name in names or () if name not in there]:
        raise ValidationError({"systems": [f"This dataset has no system {name!r}." for name in unknown]})
    return [there[name] for name in names or there]
