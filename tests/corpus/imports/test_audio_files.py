import io
import os
import stat
import struct
import tempfile
import zipfile

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corpus.imports.files import audio_files
from corpus.imports.files.audio_files import FolderAudio, MissingAudio, UnusableArchive, ZipAudio, sha256_of
from tests.cases import each

MB = 1024**2
CLIMBING = ["../secret.wav", "a/../../secret.wav", "..\\secret.wav", "a\\..\\..\\secret.wav", "..", "a/.."]
ABSOLUTE = ["/etc/passwd", "//etc/passwd", "\\secret.wav", "C:\\secret.wav", "C:/secret.wav", "c:secret.wav"]
NOWHERE = ["", ".", "./"]


@pytest.fixture(autouse=True)
def temporary(tmp_path, monkeypatch):
    """Where temporary files go; nothing may be left there."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    yield folder
    assert list(folder.iterdir()) == []


@pytest.fixture
def folder(tmp_path):
    inside = tmp_path / "audio"
    (inside / "alpha").mkdir(parents=True)
    (inside / "alpha" / "q1.wav").write_bytes(b"first")
    (tmp_path / "secret.wav").write_bytes(b"secret")
    return inside


def content(files, path):
    with files.open(path) as file:
        return file.read()


def missing(files, path):
    with pytest.raises(MissingAudio) as refused, files.open(path):
        pass
    return str(refused.value)


def unusable(path, *, max_bytes=100 * MB):
    with pytest.raises(UnusableArchive) as refused:
        ZipAudio(path, max_bytes=max_bytes)
    return str(refused.value)


def opened(path):
    return ZipAudio(path, max_bytes=100 * MB)


def patched(path, signature, offset, value):
    """The ZIP with other bytes at this offset of its last record with this signature."""
    data = bytearray(path.read_bytes())
    start = data.rfind(signature) + offset
    data[start : start + len(value)] = value
    path.write_bytes(data)
    return path


def renamed(path, before, after):
    """The ZIP with another name of the same length, as zipfile would not write it."""
    path.write_bytes(path.read_bytes().replace(before, after))
    return path


@each("path", ["alpha/q1.wav", "./alpha/q1.wav", "alpha//q1.wav", "alpha\\q1.wav"])
def test_folder_gives_a_file_by_any_spelling_of_its_path(folder, path):
    assert content(FolderAudio(folder), path) == b"first"


def test_folder_closes_the_file_again(folder):
    with FolderAudio(folder).open("alpha/q1.wav") as file:
        pass

    assert file.closed


@each("path", ["alpha/q2.wav", "alpha", "alpha/q1.wav/x", "alpha/Q1.wav", "audio/alpha/q1.wav"])
def test_folder_names_what_is_missing(folder, path):
    assert missing(FolderAudio(folder), path) == f"{path} is missing from the audio folder."


@each("path", CLIMBING + ABSOLUTE + NOWHERE)
def test_folder_refuses_paths_that_lead_out(folder, path):
    assert missing(FolderAudio(folder), path) == f"{path!r} is not a path inside the audio folder or ZIP."


def test_folder_refuses_nul(folder):
    assert missing(FolderAudio(folder), "alpha/q1.wav\0.txt") == "'alpha/q1.wav\\x00.txt' is not a file name."


def test_folder_refuses_a_link_that_leads_out(folder):
    (folder / "link.wav").symlink_to("../secret.wav")
    (folder / "up").symlink_to("..")

    assert missing(FolderAudio(folder), "link.wav") == "link.wav leads out of the audio folder."
    assert missing(FolderAudio(folder), "up/secret.wav") == "up/secret.wav leads out of the audio folder."


def test_folder_follows_a_link_inside_it(folder):
    (folder / "link.wav").symlink_to("alpha/q1.wav")

    assert content(FolderAudio(folder), "link.wav") == b"first"


def test_folder_that_is_a_link_itself_gives_its_files(folder, tmp_path):
    (tmp_path / "linked").symlink_to(folder)

    assert content(FolderAudio(tmp_path / "linked"), "alpha/q1.wav") == b"first"


def test_folder_refuses_a_loop_of_links(folder):
    (folder / "loop.wav").symlink_to("loop.wav")

    assert missing(FolderAudio(folder), "loop.wav") == "loop.wav cannot be opened in the audio folder."


def test_folder_refuses_a_name_longer_than_files_have(folder):
    name = "x" * 300 + ".wav"

    assert missing(FolderAudio(folder), name) == f"{name} cannot be opened in the audio folder."


def test_folder_takes_no_pipe_for_a_file(folder):
    os.mkfifo(folder / "pipe.wav")

    assert missing(FolderAudio(folder), "pipe.wav") == "pipe.wav is missing from the audio folder."


def test_names_are_told_apart_by_case(folder, zip_of):
    (folder / "A.wav").write_bytes(b"upper")
    (folder / "a.wav").write_bytes(b"lower")

    for files in (FolderAudio(folder), opened(zip_of({"A.wav": b"upper", "a.wav": b"lower"}))):
        assert (content(files, "A.wav"), content(files, "a.wav")) == (b"upper", b"lower")


@each("compression", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_zip_gives_its_members_seekable(zip_of, compression):
    path = zip_of({"alpha/q1.wav": b"0123456789" * 1000, "é/q.wav": b"e"}, compression=compression)

    with opened(path).open("alpha/q1.wav") as file:
        file.seek(9_995)
        assert file.read() == b"56789"
    assert content(opened(path), "é/q.wav") == b"e"


@pytest.mark.parametrize("path", ["alpha/q1.wav", "data/alpha/q1.wav", ".\\alpha\\q1.wav"])
def test_zip_with_one_folder_around_everything_is_read_with_or_without_it(zip_of, path):
    members = {"data/": b"", "data/alpha/q1.wav": b"first", "data/q2.wav": b"second", "__MACOSX/data/._q2.wav": b"x"}

    assert content(opened(zip_of(members)), path) == b"first"


def test_zip_with_two_folders_is_read_by_full_paths_only(zip_of):
    files = opened(zip_of({"data/q1.wav": b"first", "more/q1.wav": b"second"}))

    assert content(files, "more/q1.wav") == b"second"
    assert missing(files, "q1.wav") == "q1.wav is missing from the ZIP."


def test_zip_prefers_the_path_as_it_is_given(zip_of):
    files = opened(zip_of({"a/a/q.wav": b"deep", "a/q.wav": b"flat"}))

    assert content(files, "a/q.wav") == b"flat"


def test_zip_names_what_is_missing(zip_of):
    files = opened(zip_of({"alpha/": b"", "alpha/q1.wav": b"first"}))

    assert missing(files, "q2.wav") == "q2.wav is missing from the ZIP."
    assert missing(files, "alpha") == "alpha is missing from the ZIP."


def test_zip_without_members_misses_everything(zip_of):
    assert missing(opened(zip_of({})), "q1.wav") == "q1.wav is missing from the ZIP."


@each("path", CLIMBING + ABSOLUTE + NOWHERE)
def test_zip_is_not_asked_for_paths_that_lead_out(zip_of, path):
    files = opened(zip_of({"q1.wav": b"first"}))

    assert missing(files, path) == f"{path!r} is not a path inside the audio folder or ZIP."


@each("name", CLIMBING + ABSOLUTE)
def test_zip_with_a_member_that_leads_out_is_refused(zip_of, name):
    path = zip_of({"q1.wav": b"first", name: b"evil"})

    assert unusable(path) == f"{name!r} is not a path inside the audio folder or ZIP."


def test_zip_with_a_member_without_a_name_is_refused(zip_of):
    path = renamed(zip_of({"q1.wav": b"first", "Xq2.wav": b"second"}), b"Xq2.wav", b"\0q2.wav")

    assert unusable(path) == "'' is not a path inside the audio folder or ZIP."


def test_zip_member_name_ends_at_a_nul(zip_of):
    files = opened(renamed(zip_of({"q1.wavX.txt": b"first"}), b"q1.wavX.txt", b"q1.wav\0.txt"))

    assert content(files, "q1.wav") == b"first"
    assert missing(files, "q1.wav\0.txt") == "'q1.wav\\x00.txt' is not a file name."


@pytest.mark.parametrize("second", ["a.wav", "./a.wav", ".\\a.wav"])
def test_zip_with_a_member_twice_is_refused(zip_of, second):
    stand_in = "b" * len(second)
    path = renamed(zip_of({"a.wav": b"first", stand_in: b"second"}), stand_in.encode(), second.encode())

    assert unusable(path) == "The ZIP holds a.wav more than once."


def test_zip_member_that_is_a_link_is_refused(tmp_path):
    link = zipfile.ZipInfo("link.wav")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    with zipfile.ZipFile(tmp_path / "links.zip", "w") as archive:
        archive.writestr(link, "/etc/passwd")

    files = opened(tmp_path / "links.zip")

    assert missing(files, "link.wav") == "link.wav is a link; put the file itself into the ZIP."


def test_zip_member_that_is_encrypted_is_refused(zip_of):
    path = zip_of({"q1.wav": b"first"})
    patched(path, b"PK\x03\x04", 6, b"\x01\x00")
    patched(path, b"PK\x01\x02", 8, b"\x01\x00")

    assert missing(opened(path), "q1.wav") == "q1.wav is encrypted; make a ZIP without a password."


def test_zip_that_unpacks_to_too_much_is_refused(zip_of):
    path = zip_of({"a.wav": os.urandom(2 * MB), "b.wav": os.urandom(MB)})

    assert content(ZipAudio(path, max_bytes=3 * MB), "b.wav") != b""
    assert unusable(path, max_bytes=3 * MB - 1) == "The ZIP unpacks to 3 MB; at most 3 MB are taken."
    assert unusable(path, max_bytes=2 * MB) == "The ZIP unpacks to 3 MB; at most 2 MB are taken."


def test_zip_that_unpacks_to_hundreds_of_times_its_size_is_refused(zip_of):
    path = zip_of({f"{n}.wav": bytes(2 * MB) for n in range(6)})

    assert unusable(path) == "The ZIP unpacks to more than 200 times its size; audio does not."


def test_zip_of_a_little_silence_is_taken(zip_of):
    assert content(opened(zip_of({"silence.wav": bytes(5 * MB)})), "silence.wav") == bytes(5 * MB)


def test_zip_whose_directory_claims_huge_sizes_is_refused(zip_of):
    path = patched(zip_of({"q1.wav": b"first"}), b"PK\x01\x02", 24, struct.pack("<I", 2**32 - 2))

    assert unusable(path) == "The ZIP unpacks to 4096 MB; at most 100 MB are taken."


def test_zip_member_that_is_larger_than_its_directory_says_is_not_unpacked(zip_of):
    path = patched(zip_of({"q1.wav": bytes(20 * MB)}), b"PK\x01\x02", 24, struct.pack("<I", 1000))

    assert missing(opened(path), "q1.wav") == "q1.wav cannot be unpacked: Bad CRC-32 for file 'q1.wav'."


def test_zip_member_over_the_limit_of_one_file_is_not_unpacked(zip_of, monkeypatch):
    monkeypatch.setattr(audio_files, "MAX_FILE_BYTES", 3 * MB)
    path = zip_of({"fits.wav": os.urandom(3 * MB), "large.wav": os.urandom(3 * MB + 1)})

    assert len(content(opened(path), "fits.wav")) == 3 * MB
    assert missing(opened(path), "large.wav") == "large.wav is larger than the ZIP says, or than 1 GB."


@each("data", [b"", b"first", b"RIFF\0\0\0\0WAVEfmt ", b"PK\x03\x04", b"PK\x05\x06"])
def test_file_that_is_no_zip_is_refused(tmp_path, data):
    (tmp_path / "audio.zip").write_bytes(data)

    assert unusable(tmp_path / "audio.zip") == "The audio file is not a readable ZIP: File is not a zip file."


def test_zip_that_is_cut_off_is_refused(zip_of):
    path = zip_of({"q1.wav": b"first" * 100})
    path.write_bytes(path.read_bytes()[:-30])

    assert unusable(path) == "The audio file is not a readable ZIP: File is not a zip file."


def test_zip_that_is_not_there_is_refused(tmp_path):
    assert unusable(tmp_path / "audio.zip").startswith("The audio file is not a readable ZIP: [Errno 2]")


def test_zip_with_a_name_that_is_no_utf8_is_refused(zip_of):
    path = renamed(zip_of({"é.wav": b"first"}), "é.wav".encode(), b"\xff\xff.wav")

    assert unusable(path).startswith("The audio file is not a readable ZIP: 'utf-8' codec can't decode byte 0xff")


def test_zip_member_with_a_wrong_checksum_is_refused(zip_of):
    path = zip_of({"q1.wav": b"first"}, compression=zipfile.ZIP_STORED)
    path.write_bytes(path.read_bytes().replace(b"first", b"frist"))

    assert missing(opened(path), "q1.wav") == "q1.wav cannot be unpacked: Bad CRC-32 for file 'q1.wav'."


@pytest.mark.parametrize("compression", [zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_zip_member_with_damaged_data_is_refused(zip_of, compression):
    path = zip_of({"q1.wav": " ".join(map(str, range(1000))).encode()}, compression=compression)
    data = path.read_bytes()
    path.write_bytes(data[:50] + bytes(200) + data[250:])

    assert missing(opened(path), "q1.wav").startswith("q1.wav cannot be unpacked: ")


def test_damaged_member_does_not_spoil_the_others(zip_of):
    path = zip_of({"q1.wav": b"first", "q2.wav": b"second"}, compression=zipfile.ZIP_STORED)
    path.write_bytes(path.read_bytes().replace(b"first", b"frist"))
    files = opened(path)

    missing(files, "q1.wav")

    assert content(files, "q2.wav") == b"second"


def packed(compression):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", compression) as archive:
        archive.writestr("a.wav", bytes(range(256)) + b"abc" * 100)
        archive.writestr("é/b.wav", b"second" * 50)
    return buffer.getvalue()


PACKED = [
    packed(method) for method in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA)
]


@settings(deadline=None, max_examples=300)
@given(
    data=st.sampled_from(PACKED),
    changes=st.lists(st.tuples(st.integers(0, 2000), st.integers(0, 255)), min_size=1, max_size=5),
    end=st.none() | st.integers(0, 2000),
)
def test_any_damage_to_a_zip_is_refused_or_harmless(tmp_path_factory, data, changes, end):
    damaged = bytearray(data)
    for place, value in changes:
        damaged[place % len(damaged)] = value
    path = tmp_path_factory.getbasetemp() / "damaged.zip"
    path.write_bytes(damaged[:end])
    try:
        files = opened(path)
    except UnusableArchive:
        return
    for name in ("a.wav", "é/b.wav"):
        try:
            content(files, name)
        except MissingAudio:
            continue


def test_hash_is_that_of_the_whole_file_which_is_left_at_its_start():
    file = io.BytesIO(b"abc")
    file.read(2)

    assert sha256_of(file) == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    assert file.tell() == 0
