"""Files as other programs write them: spreadsheets in German, and folders packed by macOS, Windows and zip."""

import io
import subprocess
import unicodedata
import zipfile

import pandas as pd
import pytest

from corpus.imports.files.audio_files import FolderAudio, ZipAudio
from corpus.imports.files.encodings import encoding_of
from corpus.imports.files.folders import manifest_of_folders
from corpus.imports.files.rows import rows_of
from corpus.imports.files.zip_names import name_in
from corpus.imports.manifest.choices import Choices
from corpus.imports.mapping.checking import is_foreign
from corpus.imports.mapping.encodings import table_rows
from corpus.imports.mapping.mapping import TableMapping, Use
from corpus.imports.uploads.checking import check_upload
from tests.cases import each
from tests.importing import Listening

RATINGS = pd.DataFrame({"Äußerung": ["q1", "q2"], "System": ["Müller", "beta"], "MOS": [4.5, 3.0]})
BY = TableMapping("responses", {
    "Äußerung": Use("item"), "System": Use("system"), "MOS": Use("answer", "naturalness", others="="),
})  # fmt: skip


@pytest.mark.django_db
@each("encoding, called", [("utf-8-sig", ""), ("cp1252", "Windows-1252"), ("utf-16", "UTF-16")])
def test_table_of_a_german_spreadsheet_is_read(tmp_path, encoding, called):
    """Semicolons, decimal commas, CRLF, and the encodings of its CSV and of its Unicode text."""
    path = tmp_path / "mos.csv"
    path.write_bytes(RATINGS.to_csv(sep=";", decimal=",", index=False, lineterminator="\r\n").encode(encoding))
    choices = Choices(mapping=BY.as_json())
    found = check_upload(path, None, dataset_name="Zqxv", label_set_name="L", progress=Listening(), choices=choices)

    assert [problem.message for problem in found.errors] == []
    assert is_foreign(path)
    said = {key: it.answers["naturalness", "a"].value for (_, key), it in found.answers.plan.annotations.items()}
    assert said == {"q1 | Müller | 1": "4.5", "q2 | beta | 1": "3.0"}
    told = " ".join(str(problem.message) for problem in found.problems)
    assert "2 numbers of MOS have a decimal comma, and are read with a point" in told
    assert (f"It is read as {called}," in told) == bool(called)


@pytest.mark.django_db
@each("encoding", ["cp1252", "utf-16"])
def test_check_before_any_mapping_reads_what_the_mapping_reads(tmp_path, encoding):
    """Else it would end the import while its columns are being mapped."""
    foreign, manifest = tmp_path / "mos.csv", tmp_path / "manifest.csv"
    foreign.write_bytes(RATINGS.to_csv(sep=";", index=False).encode(encoding))
    manifest.write_bytes("item;system;response_text\nq1;Müller;Grüße\n".encode(encoding))
    asked, taken = (
        check_upload(it, None, dataset_name="Zqxv", label_set_name="L", progress=Listening())
        for it in (foreign, manifest)
    )

    assert asked.report()["to_choose"]["mapping"]
    assert (taken.errors, list(taken.report()["systems"])) == ([], ["Müller"])
    assert "It is read as" in str(taken.report()["problems"])


def test_fault_in_utf8_is_not_read_as_windows_1252(tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes("a,b\nü,x\n".encode() + b"\xfc,y\n")

    assert (encoding_of(path), is_foreign(path)) == ("utf-8-sig", False)


def test_line_of_a_cell_with_line_ends_is_that_of_the_file(tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes('a;b\r\n"zwei\r\nZeilen";ü\r\nx;y\r\n'.encode("cp1252"))

    assert [number for number, _ in table_rows(path)] == [2, 4]


def rows(archive):
    with zipfile.ZipFile(archive) as opened:
        text = manifest_of_folders([name_in(info) for info in opened.infolist()])
    return [(row["item"], row["system"], row["response_audio"]) for _, row in rows_of(text.encode())]


def test_folders_packed_by_zip_itself_are_found(tmp_path):
    for name in ("Müller/Größe.wav", "beta/Größe.wav"):
        (tmp_path / "set" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "set" / unicodedata.normalize("NFD", name)).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "set" / unicodedata.normalize("NFD", name)).write_bytes(name.encode())
    (tmp_path / "set" / ".DS_Store").write_bytes(b"x")
    subprocess.run(["zip", "-q", "-r", "-D", "set.zip", "set"], cwd=tmp_path, check=True)

    found = rows(tmp_path / "set.zip")
    assert found == [("Größe", "Müller", "set/Müller/Größe.wav"), ("Größe", "beta", "set/beta/Größe.wav")]
    files = ZipAudio(tmp_path / "set.zip", max_bytes=10**6)
    for files_of in (files, FolderAudio(tmp_path)):
        for _, system, path in found:
            with files_of.open(path) as file:
                assert file.read() == f"{system}/Größe.wav".encode()
    assert files.unused(path for _, _, path in found) == []


def packed(names):
    """A ZIP with these bytes as names, of which it does not say how they are written."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for n, name in enumerate(names):
            archive.writestr(zipfile.ZipInfo("abcdef"[n] * len(name)), b"x")
    data = file.getvalue()
    for n, name in enumerate(names):
        data = data.replace(b"abcdef"[n : n + 1] * len(name), name)
    return io.BytesIO(data)


@each(
    "names",
    [
        [unicodedata.normalize("NFD", name).encode() for name in (
            "set/Müller/001.wav", "__MACOSX/set/Müller/._001.wav", "set/beta/001.wav", "set/beta/._001.wav")],
        [name.encode("cp437") for name in ("set\\Müller\\001.wav", "set\\beta\\001.wav", "set\\Thumbs.db")],
    ],
)  # fmt: skip
def test_folders_packed_by_finder_or_windows_are_found(tmp_path, names):
    archive = tmp_path / "set.zip"
    archive.write_bytes(packed(names).getvalue())

    assert rows(archive) == [("001", "Müller", "set/Müller/001.wav"), ("001", "beta", "set/beta/001.wav")]
    files = ZipAudio(archive, max_bytes=10**6)
    assert files.unused(["set/Müller/001.wav", "beta/001.wav"]) == []
