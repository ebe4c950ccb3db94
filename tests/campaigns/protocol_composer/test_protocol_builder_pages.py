"""Composing, saving and uploading protocols through the pages."""

import re
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from hypothesis import HealthCheck, given, settings
from pytest_django import DjangoAssertNumQueries

from accounts.models import User
from campaigns.models import ProtocolVersion
from campaigns.protocol_composer.composition import Composition
from protocols import SHIPPED, Protocol, to_document
from protocols.documents.yaml_files import MAX_BYTES, to_yaml
from tests.campaigns.protocol_composer.filling import form_of, posted
from tests.campaigns.protocol_composer.test_builder import edited
from tests.factories import UserFactory, make_version
from tests.importing import text_of

pytestmark = pytest.mark.django_db
NEW, PREVIEW, UPLOAD = "/protocols/new/", "/protocols/preview/", "/protocols/upload/"
ACR = posted(Composition.of(SHIPPED["acr"])) | {"name": "ease", "title": "Ease"}


def rows() -> list[dict[str, Any]]:
    return list(ProtocolVersion.objects.order_by("pk").values())


def faults(response: Any) -> dict[str, str]:
    return {fault.field: fault.message for fault in response.context["faults"]}


# -- the form -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("protocol", SHIPPED.values(), ids=SHIPPED)
def test_shipped_protocol_goes_through_the_page_and_is_saved_unchanged(
    page: Client, researcher: User, protocol: Protocol
) -> None:
    own = f"{protocol.name}_{researcher.pk}"
    address = f"{NEW}?from={protocol.name}/{protocol.version}"
    form = form_of(page.get(address).content)
    assert (form["name"], form["version"]) == (own, "1")

    response = page.post(address, form)

    row = ProtocolVersion.objects.get()
    assert response["Location"] == f"/protocols/{own}/1/"
    assert row.document == to_document(protocol) | {"name": own, "version": "1"}
    assert row.based_on == f"{protocol.name}/{protocol.version}"


def test_blank_form_has_one_aspect_and_no_faults_at_its_fields(page: Client) -> None:
    response = page.get(NEW)

    assert [name for name in form_of(response.content) if name.endswith("-title")] == ["aspect-0-title"]
    assert re.search(r"<p class=\"error-text\"[^>]*>[^<]", response.content.decode()) is None
    assert "Nothing to show yet" in text_of(response)
    assert "5 things to fix before it can be saved" in text_of(response)


def test_saved_protocol_opens_its_page(page: Client, researcher: User) -> None:
    response = page.post(NEW, ACR, follow=True)

    row = ProtocolVersion.objects.get()
    assert (row.created_by, row.based_on, row.title) == (researcher, "", "Ease")
    assert response.redirect_chain == [("/protocols/ease/1/", 302)]
    assert "“Ease”, version 1, is saved." in text_of(response)
    assert b'class="notice saved success"' in response.content  # the browser's draft goes when it reads this


def test_form_of_ones_own_protocol_begins_with_the_next_version(page: Client, researcher: User) -> None:
    for version in ("1", "2"):
        make_version("pace", version, user=researcher)

    form = form_of(page.get(f"{NEW}?from=pace/1").content)

    assert (form["name"], form["version"]) == ("pace", "3")


def test_form_of_another_persons_protocol_begins_with_a_name_of_its_own(page: Client, researcher: User) -> None:
    make_version("pace", "7")

    form = form_of(page.get(f"{NEW}?from=pace/7").content)

    assert (form["name"], form["version"]) == (f"pace_{researcher.pk}", "1")


def test_form_from_no_protocol_is_not_found(page: Client) -> None:
    assert page.get(f"{NEW}?from=nothing/1").status_code == 404
    assert page.post(f"{NEW}?from=hcot/9", ACR).status_code == 404
    assert rows() == []


def test_saving_edits_under_a_saved_version_proposes_the_next_one(page: Client) -> None:
    page.post(NEW, ACR)
    before = rows()

    response = page.post(NEW, ACR | {"title": "Ease, changed"})

    assert rows() == before
    form = form_of(response.content)
    assert (form["title"], form["version"]) == ("Ease, changed", "2")
    assert "Version 1 is saved already and never changes" in text_of(response)
    assert faults(response) == {}
    page.post(NEW, form)
    assert [row["version"] for row in rows()] == ["1", "2"]


def test_saving_the_same_again_is_the_same_version(page: Client) -> None:
    for _ in range(2):
        response = page.post(NEW, ACR)

    assert response["Location"] == "/protocols/ease/1/"
    assert len(rows()) == 1


@pytest.mark.parametrize(
    ("changes", "at", "message"),
    [
        ({"title": ""}, "title", "the protocol needs title"),
        ({"aspect-0-question": ""}, "aspect-0-question", "needs a question"),
        ({"name": "hcot"}, "name", "“hcot” ships with Earshot"),
        ({"name": "pace"}, "name", "“pace” belongs to another user"),
        ({"name": "Two words"}, "name", "stands in addresses"),
        ({"seconds": "x"}, "seconds", "Enter a number."),
    ],
)
def test_form_at_fault_is_shown_again_with_the_fault_at_its_field(
    page: Client, changes: dict[str, str], at: str, message: str
) -> None:
    make_version("pace")
    before = rows()

    response = page.post(NEW, ACR | changes)

    assert rows() == before
    assert response.status_code == 200
    kept = form_of(response.content)
    assert {name: kept[name] for name in changes} == changes
    assert message in faults(response)[at]
    slot = re.search(rf'data-fault-at="{at}">([^<]*)<', response.content.decode())
    assert slot is not None
    assert message in slot[1].replace("&#x27;", "'")


def test_version_that_no_address_can_hold_is_replaced_and_said(page: Client) -> None:
    response = page.post(NEW, ACR | {"version": "1/2"})

    assert rows() == []
    assert form_of(response.content)["version"] == "1"
    assert "The version stands in addresses" in text_of(response)


def test_form_with_several_rows_at_fault_opens_them(page: Client) -> None:
    form = posted(Composition.of(SHIPPED["dubbing"])) | {"aspect-3-question": "", "name": "mine"}

    text = page.post(NEW, form).content.decode()

    open_rows = re.findall(
        r'<li class="row" data-row="(aspect-\d+)">(?:(?!</li>).)*?<details class="row-body" open', text, re.S
    )
    assert open_rows == ["aspect-3"]


def test_form_of_too_many_fields_is_refused(page: Client) -> None:
    response = page.post(NEW, {f"aspect-{n}-title": "x" for n in range(1200)})

    assert response.status_code == 400
    assert rows() == []


# -- the preview ----------------------------------------------------------------------------------------------


def test_preview_shows_the_questions_as_annotators_get_them(page: Client) -> None:
    form = posted(Composition.of(SHIPPED["p835"])) | {"name": "mine", "aspect-0-title": "Voice only"}

    response = page.post(PREVIEW, form)

    text = response.content.decode()
    assert re.findall(r'data-aspect="(\w+)" data-after="([\w ]*)"', text) == [
        ("signal", ""), ("background", "signal"), ("overall", "signal background"),
    ]  # fmt: skip
    assert "Voice only" in text
    assert 'hx-swap-oob="true"' in text
    assert "No problems." in text
    assert rows() == []


def test_preview_of_a_half_written_form_shows_what_is_there_and_tells_the_faults(page: Client) -> None:
    form = posted(Composition.of(SHIPPED["p835"])) | {"name": "", "aspect-1-question": ""}

    response = page.post(PREVIEW, form)

    assert re.findall(r'data-aspect="(\w+)"', response.content.decode()) == ["signal"]
    assert list(faults(response)) == ["name", "aspect-1-question"]
    assert re.findall(r'data-fault="([^"]+)"', response.content.decode()) == list(faults(response))
    assert re.search(r'<button [^>]*id="save-button" disabled', response.content.decode())


@pytest.mark.parametrize(
    ("changes", "suggestion"),
    [({"name": "hcot"}, "hcot_%s"), ({"name": "pace"}, "pace_%s"), ({"name": "mine", "title": "Other"}, "2")],
)
def test_preview_offers_what_would_do_instead(
    page: Client, researcher: User, changes: dict[str, str], suggestion: str
) -> None:
    make_version("pace")
    make_version("mine", user=researcher)

    response = page.post(PREVIEW, ACR | changes)

    assert f'data-put="{suggestion.replace("%s", str(researcher.pk))}"' in response.content.decode()


def test_preview_of_nothing_has_no_form(page: Client) -> None:
    response = page.post(PREVIEW, {})

    assert response.status_code == 200
    assert "Nothing to show yet" in text_of(response)


def test_preview_does_not_let_markup_through(page: Client) -> None:
    evil = "<script>alert(1)</script>"

    response = page.post(PREVIEW, ACR | {"aspect-0-title": evil, "instructions": evil, "aspect-0-group": evil})

    assert evil not in response.content.decode()
    assert "&lt;script&gt;" in response.content.decode()


def test_preview_costs_the_same_queries_for_more_aspects(
    page: Client, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    for name in ("acr", "dubbing"):
        form = posted(Composition.of(SHIPPED[name])) | {"name": "mine"}
        with django_assert_num_queries(4):  # session, user, the name's first version, the version
            page.post(PREVIEW, form)


@settings(
    max_examples=40,
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(data=edited())
def test_random_edits_are_previewed_and_saved_or_refused(page: Client, data: dict[str, str]) -> None:
    data = data | {"name": "mine"}

    previewed, saved = page.post(PREVIEW, data), page.post(NEW, data)

    fits = previewed.context["faults"] == []
    assert (previewed.status_code, saved.status_code) == (200, 302 if fits else 200)
    assert len(rows()) == fits
    ProtocolVersion.objects.all().delete()


# -- the upload -----------------------------------------------------------------------------------------------


def upload(page: Client, text: str | bytes) -> Any:
    data = text.encode() if isinstance(text, str) else text
    return page.post(UPLOAD, {"file": SimpleUploadedFile("mine.yaml", data)})


MINE = to_yaml(SHIPPED["hcot"]).replace("name: hcot", "name: mine")


@pytest.mark.parametrize("way", ["file", "text"])
def test_uploaded_protocol_opens_in_the_builder_and_is_stored_when_it_is_saved(page: Client, way: str) -> None:
    response = upload(page, MINE) if way == "file" else page.post(UPLOAD, {"text": MINE})

    assert rows() == []
    form = form_of(response.content)
    action = re.search(r'id="builder"[^>]* action="([^"]+)"', response.content.decode())
    assert action is not None
    page.post(action[1], form)
    assert ProtocolVersion.objects.get().document == to_document(SHIPPED["hcot"]) | {"name": "mine"}


@pytest.mark.parametrize(
    ("found", "put", "line", "reason"),
    [
        ("title: Dimension first (HCoT)", "titel: Dimension", 3, "did you mean 'title'?"),
        ("scale: typed_tie", "scale: typed_ties", 12, "There is no scale 'typed_ties'"),
        ("aspects:", "aspects: [", 9, "Expected the node content"),
        ("name: content", "name: two words", 9, "must be named with letters"),
        ("version: '1'", "version: &a '1'\nsource: *a", 3, "aliases are not allowed here"),
    ],
)
def test_bad_file_is_shown_with_its_line_and_reason_and_nothing_is_stored(
    page: Client, found: str, put: str, line: int, reason: str
) -> None:
    assert found in MINE
    text = MINE.replace(found, put, 1)

    response = upload(page, text)

    assert rows() == []
    fault = response.context["fault"]
    assert fault.line == line
    shown = [one for one in response.context["lines"] if one.at_fault]
    assert [(one.number, one.text) for one in shown] == [(line, text.splitlines()[line - 1])]
    assert reason in text_of(response)
    assert f"Line {line}:" in text_of(response)
    assert form_of(response.content, "upload")["text"].replace("\r\n", "\n") == text


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({}, "Choose a file, or put its text below."),
        ({"text": "  \n "}, "Choose a file, or put its text below."),
        ({"text": "- a\n- b"}, "is to be fields with names"),
        ({"text": "a: b\0"}, "Null characters are not allowed."),
        ({"text": "x" * (MAX_BYTES + 1)}, "larger than 100 kB"),
    ],
)
def test_upload_of_nothing_useful_says_so(page: Client, data: dict[str, str], message: str) -> None:
    response = page.post(UPLOAD, data)

    assert response.status_code == 200
    assert message in text_of(response)
    assert rows() == []


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"\xff\xfe\x00", "not a text file in UTF-8"),
        (b"x" * (MAX_BYTES + 1), "larger than 100 kB"),
        (b"\xef\xbb\xbf" + b"name: [", "Expected"),
        (b"", "The submitted file is empty."),
        (b"name: a\0b", "A character that YAML does not allow"),
    ],
)
def test_upload_of_a_file_that_is_no_text_says_so(page: Client, data: bytes, message: str) -> None:
    response = upload(page, data)

    assert response.status_code == 200
    assert message in text_of(response)
    assert rows() == []


def test_upload_of_more_aspects_than_a_page_holds_is_refused(page: Client) -> None:
    aspects = "".join(f"- {{name: a{n}, title: A, question: Which, scale: yes_no}}\n" for n in range(51))

    response = upload(page, f"name: many\nversion: 1\ntitle: Many\ninstructions: Listen.\naspects:\n{aspects}")

    assert "More than 50 aspects" in text_of(response)


def test_upload_of_a_shipped_name_is_told_at_the_name(page: Client) -> None:
    response = upload(page, MINE.replace("name: mine", "name: hcot").replace("title: Dim", "title: My dim"))

    assert "ships with Earshot" in faults(response)["name"]


@pytest.mark.parametrize("name", ["hcot", "mine"])
def test_upload_of_what_is_there_already_leads_to_it(page: Client, researcher: User, name: str) -> None:
    make_version("mine", like="hcot", user=researcher)

    response = upload(page, MINE.replace("name: mine", f"name: {name}"))

    assert response["Location"] == f"/protocols/{name}/1/"
    assert len(rows()) == 1


def test_upload_of_a_changed_version_proposes_the_next(page: Client, researcher: User) -> None:
    make_version("mine", like="hcot", user=researcher)

    response = upload(page, MINE.replace("title: Dim", "title: My dim"))

    assert list(faults(response)) == ["version"]
    assert 'data-put="2"' in response.content.decode()


# -- who may --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("address", "data"), [(NEW, ACR), (PREVIEW, ACR), (UPLOAD, {"text": MINE})])
def test_people_who_may_not_launch_store_nothing(client: Client, address: str, data: dict[str, str]) -> None:
    client.force_login(UserFactory())

    assert client.post(address, data).status_code == 403
    assert rows() == []


@pytest.mark.parametrize("address", [NEW, PREVIEW, UPLOAD])
def test_session_that_is_lost_is_told_to_scripts(client: Client, address: str, researcher: User) -> None:
    assert client.post(address, ACR, headers={"HX-Request": "true"}).status_code == 401
    assert reverse("login") in client.post(address, ACR)["Location"]
