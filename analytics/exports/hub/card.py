"""The dataset card: README.md with the front matter that the hub and `datasets` read, and what readers must know."""

import re
from collections.abc import Iterable, Iterator
from typing import Any

import pyarrow as pa
import yaml

from analytics.exports.hub.tables import Table, dtype_of
from analytics.exports.request import Wanted
from analytics.exports.source import WITHHELD, Source, funnel
from analytics.exports.tables.columns import SCHEMA_VERSION, description
from analytics.monitoring.agreement import AspectAgreement, agreement_so_far
from campaigns.launch.stopping import declared
from campaigns.models import Campaign, Consent
from campaigns.people.consent import newest_text

ABOUT = {
    "items": "a row per unit and turn, with the sound of the prompt and of each response as it was imported",
    "judgements": "a row per answer of a person, under a pseudonym",
    "verdicts": "a row per answer of an automatic judge; one without an answer has its status and no value",
    "standings": "where the systems stand by people’s answers, with intervals",
    "judges": "a row per run of a judge, with its settings",
}
INTRODUCTION = (
    "Speech systems on the same items, evaluated by people and by automatic judges under one protocol, blind."
)
FRAME = (
    "Tables are joined by `unit`. Values are in the stored frame: `a` is the response in slot a, whatever was heard "
    "first; `order` says what was."
)
AGREEMENT = (
    "Agreement of people’s used answers, with a 95 % interval by bootstrap over units.\n\n"
    "| aspect | coefficient | value | low | high | units | not counted |\n|---|---|---|---|---|---|---|"
)
COUNTED = "Answers to the study’s units, each one person’s to one unit; withdrawn ones are nowhere."
NO_LICENCE = (
    "Unknown: nobody said under which licence the recordings and the answers may be used. Ask before you use them."
)
_OF = {"campaign": "the pseudonyms of the campaign", "fresh": "pseudonyms of this file alone"}
_SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))


def card(source: Source, tables: list[Table]) -> str:
    front = yaml.safe_dump(front_matter(source, tables), sort_keys=False, allow_unicode=True)
    return f"---\n{front}---\n\n" + "\n".join(_body(source, tables)) + "\n"


def front_matter(source: Source, tables: list[Table]) -> dict[str, Any]:
    wanted, n = source.wanted, sum(table.rows for table in tables)
    size = next((name for most, name in _SIZES if n < most), "n>1M")
    return {
        "pretty_name": source.campaign.title,
        **_licence(wanted.licence or source.campaign.dataset.licence),
        **({"language": [wanted.language]} if wanted.language else {}),
        "task_categories": ["audio-classification"],
        "tags": ["audio", "speech", "human-evaluation"],
        "size_categories": [size],
        "configs": [_config(table) for table in tables],
        "dataset_info": [_info(table) for table in tables],
    }


def licence_id(licence: str) -> str:
    """As the hub writes it, in small letters; empty for what is said in words.

    >>> licence_id("CC-BY-4.0"), licence_id("Ask us")
    ('cc-by-4.0', '')
    """
    return licence.lower() if re.fullmatch(r"[A-Za-z0-9.-]{1,40}", licence) else ""


def _licence(licence: str) -> dict[str, str]:
    """The hub knows ids in small letters; what is said in words is another licence, by its name.

    >>> _licence("CC-BY-4.0"), _licence("Ask us"), _licence("")
    ({'license': 'cc-by-4.0'}, {'license': 'other', 'license_name': 'Ask us'}, {'license': 'unknown'})
    """
    if re.fullmatch(r"[A-Za-z0-9.-]+", licence):
        return {"license": licence.lower()}
    return {"license": "other", "license_name": licence} if licence else {"license": "unknown"}


def _config(table: Table) -> dict[str, Any]:
    files = [{"split": "train", "path": table.path}]
    return {"config_name": table.name, "data_files": files} | (
        {"default": True} if table.name == "judgements" else {}
    )


def _info(table: Table) -> dict[str, Any]:
    split = {"name": "train", "num_bytes": table.bytes, "num_examples": table.rows}
    return {
        "config_name": table.name, "features": [{"name": it.name, "dtype": dtype_of(it)} for it in table.schema],
        "splits": [split], "download_size": table.bytes,
        "dataset_size": table.bytes,
    }  # fmt: skip


def _body(source: Source, tables: list[Table]) -> Iterator[str]:
    campaign = source.campaign
    yield f"# {campaign.title}\n\n{INTRODUCTION}\n\n## Tables\n"
    for table in tables:
        yield f"- `{table.name}`: {ABOUT[table.name]} ({table.rows})"
    yield f"\n{FRAME}\n"
    yield f"## Columns\n\nSchema version {SCHEMA_VERSION}; each Parquet file has it and these descriptions, too."
    for table in tables:
        yield f"\n### `{table.name}`\n\n| column | type | meaning |\n|---|---|---|"
        yield from map(_column, table.schema)
    yield ""
    yield from _protocol(campaign)
    yield f"\n## Agreement\n\n{AGREEMENT}"
    yield from _agreement(campaign)
    yield "\n## From assigned to used\n\n| assigned | answered | excluded | used |\n|---|---|---|---|"
    yield "| {assigned} | {answered} | {excluded} | {used} |".format(**funnel(campaign))
    yield f"\n{COUNTED} Beside the used answers, this file has: {', '.join(source.wanted.more) or 'nothing'}."
    if rule := declared(campaign):
        reached = campaign.stop_reached_at
        yield f"\n## Rule of stopping\n\nFixed when the campaign opened: it {rule}."
        yield f"Reached at {reached.isoformat(timespec='seconds')}." if reached else "It was not reached."
    yield f"\n## Licence\n\n{source.wanted.licence or campaign.dataset.licence or NO_LICENCE}"
    if campaign.dataset.source:
        yield f"\n## Source of the recordings\n\n{campaign.dataset.source}"
    yield f"\n## Consent and privacy\n\nConsent class: **{consent_class(campaign)}**."
    yield f"People have {_OF[source.wanted.pseudonyms]}. Written texts are {_texts(source.wanted)}."


def _column(field: pa.Field) -> str:
    return f"| `{field.name}` | {dtype_of(field)} | {description(field)} |"


def _texts(wanted: Wanted) -> str:
    return "as they were written" if wanted.text else f"replaced by `{WITHHELD}`"


def _protocol(campaign: Campaign) -> Iterator[str]:
    protocol = campaign.protocol
    yield f"## Protocol\n\n{protocol.name} {protocol.version}, asked about: {protocol.unit}."
    yield f"SHA-256 `{campaign.protocol_digest}`.\n"
    for aspect in protocol.aspects:
        values = aspect.scale.kind.listed(f"`{option.value}`" for option in aspect.scale.options)
        yield f"- `{aspect.name}`: {aspect.title}{f' ({values})' if values else ''}"


def consent_class(campaign: Campaign) -> str:
    """Whether people agreed to something before they began."""
    text = newest_text(campaign)
    if text is None:
        return "none recorded"
    n = Consent.objects.filter(text__campaign=campaign).values("user").distinct().count()
    return f"recorded, of {n} people, to a text that is in its version {text.version}"


def _agreement(campaign: Campaign) -> Iterable[str]:
    for it in agreement_so_far(campaign).aspects:
        yield _row(it)


def _row(of: AspectAgreement) -> str:
    aspect, found = f"{of.aspect} | {of.coefficient}", of.found
    if found.estimate is None:
        return f"| {aspect} | undefined: {found.reason} | | | {found.n} | |"
    interval = found.interval
    ends = f"{interval.low:.3f} | {interval.high:.3f}" if interval else f"no interval: {found.reason} |"
    return f"| {aspect} | {found.estimate:.3f} | {ends} | {found.n} | {sum(it.n for it in found.excluded)} |"
