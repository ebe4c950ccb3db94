"""A researcher composes a protocol, tries it in the preview, saves it and launches a campaign with it."""

import json
import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import Shoot, log_in
from tests.browser.server import Server
from tests.browser.test_pages import violations

pytestmark = pytest.mark.browser

CHOICES = "1 | Too slow | You want to push it on.\n2 | Just right\n3 | Too fast | Words are lost."


def row(page: Page, number: int, kind: str = "aspect") -> Locator:
    return page.locator(f'[data-rows="{kind}"] > li').nth(number - 1)


def settle(page: Page) -> None:
    """Wait until the preview has caught up: a request that a reload breaks off is reported by the browser."""
    page.wait_for_timeout(600)
    page.wait_for_load_state("networkidle")


def name_of(aspect: Locator) -> str:
    return aspect.locator('[name$="-name"]').input_value()


def preview(page: Page) -> Locator:
    return page.locator("#preview")


def asked(page: Page) -> list[str]:
    """The titles in the preview that are not hidden."""
    return [
        title.split(" · ")[0] for title in preview(page).locator("[data-aspect]:not([hidden]) h2").all_inner_texts()
    ]


def open_builder(page: Page, query: str = "") -> None:
    log_in(page, "researcher", at=f"/protocols/new/{query}")


def expect_asked(page: Page, *titles: str) -> None:
    expect(preview(page).locator("[data-aspect]:not([hidden]) h2")).to_have_text(
        [re.compile(f"^{t}") for t in titles]
    )


def compose(page: Page) -> None:
    """Two aspects, the second with choices of its own behind a gate, and a written reason."""
    page.get_by_label("Title").first.fill("Pace of speech")
    page.get_by_label("One response").check()
    page.get_by_label("Instructions").fill("Listen to the clip. Judge its pace alone.")
    heard = row(page, 1)
    heard.get_by_label("Title").fill("Speech")
    heard.get_by_label("Question").fill("Is there speech?")
    heard.get_by_label("Answers", exact=True).select_option("Yes or no")
    expect_asked(page, "Speech")

    page.get_by_role("button", name="Add an aspect").click()
    pace = row(page, 2)
    expect(pace.get_by_label("Title")).to_be_focused()
    page.keyboard.type("Pace")
    pace.get_by_label("Question").fill("How is the pace?")
    pace.get_by_label("Answers", exact=True).select_option("Own choices…")
    expect(pace.get_by_label("Choices", exact=True)).to_have_value("yes | Yes\nno | No")
    pace.get_by_label("Choices", exact=True).fill(CHOICES)
    pace.get_by_label("What the values are").select_option("Ranks, in this order")
    pace.get_by_text("When it is asked").click()
    pace.get_by_role("combobox", name="Asked only if").select_option("Speech: Yes")
    page.get_by_role("button", name="Add a written reason").click()


def test_protocol_is_composed_tried_saved_and_launched(page: Page, server: Server, shoot: Shoot) -> None:
    open_builder(page)
    expect(page.get_by_role("button", name="Save version 1")).to_be_disabled()
    compose(page)

    # the preview works as the form of annotators does
    expect_asked(page, "Speech", "Reason")
    preview(page).get_by_text("Yes", exact=True).click()
    expect_asked(page, "Speech", "Pace", "Reason")
    expect(preview(page).get_by_role("button", name="Submit")).to_be_disabled()
    preview(page).get_by_text("Too fast", exact=True).click()
    preview(page).get_by_role("button", name="Submit").click()
    expect(preview(page).get_by_text("This would be stored")).to_be_visible()

    # its answers become a worked example
    page.get_by_role("button", name="Keep these answers").click()
    example = row(page, 1, "example")
    expect(example.get_by_label("Answers")).to_have_value("speech = yes\npace = 3")
    expect(page.get_by_role("button", name="Save version 1")).to_be_disabled()
    example.get_by_label("What one hears").fill("A man reads the news in one breath.")
    example.get_by_label("Why", exact=True).fill("Whole words are swallowed.")
    expect(page.get_by_text("No problems.")).to_be_visible()
    expect_asked(page, "Speech", "Pace", "Reason")
    shoot("builder")
    assert violations(page) == []
    page.set_viewport_size({"width": 390, "height": 844})
    assert violations(page) == []
    page.set_viewport_size({"width": 1280, "height": 800})

    page.get_by_role("button", name="Save version 1").click()
    expect(page.get_by_text("“Pace of speech”, version 1, is saved.")).to_be_visible()
    expect(page).to_have_url(re.compile("/protocols/pace_of_speech/1/$"))
    assert violations(page) == []
    shoot("protocol")
    assert page.evaluate("localStorage.length") == 0

    page.get_by_role("link", name="Use in a campaign").click()
    page.get_by_label("Title").fill("How fast?")
    page.get_by_label("Dataset").select_option("Demo: six synthetic voices")
    page.get_by_role("button", name="Save and continue").click()
    expect(page.get_by_label("Pace of speech")).to_be_checked()
    page.get_by_role("button", name="Save and continue").click()
    expect(page.get_by_role("heading", name="Units", exact=True)).to_be_visible()
    page.goto("/protocols/")
    page.get_by_role("link", name="Pace of speech", exact=True).click()
    expect(page.get_by_role("heading", name="Used by 1 campaign")).to_be_visible()
    check_rows(server)
    page.goto("/protocols/")
    shoot("protocols")


def check_rows(server: Server) -> None:
    [(document,)] = server.rows("SELECT protocol_document FROM campaigns_campaign WHERE title = 'How fast?'")
    document = json.loads(document) if isinstance(document, str) else document
    heard, pace, reason = document["aspects"]
    assert (document["name"], document["unit"], heard["scale"]["name"]) == ("pace_of_speech", "single", "yes_no")
    assert (pace["only_if"], pace["scale"]["name"], pace["scale"]["measure"]) == (
        {"speech": "yes"},
        "pace",
        "ordinal",
    )
    assert [option["help"] for option in pace["scale"]["options"]] == [
        "You want to push it on.",
        "",
        "Words are lost.",
    ]
    assert (reason["name"], reason["scale"]["measure"], reason["required"]) == ("reason", "text", False)
    assert document["examples"][0]["answers"] == {"speech": "yes", "pace": "3"}


def test_what_is_not_saved_outlasts_a_reload(page: Page) -> None:
    open_builder(page)
    compose(page)
    page.get_by_label("Asked of each response").nth(0).check()
    page.get_by_label("Must be answered").nth(0).uncheck()
    row(page, 1).get_by_role("button", name="Move down").click()
    settle(page)
    written = page.evaluate("[...new FormData(document.querySelector('#builder'))].slice(1)")

    page.reload()

    expect(page.get_by_text("What you had not saved yet is back.")).to_be_visible()
    assert page.evaluate("[...new FormData(document.querySelector('#builder'))].slice(1)") == written
    expect(page.locator("[data-row-title]")).to_have_text(["Pace", "Speech", "Reason"])
    expect_asked(page, "Speech", "Reason")  # drawn from the draft; the pace waits for what comes later
    page.get_by_role("button", name="Start afresh").click()
    expect(page.get_by_label("Title").first).to_have_value("")
    expect(page.locator('[data-rows="aspect"] > li')).to_have_count(1)


def test_draft_of_one_beginning_leaves_the_others_alone(page: Page) -> None:
    open_builder(page, "?from=acr/1")
    page.get_by_label("Title").first.fill("Ease of listening")
    settle(page)

    page.goto("/protocols/new/?from=p835/1")
    expect(page.get_by_label("Title").first).to_have_value("Speech, background, overall (P.835)")
    page.goto("/protocols/new/?from=acr/1")

    expect(page.get_by_label("Title").first).to_have_value("Ease of listening")
    expect(page.get_by_text("What you had not saved yet is back.")).to_be_visible()


def test_rows_are_moved_removed_and_brought_back_by_keyboard(page: Page) -> None:
    open_builder(page, "?from=hcot/1")
    titles = page.locator('[data-rows="aspect"] [data-row-title]')
    content = row(page, 1)

    content.get_by_role("button", name="Move down").focus()
    page.keyboard.press("Enter")
    page.keyboard.press("Enter")
    expect(titles).to_have_text(["Voice quality", "Paralinguistics", "Content", "Overall"])
    expect(row(page, 3).get_by_role("button", name="Move down")).to_be_focused()
    expect(page.get_by_text("Content is now at place 3")).to_be_visible()
    expect_asked(page, "Voice quality", "Paralinguistics", "Content", "Overall")

    row(page, 3).get_by_role("button", name="Remove").focus()
    page.keyboard.press("Enter")
    expect(titles).to_have_text(["Voice quality", "Paralinguistics", "Overall"])
    expect(row(page, 3).get_by_role("button", name="Remove")).to_be_focused()
    expect(page.get_by_text("1 thing to fix before it can be saved")).to_be_visible()  # what overall waits for

    page.get_by_role("button", name="Undo").focus()
    page.keyboard.press("Enter")
    expect(titles).to_have_text(["Voice quality", "Paralinguistics", "Content", "Overall"])
    expect(page.get_by_text("No problems.")).to_be_visible()


def test_names_follow_titles_of_new_aspects_and_references_follow_names(page: Page) -> None:
    open_builder(page)
    compose(page)
    speech, pace = row(page, 1), row(page, 2)

    speech.get_by_label("Title").fill("Voice & speech")

    assert (name_of(speech), name_of(pace)) == ("voice_speech", "pace")
    assert pace.locator('[name$="-only_if"]').input_value() == "voice_speech = yes"
    expect(pace.get_by_role("button", name="Voice & speech: Yes")).to_be_visible()
    page.get_by_role("button", name="Add an aspect").click()
    page.keyboard.type("Pace")
    assert name_of(row(page, 4)) == "pace_2"


def test_names_that_are_kept_under_do_not_follow_titles(page: Page) -> None:
    open_builder(page, "?from=hcot/1")
    row(page, 1).locator("summary").first.click()

    row(page, 1).get_by_label("Title").fill("What is said")

    assert name_of(row(page, 1)) == "content"
    page.get_by_label("Title").first.fill("Mine")
    expect(page.get_by_label("Name", exact=True)).to_have_value(re.compile(r"hcot_\d+"))


def test_faults_lead_to_their_fields_and_offer_what_would_do(page: Page, shoot: Shoot) -> None:
    open_builder(page, "?from=p835/1")
    page.get_by_label("Name", exact=True).fill("hcot")
    row(page, 2).get_by_label("Question").fill("")
    page.get_by_label("Before an answer is taken").select_option("some seconds of every clip were heard")

    page.get_by_text("3 things to fix before it can be saved").click()
    page.get_by_role("link", name="Aspect 'background' needs a question").click()
    expect(row(page, 2).get_by_label("Question")).to_be_focused()
    expect(row(page, 2).get_by_label("Question")).to_have_attribute("aria-invalid", "true")
    expect(row(page, 2).get_by_text("needs a question")).to_be_visible()
    expect_asked(page, "Speech")  # what waits for the background cannot be shown either
    page.get_by_role("link", name="listening by seconds").or_(page.get_by_role("link", name="Listening")).click()
    expect(page.get_by_label("Seconds")).to_be_focused()
    page.keyboard.type("3")
    shoot("builder-faults")
    assert violations(page) == []

    page.locator("#save").get_by_role("button", name=re.compile(r"Use “hcot_\d+”")).click()
    row(page, 2).get_by_label("Question").fill("How loud is the background?")
    expect(page.get_by_text("No problems.")).to_be_visible()
    expect(page.get_by_label("Name", exact=True)).to_have_value(re.compile(r"hcot_\d+"))


def test_uploaded_file_shows_its_fault_and_then_opens_in_the_builder(page: Page, shoot: Shoot) -> None:
    log_in(page, "researcher", at="/protocols/upload/")
    text = page.locator("details pre").text_content() or ""
    page.get_by_label("Or its text").fill(text.replace("after: [pace]", "after: [place]"))
    page.get_by_role("button", name="Open in the builder").click()

    expect(page.get_by_text("Line 21:")).to_be_visible()
    expect(page.locator(".at-fault")).to_contain_text("after: [place]")
    shoot("upload-fault")
    assert violations(page) == []
    page.get_by_label("Or its text").fill(text)
    page.get_by_role("button", name="Open in the builder").click()

    expect(page.get_by_label("Title").first).to_have_value("Pace")
    expect(page.get_by_text("No problems.")).to_be_visible()
    expect(page).to_have_url(re.compile(r"/protocols/new/\?upload="))
    page.get_by_label("Title").first.fill("Pace, mended")
    settle(page)
    page.reload()
    expect(page.get_by_label("Title").first).to_have_value("Pace, mended")


def test_lost_session_is_told_and_what_was_written_is_saved_after_the_next_login(
    page: Page, complaints: list[str]
) -> None:
    open_builder(page, "?from=ccr/1")
    cookies = page.context.cookies()
    page.context.clear_cookies(name="sessionid")
    page.get_by_label("Title").first.fill("Side by side")

    expect(page.get_by_text("You were logged out")).to_be_visible()
    page.get_by_role("button", name="Save version 1").click()
    page.get_by_label("Username").wait_for()
    page.context.add_cookies(cookies)  # type: ignore[arg-type]
    page.goto("/protocols/new/?from=ccr/1")
    expect(page.get_by_label("Title").first).to_have_value("Side by side")
    page.get_by_role("button", name="Save version 1").click()
    expect(page.get_by_text("“Side by side”, version 1, is saved.")).to_be_visible()
    complaints.clear()  # the browser reports the 401 itself


def test_preview_that_cannot_be_had_says_so_and_the_choices_stay(page: Page, complaints: list[str]) -> None:
    open_builder(page, "?from=acr/1")
    page.route("**/protocols/preview/", lambda route: route.abort())
    page.get_by_label("Title").first.fill("Ease")

    expect(page.get_by_text("The server could not be reached")).to_be_visible()
    page.unroute("**/protocols/preview/")
    page.get_by_label("Instructions").fill("Listen.")
    expect(page.get_by_text("The server could not be reached")).to_be_hidden()
    expect(page.get_by_label("Title").first).to_have_value("Ease")
    complaints.clear()  # the browser reports the failed request itself
