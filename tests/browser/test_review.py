"""Two annotators disagree; a reviewer hears, adjudicates, leaves out and takes back; the export says which."""

import csv
import io
import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import SESSIONS, Shoot, log_in, open_page_of_campaign
from tests.browser.server import Server
from tests.browser.test_pages import violations

pytestmark = pytest.mark.browser

TITLE = "Two minds"
MAKE_CAMPAIGN = f"""
from dataclasses import replace
from accounts.models import User
from campaigns.launch.lifecycle import create_campaign, open_campaign
from campaigns.people.members import add_member
from campaigns.models import Campaign, Role
from campaigns.audio.delivery import prepare_audio_of
from protocols import SHIPPED, Listening
from corpus.datasets.units import pairs_of_systems

demo = Campaign.objects.filter(title__startswith="Demo").first()
campaign = create_campaign(
    demo.dataset, title="{TITLE}", protocol=replace(SHIPPED["hcot"], listening=Listening("none")),
    units=pairs_of_systems(demo.dataset, per_pair=1)[:3], user=demo.created_by, target_lufs=demo.target_lufs,
    answers_per_unit=2,
)
for name, role in (("annotator", Role.ANNOTATOR), ("second", Role.ANNOTATOR), ("reviewer", Role.REVIEWER)):
    user = User.objects.filter(username=name).first() or User.objects.create_user(name, password="listen-closely")
    add_member(campaign, user=user, role=role)
prepare_audio_of(str(campaign.pk), lambda *_: None)
open_campaign(campaign)
"""
MANY = "Many answers"
MAKE_ANSWERED = f"""
from dataclasses import replace
from accounts.models import User
from annotation.answers.submit import record_answers
from campaigns.audio.delivery import prepare_audio_of
from campaigns.launch.lifecycle import create_campaign, open_campaign
from campaigns.models import Campaign, Role
from campaigns.people.members import add_member
from corpus.datasets.units import pairs_of_systems
from protocols import SHIPPED, Listening
from tests.factories import DIRECT_ANSWERS, make_assignment

demo = Campaign.objects.filter(title__startswith="Demo").first()
campaign = create_campaign(
    demo.dataset, title="{MANY}", protocol=replace(SHIPPED["hcot"], listening=Listening("none")),
    units=pairs_of_systems(demo.dataset, per_pair=1)[:4], user=demo.created_by, target_lufs=demo.target_lufs,
    answers_per_unit=2,
)
people = User.objects.in_bulk(["annotator", "second", "reviewer"], field_name="username")
for name, role in (("annotator", Role.ANNOTATOR), ("second", Role.ANNOTATOR), ("reviewer", Role.REVIEWER)):
    add_member(campaign, user=people[name], role=role)
prepare_audio_of(str(campaign.pk), lambda *_: None)
open_campaign(campaign)
for unit in campaign.campaign_units.all():
    for seat, name in ((1, "annotator"), (2, "second")):
        one = make_assignment(campaign, people[name], campaign_unit=unit, seat=seat)
        record_answers(one.pk, annotator=people[name], clicked=DIRECT_ANSWERS, idempotency_key=name)
"""
RAISE_ALARM = f"""
from analytics.models import ExclusionAlarm
from campaigns.models import Campaign
ExclusionAlarm.objects.create(
    campaign=Campaign.objects.get(title="{TITLE}"), rule="gold", recent=38, of_recent=100, before=4, of_before=300
)
"""
DIMENSIONS = ("content", "voice_quality", "paralinguistics", "overall")


@pytest.fixture
def alarmed(server: Server) -> Iterator[None]:
    """An alarm that no look at the answers ends, since nobody is there to look."""
    server.kill()
    server.start(worker=False)
    server.shell(RAISE_ALARM)
    yield
    server.kill()
    server.start()


@pytest.fixture(scope="module", autouse=True)
def campaign(server: Server) -> None:
    server.shell(MAKE_CAMPAIGN + SESSIONS)


def answer_all(page: Page, name: str, choice: str, *, flag: str = "") -> None:
    """Every unit alike; the first is flagged, and a defect is marked in it."""
    log_in(page, name)
    page.locator(".card", has_text=TITLE).get_by_role("link", name="Start").click()
    for n in range(3):
        expect(page.get_by_role("button", name="Play response 2")).to_be_enabled()
        if flag and n == 0:
            page.keyboard.press("q")
            expect(page.locator('[data-place="1"] [data-position]')).to_have_text(re.compile("0:0[1-9]"))
            page.keyboard.press("m")
            page.wait_for_timeout(400)
            page.keyboard.press("m")
            page.get_by_label("Flag for a second look").fill(flag)
        for question in DIMENSIONS:
            page.locator(f'[data-question="{question}"]').get_by_text(choice).click()
        page.get_by_role("button", name="Submit").click()
        expect(page.get_by_text(f"{n + 1} of 3").or_(page.get_by_text("Thank you!")).first).to_be_visible()


def open_review(page: Page) -> None:
    page.goto("/")
    page.get_by_role("link", name=TITLE).click()
    page.wait_for_url("**/campaigns/**")
    page.goto(page.url.split("?")[0] + "review/")


def table(page: Page) -> list[dict[str, str]]:
    text = download_by_button(page, "Download CSV")
    return [row for row in csv.DictReader(io.StringIO(text)) if row["aspect"] == "overall"]


def download_by_button(page: Page, name: str) -> str:
    with page.expect_download() as started:
        page.get_by_role("button", name=name).click()
    with open(started.value.path(), encoding="utf-8", newline="") as file:  # noqa: PTH123 - line ends as they are
        return file.read()


def hear(page: Page) -> None:
    expect(page.get_by_text("The second one hums")).to_be_visible()
    expect(page.get_by_role("button", name="Play response 1")).to_be_enabled()
    page.keyboard.press("q")
    expect(page.locator(".response-1.playing")).to_have_count(1)
    expect(page.locator(".response-1 [data-position]")).to_have_text(re.compile("0:0[1-9]"))
    page.get_by_role("button", name="Listen", exact=True).click()


def adjudicate(page: Page, choice: str) -> None:
    page.get_by_text("Answer it yourself").click()
    for question in DIMENSIONS:
        page.locator(f'[data-question="{question}"]').get_by_text(choice).click()
    page.get_by_role("button", name="Keep my answers").click()
    expect(page.get_by_text("Your answers are saved beside the others.")).to_be_visible()
    expect(page.get_by_text("1 of 3 reviewed")).to_be_visible()
    expect(page.locator(".side-by-side td.adjudicated", has_text=choice)).to_have_count(4)


def leave_out(page: Page, card: Locator) -> None:
    card.get_by_text("Leave it out").first.click()
    card.locator("[name=reason]").first.select_option("technical")
    card.get_by_role("button", name="Leave it out").click()
    expect(page.get_by_text("The answer is left out. It can be included again.")).to_be_visible()


def accept(page: Page, card: Locator) -> None:
    card.get_by_text("Accept or not, with a message").click()
    card.get_by_label("Message to the annotator").fill("Thank you; the hum is in the recording.")
    card.get_by_role("button", name="Accept", exact=True).click()
    expect(page.get_by_text("Saved, and the annotator was notified.")).to_be_visible()


def walk_through_the_rows(page: Page) -> None:
    """The keys act on the row that has the focus, and not in a field."""
    page.keyboard.press("j")
    page.keyboard.press("j")
    page.keyboard.press("k")
    page.keyboard.press("1")
    expect(page.get_by_text("1 unit is marked as reviewed.")).to_be_visible()
    page.wait_for_load_state()
    page.keyboard.press("u")
    expect(page.get_by_text("1 unit is open again.")).to_be_visible()
    page.get_by_label("Search").fill("u1")
    expect(page.get_by_label("Search")).to_have_value("u1")
    page.get_by_label("Search").fill("")


def test_reviewer_hears_adjudicates_leaves_out_and_takes_back(page: Page, server: Server, shoot: Shoot) -> None:
    answer_all(page, "annotator", "Both good")
    answer_all(page, "second", "Both bad", flag="The second one hums")

    log_in(page, "reviewer")
    open_review(page)
    expect(page.get_by_text("0 of 3 reviewed")).to_be_visible()
    shoot("review-queue")
    page.locator(".queue tbody a").first.click()
    hear(page)
    shoot("review-unit")
    assert violations(page) == []
    adjudicate(page, "1 is better")
    second = page.locator(".decisions .card", has_text="A2")
    leave_out(page, second)
    second.get_by_role("button", name="Include again").click()
    expect(page.get_by_text("The answer is used again.")).to_be_visible()
    leave_out(page, second)
    accept(page, second)
    shoot("review-decided")
    here = page.url
    page.evaluate("window.sameDocument = true")
    page.keyboard.press("j")
    expect(page.get_by_role("button", name="Mark as reviewed, next")).to_be_visible()
    expect(page).not_to_have_url(here)
    expect(page.get_by_role("button", name="Play response 1")).to_be_enabled()
    there = page.url
    page.keyboard.press("v")
    expect(page.get_by_text("1 unit is marked as reviewed.")).to_be_visible()
    expect(page).not_to_have_url(there)
    expect(page.get_by_text("2 of 3 reviewed")).to_be_visible()
    page.keyboard.press("u")
    expect(page).to_have_url(there)
    expect(page.get_by_text("1 of 3 reviewed")).to_be_visible()
    assert page.evaluate("window.sameDocument")
    page.go_back()
    expect(page.get_by_role("button", name="Play response 1")).to_be_enabled()
    page.get_by_role("link", name="Queue").click()
    page.wait_for_url(re.compile(r"/review/(\?|$)"))  # and until its scripts hear the keys
    walk_through_the_rows(page)
    page.get_by_label("Status").select_option("done")
    page.get_by_role("button", name="Apply").click()
    page.locator(".queue tbody a").click()
    expect(page.get_by_text("Left out: Something technical")).to_be_visible()

    log_in(page, "second")
    page.get_by_role("link", name="1 message", exact=True).click()
    expect(page.get_by_text("the hum is in the recording")).to_be_visible()
    shoot("messages")


def decide_by_keys_in_the_queue(page: Page) -> None:
    """3 asks for a reason; Enter in the comment leaves out, and marks nothing as reviewed; 4 includes again."""
    page.keyboard.press("j")
    page.keyboard.press("1")
    expect(page.get_by_text("1 unit is marked as reviewed.")).to_be_visible()
    page.wait_for_load_state()
    page.keyboard.press("j")
    page.keyboard.press("2")
    expect(page.get_by_text("1 unit is open again.")).to_be_visible()
    page.wait_for_load_state()
    page.keyboard.press("j")
    page.keyboard.press("3")
    reason = page.locator(".bulk-use [name=reason]")
    expect(reason).to_be_focused()
    expect(page.locator("[data-selected]")).to_have_text("(1)")
    reason.select_option("technical")
    page.keyboard.press("Tab")
    page.keyboard.type("1234 hum")
    page.keyboard.press("Enter")
    expect(page.get_by_text("2 answers are left out.")).to_be_visible()
    expect(page.get_by_text("0 of 4 reviewed")).to_be_visible()
    page.wait_for_load_state()
    page.keyboard.press("j")
    page.keyboard.press("4")
    expect(page.get_by_text("2 answers are used again.")).to_be_visible()
    page.wait_for_load_state()
    page.keyboard.press("u")
    expect(page.get_by_text("2 answers are left out.")).to_be_visible()
    page.wait_for_load_state()
    page.keyboard.press("u")
    expect(page.get_by_text("2 answers are used again.")).to_be_visible()
    page.wait_for_load_state()


def decide_by_keys_on_the_page_of_a_unit(page: Page) -> None:
    """X, Z and C, then V, B and U: always in the same document, and on the unit that is shown."""
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Play response 1")).to_be_enabled()
    page.evaluate("window.sameDocument = true")
    page.keyboard.press("x")
    reason = page.locator("[data-leave-out][open] [name=reason]")
    expect(reason).to_be_focused()
    reason.select_option("speed")
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.get_by_text("The answer is left out. It can be included again.")).to_be_visible()
    page.keyboard.press("z")
    expect(page.get_by_text("The answer is used again.")).to_be_visible()
    page.keyboard.press("c")
    expect(page.locator("[data-comment]")).to_be_focused()
    page.keyboard.type("xzv")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.locator(".thread article", has_text="xzv")).to_be_visible()
    first = page.url
    page.keyboard.press("v")
    expect(page.get_by_text("1 unit is marked as reviewed.")).to_be_visible()
    expect(page).not_to_have_url(first)
    page.keyboard.press("k")
    expect(page).to_have_url(first)
    page.keyboard.press("b")
    expect(page.get_by_text("1 unit is open again.")).to_be_visible()
    page.keyboard.press("u")
    expect(page.get_by_text("1 unit is marked as reviewed.")).to_be_visible()
    expect(page.get_by_text("Reviewed by reviewer")).to_be_visible()
    page.keyboard.press("n")
    expect(page).not_to_have_url(first)
    assert page.evaluate("window.sameDocument")


def decide_about_all_that_match(page: Page) -> None:
    page.get_by_text("Leave out answers, or include them again").click()
    page.get_by_label("Reason").select_option("technical")
    page.get_by_label("All 4 units that match").check()


def test_keys_decide_about_units_and_their_answers(page: Page, server: Server, shoot: Shoot) -> None:
    server.shell(MAKE_ANSWERED)
    log_in(page, "reviewer")
    page.get_by_role("link", name=MANY).click()
    page.wait_for_url("**/campaigns/**")
    queue = page.url.split("?")[0] + "review/?sign=every&state=all"
    page.goto(queue)

    decide_by_keys_in_the_queue(page)
    decide_by_keys_on_the_page_of_a_unit(page)
    shoot("review-keys-unit")
    assert violations(page) == []

    page.goto(queue)
    decide_about_all_that_match(page)
    shoot("review-many")
    assert violations(page) == []
    page.keyboard.press("3")
    expect(page.get_by_text("8 answers are left out.")).to_be_visible()
    shoot("review-many-decided")
    assert violations(page) == []
    page.get_by_role("button", name="Undo this").click()
    expect(page.get_by_text("8 answers are used again.")).to_be_visible()


@pytest.mark.usefixtures("alarmed")
def test_export_has_what_was_left_out_only_where_it_is_asked_for(page: Page, shoot: Shoot) -> None:
    """After the reviewer of the test before: one of six answers is left out, one unit adjudicated."""
    log_in(page, "researcher")
    expect(page.locator("[data-exclusion-alarm]")).to_contain_text("38 of the last 100, 4 of 300 before.")
    shoot("alarm")
    page.get_by_role("rowheader").get_by_role("link", name=TITLE).click()
    open_page_of_campaign(page, "Labels")
    shoot("labels")
    assert violations(page) == []

    used = table(page)
    page.get_by_label("what was left out").check()
    page.get_by_label("what reviewers adjudicated").check()
    everything = table(page)

    assert sorted(row["value"] for row in used) == ["both_bad"] * 2 + ["both_good"] * 3
    assert [row["excluded"] for row in everything].count("technical") == 1
    assert [row["annotator"] for row in everything].count("adjudicated") == 1
    assert len(everything) == 7
