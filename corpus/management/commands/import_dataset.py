"""`manage.py import_dataset MANIFEST --dataset NAME [--audio FOLDER_OR_ZIP] [--mapping RECIPE_OR_FILE]`."""

import json
from argparse import ArgumentParser
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from django.conf import settings
from django.core.exceptions import PermissionDenied
from django.core.management.base import BaseCommand, CommandError

from accounts.models import User
from corpus.imports.answers.tables import begins_like_answers
from corpus.imports.checks.result import Report
from corpus.imports.files.audio_files import AudioFiles, FolderAudio, MissingAudio, UnusableArchive, ZipAudio
from corpus.imports.files.remote_audio import audio_of
from corpus.imports.files.rows import UnreadableManifest
from corpus.imports.files.studies import holds_study
from corpus.imports.manifest.choices import CLASHES, SAME_PROMPTS, Choices
from corpus.imports.mapping.mapping import ANSWERS, TableMapping, UnusableMapping
from corpus.imports.mapping.page.recipes import mapping_named, mapping_of
from corpus.imports.portions import complete_or_discarded
from corpus.imports.tools.registry import names_no_sound
from corpus.imports.uploads.checking import check_upload, write_checked
from corpus.imports.versions import last_version
from corpus.imports.writing import ArchivedDataset, Destination, PlanRefused, require_open_dataset
from corpus.models import Dataset

MAX_NAME = 200
#: Options that say how the manifest is read.
CHOSEN = ("clashing_items", "same_prompts", "item_column", "label_column", "without_labels")


def _last_version(name: str) -> int:
    return last_version(Dataset.objects.filter(name=name).first())


def _given(audio: Path) -> AudioFiles:
    return FolderAudio(audio) if audio.is_dir() else ZipAudio(audio, max_bytes=settings.MAX_ARCHIVE_BYTES)


@contextmanager
def _place_for_fetched() -> Iterator[Path]:
    """Where audio is fetched to. What a kill leaves there is swept up, as that of other imports."""
    imports = Path(settings.MEDIA_ROOT) / "imports"
    imports.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(dir=imports, prefix="command-") as folder:
        yield Path(folder)


class Command(BaseCommand):
    help = (
        "Import a dataset: TRACE/HCoT pairs (JSON, JSONL, CSV) or a manifest of responses (CSV, JSONL); or bring "
        "answers that were exported (CSV, JSON Lines, Parquet, battles, preference pairs). Files of other tools are "
        "recognised (LMArena, Label Studio, Potato, webMUSHRA, P.808, VERSA, lm-evaluation-harness, AudioJudge, "
        "Hugging Face, τ-voice, Full-Duplex-Bench); any other table needs --mapping."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("manifest", type=Path, help="CSV, JSON, JSON Lines, Parquet, YAML or ZIP")
        parser.add_argument("--dataset", required=True, help="name of the dataset; made where it does not exist")
        parser.add_argument(
            "--audio",
            type=Path,
            help="folder or ZIP that the manifest's paths lead into; what it names by https:// or s3:// is fetched",
        )
        parser.add_argument("--without-audio", action="store_true", help="import texts and labels only")
        parser.add_argument("--labels", default="", help="name of the label set")
        parser.add_argument("--clashing-items", choices=CLASHES, default="", help="items with different prompts")
        parser.add_argument("--same-prompts", choices=SAME_PROMPTS, default="", help="items with the same prompt")
        parser.add_argument("--item-column", default="", help="the column that tells items apart")
        parser.add_argument("--label-column", default="", help="the column of the labels of pairs")
        parser.add_argument("--without-labels", action="store_true", help="import no labels")
        parser.add_argument(
            "--mapping", default="", help="what the columns become: a JSON file (also a downloaded recipe), or the "
            "name of a recipe of the user",
        )  # fmt: skip
        parser.add_argument("--user", required=True, help="username of the dataset's owner")
        parser.add_argument("--dry-run", action="store_true", help="check everything and write nothing")

    def handle(self, *args: Any, **options: Any) -> None:
        user = User.objects.filter(username=options["user"]).first()
        if user is None:
            raise CommandError(f"There is no user {options['user']!r}.")
        for name in ("dataset", "labels"):
            if len(options[name]) > MAX_NAME:
                raise CommandError(f"--{name} has {len(options[name])} characters; at most {MAX_NAME} are kept.")
        labels = options["labels"] or f"Labels of {options['manifest'].stem}"[:MAX_NAME]
        mapping = self._mapping(options["mapping"], user)
        with _place_for_fetched() as fetched:
            self._import(options, user, labels, mapping, fetched)

    def _import(
        self, options: dict[str, Any], user: User, labels: str, mapping: TableMapping | None, fetched: Path
    ) -> None:
        try:
            require_open_dataset(options["dataset"], user)
            with options["manifest"].open("rb") as manifest:
                if holds_study(manifest):
                    raise CommandError("This is a whole study: take import_study.")
            files = (
                None
                if self._is_without_audio(options, mapping)
                else self._files(options["manifest"], options["audio"], fetched)
            )
            checked = check_upload(
                options["manifest"],
                files,
                dataset_name=options["dataset"],
                label_set_name=labels,
                progress=self._show,
                choices=Choices(
                    **{name: options[name] for name in CHOSEN}, mapping=mapping.as_json() if mapping else {}
                ),
            )
        except (UnreadableManifest, UnusableArchive, PermissionDenied, ArchivedDataset, OSError) as refusal:
            raise CommandError(str(refusal)) from refusal
        report = checked.report()
        self._show_report(report)
        if report["errors"]:
            raise CommandError(f"{report['errors']} errors: nothing was written.")
        if not options["dry_run"]:
            destination = Destination(options["dataset"], labels, user, file=options["manifest"].name)
            before = _last_version(options["dataset"])
            try:
                with complete_or_discarded(destination):
                    dataset = write_checked(checked, files, destination, progress=self._show)
            except (MissingAudio, PlanRefused, PermissionDenied, ArchivedDataset, OSError) as refusal:
                stays = _last_version(options["dataset"]) > before
                kept = "What was written before stays" if stays else "Nothing was written"
                raise CommandError(f"{refusal} {kept}; run it again.") from refusal
            self.stdout.write(self.style.SUCCESS(f"Imported into dataset {dataset.slug}."))

    def _mapping(self, named: str, user: User) -> TableMapping | None:
        if not named:
            return None
        try:
            if not Path(named).is_file():
                return mapping_named(user, named)
            return mapping_of(json.loads(Path(named).read_bytes()))
        except UnusableMapping as unusable:
            raise CommandError(f"{unusable} There is no file of this name, either." if not Path(named).is_file()
                               else f"{named}: {unusable}") from unusable  # fmt: skip
        except (OSError, ValueError, RecursionError) as error:
            raise CommandError(f"{named} cannot be read: {error}") from error

    def _is_without_audio(self, options: dict[str, Any], mapping: TableMapping | None) -> bool:
        if mapping:
            return bool(options["without_audio"]) or mapping.shape == ANSWERS
        with options["manifest"].open("rb") as manifest:
            return options["without_audio"] or names_no_sound(manifest) or begins_like_answers(manifest)

    def _files(self, manifest: Path, audio: Path | None, fetched: Path) -> AudioFiles:
        files = audio_of(manifest, _given(audio) if audio else None, fetched)
        if files is None:
            raise CommandError("Name the audio with --audio, or say --without-audio.")
        return files

    def _show(self, done: int, total: int, note: str) -> None:
        if done == total or done % 100 == 0:
            self.stderr.write(f"{note}: {done} of {total}")

    def _show_report(self, report: Report) -> None:
        if tool := report.get("tool"):
            self.stdout.write(f"{tool['told']}.")
            for lost in tool["lost"]:
                self.stdout.write(f"lost: {lost}")
        for problem in report["problems"]:
            place = f"{report.get('place', 'row')} {problem['row']}" if problem["row"] else "file"
            self.stdout.write(f"{problem['severity']}: {place}, {problem['field']}: {problem['message']}")
        if unused := [column["name"] for column in report.get("unused_columns", [])]:
            self.stdout.write(f"Columns that are not understood: {', '.join(unused)}")
        counts = ("rows", "items", "responses", "units", "labels", "clips", "errors", "warnings")
        self.stdout.write(", ".join(f"{report[name]} {name}" for name in counts))
