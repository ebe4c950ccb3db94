"""What the kinds of jobs are called on pages."""

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

TITLES: dict[str, Promise] = {
    "import-check": _("Check of an import"),
    "import-write": _("Import"),
    "study-check": _("Check of a study’s import"),
    "study-write": _("Import of a study"),
    "prepare-audio": _("Preparation of audio"),
    "make-traps": _("Spoken traps"),
    "prepare-arena": _("Preparation of an arena’s audio"),
    "draft-criteria": _("Drafts of criteria"),
    "compute-metrics": _("Metrics"),
    "scan-identity": _("Search for responses that say who speaks"),
    "scan-imported": _("Search of imported texts for who speaks"),
    "extract-features": _("Features of clips"),
    "import-verdicts": _("Import of verdicts"),
    "make-export": _("Export"),
    "make-report": _("Report"),
}


def job_title(kind: str) -> str:
    """The title of a kind; its name where it has none."""
    return str(TITLES.get(kind, kind))
