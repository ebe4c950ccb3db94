import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from campaigns.models import Role
from corpus.models import Import
from tests.factories import DatasetFactory, UserFactory, make_campaign, make_member
from tests.importing import PAIRS, text_of, work_off

pytestmark = pytest.mark.django_db


def test_somebody_elses_import_does_not_exist(checked_upload, client):
    row = checked_upload(PAIRS)
    client.force_login(UserFactory(is_researcher=True))

    assert client.get(row.get_absolute_url()).status_code == 404
    assert client.post(f"/imports/{row.pk}/confirm/").status_code == 404
    row.refresh_from_db()
    assert row.status == "checked"


def test_administrator_sees_every_import(checked_upload, client):
    row = checked_upload(PAIRS)
    client.force_login(UserFactory(is_superuser=True))

    assert client.get(row.get_absolute_url()).status_code == 200


def test_annotator_may_not_import(client):
    client.force_login(make_member(make_campaign(units=0), Role.ANNOTATOR))

    assert client.get("/imports/new/").status_code == 403
    data = {"dataset_name": "Set", "manifest": SimpleUploadedFile("m.json", b"[]"), "without_audio": "on"}
    assert client.post("/imports/new/", data).status_code == 403
    assert not Import.objects.exists()


def test_import_pages_ask_for_a_log_in(client, checked_upload):
    row = checked_upload(PAIRS)
    client.logout()

    for path in ("/imports/new/", row.get_absolute_url()):
        assert client.get(path)["Location"] == f"/accounts/login/?next={path}"


def test_name_of_another_persons_dataset_is_refused(post, everything):
    DatasetFactory(name="Set")
    before = everything()

    assert post(PAIRS).status_code == 403
    assert everything() == before


def test_dataset_that_one_may_only_look_into_is_not_added_to(post, everything, researcher):
    campaign = make_campaign(units=0)
    campaign.memberships.create(user=researcher, role=Role.VIEWER)
    before = everything()

    assert post(PAIRS, dataset_name=campaign.dataset.name).status_code == 403
    assert everything() == before


def test_administrator_adds_to_anybodys_dataset(post, researcher):
    DatasetFactory(name="Set")
    researcher.is_superuser = True
    researcher.save()

    assert post(PAIRS).status_code == 302


@pytest.mark.parametrize("confirmed", [False, True])
def test_dataset_that_another_person_made_meanwhile_is_not_added_to(
    uploaded, confirm, page, everything, contents, confirmed
):
    row = uploaded(PAIRS)
    if confirmed:
        work_off()
    theirs = DatasetFactory(name="Set")
    if confirmed:
        confirm(row)
    work_off()

    row.refresh_from_db()
    assert row.status == "failed"
    message = "A dataset of this name belongs to another user. Choose another name."
    assert message in text_of(page.get(row.get_absolute_url()))
    assert not theirs.items.exists()
    assert everything()[1] == {}
