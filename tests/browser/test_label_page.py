"""What the label page says and does when things go wrong, by keys, and before anything is answered."""

import os
import signal
from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, Route, expect

from tests.browser.conftest import log_in
from tests.browser.server import Server
from tests.browser.test_labelling import annotations, begin

pytestmark = pytest.mark.browser
PAIRS = "demo-which-answer-is-better"
ASPECTS = ("content", "voice_quality", "paralinguistics", "overall")
ARENA = """
from arena.settings.setup import Terms, set_arena
from campaigns.launch.lifecycle import create_campaign
from campaigns.models import Campaign
from protocols import SHIPPED, Listening
from corpus.datasets.units import pairs_of_systems
from dataclasses import replace
beside = Campaign.objects.get(slug="demo-which-answer-is-better")
protocol = replace(SHIPPED["arena_typed_ties"], listening=Listening("none"))
campaign = create_campaign(
    beside.dataset, title="Open to all", protocol=protocol, units=[], user=beside.created_by,
    target_lufs=beside.target_lufs,
)
set_arena(campaign, terms=Terms(is_public=True))
Campaign.objects.filter(pk=campaign.pk).update(status="open", delivery_rate=beside.delivery_rate)
"""


def submit(page: Page) -> Locator:
    return page.get_by_role("button", name="Submit")


def answer_all(page: Page, choice: str = "Both good") -> None:
    for aspect in ASPECTS:
        page.locator(f'[data-question="{aspect}"]').get_by_text(choice).click()


def stands_beside_the_button(page: Page, words: str) -> None:
    """Read out, and seen whole together with the button, without scrolling."""
    failure = page.get_by_role("alert").filter(has_text=words)
    expect(failure).to_be_in_viewport(ratio=1)
    expect(submit(page)).to_be_in_viewport(ratio=1)
    expect(submit(page)).to_be_enabled()
    expect(submit(page)).not_to_have_attribute("aria-busy", "true")


def answered(status: int) -> Callable[[Route], None]:
    return lambda route: route.fulfill(status=status)


def after_the_server_stored_it(route: Route) -> None:
    route.fetch()
    route.abort()


@pytest.mark.parametrize("size", [(1280, 800), (390, 844)])
def test_failures_stand_beside_the_button_and_in_view(
    page: Page, server: Server, complaints: list[str], size: tuple[int, int]
) -> None:
    page.set_viewport_size({"width": size[0], "height": size[1]})
    begin(page, PAIRS)
    before = annotations(server)
    answer_all(page)

    page.context.set_offline(True)
    submit(page).click()
    stands_beside_the_button(page, "could not be reached")
    page.context.set_offline(False)

    cookies = page.context.cookies()
    page.context.clear_cookies()
    submit(page).click()
    stands_beside_the_button(page, "You were logged out")
    page.context.add_cookies(cookies)  # type: ignore[arg-type]

    chosen = page.locator('[data-question="overall"] :checked')
    chosen.evaluate("it => it.value = 'nonsense'")
    submit(page).click()
    stands_beside_the_button(page, "is not one of the choices")
    chosen.evaluate("it => it.value = 'both_good'")

    for status, words in ((500, "did not accept this"), (503, "cannot store anything")):
        page.route("**/label/*/*-*/", answered(status))
        submit(page).click()
        stands_beside_the_button(page, words)
        page.unroute_all()

    page.route("**/label/*/*-*/", after_the_server_stored_it)
    submit(page).click()
    stands_beside_the_button(page, "could not be reached")
    page.unroute_all()
    page.locator('[data-question="overall"]').get_by_text("Both bad").click()
    submit(page).click()
    conflict = page.get_by_role("alert").filter(has_text="had arrived after all, and stands.")
    expect(conflict).to_be_in_viewport(ratio=1)
    expect(conflict).not_to_contain_text("below")
    expect(page.get_by_role("button", name="Change my last answer")).to_be_visible()
    assert annotations(server) == before + 1
    complaints.clear()  # the browser reports the failed requests itself


def test_submit_is_busy_at_once_and_ends_when_the_server_stays_silent(
    page: Page, server: Server, complaints: list[str]
) -> None:
    begin(page, PAIRS)
    before = annotations(server)
    answer_all(page)
    sent: list[str] = []
    page.on("request", lambda request: sent.append(request.url) if "overall" in (request.post_data or "") else None)
    page.evaluate("htmx.config.timeout = 1500")

    web = server.processes[0]
    os.killpg(web.pid, signal.SIGSTOP)
    try:
        submit(page).click()
        page.wait_for_timeout(100)
        assert submit(page).get_attribute("aria-busy") == "true"
        expect(page.get_by_role("status").filter(has_text="Sending")).to_have_count(1)
        submit(page).click()
        page.keyboard.press("Enter")
        stands_beside_the_button(page, "has not answered")
        assert len(sent) == 1
    finally:
        os.killpg(web.pid, signal.SIGCONT)

    page.evaluate("htmx.config.timeout = 15000")
    submit(page).click()
    expect(page.get_by_text(f"{before + 1} of 30")).to_be_visible()
    assert annotations(server) == before + 1
    complaints.clear()


def test_keys_choose_what_has_the_focus_and_work_after_a_defect(page: Page) -> None:
    begin(page, PAIRS)
    radios = page.locator('[data-question="content"] input')
    radios.nth(1).focus()
    page.keyboard.press(" ")
    expect(radios.nth(1)).to_be_checked()
    expect(page.locator(".playing")).to_have_count(0)

    page.keyboard.press("1")  # the focus goes to a question, where Space chooses nothing by mistake
    page.keyboard.press("q")
    page.wait_for_timeout(300)
    page.keyboard.press("m")
    page.keyboard.press(" ")
    expect(page.locator(".playing")).to_have_count(0)
    page.keyboard.press("m")
    marks = page.locator("[data-marks] select")
    expect(marks).to_have_count(1)
    page.keyboard.press("k")
    expect(marks).to_have_value("noise")
    expect(page.locator("[data-mark-status]")).to_contain_text("Noise")
    page.keyboard.press("3")
    expect(page.locator('[data-question="voice_quality"] input').nth(2)).to_be_checked()
    marks.select_option("glitch")
    page.keyboard.press("2")
    expect(page.locator('[data-question="paralinguistics"] input').nth(1)).to_be_checked()


def test_page_says_what_is_to_hear_opens_guidelines_at_their_start_and_is_kept_nowhere(page: Page) -> None:
    begin(page, "demo-step-by-step")
    expect(page.get_by_text("Still to hear: The prompt, response 1, response 2")).to_be_visible()
    expect(page.locator("[data-remaining]")).to_contain_text("left")

    page.set_viewport_size({"width": 390, "height": 500})
    for _time in range(2):
        page.keyboard.press("h")
        expect(page.locator("#guidelines-title")).to_be_in_viewport(ratio=1)
        assert page.evaluate("document.querySelector('#guidelines').scrollTop") == 0
        page.locator("#guidelines button").scroll_into_view_if_needed()
        page.keyboard.press("Escape")

    answer = page.reload()
    assert answer
    assert "no-store" in answer.headers["cache-control"]


def test_preview_is_the_annotators_page_without_what_staff_alone_sees(page: Page) -> None:
    log_in(page, "researcher")
    expect(page.locator("#health")).to_be_visible()
    page.goto("/campaigns/demo-which-answer-is-better/preview/")
    expect(page.get_by_role("button", name="Play response 2")).to_be_enabled()
    expect(page.locator("#health")).to_have_count(0)


def test_reason_of_a_public_arena_can_be_left_out(page: Page, server: Server) -> None:
    server.shell(ARENA)
    log_in(page, "annotator", at="/arena/open-to-all/")
    expect(page.get_by_text("two conversations")).to_have_count(0)
    page.get_by_role("button", name="Start voting").click()
    page.get_by_role("link", name="Continue to labelling").click()
    expect(page.get_by_text("this ability")).to_have_count(0)
    expect(page.locator('[data-aspect="reason"] h2')).to_contain_text("optional")

    page.get_by_text("1 is better", exact=True).click()
    submit(page).click()
    expect(page.get_by_text("1 vote of yours")).to_be_visible()
