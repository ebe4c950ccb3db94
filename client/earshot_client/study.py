"""A study from a folder of recordings to a report."""

import hashlib
import warnings
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Self

import pandas as pd

from earshot_client.connection import Json, Server
from earshot_client.folders import manifest_in, written_manifest, zipped
from earshot_client.frames import answers_frame, units_frame, verdicts_frame
from earshot_client.problems import EarshotError, WorkFailed
from earshot_client.reports import Report, read_report
from earshot_client.uploads import upload

#: What to do where a clip is too quiet for its peaks at the loudness of a study.
UNREACHED_LOUDNESS = (
    "Choose a loudness that every clip can reach: target_lufs=-27.0 here, --loudness -27 in a shell; "
    "target_lufs=None or --loudness none leaves every clip as it is. No draft was left behind."
)
ENDED = frozenset({"done", "failed", "cancelled", "over_budget"})


class Study:
    """A campaign on a server. `Study(slug, server=server)` is one that is there; see also `Study.from_folder`."""

    def __init__(self, slug: str, *, server: Server | None = None) -> None:
        self.server = server or Server()
        self.slug = slug

    def __repr__(self) -> str:
        return f"Study({self.slug!r}, server={self.server.url!r})"

    @classmethod
    def from_folder(
        cls,
        folder: str | Path,
        *,
        title: str,
        protocol: str = "hcot",
        dataset: str = "",
        prompt: str = "",
        open_it: bool = True,
        server: Server | None = None,
        **settings: Any,
    ) -> Self:
        """Import the folder as a dataset, draft a campaign over it, prepare its audio, and open it.

        The folder has a `manifest.csv` (`.json`, `.jsonl`, `.parquet`) beside the audio that it names, or else one
        folder for each system with equally named files, and what was asked in `prompts/NAME.txt` or `.wav`; without
        that, `prompt` is shown, or the name. `dataset` is the name of the dataset, by default the folder's.
        `settings` are those of a campaign in the API: `systems`, `listening`, `target_lufs`, `units`,
        `answers_per_unit`, `closes_at`, … Raises WorkFailed with the rows that are wrong.
        """
        server, folder = server or Server(), Path(folder)
        slug = import_folder(server, folder, dataset=dataset or folder.resolve().name, prompt=prompt)
        study = cls.draft(title=title, dataset=slug, protocol=protocol, server=server, **settings)
        return study.open() if open_it else study

    @classmethod
    def draft(cls, *, title: str, dataset: str, protocol: str, server: Server | None = None, **settings: Any) -> Self:
        """A draft over a dataset that is there (its slug), with its audio prepared.

        Raises WorkFailed where a clip cannot be prepared; then there is no draft.
        """
        server = server or Server()
        sent = {"title": title, "dataset": dataset, "protocol": protocol} | settings
        made = server.post("campaigns/", sent)
        study = cls(made["slug"], server=server)
        try:
            study._prepare(made["preparation"])
        except WorkFailed as failed:
            study.delete()
            if failed.is_for("target_too_loud"):
                raise failed.with_hint(UNREACHED_LOUDNESS) from failed
            raise
        return study

    @property
    def address(self) -> str:
        """The study's page on the server."""
        return f"{self.server.url}/campaigns/{self.slug}/"

    def info(self) -> Json:
        """Title, status, dataset, protocol and settings."""
        return dict(self.server.get(self._here()))

    # -- setting it up -------------------------------------------------------------------------

    def change(self, **settings: Any) -> Self:
        """Change a draft: the settings of `draft`, and `name` at any time. Its audio is prepared again if need be."""
        changed = self.server.patch(self._here(), settings)
        self.slug = changed["slug"]
        if changed["status"] == "draft" and changed["preparation"]:
            self._prepare(changed["preparation"])
        return self

    def loudness(self, target_lufs: float | None) -> Self:
        """Prepare a draft's audio at this loudness (LUFS), or every clip at its own level (None)."""
        self._prepare(self.server.post(self._here("audio/"), {"target_lufs": target_lufs}))
        return self

    def open(self) -> Self:
        """Let annotators in. Raises Problem with everything that stands in the way."""
        self.server.post(self._here("open/"))
        return self

    def pause(self) -> Self:
        self.server.post(self._here("pause/"))
        return self

    def close(self) -> Self:
        """End it for good."""
        self.server.post(self._here("close/"))
        return self

    def delete(self) -> None:
        """Delete a draft, or an archived study, with everything that belongs to it."""
        self.server.job(self.server.delete(self._here()), title=f"Delete {self.slug}")

    def add(self, username: str, role: str = "annotator") -> Self:
        """Give a role to a person with an account."""
        self.server.post(self._here("members/"), {"username": username, "role": role})
        return self

    def invite(self, n: int = 1, **terms: Any) -> list[str]:
        """Links for `n` people, or one for several with `kind='reusable'`; terms as in the API."""
        made = self.server.post(self._here("invitations/"), {"how_many": n} | terms)
        return [it["link"] for it in made["invitations"]]

    # -- following and reading it --------------------------------------------------------------

    def progress(self) -> pd.Series:
        """How far it is: units, answers used and wanted, answers today, people at work, and when it may be over."""
        return pd.Series(self.server.get(self._here("progress/")), dtype="object", name=self.slug)

    def units(self) -> pd.DataFrame:
        """The units of the study, with the systems that answered them."""
        return units_frame(self.server.pages(self._here("units/")))

    def answers(self, *, more: Sequence[str] = ()) -> pd.DataFrame:
        """Every answer of people that is used, one row for each aspect; `more` as in the API: excluded, checks."""
        with self.server.bar("Answers", unit=" annotations") as bar:
            annotations = []
            for row in self.server.pages(self._here("answers/"), **({"with": list(more)} if more else {})):
                annotations.append(row)
                bar.update()
        systems = {it["key"]: it["systems"] for it in self.server.pages(self._here("units/"))} if annotations else {}
        return answers_frame(annotations, systems)

    def standing(self, **settings: str) -> pd.DataFrame:
        """The ratings of the systems, with intervals; settings as in the API, such as `aspect` and `method`."""
        table = self.server.get(self._here("standing/"), **settings)["table"]
        rows = [{"island": n} | row for n, island in enumerate(table["islands"], start=1) for row in island["rows"]]
        return pd.json_normalize(rows, sep="_").convert_dtypes()

    def comparison(self) -> pd.DataFrame:
        """Every judge beside the people, with agreement and intervals."""
        rows = self.server.get(self._here("comparison/"))["rows"]
        return pd.DataFrame.from_records(rows).convert_dtypes()

    # -- judges ----------------------------------------------------------------------------------

    def run_judge(
        self, kind: str = "", *, judge: int | None = None, title: str = "", wait: bool = True, **plan: Any
    ) -> Json:
        """Let a judge answer every unit, and return its run: a new judge of this `kind`, or one by its id.

        `settings` and `model` are the new judge's; `orders`, `samples`, `budget_usd` and `label_set` are the run's.
        Raises WorkFailed where it ends otherwise than `done`.
        """
        if judge is None:
            made = {name: plan.pop(name) for name in ("settings", "model") if name in plan}
            judge = self.server.post("judges/", {"kind": kind, "title": title or kind} | made)["id"]
        run = self.server.post(self._here("runs/"), {"judge": judge} | plan)
        return self.wait_for_run(run["id"]) if wait else dict(run)

    def wait_for_run(self, run: int) -> Json:
        """Wait until it has ended. Raises WorkFailed."""
        found = self.server.wait(
            self._here(f"runs/{run}/"), title=f"Run {run}", until=lambda it: it["status"] in ENDED
        )
        if found["status"] != "done":
            raise WorkFailed(f"Run {run}", found)
        return found

    def verdicts(self, run: int | Mapping[str, Any]) -> pd.DataFrame:
        """The verdicts of a run, one row for each answer."""
        number = run if isinstance(run, int) else run["id"]
        return verdicts_frame(self.server.pages(self._here(f"runs/{number}/verdicts/")))

    # -- reports and exports -----------------------------------------------------------------------

    def report_kinds(self) -> pd.DataFrame:
        """The kinds of reports, and why some are not possible yet."""
        kinds = self.server.get(self._here("report-kinds/"))
        rows = [
            {"kind": it["kind"], "title": it["title"], "why_not": (it["why_not"] or {}).get("detail", "")}
            for it in kinds
        ]
        return pd.DataFrame.from_records(rows, columns=["kind", "title", "why_not"]).astype("string")

    def report(self, kind: str, **settings: str) -> Report:
        """Compute a report, or take the one that is there for the same answers. Raises WorkFailed."""
        asked = self.server.post(self._here("reports/"), {"kind": kind, "settings": settings})
        title = f"Report {kind}"
        if asked["report"] is None:
            self.server.job(asked["job"], title=title)
            asked = self.server.wait(
                f"asked-reports/{asked['id']}/", title=title, until=lambda it: it["report"] is not None
            )
        return read_report(self.server, self.server.get(f"reports/{asked['report']}/"))

    def export(self, formats: Iterable[str], folder: str | Path, **wanted: Any) -> list[Path]:
        """Have files made in these formats, and download them; each is checked by its SHA-256.

        `wanted` as in the API, such as `judges=True`. What a file leaves out is a warning.

        Raises WorkFailed, EarshotError.
        """
        into = Path(folder)
        into.mkdir(parents=True, exist_ok=True)
        begun = self.server.post(self._here("exports/"), {"formats": list(formats)} | wanted)["exports"]
        return [self._fetched(it, into) for it in begun]

    def _fetched(self, export: Mapping[str, Any], into: Path) -> Path:
        title = f"Export {export['format']}"
        if export["job"]:
            self.server.job(export["job"], title=title)
        made = self.server.get(f"exports/{export['id']}/")
        for it in made["left_out"]:
            warnings.warn(f"{made['format']}: {it['n']} {it['reason']['detail']}", stacklevel=3)
        digest = hashlib.sha256()
        with (
            self.server.download(made["url"]) as response,
            self.server.bar(title, total=made["size"], unit="B") as bar,
        ):
            path = into / _file_name(response.headers.get("Content-Disposition", ""), f"{self.slug}-{made['format']}")
            with path.open("wb") as file:
                for piece in response.iter_bytes():
                    digest.update(piece)
                    file.write(piece)
                    bar.update(len(piece))
        if digest.hexdigest() != made["sha256"]:
            raise EarshotError(
                f"{path} was damaged on the way: its SHA-256 is not that of the server. Fetch it again."
            )
        return path

    def _prepare(self, job: Mapping[str, Any]) -> None:
        self.server.job(job, title="Prepare audio")

    def _here(self, more: str = "") -> str:
        return f"campaigns/{self.slug}/{more}"


def import_folder(server: Server, folder: Path, *, dataset: str, prompt: str = "") -> str:
    """Import a folder of recordings; return the slug of its dataset. Raises WorkFailed with the faulty rows."""
    if not folder.is_dir():
        raise EarshotError(f"{folder} is no folder.")
    with TemporaryDirectory(prefix="earshot-") as temporary, zipped(folder) as archive:
        written = Path(temporary) / "manifest.csv"
        manifest = manifest_in(folder) or written_manifest(folder, written, prompt=prompt)
        form = {
            "dataset_name": dataset,
            "manifest_upload": upload(server, manifest),
            "archive_upload": upload(server, archive),
        }
    begun = server.post("imports/", form=form)
    address = f"imports/{begun['id']}/"
    checked = _import(server, address, "checked", title="Check")
    if checked["report"]["errors"]:
        raise WorkFailed(f"Check of {folder}", checked)
    server.post(f"{address}confirm/")
    return str(_import(server, address, "imported", title="Import")["dataset"])


def _import(server: Server, address: str, wanted: str, *, title: str) -> Json:
    def is_over(found: Json) -> bool:
        job = found["job"] or {}
        return found["status"] in {wanted, "failed", "undecided"} or job.get("status") in {"failed", "cancelled"}

    found = server.wait(address, title=title, until=is_over)
    if found["status"] != wanted:
        raise WorkFailed(title, found)
    return found


def _file_name(disposition: str, otherwise: str) -> str:
    """The name that the server gives a file, without any folder."""
    _before, _marker, name = disposition.partition('filename="')
    return Path(name.partition('"')[0]).name or otherwise
