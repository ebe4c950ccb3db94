"""The tables of a dataset for the Hugging Face hub, as Parquet whose schema carries what `datasets` reads."""

import json
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
from django.db.models import Count, Q

from analytics.data.labels import Record, responses_of
from analytics.exports import reasons, standings
from analytics.exports.checksums import sha256_of
from analytics.exports.hub.columns import JUDGES, SOUND, STANDINGS, item_fields
from analytics.exports.source import Source
from analytics.exports.tables.columns import fields_of, schema_of
from analytics.exports.tables.flat import FIELDS, as_columns, rows_of
from analytics.exports.tables.parquet import ParquetFile, write_parquet
from campaigns.rubrics.asking import facts_by_item
from corpus.models import Clip, Response, ResponseTurn, Turn, Unit, UnitMember
from corpus.tidy.columns import OF_JUDGES
from corpus.tidy.rows import TABLE, TIDY_COLUMNS
from judges.models import Run

_DTYPES = {"double": "float64"}


@dataclass(frozen=True)
class Table:
    """A table that was written."""

    name: str
    schema: pa.Schema
    rows: int
    bytes: int
    sha256: str

    @property
    def path(self) -> str:
        """Where it is in the dataset's folder."""
        return f"{self.name}/train.parquet"


def write_items(source: Source, path: Path) -> Table:
    """A row per unit and turn, with the sound of the prompt and of every response, clip by clip."""
    slots = _slots(source)
    schema = hub_schema(item_fields(slots))
    with ParquetFile(path, schema) as file:
        for units in source.units_with_clips():
            facts = facts_by_item(source.campaign, {unit.item_id: unit.item for unit in units}.values())
            for unit in units:
                about = _about(source, unit, facts[unit.item_id])
                for row, size in _turns(source, unit, slots):
                    file.add(about | row, sound_bytes=size)
    return _table("items", schema, file.n, path)


def write_judgements(source: Source, path: Path) -> Table:
    return _answers("judgements", source, path, TIDY_COLUMNS, source.people())


def write_verdicts(source: Source, path: Path) -> Table:
    names = [column.name for column in (*TABLE, *OF_JUDGES) if not column.only_people]
    return _answers("verdicts", source, path, names, source.verdicts())


def write_standings(source: Source, path: Path) -> Table:
    rows = ({it.name: _or_none(row[it.name]) for it in STANDINGS} for row in standings.standings(source.campaign))
    return _write("standings", path, fields_of(STANDINGS), rows)


def write_judges(source: Source, path: Path) -> Table:
    return _write("judges", path, fields_of(JUDGES), _judges(source))


#: In the order of the card.
WRITERS = (write_items, write_judgements, write_verdicts, write_standings, write_judges)


def hub_schema(fields: Collection[pa.Field]) -> pa.Schema:
    """With what `datasets` reads from it: without, a sound would be a struct of bytes."""
    features = {it.name: _feature(it) for it in fields}
    return schema_of(fields, {"huggingface": json.dumps({"info": {"features": features}})})


def _feature(field: pa.Field) -> dict[str, str]:
    return {"_type": "Audio"} if field.type == SOUND else {"dtype": dtype_of(field), "_type": "Value"}


def dtype_of(field: pa.Field) -> str:
    """In the words of `datasets`."""
    return "audio" if field.type == SOUND else _DTYPES.get(str(field.type), str(field.type))


def _write(name: str, path: Path, fields: Collection[pa.Field], rows: Iterator[dict[str, Any]]) -> Table:
    schema, kept = hub_schema(fields), [it.name for it in fields]
    return _table(name, schema, write_parquet(path, schema, ({it: row[it] for it in kept} for row in rows)), path)


def _answers(name: str, source: Source, path: Path, columns: Collection[str], records: Iterator[Record]) -> Table:
    return _write(name, path, [it for it in FIELDS if it.name in columns], map(as_columns, rows_of(source, records)))


def _table(name: str, schema: pa.Schema, rows: int, path: Path) -> Table:
    return Table(name, schema, rows, path.stat().st_size, sha256_of(path))


def _slots(source: Source) -> list[str]:
    if source.campaign.protocol.unit == "item":
        units = source.campaign.campaign_units.values("unit")
        members = UnitMember.objects.filter(unit__in=units).order_by("slot")
        return list(members.values_list("slot", flat=True).distinct())
    return ["a", "b"] if source.campaign.protocol.unit == "pair" else ["a"]


def _about(source: Source, unit: Unit, facts: Mapping[str, Any]) -> dict[str, Any]:
    """What is the same in each turn; checks have no position, since they are not asked about in the study."""
    return {
        "unit": unit.key, "kind": unit.kind, "item": unit.item.key, "category": unit.item.category,
        "facts": json.dumps(facts, ensure_ascii=False), "item_number": source.item_numbers[unit.item_id],
        "position": source.positions.get(unit.pk),
    }  # fmt: skip


def _turns(source: Source, unit: Unit, slots: list[str]) -> Iterator[tuple[dict[str, Any], int]]:
    """A row per turn and how many bytes its sounds have."""
    responses = responses_of(unit)
    prompts = {turn.position: turn for turn in unit.item.turns.all()}
    said = {slot: {turn.position: turn for turn in responses[slot].turns.all()} for slot in responses}
    # Where nothing is known of any turn, there is a row all the same: it says what the unit is.
    for position in sorted(set(prompts).union(*said.values())) or [1]:
        row = {"turn": position, **_heard(source, prompts.get(position), "prompt_text", "prompt")}
        for slot in slots:
            row |= _of_response(responses.get(slot), slot)
            row |= _heard(source, said.get(slot, {}).get(position), f"text_{slot}", f"response_{slot}")
        sounds = [row["prompt"], *(row[f"response_{slot}"] for slot in slots)]
        yield row, sum(len(sound["bytes"]) for sound in sounds if sound)


def _of_response(response: Response | None, slot: str) -> dict[str, Any]:
    names = (response.system.name, response.key) if response else (None, None)
    return {f"system_{slot}": names[0], f"take_{slot}": names[1]}


def _heard(source: Source, turn: Turn | ResponseTurn | None, text: str, sound: str) -> dict[str, Any]:
    clip = turn.clip if turn else None
    return {text: turn.text if turn else None, sound: _sound(source, clip) if clip else None}


def _sound(source: Source, clip: Clip) -> dict[str, Any] | None:
    """As it was imported, under a name that tells nothing but what kind of file it is."""
    try:
        content = clip.path.read_bytes()
    except FileNotFoundError:
        source.left_out[reasons.NO_FILE()] += 1
        return None
    return {"bytes": content, "path": f"{clip.sha256[:16]}.{clip.container.lower()}"}


def _judges(source: Source) -> Iterator[dict[str, Any]]:
    read, done = Q(verdicts__status__in=("ok", "repaired")), ~Q(verdicts__status="waiting")
    runs = Run.objects.filter(campaign=source.campaign, perturbation__isnull=True).order_by("pk")
    counted = runs.annotate(n=Count("verdicts", filter=done), n_read=Count("verdicts", filter=read))
    for row in counted.select_related("judge__language_model"):
        judge = row.judge
        yield {
            "run": row.pk, "judge": judge.title, "kind": judge.kind, "kind_version": judge.kind_version,
            "judge_digest": judge.digest, "settings": json.dumps(judge.settings, ensure_ascii=False),
            "model": judge.language_model.model if judge.language_model else "", "orders": row.orders,
            "samples": row.samples, "status": row.status, "verdicts": row.n, "read": row.n_read,
            "spent_usd": float(row.spent_usd),
        }  # fmt: skip


def _or_none(value: Any) -> Any:
    return None if value == "" else value
