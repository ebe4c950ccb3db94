"""An annotator's main path in a real browser, against a real server."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import PASSWORD, Shoot, log_in
from tests.browser.server import Server

pytestmark = pytest.mark.browser

LAST_ANSWERS = """
    SELECT answer.aspect, answer.value, assignment.{order}, answer.acceptable_a, answer.acceptable_b
    FROM annotation_answer answer
    JOIN annotation_annotation annotation ON annotation.id = answer.annotation_id
    JOIN annotation_assignment assignment ON assignment.id = annotation.assignment_id
    WHERE annotation.id = (SELECT max(id) FROM annotation_annotation)
"""
#: A report of what was heard is sent every ten seconds; with this, twice a second.
REPORTS_COME_SOON = """
const every = window.setInterval;
window.setInterval = (call, ms) => every(call, ms === 10000 ? 500 : ms);
"""
REPORTED_MS = 1_500


def last_answers(server: Server) -> dict[str, tuple[str, str]]:
    """The newest annotation's answers: aspect to (stored value, order shown)."""
    rows = server.rows(LAST_ANSWERS.format(order='"order"'))
    return {aspect: (value, order) for aspect, value, order, *_ in rows}


def annotations(server: Server) -> int:
    return int(server.rows("SELECT count(*) FROM annotation_annotation")[0][0])


def begin(page: Page, campaign: str) -> None:
    log_in(page, "annotator", at=f"/label/{campaign}/")
    expect(page.get_by_role("button", name="Play response 2")).to_be_enabled()


def stored(shown: str, order: str) -> str:
    return {"1": order[0], "2": order[1]}.get(shown, shown)


@pytest.mark.smoke
def test_pair_is_labelled_by_keyboard_alone(page: Page, server: Server, shoot: Shoot) -> None:
    begin(page, "demo-which-answer-is-better")
    before = annotations(server)

    for key, place in (("e", "0"), ("q", "1"), ("w", "2")):
        page.keyboard.press(key)
        clip = page.locator(f'[data-place="{place}"]')
        expect(clip.locator("[data-position]")).to_have_text(re.compile("0:0[1-9]"))
        expect(page.locator(".playing")).to_have_count(1)
    page.keyboard.press(" ")
    expect(page.locator(".playing")).to_have_count(0)
    expect(page.get_by_role("button", name="Submit")).to_be_disabled()
    page.keyboard.press("1")
    page.keyboard.press("3")
    shoot("label")
    page.keyboard.press("4")
    page.keyboard.press("2")
    page.keyboard.press("Enter")

    expect(page.get_by_text(f"{before + 1} of 30")).to_be_visible()
    answers = last_answers(server)
    order = answers["overall"][1]
    assert annotations(server) == before + 1
    assert {aspect: value for aspect, (value, _) in answers.items()} == {
        "content": stored("1", order),
        "voice_quality": "both_good",
        "paralinguistics": "both_bad",
        "overall": stored("2", order),
    }


def test_overall_stays_locked_until_the_dimensions_are_answered(page: Page) -> None:
    begin(page, "demo-which-answer-is-better")
    overall = page.locator('[data-question="overall"] input').first
    expect(overall).to_be_disabled()

    for question in ("content", "voice_quality", "paralinguistics"):
        page.locator(f'[data-question="{question}"]').get_by_text("2 is better").click()

    expect(overall).to_be_enabled()


def test_submit_clicked_many_times_is_one_annotation(page: Page, server: Server) -> None:
    begin(page, "demo-which-answer-is-better")
    before = annotations(server)
    for question in ("content", "voice_quality", "paralinguistics", "overall"):
        page.locator(f'[data-question="{question}"]').get_by_text("Both good").click()

    page.evaluate("for (let n = 0; n < 5; n++) document.querySelector('[data-submit]').click()")

    expect(page.get_by_text(f"{before + 1} of 30")).to_be_visible()
    assert annotations(server) == before + 1


def test_lost_network_keeps_the_choices_and_says_so(page: Page, server: Server, complaints: list[str]) -> None:
    begin(page, "demo-which-answer-is-better")
    before = annotations(server)
    for question in ("content", "voice_quality", "paralinguistics", "overall"):
        page.locator(f'[data-question="{question}"]').get_by_text("Both bad").click()

    page.context.set_offline(True)
    page.get_by_role("button", name="Submit").click()
    expect(page.get_by_text("could not be reached")).to_be_visible()
    page.context.set_offline(False)
    page.get_by_role("button", name="Submit").click()

    expect(page.get_by_text(f"{before + 1} of 30")).to_be_visible()
    assert annotations(server) == before + 1
    complaints.clear()  # the browser reports the failed request itself


def test_reload_keeps_the_draft(page: Page) -> None:
    begin(page, "demo-step-by-step")
    page.locator('[data-question="content.acceptable_1"]').get_by_text("Yes").click()
    page.locator('[data-question="content.acceptable_2"]').get_by_text("Yes").click()
    page.locator('[data-question="content.better"]').get_by_text("2 is better").click()

    page.reload()

    expect(page.locator('[data-question="content.better"] input:checked')).to_have_value("2")
    expect(page.locator("input:checked")).to_have_count(3)


def test_lost_session_keeps_the_choices_until_one_is_back(page: Page, server: Server, complaints: list[str]) -> None:
    begin(page, "demo-which-answer-is-better")
    before = annotations(server)
    for key in "2222":
        page.keyboard.press(key)

    page.context.clear_cookies()
    page.get_by_role("button", name="Submit").click()
    expect(page.get_by_text("You were logged out")).to_be_visible()
    other_tab = page.context.new_page()
    other_tab.goto("/accounts/login/")
    other_tab.get_by_label("Username").fill("annotator")
    other_tab.get_by_label("Password").fill(PASSWORD)
    other_tab.get_by_role("button", name="Log in").click()
    other_tab.get_by_role("button", name="Log out").wait_for()
    page.get_by_role("button", name="Submit").click()

    expect(page.get_by_text(f"{before + 1} of ")).to_be_visible()
    assert annotations(server) == before + 1
    complaints.clear()  # the browser reports the 401 itself


def test_guided_elicitation_derives_the_label(page: Page, server: Server, shoot: Shoot) -> None:
    begin(page, "demo-step-by-step")
    for key in "113":  # content: both acceptable, equally good
        page.keyboard.press(key)
    for key in "12":  # voice quality: only 1 is acceptable
        page.keyboard.press(key)
    shoot("label-guided")
    for key in "2221":  # paralinguistics: neither; overall: only 2
        page.keyboard.press(key)
    expect(page.get_by_text("Still to hear: The prompt, response 1, response 2")).to_be_visible()
    page.keyboard.press("Enter")
    for key, place in (("e", "0"), ("q", "1"), ("w", "2")):
        page.keyboard.press(key)
        expect(page.locator(f'[data-place="{place}"] [data-heard]')).to_be_visible(timeout=15_000)
    page.keyboard.press("Enter")

    expect(page.get_by_text("1 of 30")).to_be_visible()
    logs = server.rows("SELECT played_s, switches FROM annotation_listeninglog ORDER BY id DESC LIMIT 1")
    assert [(played > 5, switches) for played, switches in logs] == [(True, 2)]
    answers = last_answers(server)
    order = answers["overall"][1]
    assert {aspect: value for aspect, (value, _) in answers.items()} == {
        "content": "both_good",
        "voice_quality": stored("1", order),
        "paralinguistics": "both_bad",
        "overall": stored("2", order),
    }


def test_guided_comparison_is_forgotten_when_acceptability_changes(page: Page) -> None:
    begin(page, "demo-step-by-step")
    content = page.locator('[data-aspect="content"]')
    for fieldset in ("content.acceptable_1", "content.acceptable_2"):
        page.locator(f'[data-question="{fieldset}"]').get_by_text("Yes").click()
    better = page.locator('[data-question="content.better"]')
    better.get_by_text("Equally good").click()

    page.locator('[data-question="content.acceptable_2"]').get_by_text("No").click()

    expect(better).to_be_hidden()
    expect(content.locator("input:checked")).to_have_count(2)


def test_listening_survives_a_reload(page: Page) -> None:
    page.add_init_script(REPORTS_COME_SOON)
    begin(page, "demo-step-by-step")
    page.keyboard.press("e")
    expect(page.locator('[data-place="0"] [data-heard]')).to_be_visible(timeout=15_000)
    page.wait_for_timeout(REPORTED_MS)

    page.reload()

    expect(page.locator("[data-unit]")).to_have_attribute("data-heard", re.compile(r'^{"0-1": \[\[0'))


def test_unit_that_is_given_back_is_followed_by_another(page: Page, server: Server) -> None:
    begin(page, "demo-which-answer-is-better")
    before = page.locator("[data-unit]").get_attribute("action")

    page.get_by_text("Return this unit", exact=True).click()
    page.get_by_role("button", name="A clip does not play").click()

    expect(page.locator("[data-unit]")).not_to_have_attribute("action", before or "")
    assert server.rows("SELECT return_reason FROM annotation_assignment WHERE status = 'returned'") == [
        ("does_not_play",)
    ]


def test_keys_are_explained_and_do_nothing_behind_the_dialog(page: Page, shoot: Shoot) -> None:
    begin(page, "demo-which-answer-is-better")
    page.keyboard.press("?")
    expect(page.get_by_role("heading", name="Keys")).to_be_visible()
    shoot("keys")

    page.keyboard.press("1")
    page.keyboard.press("Escape")

    expect(page.locator("input:checked")).to_have_count(0)


def test_answers_survive_a_killed_server(page: Page, server: Server, complaints: list[str]) -> None:
    begin(page, "demo-which-answer-is-better")
    before = annotations(server)
    mine = int(page.locator(".own-progress span").first.inner_text().split()[0])
    for key in "1111":
        page.keyboard.press(key)
    page.keyboard.press("Enter")
    expect(page.get_by_text(f"{mine + 1} of ")).to_be_visible()

    server.kill()
    server.start()
    page.reload()

    expect(page.get_by_text(f"{mine + 1} of ")).to_be_visible()
    assert annotations(server) == before + 1
    complaints.clear()  # clips that were loading when the server died


def test_home_and_login_look_right(page: Page, shoot: Shoot) -> None:
    page.goto("/accounts/login/")
    shoot("login")
    log_in(page, "annotator")
    shoot("home-annotator")
    log_in(page, "researcher")
    shoot("home-researcher")


def test_last_answer_is_changed_and_the_unit_in_hand_is_kept(page: Page, server: Server) -> None:
    begin(page, "demo-which-answer-is-better")
    for key in "1234":
        page.keyboard.press(key)
    before = annotations(server)
    page.keyboard.press("Enter")
    expect(page.locator('[data-question="overall"] input:checked')).to_have_count(0)
    page.keyboard.press("3")  # begun on the next one

    page.keyboard.press("u")
    expect(page.get_by_text("You are changing your last answer")).to_be_visible()
    chosen = [page.locator(f'[data-question="{name}"] input:checked').get_attribute("value") for name in ASPECTS]
    assert chosen == ["1", "2", "both_good", "both_bad"]
    page.locator('[data-question="overall"] input[value="1"]').check(force=True)
    page.get_by_role("button", name="Submit").click()

    expect(page.get_by_text("You are changing your last answer")).to_have_count(0)
    assert annotations(server) == before + 2
    value, order = last_answers(server)["overall"]
    assert value == stored("1", order)
    assert page.locator('[data-question="content"] input:checked').get_attribute("value") == "both_good"


def test_answer_taken_back_can_be_left_as_it_was(page: Page, server: Server) -> None:
    begin(page, "demo-which-answer-is-better")
    before = annotations(server)
    page.keyboard.press("u")
    page.get_by_role("button", name="Leave it as it was").click()

    expect(page.get_by_text("You are changing your last answer")).to_have_count(0)
    assert annotations(server) == before


def test_defect_is_marked_by_keyboard_and_kept_with_the_answer(page: Page, server: Server, shoot: Shoot) -> None:
    begin(page, "demo-which-answer-is-better")
    page.keyboard.press("w")
    page.wait_for_timeout(500)
    page.keyboard.press("m")
    page.wait_for_timeout(500)
    page.keyboard.press("m")
    expect(page.locator("[data-marks] li")).to_have_count(1)
    page.keyboard.press("k")  # from a glitch to noise
    page.get_by_label("Flag for a second look").fill("A voice in the background")
    page.reload()
    expect(page.locator("[data-mark-where]")).to_contain_text("response 2")
    shoot("label-notes")

    for key in "1234":
        page.keyboard.press(key)
    page.keyboard.press("Enter")
    expect(page.locator("[data-marks] li")).to_have_count(0)

    [(kind, start, end, slot, order, flag)] = server.rows(LAST_MARK)
    assert (kind, slot, flag) == ("noise", order[1], "A voice in the background")
    assert 0 < start < end < 3


def test_key_can_be_changed_and_stays_changed(page: Page) -> None:
    begin(page, "demo-which-answer-is-better")
    page.keyboard.press("?")
    page.locator('[data-remap="play-2"]').click()
    page.keyboard.press("z")
    expect(page.locator('[data-key-for="play-2"]')).to_have_text("Z")
    page.keyboard.press("Escape")
    page.reload()
    expect(page.get_by_role("button", name="Play response 2")).to_be_enabled()

    page.keyboard.press("z")
    expect(page.locator('.playing[data-place="2"]')).to_have_count(1)
    expect(page.locator('[data-place="2"] kbd')).to_have_text("Z")


ASPECTS = ("content", "voice_quality", "paralinguistics", "overall")
LAST_MARK = """
    SELECT mark.kind, mark.start_s, mark.end_s, mark.slot, assignment."order", annotation.flag
    FROM annotation_defectmark mark
    JOIN annotation_annotation annotation ON annotation.id = mark.annotation_id
    JOIN annotation_assignment assignment ON assignment.id = annotation.assignment_id
"""
