"""The pages on which protocols are looked at, taken out and read as a schema."""

import json

import pytest
from django.test import Client
from django.urls import reverse
from jsonschema import Draft202012Validator
from pytest_django import DjangoAssertNumQueries

from accounts.models import User
from campaigns.models import ProtocolVersion
from protocols import SHIPPED, Protocol, digest, to_document
from protocols.documents.yaml_files import from_yaml
from protocols.judging import judge_instructions
from protocols.presentation.preview import N_SHOWN, sample
from tests.cases import each
from tests.factories import UserFactory, make_campaign, make_member, make_version
from tests.importing import text_of

pytestmark = pytest.mark.django_db
every_protocol = each("protocol", SHIPPED.values(), undo=True)


def address(protocol: Protocol) -> str:
    return reverse("protocol", args=[protocol.name, protocol.version])


def test_list_has_every_shipped_protocol_by_kind(page: Client) -> None:
    text = text_of(page.get(reverse("protocols")))

    places = [
        text.index(title) for title in ("Made here", "Two responses", "One response", "All responses to an item")
    ]
    assert places == sorted(places)
    assert "None yet." in text
    assert all(protocol.title in text for protocol in SHIPPED.values())


def test_list_tells_the_authors_versions_and_uses_of_own_protocols(page: Client, researcher: User) -> None:
    make_version("ease", "1", title="Ease", user=UserFactory(username="otto"))
    for version in ("1", "2"):
        make_version("pace", version, title="Pace", user=researcher)
    make_campaign(units=0)

    text = text_of(page.get(reverse("protocols")))

    ease, pace = text.index("Ease"), text.index("Pace")
    assert "by otto" in text[ease:pace]
    assert "Make your own from Ease" in text[ease:pace]
    own = text[pace : text.index("Two responses", pace)]
    assert "version 2 by ruth" in own
    assert "Older versions: 1" in own
    assert "New version of Pace" in own
    assert "Not used yet" in own
    assert "Used by 1 campaign" in text[text.index("Dimension first (HCoT)") :]


@pytest.mark.parametrize("n", [1, 3])
def test_list_costs_the_same_queries_for_one_protocol_and_for_three(
    page: Client, n: int, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    for number in range(n):
        for version in range(n):
            make_version(f"own{number}", str(version))
        make_campaign(units=0)

    with django_assert_num_queries(7):  # session, user, own versions, archived ones, uses, workers, jobs
        page.get(reverse("protocols"))


@every_protocol
def test_page_shows_everything_a_shipped_protocol_says(page: Client, protocol: Protocol) -> None:
    response = page.get(address(protocol))

    text = text_of(response)
    said = [protocol.title, protocol.instructions, protocol.source, digest(to_document(protocol))]
    said += [word for aspect in protocol.aspects for word in (aspect.title, aspect.question, aspect.guidance)]
    said += [option.help for aspect in protocol.aspects for option in aspect.scale.options]
    said += [word for example in protocol.examples for word in (example.heard, example.why)]
    assert [word for word in said if word not in text] == []
    judged = judge_instructions(sample(protocol), N_SHOWN[protocol.unit])
    assert " ".join(judged.split()) in text
    assert [f'data-aspect="{a.name}"' in response.content.decode() for a in protocol.aspects] == [True] * len(
        protocol.aspects
    )


def test_page_tells_when_an_aspect_is_asked_and_how_agreement_is_counted(page: Client) -> None:
    rubric, dubbing = (text_of(page.get(address(SHIPPED[name]))) for name in ("rubric", "dubbing"))

    assert "Only if Speech is “Yes”. Only if Hears the manner is “Yes”. Only of items with dimension" in rubric
    assert "Agreement: Cohen’s κ. In exports: fits_manner" in rubric
    assert "Asked of each response. Agreement: Krippendorff’s α (ordinal). In exports: lip_sync" in dubbing
    assert "Not the same answer as Best. Agreement" in dubbing


def test_page_of_an_own_protocol_names_its_author_origin_and_other_versions(page: Client) -> None:
    otto = UserFactory(username="otto")
    for version in ("1", "2"):
        make_version("pace", version, user=otto)
    ProtocolVersion.objects.update(based_on="acr/1")

    response = page.get("/protocols/pace/1/")

    text = text_of(response)
    assert "otto" in text
    assert "acr/1" in text
    assert "Version 2" in text
    assert "Make a copy" in text
    assert b'href="/campaigns/new/?protocol=pace%2F1"' in response.content


def test_page_tells_how_many_campaigns_use_it_and_names_those_one_may_see(page: Client, researcher: User) -> None:
    seen, hidden = make_campaign(units=0), make_campaign(units=0)
    seen.memberships.create(user=researcher, role="researcher")
    hidden.title = "A secret one"
    hidden.save()

    response = page.get(address(SHIPPED["hcot"]))

    text = text_of(response)
    assert "Used by 2 campaigns" in text
    assert seen.get_absolute_url().encode() in response.content
    assert "A secret one" not in text


@pytest.mark.parametrize("path", ["hcot/2/", "nothing/1/", "hcot/2.yaml", "nothing/1.yaml"])
def test_page_of_no_protocol_is_not_found(page: Client, path: str) -> None:
    assert page.get(f"/protocols/{path}").status_code == 404


@every_protocol
def test_yaml_is_the_protocol(page: Client, protocol: Protocol) -> None:
    response = page.get(reverse("protocol-yaml", args=[protocol.name, protocol.version]))

    assert from_yaml(response.content.decode()) == protocol
    assert response["Content-Disposition"] == f'attachment; filename="{protocol.name}-{protocol.version}.yaml"'


def test_yaml_of_a_version_with_dots_is_found(page: Client) -> None:
    row = make_version("pace", "1.0-beta.2")

    assert from_yaml(page.get("/protocols/pace/1.0-beta.2.yaml").content.decode()) == row.protocol
    assert page.get(row.get_absolute_url()).status_code == 200


def test_schema_is_public_to_everybody_who_is_logged_in(client: Client) -> None:
    client.force_login(make_member(make_campaign(units=0)))

    response = client.get("/protocols/schema.json")

    schema = json.loads(response.content)
    Draft202012Validator.check_schema(schema)
    assert response["Content-Type"] == "application/schema+json"
    assert list(Draft202012Validator(schema).iter_errors(to_document(SHIPPED["hcot"]))) == []


def test_navigation_leads_launchers_to_the_protocols_and_nobody_else(client: Client) -> None:
    link = f'href="{reverse("protocols")}"'.encode()
    found = {}
    for user in (UserFactory(is_researcher=True), UserFactory(is_superuser=True), UserFactory()):
        client.force_login(user)
        found[user.may_launch] = link in client.get("/").content

    assert found == {True: True, False: False}
