"""A dataset for the Hugging Face hub, as a ZIP: Parquet with sound that plays, one config per table, a card."""

import json
import tempfile
import zipfile
from pathlib import Path

from django.utils.translation import gettext_noop

from analytics.exports.formats.card import card
from analytics.exports.formats.format import Format
from analytics.exports.formats.hub_tables import WRITERS, Table
from analytics.exports.source import Source
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
                archive.write(part, f"{table.name}/train.parquet")
                tables.append(table)
        archive.writestr(PROTOCOL, to_yaml(source.campaign.protocol))
        archive.writestr(ABOUT, json.dumps(_about(source), ensure_ascii=False, indent=1))
        archive.writestr("README.md", card(source, tables))
    return sum(table.rows for table in tables)


def _about(source: Source) -> dict[str, object]:
    """Data that no table contains, for importing the study again."""
    campaign = source.campaign
    return {
        "format": FORMAT, "campaign": campaign.slug, "title": campaign.title,
        "protocol_digest": campaign.protocol_digest, "target_lufs": campaign.target_lufs,
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
