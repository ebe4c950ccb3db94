"""Archive, restore and delete: what must be gone, and what must stay, files on disk included."""

from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.core.exceptions import PermissionDenied
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import transaction
from django.test import Client
from django.utils import timezone

from accounts.login.guests import make_guest
from accounts.models import AuditEntry, User
from accounts.people.listing import last_seen
from annotation.models import Assignment
from campaigns.launch.lifecycle import WrongStatus, create_campaign, open_campaign
from campaigns.models import Campaign, ProtocolVersion, Role
from campaigns.people.invitation_forms import ONE_USE
from campaigns.people.members import join_campaign
from corpus.access import datasets_for, datasets_to_launch
from corpus.imports.uploads.actions import begin_import, confirm_import
from corpus.models import Clip, Dataset, DeliveredClip, Import, ResponseTurn
from infrastructure.background.jobs import run_job
from infrastructure.deletion import purging
from infrastructure.deletion.actions import CannotDo, archive, delete, hide, rename, restore
from infrastructure.deletion.contents import contents_of, files_and_bytes
from infrastructure.deletion.purging import purge
from infrastructure.deletion.subjects import Subject, parts_of, subject_of
from infrastructure.models import Deletion, Job
from judges.definitions.judges import make_judge
from judges.deletion import GOES_ON
from judges.kinds import KINDS
from judges.models import Call, Judge, Run
from judges.runs.lifecycle import CannotRun, Plan, start_run
from tests.cases import each
from tests.factories import UserFactory, make_assignment, make_campaign, make_member, make_version
from tests.world import Values, campaign, make_audible_campaign, people, values

pytestmark = pytest.mark.django_db
__all__ = ["campaign", "people", "values"]


def subject(kind: str) -> Subject:
    found = subject_of(kind)
    assert found
    return found


def deleted(kind: str, row: Any, *, by: User) -> Job:
    """As an administrator of the thing does it: archived, its name typed, and the job run."""
    if not subject(kind).goes_at_once(row):
        archive(subject(kind), row, by=by)
    job = delete(subject(kind), row, typed=subject(kind).name_of(row), by=by)
    run_job(job.pk)
    job.refresh_from_db()
    assert job.status == "succeeded", job.error
    assert not Deletion.objects.exists()
    return job


def rows_and_files(media: Path) -> tuple[dict[str, int], set[Path]]:
    """How many rows of each model hang on datasets and judges, and every file."""
    told = {part.model for model in (Dataset, Judge) for part in parts_of(model)} | {Dataset, Judge, Clip, Call}
    found = {it._meta.label: it._base_manager.count() for it in sorted(told, key=str)}
    return found, {path for path in media.rglob("*") if path.is_file()}


def come_to_rest() -> None:
    """What the world left open or under way."""
    Campaign.objects.update(status="closed")
    Run._base_manager.update(status="done")
    Job.objects.update(status="succeeded")


@pytest.fixture
def neighbour(media_root: Path) -> Campaign:
    return make_audible_campaign()


@pytest.fixture
def before(neighbour: Campaign, media_root: Path) -> tuple[dict[str, int], set[Path]]:
    """Made before the world is, with a neighbour whose rows and files must stay."""
    return rows_and_files(media_root)


@pytest.fixture
def shared_clip(before: object, campaign: Campaign, neighbour: Campaign) -> Clip:
    """A clip of the world's dataset that is the neighbour's, too."""
    clip = neighbour.dataset.items.first().turns.get().clip
    turn = ResponseTurn.objects.filter(response__item__dataset=campaign.dataset)[0]
    own, turn.clip = turn.clip, clip
    turn.save()
    for path in (own.path, *(made.path for made in own.deliveries.all())):
        path.unlink(missing_ok=True)
    own.delete()
    return clip


@pytest.mark.databases
def test_deleted_datasets_leave_no_row_and_no_file_and_their_neighbours_whole(
    before: tuple[dict[str, int], set[Path]], shared_clip: Clip, values: Values, media_root: Path
) -> None:
    boss = UserFactory(is_superuser=True)
    come_to_rest()
    neighbours = Campaign.objects.order_by("pk")[0].dataset_id
    assert rows_and_files(media_root)[1] > before[1]

    for row in Dataset.objects.exclude(pk=neighbours):
        deleted("dataset", row, by=boss)
    for judge in Judge.objects.all():
        deleted("judge", judge, by=boss)

    for upload in Import.objects.all():
        deleted("import", upload, by=boss)

    assert rows_and_files(media_root) == before
    assert shared_clip.path.is_file()
    assert not Deletion.objects.exists()
    assert not Job.objects.exclude(kind="delete").exists()


@pytest.mark.databases
def test_deleted_campaign_leaves_its_dataset_and_other_campaigns_whole(
    before: tuple[dict[str, int], set[Path]], campaign: Campaign, values: Values, media_root: Path
) -> None:
    boss = UserFactory(is_superuser=True)
    come_to_rest()
    sibling = Campaign.objects.create(
        dataset=campaign.dataset, title="Sibling", slug="sibling", created_by=boss, delivery_rate=16_000,
        protocol_document=campaign.protocol_document, protocol_digest="d",
    )  # fmt: skip
    units, delivered = campaign.dataset.units.count(), set((media_root / "delivered").rglob("*.wav"))

    deleted("campaign", campaign, by=boss)

    assert not campaign.assignments.exists()
    assert campaign.dataset.units.count() == units
    assert set((media_root / "delivered").rglob("*.wav")) == delivered, "the sibling is heard in the same form"

    deleted("campaign", sibling, by=boss)
    left = set((media_root / "delivered").rglob("*.wav"))
    assert left == {path for path in before[1] if "delivered" in path.parts} < delivered


@pytest.mark.databases
def test_as_many_files_are_counted_as_go(before: tuple[dict[str, int], set[Path]], campaign: Campaign) -> None:
    """Delivered clips go with the dataset's clips and with the campaign's form, and each is one file."""
    owner = campaign.dataset.created_by
    come_to_rest()
    campaign.memberships.create(user=owner, role=Role.ADMIN)
    told = files_and_bytes(subject("dataset"), campaign.dataset)
    n_before, bytes_before = clips_and_bytes()

    deleted("dataset", campaign.dataset, by=owner)

    n_after, bytes_after = clips_and_bytes()
    assert told == (n_before - n_after, bytes_before - bytes_after)
    assert DeliveredClip.objects.exists()


def clips_and_bytes() -> tuple[int, int]:
    """Of all clips, and of them as they are delivered."""
    found = [size for model in (Clip, DeliveredClip) for size in model.objects.values_list("bytes", flat=True)]
    return len(found), sum(found)


def test_deletion_goes_on_after_a_kill(
    before: tuple[dict[str, int], set[Path]], campaign: Campaign, media_root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Killed after every second step: rows are half gone."""
    owner = campaign.dataset.created_by
    come_to_rest()
    archive(subject("dataset"), campaign.dataset, by=UserFactory(is_superuser=True))
    campaign.memberships.create(user=owner, role=Role.ADMIN)
    job = delete(subject("dataset"), campaign.dataset, typed=campaign.dataset.name, by=owner)
    monkeypatch.setattr(purging, "STEP", 2)

    kills = 0
    while Deletion.objects.exists():
        with suppress(Killed):
            purge(job.subject, killed_at(3))
        kills += 1

    assert kills > 3
    assert rows_and_files(media_root) == before


class Killed(BaseException):
    pass


def killed_at(step: int) -> Callable[..., None]:
    left = iter(range(step))

    def progress(*_said: object) -> None:
        if next(left, None) is None:
            raise Killed

    return progress


@pytest.mark.databases
def test_what_is_being_deleted_is_out_of_every_list_and_its_name_is_free(client: Client, campaign: Campaign) -> None:
    dataset, owner = campaign.dataset, campaign.created_by
    User.objects.filter(pk=owner.pk).update(is_researcher=True)
    campaign.memberships.create(user=owner, role=Role.ADMIN)
    come_to_rest()
    name, addresses = dataset.name, [dataset.get_absolute_url(), campaign.get_absolute_url()]
    archive(subject("dataset"), dataset, by=owner)

    delete(subject("dataset"), dataset, typed=name, by=owner)

    client.force_login(owner)
    assert [client.get(address).status_code for address in addresses] == [404, 404]
    hidden = Campaign._base_manager.get(pk=campaign.pk)
    assert [client.get(f"/campaigns/{hidden.slug}/").status_code] == [404]
    for page in ("/", "/?archived=1", "/datasets/", "/datasets/?archived=1"):
        assert name not in client.get(page).content.decode()
    Dataset.objects.create(name=name, slug=dataset.slug, created_by=owner)


def test_names_that_others_chose_are_in_nobodys_way(campaign: Campaign) -> None:
    """Hidden rows were once called so, which another row can be, too."""
    owner, dataset = campaign.dataset.created_by, campaign.dataset
    protocol = make_version("zqxv", user=owner)
    for kind, row, others in (
        ("campaign", campaign, ["slug"]), ("dataset", dataset, ["name", "slug"]), ("protocol", protocol, ["name"]),
    ):  # fmt: skip
        other = type(row).objects.get(pk=row.pk)
        other.pk = None
        for column in others:
            setattr(other, column, f"deleted-{row.pk}")
        other.save()

        with transaction.atomic():
            hide(subject(kind), row)
            assert type(row)._base_manager.get(pk=row.pk).deleting_since
            assert not type(row)._base_manager.get(pk=other.pk).deleting_since
            transaction.set_rollback(True)


@pytest.mark.databases
def test_versions_of_a_protocol_are_deleted_together(campaign: Campaign) -> None:
    owner = UserFactory(is_superuser=True)
    first = make_version("zqxv", user=owner)
    make_version("zqxv", "2", user=owner)
    make_version("zqxv-other", user=owner)

    deleted("protocol", first, by=owner)

    assert list(ProtocolVersion._base_manager.values_list("name", flat=True)) == ["zqxv-other"]


@pytest.mark.databases
def test_only_what_is_archived_is_deleted_and_only_by_its_name(campaign: Campaign) -> None:
    owner, dataset = campaign.created_by, campaign.dataset
    campaign.memberships.create(user=owner, role=Role.ADMIN)

    refused = []
    for typed in (dataset.name, "zqxv", dataset.name):
        with pytest.raises(CannotDo) as refusal:
            delete(subject("dataset"), dataset, typed=typed, by=owner)
        refused.append(refusal.value.reason.code)
        come_to_rest()
        archive(subject("dataset"), dataset, by=owner)
        if typed == "zqxv":
            Campaign.objects.update(status="open")

    assert refused == ["archive_first", "typed_name_differs", "close_campaigns_first"]
    assert Dataset.objects.filter(pk=dataset.pk).exists()


def test_owner_of_a_dataset_does_not_delete_the_studies_of_others(campaign: Campaign) -> None:
    come_to_rest()
    make_member(campaign, Role.ADMIN)
    archive(subject("dataset"), campaign.dataset, by=campaign.created_by)

    with pytest.raises(CannotDo) as refusal:
        delete(subject("dataset"), campaign.dataset, typed=campaign.dataset.name, by=campaign.created_by)

    assert refusal.value.reason.code == "campaigns_of_others"


@pytest.mark.databases
@each("kind, role", [("dataset", "researcher"), ("campaign", "researcher"), ("judge", "launcher")])
def test_others_do_not_delete(
    campaign: Campaign, people: dict[str, User], values: Values, kind: str, role: str
) -> None:
    row = {"dataset": campaign.dataset, "campaign": campaign, "judge": Judge.objects.first()}[kind]
    come_to_rest()
    type(row).objects.filter(pk=row.pk).update(archived_at=timezone.now())

    with pytest.raises(PermissionDenied):
        delete(subject(kind), row, typed=None, by=people[role])


def test_archive_waits_for_the_work_that_goes_on(campaign: Campaign, values: Values) -> None:
    by, codes = campaign.created_by, []
    for at_rest in (lambda: None, lambda: Campaign.objects.update(status="paused"), come_to_rest):
        at_rest()
        try:
            archive(subject("campaign"), campaign, by=by)
        except CannotDo as refusal:
            codes.append(refusal.reason.code)

    assert codes == ["close_first", "work_goes_on"]


def test_page_names_the_work_that_goes_on_and_leads_to_it(
    campaign: Campaign, people: dict[str, User], values: Values, client: Client
) -> None:
    Campaign.objects.update(status="paused")
    client.force_login(people["superuser"])

    page = client.get(f"/manage/campaign/{campaign.slug}/").content.decode()

    for run in Run.objects.filter(GOES_ON, campaign=campaign):
        assert f'href="/campaigns/{campaign.slug}/runs/{run.pk}/"' in page
    assert "Look again" in page
    assert ">Archive</button>" not in page


def test_archived_campaign_offers_nothing_but_to_be_restored_and_read(
    campaign: Campaign, people: dict[str, User], client: Client
) -> None:
    come_to_rest()
    client.force_login(people["superuser"])
    for model, named in ((Campaign, "Restore it"), (Dataset, "Restore the dataset")):
        Campaign.objects.update(archived_at=None, status="paused")
        model.objects.update(archived_at=timezone.now())

        page = client.get(f"/campaigns/{campaign.slug}/").content.decode()
        elsewhere = client.get(f"/campaigns/{campaign.slug}/members/").content.decode()
        sent = {"kind": ONE_USE, "how_many": 1}
        refused = client.post(f"/campaigns/{campaign.slug}/invitations/", sent)

        assert named in page
        assert not [it for it in ("Open it again", "Open for annotators", "Run the baselines") if it in page]
        assert "Archived</span>" in elsewhere
        assert "is archived. Restore it first." in refused.content.decode()
        assert not campaign.invitations.exists()


@pytest.mark.databases
def test_archived_campaign_takes_no_new_work(campaign: Campaign) -> None:
    judge = make_judge(KINDS["random"], title="R", settings={}, language_model=None, user=campaign.created_by)
    Campaign.objects.filter(pk=campaign.pk).update(status="paused")
    campaign = archive(subject("campaign"), campaign, by=campaign.created_by)

    with pytest.raises(WrongStatus):
        open_campaign(campaign)
    with pytest.raises(CannotRun):
        start_run(campaign, judge, plan=Plan(), user=campaign.created_by)
    assert not campaign.takes_answers

    restore(subject("campaign"), campaign, by=campaign.created_by)
    assert start_run(Campaign.objects.get(pk=campaign.pk), judge, plan=Plan(), user=campaign.created_by)


@pytest.mark.databases
def test_no_new_campaign_on_an_archived_dataset_and_its_paused_ones_stay_so(campaign: Campaign) -> None:
    owner = campaign.created_by
    Campaign.objects.update(status="paused")
    dataset = archive(subject("dataset"), campaign.dataset, by=owner)

    with pytest.raises(WrongStatus):
        create_campaign(dataset, title="New", protocol=campaign.protocol, units=[], user=owner)
    with pytest.raises(WrongStatus):
        open_campaign(Campaign.objects.get(pk=campaign.pk))
    assert dataset not in datasets_to_launch(owner)
    assert dataset in datasets_for(owner)


@pytest.mark.databases
@each("kind, lists", {"dataset": "/datasets/", "campaign": "/", "judge": "/judges/", "protocol": "/protocols/",
                      "import": "/imports/"}.items(), undo=True)  # fmt: skip
def test_archived_things_leave_their_list_and_come_back(
    client: Client, campaign: Campaign, values: Values, kind: str, lists: str
) -> None:
    boss = UserFactory(is_superuser=True)
    come_to_rest()
    version = make_version("zqxv", title="Zqxv the protocol")
    upload = Import.objects.create(dataset_name="x", manifest_name="zqxv.csv", created_by=boss, status="imported")
    row = {"dataset": campaign.dataset, "campaign": campaign, "judge": Judge.objects.get(title="Random"),
           "protocol": version, "import": upload}[kind]  # fmt: skip
    about = subject(kind)
    if about.can_be_renamed:
        row = rename(about, row, f"Zqxv {kind}", by=boss)
    name = about.name_of(row)
    client.force_login(boss)

    def shown() -> list[bool]:
        return [name in client.get(lists, query).content.decode() for query in ({}, {"archived": "1"})]

    assert shown() == [True, False]
    archive(about, row, by=boss)
    assert shown() == [False, True]
    restore(about, row, by=boss)
    assert shown() == [True, False]


@pytest.mark.databases
def test_imports_of_a_dataset_are_among_what_goes_with_it(campaign: Campaign) -> None:
    dataset = campaign.dataset
    Import.objects.filter(dataset=dataset).delete()
    told = set(contents_of(subject("dataset"), dataset).gone)

    Import.objects.create(dataset=dataset, dataset_name="x", manifest_name="m.csv", created_by=dataset.created_by)

    assert set(contents_of(subject("dataset"), dataset).gone) - told == {"1 import with its report"}


def test_campaigns_that_go_with_a_dataset_are_named(campaign: Campaign) -> None:
    dataset = campaign.dataset
    Campaign.objects.filter(pk=campaign.pk).update(title="Zqxv 00")

    assert "1 campaign: Zqxv 00" in contents_of(subject("dataset"), dataset).gone
    for n in range(1, 11):
        more = make_campaign()
        Campaign.objects.filter(pk=more.pk).update(dataset=dataset, title=f"Zqxv {n:02}")
    listed = ", ".join(f"Zqxv {n:02}" for n in range(10))
    assert f"11 campaigns: {listed} …" in contents_of(subject("dataset"), dataset).gone


def test_deleted_import_is_an_import_in_the_audit_log(campaign: Campaign) -> None:
    boss = UserFactory(is_superuser=True)
    row = Import.objects.create(dataset_name="x", manifest_name="m.csv", created_by=boss)

    deleted("import", row, by=boss)

    entries = AuditEntry.objects.filter(event__in=("deletion_begun", "deleted")).order_by("pk")
    assert [(it.subject_kind, it.subject_name) for it in entries] == [("import", "m.csv")] * 2


def test_rename_keeps_the_address_and_says_so_in_the_audit_log(client: Client, campaign: Campaign) -> None:
    boss = UserFactory(is_superuser=True)
    client.force_login(boss)
    before, address = campaign.title, campaign.get_absolute_url()

    response = client.post(f"/manage/campaign/{campaign.slug}/", {"name": "  Zqxv   again "})

    assert response.status_code == 302
    assert "Zqxv again" in client.get(address).content.decode()
    entry = AuditEntry.objects.get(event="renamed")
    assert (entry.subject_kind, entry.subject_number, entry.params, entry.by) == (
        "campaign", campaign.pk, {"before": before}, boss,
    )  # fmt: skip


@each("name, code", [("", 422), ("x" * 121, 422), ("a", 302)])
def test_rename_refuses_what_is_no_name(client: Client, campaign: Campaign, name: str, code: int) -> None:
    client.force_login(UserFactory(is_superuser=True))

    assert client.post(f"/manage/campaign/{campaign.slug}/", {"name": name}).status_code == code


@pytest.mark.databases
def test_dataset_cannot_take_the_name_of_another(campaign: Campaign, neighbour: Campaign) -> None:
    with pytest.raises(CannotDo) as refusal:
        rename(subject("dataset"), campaign.dataset, neighbour.dataset.name, by=campaign.created_by)

    assert refusal.value.reason.code == "new_name_taken"


@pytest.mark.databases
def test_dataset_is_not_archived_while_an_import_into_it_is_written(campaign: Campaign) -> None:
    """Else the import would bring back what the deletion removed."""
    dataset, boss = campaign.dataset, UserFactory(is_superuser=True)
    upload = uploaded(dataset.name, boss)
    Import.objects.filter(pk=upload.pk).update(status="checked")
    come_to_rest()
    confirm_import(upload, user=boss)

    with pytest.raises(CannotDo) as refusal:
        archive(subject("dataset"), dataset, by=boss)

    assert refusal.value.reason.code == "work_goes_on"
    Job.objects.update(status="succeeded")
    archive(subject("dataset"), dataset, by=boss)


@pytest.mark.databases
def test_uploads_that_wait_go_with_their_dataset(campaign: Campaign, media_root: Path) -> None:
    """Confirmed afterwards, they would bring it back."""
    dataset, boss = campaign.dataset, UserFactory(is_superuser=True)
    waiting, other = uploaded(dataset.name, boss), uploaded("Another", boss)
    Import.objects.update(status="checked")
    come_to_rest()

    deleted("dataset", dataset, by=boss)

    assert [row.pk for row in Import.objects.filter(pk__in=[waiting.pk, other.pk])] == [other.pk]
    assert [waiting.folder.exists(), other.folder.exists()] == [False, True]


def uploaded(name: str, user: User) -> Import:
    table = SimpleUploadedFile("m.csv", b"item,system,response_text\nq,zqxv,Hello\n")
    return begin_import(user=user, dataset_name=name, manifest=table, archive=None, without_audio=True)


@pytest.mark.databases
def test_guests_go_with_their_last_campaign_and_nobody_else_does(client: Client, campaign: Campaign) -> None:
    """The page counts them. An account that is left was last seen when it was."""
    boss, elsewhere = UserFactory(is_superuser=True), make_campaign()
    guest, other, named = make_guest(), make_guest(), UserFactory()
    members, at = [guest, other, named], timezone.now() - timedelta(days=1)
    for place, it in enumerate(members):
        join_campaign(campaign, user=it)
        make_assignment(campaign, it, seat=place + 7)
    join_campaign(elsewhere, user=other)
    Assignment.objects.filter(annotator__in=members).update(shown_at=at)
    come_to_rest()
    archive(subject("campaign"), campaign, by=boss)
    client.force_login(boss)

    page = client.get(f"/manage/campaign/{campaign.slug}/delete/").content.decode()
    deleted("campaign", campaign, by=boss)

    assert "1 account of a guest" in page
    assert set(User.objects.filter(pk__in=[it.pk for it in members])) == {other, named}
    assert last_seen(User.objects.filter(pk__in=[other.pk, named.pk])) == {other.pk: at, named.pk: at}
    Campaign.objects.update(status="closed")
    deleted("campaign", elsewhere, by=boss)
    assert not User.objects.filter(pk=other.pk).exists()


def test_dataset_is_not_renamed_while_an_import_into_it_is_written(campaign: Campaign) -> None:
    """The import goes by the name, and would make another dataset."""
    by, dataset = campaign.created_by, campaign.dataset
    row = Import.objects.create(created_by=by, dataset_name=dataset.name, manifest_name="m.csv", status="importing")

    with pytest.raises(CannotDo) as refusal:
        rename(subject("dataset"), dataset, "Another", by=by)
    Import.objects.filter(pk=row.pk).update(status="imported")

    assert refusal.value.reason.code == "rename_after_import"
    assert rename(subject("dataset"), dataset, "Another", by=by).name == "Another"


def test_dataset_cannot_be_named_to_look_like_another(
    client: Client, campaign: Campaign, neighbour: Campaign
) -> None:
    """Neither on its page nor by a program; its own name in capitals is no other."""
    Dataset.objects.filter(pk=neighbour.dataset_id).update(name="Tomato pairs")
    client.force_login(UserFactory(is_superuser=True))
    address = f"/manage/dataset/{campaign.dataset.slug}/"

    page = client.post(address, {"name": "T\u043emato pairs"})
    with pytest.raises(CannotDo) as refusal:
        rename(subject("dataset"), campaign.dataset, "T\u043emato pairs", by=campaign.created_by)
    allowed = client.post(address, {"name": "Tomato pair"})
    own = client.post(address, {"name": "T\u043emato pair"})

    assert page.status_code == 422
    assert (
        "looks like the name of another, &#x27;Tomato pairs&#x27;, with letters of another" in page.content.decode()
    )
    assert refusal.value.reason.code == "new_name_looks_like"
    assert (allowed.status_code, own.status_code) == (302, 302)


@each("name", ["\u200b", "\u202eevil", "a\u2066b", "---\u00ad"])
def test_name_that_cannot_be_seen_is_none(campaign: Campaign, name: str) -> None:
    with pytest.raises(CannotDo) as refusal:
        rename(subject("dataset"), campaign.dataset, name, by=campaign.created_by)

    assert refusal.value.reason.code == "new_name_missing"


@pytest.mark.databases
@each("title", ["Better than %s?", "BETTER THAN %s"])
def test_no_campaign_is_named_after_a_system(campaign: Campaign, title: str) -> None:
    name = campaign.dataset.systems.values_list("name", flat=True)[0]
    with pytest.raises(CannotDo) as refusal:
        rename(subject("campaign"), campaign, title % name.upper(), by=campaign.created_by)

    assert refusal.value.reason.code == "title_names_systems"


@pytest.mark.databases
def test_draft_is_deleted_at_once_on_its_page_which_says_what_goes(client: Client, campaign: Campaign) -> None:
    admin = make_member(campaign, Role.ADMIN)
    Campaign.objects.filter(pk=campaign.pk).update(status="draft")
    client.force_login(admin)
    address = f"/manage/campaign/{campaign.slug}/delete/"

    page = client.get(address).content.decode()
    refused = client.post(address, {"typed": "zqxv"})
    response = client.post(address, {"typed": campaign.title})

    assert "What goes with it" in page
    assert refused.status_code == 422
    job = Job.objects.get(kind="delete")
    assert response["Location"] == f"/jobs/{job.pk}/"
    run_job(job.pk)
    assert not Campaign._base_manager.filter(pk=campaign.pk).exists()
    begun = AuditEntry.objects.get(event="deletion_begun")
    ended = AuditEntry.objects.get(event="deleted")
    assert ended.pk > begun.pk
    for entry in (begun, ended):
        assert (entry.subject_kind, entry.subject_name, entry.by) == ("campaign", campaign.title, admin)


def test_name_that_only_looks_alike_deletes_nothing_and_the_page_says_so(client: Client, campaign: Campaign) -> None:
    client.force_login(make_member(campaign, Role.ADMIN))
    Campaign.objects.filter(pk=campaign.pk).update(status="draft", title="Tomato pairs")
    address = f"/manage/campaign/{campaign.slug}/delete/"

    page = client.get(address).content.decode()
    refused = client.post(address, {"typed": "T\u043emato pairs"})

    assert f'<code dir="ltr">{campaign.get_absolute_url()}</code>' in page
    assert 'value="Tomato pairs" id="its-name"' in page
    assert "looks like its name and is not the same" in refused.content.decode()
    assert not Job.objects.filter(kind="delete").exists()


def test_page_of_a_deletion_says_in_numbers_what_goes_and_what_stops_working(
    client: Client, campaign: Campaign, values: Values
) -> None:
    client.force_login(UserFactory(is_superuser=True))
    come_to_rest()
    Dataset.objects.filter(pk=campaign.dataset.pk).update(archived_at=timezone.now())

    page = client.get(f"/manage/dataset/{campaign.dataset.slug}/delete/").content.decode()

    for said in ("2 items", "1 campaign", "what 1 annotator did", "1 label set", "files on disk",
                 "1 report at a permanent address stops answering", "1 link by which"):  # fmt: skip
        assert said in page, said


@pytest.mark.databases
def test_refusal_to_archive_a_dataset_names_its_open_campaigns_with_a_button_each(
    client: Client, campaign: Campaign
) -> None:
    owner = campaign.created_by
    User.objects.filter(pk=owner.pk).update(is_researcher=True)
    campaign.memberships.create(user=owner, role=Role.ADMIN)
    come_to_rest()
    Campaign.objects.filter(pk=campaign.pk).update(status="open")
    stranger = UserFactory(is_researcher=True)
    address, pause = f"/manage/dataset/{campaign.dataset.slug}/", f"/campaigns/{campaign.slug}/turn/pause/"
    client.force_login(owner)

    page = client.get(address).content.decode()
    response = client.post(pause, {"back": "dataset"})

    assert campaign.get_absolute_url() in page
    assert pause in page
    assert f"/campaigns/{campaign.slug}/turn/close/" in page
    assert response["Location"] == address
    assert f'action="{address}archive/"' in client.get(address).content.decode()
    Campaign.objects.filter(pk=campaign.pk).update(status="open")
    Dataset.objects.filter(pk=campaign.dataset_id).update(created_by=stranger)
    client.force_login(stranger)
    page = client.get(address).content.decode()
    assert "Ask its admins" in page
    assert pause not in page
