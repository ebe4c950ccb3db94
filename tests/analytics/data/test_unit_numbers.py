"""Numbers about units come in by page, API and command: all of a table, or nothing and why."""

from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from campaigns.models import Campaign
from corpus.models import Unit
from tests.factories import make_campaign

pytestmark = pytest.mark.django_db


@pytest.fixture
def campaign(client: Client) -> Campaign:
    made = make_campaign()
    client.force_login(made.created_by)
    return made


def table(*rows: str, head: str = "unit,snr") -> str:
    return "\n".join((head, *rows)) + "\n"


def numbers(campaign: Campaign) -> list[dict[str, float]]:
    return list(Unit.objects.filter(dataset=campaign.dataset).order_by("pk").values_list("numbers", flat=True))


def keys(campaign: Campaign) -> list[str]:
    return list(Unit.objects.filter(dataset=campaign.dataset).order_by("pk").values_list("key", flat=True))


def test_a_table_comes_in_by_page_api_and_command(campaign: Campaign, client: Client, tmp_path: Path) -> None:
    one, *_others = keys(campaign)
    page = reverse("dataset-numbers-import", args=[campaign.dataset.slug])
    upload = SimpleUploadedFile("n.csv", table(f'"{one}",12.5').encode())
    assert "1 came in, 0 were there." in client.post(page, {"file": upload}, follow=True).content.decode()

    again = SimpleUploadedFile("n.csv", table(f'"{one}",12.5,x,3', head="pair_no,snr,note,mos_a").encode())
    asked = {"file": again, "key": "pair_no", "columns": "snr, mos_a"}
    answer = client.post(f"/api/v1/datasets/{campaign.dataset.slug}/numbers/", asked)
    assert (answer.status_code, answer.json()) == (201, {"names": ["mos_a", "snr"], "new": 1, "known": 1})

    path = tmp_path / "n.csv"
    path.write_text(table(f'"{one}",4', head="index,mos_b"))
    call_command("import_unit_numbers", str(path), dataset=campaign.dataset.slug, verbosity=0)
    assert numbers(campaign)[0] == {"snr": 12.5, "mos_a": 3.0, "mos_b": 4.0}
    assert client.get(f"/api/v1/datasets/{campaign.dataset.slug}/numbers/").json()["names"] == [
        "mos_a",
        "mos_b",
        "snr",
    ]


@pytest.mark.parametrize(
    ("rows", "head", "why"),
    [
        (("nowhere,1",), "unit,snr", "has no unit"),
        (("{unit},loud",), "unit,snr", "is no number"),
        (("{unit},nan",), "unit,snr", "is no number"),
        (("{unit},1", "{unit},2"), "unit,snr", "another value"),
        (("1,2",), "other,snr", "has no column"),
    ],
)
def test_of_a_table_with_a_fault_nothing_comes_in(
    campaign: Campaign, client: Client, tmp_path: Path, rows: tuple[str, ...], head: str, why: str
) -> None:
    text = table(*(row.format(unit=f'"{keys(campaign)[0]}"') for row in rows), head=head)
    page = reverse("dataset-numbers-import", args=[campaign.dataset.slug])
    answer = client.post(page, {"file": SimpleUploadedFile("n.csv", text.encode())})
    assert answer.status_code == 422
    assert why in answer.content.decode()
    api = client.post(
        f"/api/v1/datasets/{campaign.dataset.slug}/numbers/", {"file": SimpleUploadedFile("n.csv", text.encode())}
    )
    assert api.status_code == 422
    assert why in api.content.decode()
    (path := tmp_path / "n.csv").write_text(text)
    with pytest.raises(CommandError):
        call_command("import_unit_numbers", str(path), dataset=campaign.dataset.slug, verbosity=0)
    assert not any(numbers(campaign))
