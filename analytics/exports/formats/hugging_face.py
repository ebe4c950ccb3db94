"""A dataset for the Hugging Face hub, as a ZIP: Parquet with sound that plays, one config per table, a card.

Beside them what describes the files to programs: Croissant, and their checksums.
"""

import hashlib
import json
import tempfile
import zipfile
from pathlib import Path
from typing import Any

from django.utils.translation import gettext_noop

from analytics.exports.checksums import SUMS, list_of_sums
from analytics.exports.formats.format import Format
from analytics.exports.hub.card import card
from analytics.exports.hub.croissant import croissant
from analytics.exports.hub.tables import WRITERS, Table
from analytics.exports.source import Source
from analytics.exports.tables.columns import SCHEMA_VERSION
from corpus.imports.files.studies import ABOUT, FORMAT, PROTOCOL
from protocols.documents.yaml_files import to_yaml


def write(source: Source, path: Path) -> int:
    """Every table goes through a file of its own into the ZIP, which does not compress it again.

    Judges' verdicts are a table of their own, wanted or not; tables without rows are left out.
    """
    source, tables = source.with_judges(), list[Table]()
    with (
        tempfile.TemporaryDirectory(dir=path.parent, prefix=".unfinished-") as folder,
        zipfile.ZipFile(path, "w", zipfile.ZIP_STORED, allowZip64=True) as archive,
    ):
        part = Path(folder) / "part"
        for write_table in WRITERS:
            if (table := write_table(source, part)).rows:
                archive.write(part, table.path)
                tables.append(table)
        texts = {
            PROTOCOL: to_yaml(source.campaign.protocol),
            ABOUT: _json(_about(source)),
            "README.md": card(source, tables),
            "croissant.json": _json(croissant(source, tables)),
        }
        sums = {table.path: table.sha256 for table in tables}
        sums |= {name: hashlib.sha256(text.encode()).hexdigest() for name, text in texts.items()}
        for name, text in (texts | {SUMS: list_of_sums(sums)}).items():
            archive.writestr(name, text)
    return sum(table.rows for table in tables)


def _json(document: dict[str, Any]) -> str:
    return json.dumps(document, ensure_ascii=False, indent=1)


def _about(source: Source) -> dict[str, Any]:
    """Data that no table contains, for importing the study again."""
    campaign = source.campaign
    return {
        "format": FORMAT, "campaign": campaign.slug, "title": campaign.title,
        "protocol_digest": campaign.protocol_digest, "target_lufs": campaign.target_lufs,
        "schema_version": SCHEMA_VERSION,
    }  # fmt: skip


HUGGING_FACE = Format(
    name="hugging-face",
    title=gettext_noop("Dataset for Hugging Face, with sound"),
    about=gettext_noop(
        "A ZIP with Parquet that plays, judges’ verdicts, standings and a dataset card. It is the whole study, and "
        "can be imported again."
    ),
    ending="hugging-face.zip",
    content_type="application/zip",
    write=write,
)
