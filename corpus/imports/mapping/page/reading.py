"""By which mapping an import is read: the one that was chosen, that of its tool, or a guess."""

from corpus.imports.files.rows import UnreadableManifest
from corpus.imports.mapping import reasons
from corpus.imports.mapping.guessing.guess import guess_mapping
from corpus.imports.mapping.mapping import TableMapping
from corpus.imports.mapping.page.preview import stored_table
from corpus.models import Dataset, Import
from infrastructure.wording.reasons import Reasoned


class NoMapping(Reasoned, ValueError):
    """The file is read without a mapping, or is gone."""


def mapping_read_by(row: Import) -> tuple[str, TableMapping]:
    """Where the mapping is from (choice, tool or guess), and the mapping. Raises NoMapping."""
    if chosen := row.choices.get("mapping"):
        return "choice", TableMapping.from_json(chosen)
    tool = row.report.get("tool", {})
    if of_tool := tool.get("mapping"):
        return "tool", TableMapping.from_json(of_tool)
    if tool and not tool.get("mapped"):
        raise NoMapping(reasons.NOT_MAPPED())
    try:
        table = stored_table(row.folder, row.manifest_path)
    except (FileNotFoundError, UnreadableManifest) as error:
        raise NoMapping(reasons.NOT_MAPPED()) from error
    if table.mapping:
        return "tool", table.mapping
    dataset = Dataset.objects.filter(name=row.dataset_name).first()
    systems = set(dataset.systems.values_list("name", flat=True)) if dataset else ()
    return "guess", guess_mapping(table.profile, systems=systems)
