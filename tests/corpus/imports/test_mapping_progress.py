"""What is said while a large table is read, mapped and checked."""

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from corpus.imports.files import progress as following
from corpus.imports.files.progress import followed, rows_at_most
from corpus.imports.manifest.choices import Choices
from corpus.imports.mapping.page import preview
from corpus.imports.reasons import MAPPING_ROWS
from corpus.imports.uploads.checking import check_upload
from corpus.models import Import
from tests.cases import each
from tests.factories import UserFactory
from tests.importing import text_of

TABLE = "q,who,said\n" + "".join(f"{n},one,words {n}\n" for n in range(5))
RESPONSES = {
    "shape": "responses",
    "columns": {"q": {"becomes": "item"}, "who": {"becomes": "system"}, "said": {"becomes": "response_text"}},
}


@pytest.fixture(autouse=True)
def small_steps(monkeypatch):
    monkeypatch.setattr(following, "STEP", 2)


def test_rows_pass_and_every_step_is_told():
    told = []

    rows = list(followed([(n, {}) for n in range(5)], lambda *step: told.append(step), MAPPING_ROWS(), at_most=5))

    assert rows == [(n, {}) for n in range(5)]
    assert told == [(2, 5, MAPPING_ROWS()), (4, 5, MAPPING_ROWS())]


@each("data, n", [(b"a,b\n1,2\n3,4\n", 3), (b'[\n{"a": 1},\n{"a": 2}\n]\n', 0), (b"PAR1 and no more", 0)])
def test_rows_at_most_are_lines_or_nothing(tmp_path, data, n):
    (tmp_path / "table").write_bytes(data)

    assert rows_at_most(tmp_path / "table") == n


def test_rows_at_most_of_parquet_are_its_rows(tmp_path):
    pq.write_table(pa.table({"a": [1, 2, 3]}), tmp_path / "table.parquet")

    assert rows_at_most(tmp_path / "table.parquet") == 3


@pytest.mark.django_db
def test_check_of_a_mapped_table_says_what_it_is_at_and_how_far(tmp_path: Path):
    (tmp_path / "table.csv").write_text(TABLE)
    told = []

    check_upload(
        tmp_path / "table.csv", None, dataset_name="Set", label_set_name="L",
        progress=lambda done, total, note: told.append((note.code, done, total)), choices=Choices(mapping=RESPONSES),
    )  # fmt: skip

    assert told == [
        ("mapping_every_row", 2, 6), ("mapping_every_row", 4, 6), ("checking_every_row", 2, 5),
        ("checking_every_row", 4, 5),
    ]  # fmt: skip


@pytest.mark.django_db
def test_page_says_that_a_large_table_is_read_and_goes_on_by_itself(monkeypatch):
    monkeypatch.setattr(preview, "LONG_BYTES", 10)
    user, page = UserFactory(is_researcher=True), Client()
    page.force_login(user)
    page.post("/imports/new/", {"dataset_name": "Set", "manifest": SimpleUploadedFile("table.csv", TABLE.encode()),
                                "map_columns": "on", "without_audio": "on"})  # fmt: skip
    address = f"{Import.objects.get().get_absolute_url()}columns/"

    first = page.get(f"{address}?guess=1")
    assert "Reading up to 6 rows for what each column holds." in text_of(first)
    assert f'content="0; url={address}?guess=1&amp;read=1"' in first.content.decode()

    assert "3 columns, 5 rows" in text_of(page.get(f"{address}?guess=1&read=1"))
    assert "3 columns, 5 rows" in text_of(page.get(address))
