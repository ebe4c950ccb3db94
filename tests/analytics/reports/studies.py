"""Studies with many systems and what is said of them, written in bulk."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations, islice
from typing import Any

from django.utils import timezone

from analytics.reports.contract import ReportKind
from analytics.reports.output.figures import Figure, Link
from analytics.reports.source import Settings, Source
from annotation.models import Annotation, Answer, Assignment
from campaigns.models import Campaign, CampaignUnit
from corpus.models import Clip, Dataset, Item, Response, ResponseTurn, System, Turn, Unit, UnitMember
from judges.models import Judge, Run, Verdict, VerdictAnswer
from protocols import SHIPPED, Listening, digest, to_document
from tests.factories import ClipFactory, DatasetFactory, make_member

#: By the unit's key (and slot, after a point), what somebody said.
Said = Mapping[str, str]


def make_dataset(
    systems: Sequence[str],
    n_items: int,
    *,
    categories: Sequence[str] = ("",),
    facts: Sequence[dict[str, Any]] = ({},),
    turns: Sequence[int] = (1,),
    seconds: Mapping[str, float] | None = None,
) -> Dataset:
    """Every system has answered every item; categories, facts and numbers of turns go round."""
    dataset = DatasetFactory()
    made = System.objects.bulk_create(System(dataset=dataset, name=name) for name in systems)
    items = Item.objects.bulk_create(
        Item(
            dataset=dataset, key=f"i{n}", category=categories[n % len(categories)],
            facts=facts[n // max(1, n_items // len(facts)) % len(facts)],
        )
        for n in range(n_items)
    )  # fmt: skip
    Turn.objects.bulk_create(
        Turn(item=item, position=at, text="?")
        for n, item in enumerate(items)
        for at in range(1, turns[n % len(turns)] + 1)
    )
    responses = Response.objects.bulk_create(
        Response(item=item, system=system, key=f"{item.key}/{system.name}") for item in items for system in made
    )
    clips: dict[str, Clip] = {name: ClipFactory(seconds=(seconds or {}).get(name, 1.0)) for name in systems}
    ResponseTurn.objects.bulk_create(
        ResponseTurn(response=it, position=1, text="yes", clip=clips[it.system.name]) for it in responses
    )
    return dataset


def make_study(
    dataset: Dataset, protocol: str, *, n_pairs: int | None = None, aspects: Sequence[str] = ()
) -> Campaign:
    """An open campaign over all singles, pairs or items of a dataset; a pair's key is `item/A/B`, others alike."""
    chosen = replace(SHIPPED[protocol], listening=Listening("none"))
    if aspects:
        chosen = replace(chosen, aspects=tuple(it for it in chosen.aspects if it.name in aspects))
    document = to_document(chosen)
    campaign = Campaign.objects.create(
        dataset=dataset, title=protocol, slug=f"{protocol.replace('_', '-')}-{dataset.pk}", status="open",
        protocol_document=document, protocol_digest=digest(document), delivery_rate=16_000,
        created_by=dataset.created_by,
    )  # fmt: skip
    wanted = _units(dataset, document["unit"], n_pairs)
    there = {unit.key: unit for unit in dataset.units.all()}
    Unit.objects.bulk_create([unit for unit in wanted if unit.key not in there])
    units = [there.get(unit.key, unit) for unit in wanted]
    if document["unit"] == "item" and not {unit.key for unit in wanted} & set(there):
        UnitMember.objects.bulk_create(
            UnitMember(unit=unit, slot=slot, response=response)
            for unit in units
            for slot, response in zip("abcdefghijklm", unit.item.responses.order_by("system__name"), strict=False)
        )
    CampaignUnit.objects.bulk_create(
        CampaignUnit(campaign=campaign, unit=unit, position=at) for at, unit in enumerate(units)
    )
    return campaign


def _units(dataset: Dataset, kind: str, n_pairs: int | None) -> list[Unit]:
    units = []
    for item in dataset.items.order_by("pk"):
        own = list(item.responses.select_related("system").order_by("system__name"))
        if kind == "item":
            units.append(Unit(dataset=dataset, item=item, kind=kind, key=f"item {item.key}"))
        if kind == "single":
            units += [
                Unit(dataset=dataset, item=item, kind=kind, key=f"{item.key}/{it.system.name}", a=it) for it in own
            ]
        if kind == "pair":
            units += [
                Unit(
                    dataset=dataset, item=item, kind=kind, a=a, b=b,
                    key=f"{item.key}/{a.system.name}/{b.system.name}",
                )
                for a, b in islice(combinations(own, 2), n_pairs)
            ]  # fmt: skip
    return units


def person_says(campaign: Campaign, by_aspect: Mapping[str, Said], *, seat: int = 1, user: Any = None) -> Any:
    """One person's answers, to each aspect by the unit's key (`key` or `key.slot`)."""
    user = user or make_member(campaign)
    units = {it.unit.key: it for it in campaign.campaign_units.select_related("unit")}
    wanted = list(dict.fromkeys(key.partition(".")[0] for said in by_aspect.values() for key in said))
    now = timezone.now()
    assignments = Assignment.objects.bulk_create(
        Assignment(
            campaign=campaign, campaign_unit=units[key], annotator=user, order="ab", seat=seat, status="answered",
            reserved_at=now, shown_at=now, expires_at=now,
        )
        for key in wanted
    )  # fmt: skip
    rows = Annotation.objects.bulk_create(
        Annotation(assignment=it, shown_at=now, idempotency_key=f"{it.pk}") for it in assignments
    )
    of = dict(zip(wanted, rows, strict=True))
    Answer.objects.bulk_create(
        Answer(annotation=of[key.partition(".")[0]], aspect=aspect, slot=key.partition(".")[2], value=value)
        for aspect, said in by_aspect.items()
        for key, value in said.items()
    )
    return user


def judge_says(
    campaign: Campaign, by_aspect: Mapping[str, Said], *, judge: Judge | None = None, title: str = "J"
) -> Run:
    """A run with one verdict per unit, in the order as stored."""
    judge = judge or Judge.objects.create(
        title=title, kind="random", kind_version="1", digest=title, created_by=campaign.created_by
    )
    run = Run.objects.create(campaign=campaign, judge=judge, started_by=campaign.created_by, status="done")
    units = {it.unit.key: it.unit for it in campaign.campaign_units.select_related("unit")}
    wanted = list(dict.fromkeys(key.partition(".")[0] for said in by_aspect.values() for key in said))
    rows = Verdict.objects.bulk_create(
        Verdict(run=run, unit=units[key], order="ab", status="ok", judged_at=timezone.now()) for key in wanted
    )
    of = dict(zip(wanted, rows, strict=True))
    VerdictAnswer.objects.bulk_create(
        VerdictAnswer(verdict=of[key.partition(".")[0]], aspect=aspect, slot=key.partition(".")[2], value=value)
        for aspect, said in by_aspect.items()
        for key, value in said.items()
    )
    return run


def figures_of(kind: ReportKind, campaign: Campaign, settings: Settings | None = None) -> dict[str, Figure]:
    found = list(kind.figures(Source(campaign, settings or Settings())))
    assert len({it.key for it in found}) == len(found)
    return {it.key: it for it in found}


def cells(figure: Figure, column: str, *by: str) -> dict[Any, Any]:
    """A column by that of the first, or by those of these columns."""
    assert figure.table, figure.instead
    keys = [it.key for it in figure.table.columns]
    at, of = keys.index(column), [keys.index(name) for name in by] or [0]
    found = {}
    for row in figure.table.rows:
        told = [it.text if isinstance(it, Link) else it for it in (row[place] for place in of)]
        found[told[0] if len(told) == 1 else tuple(told)] = row[at]
    return found
