from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import pytest
from django.db import IntegrityError, connection, transaction

from accounts.models import User
from campaigns.models import ProtocolVersion
from campaigns.protocol_composer.own_protocols import MAX_ASPECTS, NotSaved, free_name, free_version, save_version
from protocols import SHIPPED, Example, Protocol, digest, to_document
from tests.cases import each
from tests.factories import UserFactory, make_version

pytestmark = pytest.mark.django_db


def protocol(**changes: Any) -> Protocol:
    return replace(SHIPPED["acr"], **({"name": "pace", "version": "1"} | changes))


def refusal(wanted: Protocol, user: User) -> NotSaved:
    before = list(ProtocolVersion.objects.values())
    with pytest.raises(NotSaved) as refused:
        save_version(wanted, user=user)
    assert list(ProtocolVersion.objects.values()) == before
    return refused.value


@pytest.mark.databases
def test_save_version_keeps_the_document_and_who_made_it() -> None:
    user = UserFactory()

    row = save_version(protocol(title="Pace"), user=user, based_on="acr/1")

    saved = ProtocolVersion.objects.get()
    assert saved == row
    assert (saved.name, saved.version, saved.number, saved.title, saved.unit) == ("pace", "1", 1, "Pace", "single")
    assert (saved.protocol, saved.created_by, saved.based_on) == (protocol(title="Pace"), user, "acr/1")
    assert saved.digest == digest(to_document(protocol(title="Pace")))


def test_save_version_of_the_same_content_again_is_the_same_row() -> None:
    user = UserFactory()

    rows = {save_version(protocol(), user=someone).pk for someone in (user, user, UserFactory())}

    assert len(rows) == ProtocolVersion.objects.count() == 1


@pytest.mark.databases
def test_save_version_counts_the_versions_of_a_name() -> None:
    user = UserFactory()
    save_version(protocol(), user=user)
    save_version(protocol(name="other"), user=UserFactory())

    second = save_version(protocol(version="2"), user=user)

    assert (second.number, [row.version for row in ProtocolVersion.objects.filter(name="pace")]) == (2, ["2", "1"])


@pytest.mark.databases
def test_save_version_leaves_what_was_saved_alone() -> None:
    user = UserFactory()
    first = save_version(protocol(), user=user)
    before = ProtocolVersion.objects.filter(pk=first.pk).values().get()

    save_version(protocol(version="2", title="Another"), user=user)

    assert ProtocolVersion.objects.filter(pk=first.pk).values().get() == before


@each("name", SHIPPED, undo=True)
def test_save_version_refuses_the_name_of_a_shipped_protocol(name: str) -> None:
    user = UserFactory(username="ruth")
    refused = refusal(protocol(name=name, version="77"), user)

    assert (refused.field, refused.suggestion) == ("name", f"{name}_{user.pk}")


def test_save_version_refuses_the_name_of_another_persons_protocol() -> None:
    make_version("pace")

    user = UserFactory(username="Ruth Ä.@home")
    refused = refusal(protocol(version="2"), user)

    assert (refused.field, refused.suggestion) == ("name", f"pace_{user.pk}")


@pytest.mark.databases
def test_save_version_lets_superusers_add_to_every_protocol_and_the_author_go_on() -> None:
    author = UserFactory()
    save_version(protocol(), user=author)

    save_version(protocol(version="2"), user=UserFactory(is_superuser=True))
    save_version(protocol(version="3"), user=author)

    assert ProtocolVersion.objects.count() == 3
    assert refusal(protocol(version="4"), UserFactory()).field == "name"


@pytest.mark.databases
def test_save_version_refuses_another_content_under_a_saved_version_and_proposes_the_next() -> None:
    user = UserFactory()
    for version in ("1", "2"):
        save_version(protocol(version=version), user=user)

    refused = refusal(protocol(title="Another"), user)

    assert (refused.field, refused.suggestion) == ("version", "3")


@each("name", ["Pace", "my pace", "-pace", "pace/2", "päce", "p" * 61, "pace\n", "…"], undo=True)
def test_save_version_refuses_a_name_that_no_address_can_hold(name: str) -> None:
    assert refusal(protocol(name=name), UserFactory()).field == "name"


@each("version", ["1/2", "v 1", ".1", "1" * 41, "1\n", "…"], undo=True)
def test_save_version_refuses_a_version_that_no_address_can_hold(version: str) -> None:
    assert refusal(protocol(version=version), UserFactory()).field == "version"


@each(
    "changes, field",
    [
        ({"title": "t" * 201}, "title"),
        ({"instructions": "word " * 20_001}, "instructions"),
        ({"examples": (Example("Heard.", {}, "Why."),) * 21}, "examples"),
        (
            {"aspects": tuple(replace(SHIPPED["acr"].aspects[0], name=f"a{n}") for n in range(MAX_ASPECTS + 1))},
            "aspects",
        ),
    ],
    undo=True,
)
def test_save_version_refuses_what_is_too_large(changes: dict[str, Any], field: str) -> None:
    assert refusal(protocol(**changes), UserFactory()).field == field


@pytest.mark.databases
@pytest.mark.parametrize("fields", [{"version": "1", "number": 2}, {"version": "2", "number": 1}])
def test_database_keeps_versions_and_their_numbers_unique(fields: dict[str, Any]) -> None:
    row = make_version()
    others = {"name": row.name, "document": {}, "created_by": row.created_by}

    with pytest.raises(IntegrityError), transaction.atomic():
        ProtocolVersion.objects.create(**others, **fields)


@each(
    "saved, version, free",
    [
        ([], "1", "1"),
        (["1"], "1", "2"),
        (["1", "2", "3"], "1", "4"),
        (["1.9"], "1.9", "1.10"),
        (["beta"], "beta", "beta-2"),
        (["beta", "beta-2"], "beta", "beta-3"),
        (["2024-b1"], "2024-b1", "2024-b2"),
    ],
    undo=True,
)
def test_free_version_counts_up(saved: list[str], version: str, free: str) -> None:
    for one in saved:
        make_version("pace", one)
    make_version("other", free)

    assert free_version("pace", version) == free


def test_free_name_is_the_name_itself_or_has_a_person_or_a_number_behind() -> None:
    user = UserFactory(username="ruth")
    make_version("pace")
    make_version(f"mine_{user.pk}")
    make_version(f"mine_{user.pk}_2")
    make_version("mine")

    names = [free_name(name, user) for name in ("fresh", "pace", "hcot", "mine", "Ü Möwe", "…")]

    assert names == [
        "fresh", f"pace_{user.pk}", f"hcot_{user.pk}", f"mine_{user.pk}_3", "u-mowe", "protocol",
    ]  # fmt: skip


@pytest.mark.django_db(transaction=True)
def test_two_people_saving_under_one_new_name_at_once_do_not_share_it() -> None:
    people = [UserFactory(), UserFactory()]

    def save(place: int) -> str:
        try:
            save_version(protocol(version=str(place)), user=people[place])
        except NotSaved as refused:
            return refused.field
        finally:
            connection.close()
        return "saved"

    with ThreadPoolExecutor(2) as pool:
        outcomes = sorted(pool.map(save, range(2)))

    assert outcomes == ["name", "saved"]
    assert ProtocolVersion.objects.count() == 1
