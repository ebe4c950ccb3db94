"""The upload routes of the product: its pages, its jobs and its decoder.

Every exception that is not one of the product's own refusals is a crash. The changes of a route are rolled back.
"""

import io
import random
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from django.conf import settings
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import transaction
from django.test import Client
from django.urls import reverse

from accounts.models import User
from benchmarks.fuzzing import seeds
from benchmarks.fuzzing.mutations import mutated
from corpus.audio.audit import audit_sound
from corpus.audio.delivery import DeliveryForm, Undeliverable, deliver
from corpus.audio.reading import UnreadableAudio, read_sound
from corpus.imports.uploads.actions import confirm_import
from corpus.imports.uploads.ending import end_import
from corpus.imports.uploads.jobs import check_import, write_import
from corpus.models import Clip, Import
from corpus.models.imports import ARCHIVE
from infrastructure.background.jobs import JobFailed
from judges.imported.uploads import cancel_verdict_import, import_verdicts_of
from judges.models import VerdictImport
from tests.analytics.exporting.exported import written
from tests.analytics.exporting.test_round_trip import answered_campaign
from tests.factories import make_campaign

FINE = {200, 302, 422}
TAKEN, REFUSED = "taken", "refused"
HOST = "localhost"
Pool = Mapping[str, bytes]
Hostile = Callable[[random.Random], bytes]


class LeftBehind(AssertionError):
    """Files that stay though nothing needs them."""


@dataclass(frozen=True)
class UploadRoute:
    """A way in; `send` says whether what came was taken or refused."""

    name: str
    pool: Pool
    send: Callable[[str, bytes], str]
    hostile: Hostile | None = None
    #: How many of a thousand inputs come here.
    share: int = 50


class UploadRoutes:
    """Every upload route of an installation with a campaign of each kind that accepts files."""

    def __init__(self) -> None:
        self.user = User.objects.create_user("fuzzer", is_superuser=True)
        self.client = Client(SERVER_NAME=HOST)
        self.client.force_login(self.user)
        self.campaign = make_campaign(units=3, status="draft")
        self.rubric = make_campaign(protocol="rubric", units=1, status="draft")
        self.all = {route.name: route for route in self._routes()}

    def try_one(self, route: UploadRoute, name: str, content: bytes) -> str:
        """Raises whatever the product did not expect, and LeftBehind."""
        try:
            with transaction.atomic():
                outcome = route.send(name, content)
                self._require_tidiness()
                transaction.set_rollback(True)
        finally:
            for folder in ("clips", "imports"):  # their rows are taken back
                for path in (Path(settings.MEDIA_ROOT) / folder).rglob("*"):
                    if path.is_file():
                        path.unlink()
        return outcome

    def input_for(self, route: UploadRoute, rng: random.Random) -> tuple[str, bytes]:
        """A file name and a content for this route: a mutated seed, sometimes one made to do harm, mutated or not."""
        name = rng.choice(sorted(route.pool))
        if route.hostile and rng.random() < 0.2:
            made = route.hostile(rng)
            return name, made if rng.random() < 0.5 else mutated(rng, made, [made])
        return name, mutated(rng, route.pool[name], list(route.pool.values()))

    def share_out(self, rng: random.Random) -> UploadRoute:
        names = list(self.all)
        return self.all[rng.choices(names, [self.all[name].share for name in names])[0]]

    def _routes(self) -> Iterator[UploadRoute]:
        slug = self.campaign.slug
        dataset = [self.campaign.dataset.slug]
        tables = seeds.in_every_form
        yield UploadRoute("sound", seeds.sounds(), self._decode, share=800)
        yield UploadRoute("import: responses", tables(seeds.manifest_rows()), self._import, seeds.hostile_json)
        yield UploadRoute("import: pairs", tables(seeds.pair_rows()), self._import, seeds.hostile_parquet)
        yield UploadRoute("import: battles", tables(seeds.battle_rows()), self._import_answers, seeds.hostile_json)
        yield UploadRoute("import: answers", _answers(), self._import_answers, seeds.hostile_parquet)
        yield UploadRoute("import: ZIP", seeds.archives(), self._import_archive, seeds.hostile_archive, share=150)
        yield UploadRoute("verdicts", tables(seeds.verdict_rows()), self._verdicts, seeds.hostile_parquet)
        scores = self._page("dataset-metrics-import", dataset)
        yield UploadRoute("scores", tables(seeds.score_rows()), scores, seeds.hostile_json)
        likelihoods = self._page("dataset-likelihoods-import", dataset)
        yield UploadRoute("likelihoods", tables(seeds.likelihood_rows()), likelihoods, seeds.hostile_parquet)
        gold = self._page("checks", [slug], field="gold", identical=0, repeat=0, check_every=10)
        yield UploadRoute("gold", {"gold.csv": seeds.as_csv(seeds.gold_rows())}, gold)
        gate = self._page("gates", [slug], field="training-units", **_TRAINING)
        yield UploadRoute("training", {"units.csv": seeds.as_csv(seeds.gold_rows())}, gate, share=25)
        pairs = self._page("launch-units", [slug], field="pairs", how="file", repeat_share=0, pace=10)
        yield UploadRoute("pairs", {"pairs.csv": seeds.as_csv(seeds.two_system_rows())}, pairs, share=25)
        criteria = self._page("rubric-upload", [self.rubric.slug], reviewed="on")
        yield UploadRoute("criteria", {"criteria.csv": seeds.as_csv(seeds.criterion_rows())}, criteria)
        recordings = self._page("trap-recordings", [slug])
        yield UploadRoute("recordings", seeds.recordings(), recordings, seeds.hostile_archive)
        yield UploadRoute("protocol", seeds.protocols(), self._page("protocol-upload", []), seeds.hostile_yaml)

    def _decode(self, name: str, content: bytes) -> str:
        try:
            sound = read_sound(io.BytesIO(content), name=name, max_seconds=settings.MAX_CLIP_SECONDS)
            audit_sound(sound)
            deliver(sound, DeliveryForm(rate=16_000, target_lufs=-23.0))
        except (UnreadableAudio, Undeliverable):
            return REFUSED
        return TAKEN

    def _import(self, name: str, content: bytes) -> str:
        return self._imported({"manifest": SimpleUploadedFile(name, content), "without_audio": "on"})

    def _import_answers(self, name: str, content: bytes) -> str:
        """Into a dataset that has what they are about."""
        sent = {"manifest": SimpleUploadedFile(name, content), "dataset_name": self.campaign.dataset.name}
        return self._imported(sent | {"label_set_name": "labels"})

    def _import_archive(self, name: str, content: bytes) -> str:
        manifest = SimpleUploadedFile("table.csv", seeds.as_csv(seeds.manifest_rows(audio=True)))
        return self._imported({"manifest": manifest, "archive": SimpleUploadedFile(name, content)})

    def _imported(self, sent: Mapping[str, object]) -> str:
        """Upload, check, and write what is clean; its page is looked at whatever came of it."""
        response = self.client.post(reverse("import-new"), {"dataset_name": "fuzzed"} | dict(sent))
        _require_fine(response.status_code)
        if (row := Import.objects.first()) is None:
            return REFUSED
        try:
            check_import(str(row.pk), _quiet)
            row.refresh_from_db()
            if row.status == Import.Status.CHECKED:
                confirm_import(row, user=self.user)
                write_import(str(row.pk), _quiet)
        except JobFailed:
            pass
        row.refresh_from_db()
        _require_fine(self.client.get(row.get_absolute_url()).status_code)
        if row.status == Import.Status.UNDECIDED:  # it waits for its columns to be mapped
            _require_fine(self.client.get(reverse("import-columns", args=[row.pk])).status_code)
            end_import(row, Import.Status.FAILED)
        stays = {ARCHIVE} if row.status == Import.Status.FAILED else set()  # for a day, for a corrected table
        if left := {path.name for path in row.folder.glob("*")} - stays:
            raise LeftBehind(f"{sorted(left)} of the upload, though the import has {row.status}")
        return TAKEN if row.status == Import.Status.IMPORTED else REFUSED

    def _verdicts(self, name: str, content: bytes) -> str:
        outcome = self._page("verdicts-import", [self.campaign.slug])(name, content)
        if outcome == REFUSED:
            return REFUSED
        row = VerdictImport.objects.get()
        import_verdicts_of(str(row.pk), _quiet)
        row.refresh_from_db()
        _require_fine(self.client.get(row.get_absolute_url()).status_code)
        if row.status == VerdictImport.Status.MAPPING:
            _require_fine(
                self.client.get(reverse("verdict-import-columns", args=[self.campaign.slug, row.pk])).status_code
            )
            cancel_verdict_import(row)
        if row.folder.exists():
            raise LeftBehind(f"the table, though the import has {row.status}")
        return TAKEN if row.status == VerdictImport.Status.IMPORTED else REFUSED

    def _page(
        self, view: str, args: list[str], *, field: str = "file", **sent: object
    ) -> Callable[[str, bytes], str]:
        address = reverse(view, args=args)

        def send(name: str, content: bytes) -> str:
            response = self.client.post(address, sent | {field: SimpleUploadedFile(name, content)})
            _require_fine(response.status_code)
            return TAKEN if response.status_code == 302 else REFUSED

        return send

    def _require_tidiness(self) -> None:
        temporary = list(Path(tempfile.gettempdir()).iterdir())
        if temporary:
            raise LeftBehind(f"temporary files: {[path.name for path in temporary]}")
        there = {path for path in Path(settings.MEDIA_ROOT).rglob("*") if path.is_file()}
        known = {clip.path for clip in Clip.objects.all()}
        known |= {row.folder / ARCHIVE for row in Import.objects.filter(status=Import.Status.FAILED)}
        if strange := there - known:
            raise LeftBehind(f"files without a row: {sorted(path.name for path in strange)}")


#: A gate with units in a table needs what else its form asks for.
_TRAINING = {"training-on": "on", "training-tries": 3, "training-on_failure": "let_in", "training-threshold": 0.7}


def _answers() -> dict[str, bytes]:
    """Answers of people as they are exported."""
    found: dict[str, bytes] = {}
    with tempfile.TemporaryDirectory() as folder, transaction.atomic():
        campaign = answered_campaign("hcot", "ab")
        for name in ("csv", "jsonl", "parquet"):
            found[f"answers.{name}"] = written(campaign, name, Path(folder)).read_bytes()
        transaction.set_rollback(True)
    return found


def _require_fine(status: int) -> None:
    if status not in FINE:
        raise AssertionError(f"the page came with {status}")


def _quiet(_done: int, _total: int, _note: str = "") -> None:
    pass
