"""A study from upload to rows: two jobs, as of any import."""

from pathlib import Path

from analytics.study_imports.checking import CheckedStudy, check_study
from analytics.study_imports.files import StudyFiles, open_study
from analytics.study_imports.reading import read_study
from analytics.study_imports.writing import write_study
from corpus.imports.files.studies import JUDGES
from corpus.imports.uploads.jobs import failing_for_good, settle_check, settle_writing
from corpus.imports.writing import Destination, require_open_dataset
from corpus.models import Dataset, Import
from infrastructure.background.kinds import ShowProgress

CHECK, WRITE = f"{Import.Kind.STUDY.value}-check", f"{Import.Kind.STUDY.value}-write"


def check_study_import(subject: str, progress: ShowProgress) -> None:
    """The dry run; a faulty upload is thrown away at once, its report stays."""
    row = Import.objects.get(pk=subject)
    if row.status != Import.Status.CHECKING:
        return
    with failing_for_good(row):
        _, checked = _checked(row, progress)
        settle_check(row, checked.report())


def write_study_import(subject: str, progress: ShowProgress) -> None:
    """Check once more (the name may be taken since), then write."""
    row = Import.objects.get(pk=subject)
    if row.status != Import.Status.IMPORTING:
        return
    with failing_for_good(row):
        files, checked = _checked(row, progress)
        settle_writing(row, checked, lambda into: take_in(files, checked, into, progress))


def look_at_study(
    path: Path, work: Path, *, dataset_name: str, progress: ShowProgress
) -> tuple[StudyFiles, CheckedStudy]:
    """Open, read and check the study at this path. Raises UnreadableManifest, UnusableArchive."""
    files, sounds = open_study(path, work / "study"), work / "sounds"
    plan = read_study(files, sounds, progress)
    return files, check_study(plan, sounds, dataset_name=dataset_name, progress=progress)


def take_in(files: StudyFiles, checked: CheckedStudy, destination: Destination, progress: ShowProgress) -> Dataset:
    """Write it; the campaign has the title that it had. Raises what `write_study` raises."""
    title = str(checked.plan.about.get("title") or destination.dataset_name)[:120]
    return write_study(checked, destination, title=title, runs=list(files.rows(JUDGES)), progress=progress)


def _checked(row: Import, progress: ShowProgress) -> tuple[StudyFiles, CheckedStudy]:
    require_open_dataset(row.dataset_name, row.created_by)
    return look_at_study(row.manifest_path, row.folder, dataset_name=row.dataset_name, progress=progress)
