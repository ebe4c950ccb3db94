"""Reports as they were computed: figures with their tables, notes and files."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from earshot_client.connection import Server
from earshot_client.frames import figure_frame
from earshot_client.problems import EarshotError

PICTURES_AND_TABLES = ("csv", "json", "tex", "svg", "png", "pdf")


@dataclass(frozen=True)
class Figure:
    """One figure; where it is undefined, `table` has no rows and `reason` says why. `files` are addresses by form."""

    key: str
    title: str
    notes: tuple[str, ...]
    reason: str
    table: pd.DataFrame
    files: Mapping[str, str]


@dataclass(frozen=True)
class Report:
    """A report of a study; `address` is its page on the server, permanent once it is kept."""

    id: str
    kind: str
    address: str
    settings: Mapping[str, str]
    figures: Mapping[str, Figure]
    server: Server

    def __getitem__(self, key: str) -> pd.DataFrame:
        """The table of a figure, by its key."""
        if key not in self.figures:
            raise EarshotError(f"The report {self.kind} has no figure {key!r}; it has {', '.join(self.figures)}.")
        return self.figures[key].table

    def keep(self) -> "Report":
        """Keep the report permanently, so that its address stays."""
        self.server.post(f"reports/{self.id}/keep/")
        return self

    def save(self, folder: str | Path, *, forms: Iterable[str] = ("csv", "svg")) -> list[Path]:
        """Download the figures in these forms, where they exist; return the files."""
        into, saved = Path(folder), []
        into.mkdir(parents=True, exist_ok=True)
        wanted = [(figure, form) for figure in self.figures.values() for form in forms if figure.files.get(form)]
        with self.server.bar(f"Save {self.kind}", total=len(wanted), unit=" files") as bar:
            for figure, form in wanted:
                path = into / f"{figure.key}.{form}"
                with self.server.download(figure.files[form]) as response, path.open("wb") as file:
                    for piece in response.iter_bytes():
                        file.write(piece)
                saved.append(path)
                bar.update()
        return saved


def read_report(server: Server, found: Mapping[str, Any]) -> Report:
    """From what the API says of it."""
    figures = [
        Figure(
            key=it["key"],
            title=it["title"],
            notes=tuple(it["notes"]),
            reason=it.get("reason") or "",
            table=figure_frame(it.get("columns") or [], it.get("rows") or []),
            files=it["files"],
        )
        for it in found["figures"]
    ]
    return Report(
        id=found["id"],
        kind=found["kind"],
        address=found["page"],
        settings=found["settings"],
        figures={it.key: it for it in figures},
        server=server,
    )
