"""Sessions posted to pyMUSHRA, webMUSHRA's server in Python, and its downloads brought in as they are.

The sessions are posted as webMUSHRA's page does it: `sessionJSON=` and the session as JSON, not encoded
(`lib/webmushra/business/DataSender.js`), with the fields of its data model (`lib/webmushra/datamodel/`) as its pages
fill them: a slider's score and a choice on a scale are texts, `NA` is a choice that was not made.
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from corpus.imports.files.rows import UnreadableManifest
from corpus.imports.manifest.choices import Choices
from tests.cases import each
from tests.contact.writers.writing import run
from tests.corpus.imports.tools.conftest import answers_of, bring_in, look, told

pytestmark = pytest.mark.django_db
__all__ = ["told"]

#: Serves on the loopback address until the sessions are posted and the downloads fetched.
SERVE = """
import json, sys, threading
from pathlib import Path
from urllib.request import Request, urlopen
from pymushra import service
from tinydb import TinyDB
from werkzeug.serving import make_server

folder, *downloads = sys.argv[1:]
folder = Path(folder)
service.app.config.update(
    webmushra_dir=str(folder), admin_allowlist=["127.0.0.1"], db=TinyDB(folder / "webmushra.json")
)
server = make_server("127.0.0.1", 0, service.app)
threading.Thread(target=server.serve_forever, daemon=True).start()
address = f"http://127.0.0.1:{server.port}"
for session in json.loads((folder / "sessions.json").read_text()):
    body = "sessionJSON=" + json.dumps(session)
    kind = {"Content-type": "application/x-www-form-urlencoded"}
    with urlopen(Request(f"{address}/service/write.php", body.encode(), kind)) as reply:
        said = json.load(reply)
        assert said["error"] is False, said
for name in downloads:
    with urlopen(f"{address}/download/{name}") as reply:
        (folder / name.replace("/", "-")).write_bytes(reply.read())
server.shutdown()
"""


def trial(name: str, kind: str, *responses: dict[str, Any]) -> dict[str, Any]:
    return {"id": name, "type": kind, "responses": list(responses)}


def rated(stimulus: str, score: str, comment: str | None = None) -> dict[str, Any]:
    return {"stimulus": stimulus, "score": score, "comment": comment, "time": 8123}


def chosen(answer: str) -> dict[str, Any]:
    return {"reference": "reference", "nonReference": "C1", "answer": answer, "comment": None, "time": 4210}


def graded(reference: str, other: str) -> dict[str, Any]:
    return {"reference": "reference", "nonReference": "C1", "referenceScore": reference, "nonReferenceScore": other,
            "comment": None, "time": 9001}  # fmt: skip


def liked(stimulus: str, rating: str) -> dict[str, Any]:
    return {"stimulus": stimulus, "stimulusRating": rating, "time": 3000}


def session(email: str, *trials: dict[str, Any]) -> dict[str, Any]:
    asked = {"name": ["email", "age"], "response": [email, "30"]}
    return {"testId": "codecs", "participant": asked, "trials": list(trials), "config": "configs/codecs.yaml"}


SESSIONS = [
    session(
        "ann@example.org",
        trial("t1", "mushra", rated("reference", "100"), rated("C1", "40", "muffled"), rated("anchor35", "7")),
        trial("t2", "paired_comparison", chosen("correct")),
        trial("t3", "bs1116", graded("5", "3.25")),
        trial("t4", "likert_multi_stimulus", liked("C1", "4"), liked("C2", "NA")),
        trial("t5", "likert_single_stimulus", liked("C1", "often")),
    ),
    session(
        "ben@example.org",
        trial("t1", "mushra", rated("reference", "93"), rated("C1", "0"), rated("anchor35", "12")),
        trial("t2", "paired_comparison", chosen("incorrect"), chosen("undecided") | {"nonReference": "C2"}),
        trial("t3", "bs1116", graded("4.1", "5")),
        trial("t6", "localization", {"name": "left", "position": [0, 1, 0], "time": 3}),
    ),
]
TYPES = ("mushra", "paired_comparison", "bs1116", "likert_multi_stimulus", "likert_single_stimulus")


@pytest.fixture(scope="module")
def downloads(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of what the server gave for download: each type of page, and all of them together."""
    folder = tmp_path_factory.mktemp("pymushra")
    (folder / "sessions.json").write_text(json.dumps(SESSIONS))
    names = [f"codecs/{kind}.{form}" for kind in TYPES for form in ("csv", "json")]
    run("-c", SERVE, folder, *names, "codecs.csv", "codecs.json", folder=folder, MPLCONFIGDIR=folder)
    return folder


@pytest.fixture
def answers(downloads: Path) -> Callable[[str], list[tuple[str, ...]]]:
    """A function: what comes in of a download, each rater by a number."""

    def of(name: str) -> list[tuple[str, ...]]:
        found = answers_of(bring_in(downloads / name))
        raters = list(dict.fromkeys(who for _, _, who, _, _ in found))
        return [(item, systems, str(raters.index(who)), *said) for item, systems, who, *said in found]

    return of


@each("form", ["csv", "json"], undo=True)
def test_ratings_of_mushra_come_in(downloads: Path, answers: Any, told: Any, form: str) -> None:
    name = f"codecs-mushra.{form}"

    assert told(look(downloads / name))[0] == "pyMUSHRA results: 6 answers to 1 trials in 2 sessions"
    assert sorted(answers(name)) == [
        ("t1", "C1", "0", "comment", "muffled"), ("t1", "C1", "0", "quality", "40"),
        ("t1", "C1", "1", "quality", "0"),
        ("t1", "anchor35", "0", "quality", "7"), ("t1", "anchor35", "1", "quality", "12"),
        ("t1", "reference", "0", "quality", "100"), ("t1", "reference", "1", "quality", "93"),
    ]  # fmt: skip


@each("form", ["csv", "json"], undo=True)
def test_choices_of_paired_comparison_come_in_as_which_is_the_reference(
    downloads: Path, answers: Any, told: Any, form: str
) -> None:
    name = f"codecs-paired_comparison.{form}"

    assert "say nothing of which is better" in told(look(downloads / name))[2]
    assert answers(name) == [
        ("t2", "reference / C1", "0", "reference", "a"), ("t2", "reference / C1", "1", "reference", "b"),
        ("t2", "reference / C2", "1", "reference", "tie"),
    ]  # fmt: skip


@each("form", ["csv", "json"], undo=True)
def test_both_grades_of_bs1116_come_in(answers: Any, form: str) -> None:
    assert sorted(answers(f"codecs-bs1116.{form}")) == [
        ("t3", "C1", "0", "quality", "3.25"), ("t3", "C1", "1", "quality", "5"),
        ("t3", "reference", "0", "quality", "5"), ("t3", "reference", "1", "quality", "4.1"),
    ]  # fmt: skip


CASES = [
    ("multi", "1 rating was not given (NA), and is left out.", ("t4", "C1", "0", "rating", "4")),
    ("single", "Ratings that are words of the test's own scale come in as they are: often.",
     ("t5", "C1", "0", "rating", "often")),
]  # fmt: skip


@each("kind, lost, answer", CASES, undo=True)
def test_ratings_on_scales_of_the_test_come_in_but_for_those_not_given(
    downloads: Path, answers: Any, told: Any, kind: str, lost: str, answer: tuple[str, ...]
) -> None:
    name = f"codecs-likert_{kind}_stimulus.csv"

    assert told(look(downloads / name))[2] == lost
    assert answers(name) == [answer]


@pytest.mark.parametrize("form", ["csv", "json"])
def test_download_of_all_types_of_pages_is_refused_with_where_each_is(downloads: Path, form: str) -> None:
    with pytest.raises(UnreadableManifest, match=r"likert_single_stimulus, mushra, paired_comparison\)\. Download"):
        look(downloads / f"codecs.{form}")


def test_sessions_are_called_as_in_the_file_where_the_mapping_says_so(downloads: Path) -> None:
    path = downloads / "codecs-mushra.csv"
    usual = look(path).report()["tool"]["mapping"]

    dataset = bring_in(path, choices=Choices(mapping=usual | {"raters": "source"}))

    assert {len(who) for _, _, who, _, _ in answers_of(dataset)} == {36}
