"""The player in a real browser: switching, looping, waveforms, what is fetched ahead, and the volume page."""

import json
import re
from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser.conftest import Shoot, log_in
from tests.browser.server import Server
from tests.browser.test_labelling import REPORTED_MS, REPORTS_COME_SOON
from tests.browser.test_labelling import begin as begin_labelling
from tests.browser.test_pages import violations

pytestmark = pytest.mark.browser

SAME_WORDS, NO_PICTURE, IN_FULL = "same-words", "no-picture", "in-full"
MAKE_CAMPAIGNS = f"""
from dataclasses import replace
from accounts.models import User
from campaigns.launch.lifecycle import create_campaign, open_campaign
from campaigns.people.members import add_member
from campaigns.models import Campaign, Role
from campaigns.audio.delivery import prepare_audio_of
from protocols import SHIPPED, Listening
from corpus.datasets.units import pairs_of_systems

demo = Campaign.objects.filter(title__startswith="Demo").first()
for title, protocol, rule, show in [
    ("{SAME_WORDS}", "ccr", "none", True),
    ("{NO_PICTURE}", "hcot", "none", False),
    ("{IN_FULL}", "hcot", "full", True),
]:
    campaign = create_campaign(
        demo.dataset, title=title, protocol=replace(SHIPPED[protocol], listening=Listening(rule)),
        units=pairs_of_systems(demo.dataset, per_pair=1), user=demo.created_by, target_lufs=demo.target_lufs,
        show_waveform=show,
    )
    add_member(campaign, user=User.objects.get(username="annotator"), role=Role.ANNOTATOR)
    prepare_audio_of(str(campaign.pk), lambda *_: None)
    open_campaign(campaign)
"""


@pytest.fixture(scope="module", autouse=True)
def campaigns(server: Server) -> None:
    """One whose clips say the same words, one without waveforms, one that asks to hear everything."""
    server.shell(MAKE_CAMPAIGNS)


NOTE_SOUNDS = """
window.sounds = [];
window.contexts = [];
const start = AudioBufferSourceNode.prototype.start;
const stop = AudioBufferSourceNode.prototype.stop;
AudioBufferSourceNode.prototype.start = function (at, from) {
  const { sampleRate } = this.context;
  if (!contexts.includes(this.context)) contexts.push(this.context);
  this.noted = { at, from, end: null, seconds: this.buffer.duration, loop: this.loop, sampleRate };
  sounds.push(this.noted);
  return start.call(this, at, from);
};
AudioBufferSourceNode.prototype.stop = function (at) {
  this.noted.end = at;
  return stop.call(this, at);
};
"""
FADE = 0.005
HEARD = """
    SELECT log.clips, log.played_s FROM annotation_listeninglog log
    JOIN annotation_assignment assignment ON assignment.id = log.assignment_id
    JOIN campaigns_campaign campaign ON campaign.id = assignment.campaign_id
    WHERE campaign.slug = '{slug}' ORDER BY log.id DESC LIMIT 1
"""


@pytest.fixture(autouse=True)
def _noted(page: Page) -> None:
    """Everything that is made to sound is noted in `sounds`, with the moments on the context's clock."""
    page.add_init_script(NOTE_SOUNDS)


def begin(page: Page, campaign: str) -> None:
    """Begin, and wait until every clip is there."""
    begin_labelling(page, campaign)
    expect(page.locator("[data-seek]:disabled")).to_have_count(0)


def sounds(page: Page) -> list[dict[str, Any]]:
    return list(page.evaluate("sounds"))


def heard(server: Server, slug: str) -> tuple[dict[str, list[list[float]]], float]:
    """What the server knows to have been played in the campaign: ranges by clip, and seconds in all."""
    clips, played = server.rows(HEARD.format(slug=slug))[0]
    clips = json.loads(clips) if isinstance(clips, str) else clips
    return {clip: known["ranges"] for clip, known in clips.items()}, played


def playing(page: Page, place: str) -> None:
    expect(page.locator(f'[data-place="{place}"]')).to_have_class(re.compile("playing"))


def play_for(page: Page, key: str, milliseconds: int) -> None:
    page.keyboard.press(key)
    expect(page.locator(".playing")).to_have_count(1)
    page.wait_for_timeout(milliseconds)


def click_track(page: Page, place: str, share: float) -> None:
    track = page.locator(f'[data-place="{place}"] [data-track]')
    box = track.bounding_box()
    assert box is not None
    track.click(position={"x": box["width"] * share, "y": box["height"] / 2})


PAINTED = """
[...document.querySelectorAll("canvas")].map(({ width, height }, n) => {
  const copy = new OffscreenCanvas(width, height).getContext("2d", { willReadFrequently: true });
  copy.drawImage(document.querySelectorAll("canvas")[n], 0, 0);
  return copy.getImageData(0, 0, width, height).data.filter((value, n) => n % 4 === 3 && value > 0).length;
})
"""


def painted(page: Page) -> list[int]:
    """How many pixels of every canvas have a colour."""
    return list(page.evaluate(PAINTED))


def test_synchronised_switching_keeps_the_playhead(page: Page) -> None:
    begin(page, SAME_WORDS)
    play_for(page, "q", 900)
    play_for(page, "w", 500)
    page.keyboard.press("q")
    playing(page, "1")

    first, second, third = sounds(page)
    rate = first["sampleRate"]
    assert first["from"] == 0
    assert second["from"] > 0.8
    for before, after in ((first, second), (second, third)):
        # Within a sample, and the one fades out while the other fades in.
        assert after["from"] - before["from"] == pytest.approx(after["at"] - before["at"], abs=1 / rate)
        assert before["end"] == pytest.approx(after["at"] + FADE, abs=1e-9)
        assert (after["at"] * rate) % 1 == pytest.approx(0, abs=1e-3) or (after["at"] * rate) % 1 > 0.999


def test_synchronised_switching_leaves_the_prompt_out(page: Page) -> None:
    begin(page, SAME_WORDS)
    for key in "qew":
        play_for(page, key, 500)

    assert [sound["from"] for sound in sounds(page)] == [0, 0, 0]


def test_synchronised_responses_share_one_loop(page: Page) -> None:
    begin(page, SAME_WORDS)
    play_for(page, "q", 500)
    page.keyboard.press("l")
    page.wait_for_timeout(700)
    page.keyboard.press("l")
    play_for(page, "w", 900)

    regions = page.locator(".responses [data-loop-region]")
    assert regions.evaluate_all("all => all.map((one) => one.hidden)") == [False, False]
    last = sounds(page)[-1]
    assert last["loop"]
    assert last["seconds"] == pytest.approx(sounds(page)[-2]["seconds"], abs=0.001)
    page.keyboard.press("l")
    assert regions.evaluate_all("all => all.map((one) => one.hidden)") == [True, True]


def test_restart_switching_plays_each_clip_from_its_beginning(page: Page) -> None:
    begin(page, "demo-which-answer-is-better")
    play_for(page, "q", 700)
    page.get_by_role("button", name="Play response 2").click()
    page.wait_for_timeout(500)
    page.get_by_role("button", name="Play response 1").click()
    playing(page, "1")

    first, second, third = sounds(page)
    assert [first["from"], second["from"], third["from"]] == [0, 0, 0]
    assert first["end"] == pytest.approx(second["at"] + FADE, abs=1e-9)


def test_pausing_and_going_on_loses_nothing(page: Page) -> None:
    begin(page, "demo-which-answer-is-better")
    play_for(page, "q", 600)
    page.keyboard.press(" ")
    expect(page.locator(".playing")).to_have_count(0)
    page.keyboard.press(" ")
    playing(page, "1")

    before, after = sounds(page)
    assert after["from"] == pytest.approx(before["end"] - FADE - before["at"], abs=1 / before["sampleRate"])


def test_voices_that_switch_add_up_to_what_one_would_have_been(page: Page) -> None:
    """The graph that plays, rendered: a switch between equal clips changes no sample by more than rounding."""
    begin(page, "demo-which-answer-is-better")
    worst = page.evaluate(
        """async () => {
          const { startVoice } = await import("/static/js/player/voice.js");
          const rate = 48000, context = new OfflineAudioContext(1, rate, rate);
          const buffer = context.createBuffer(1, rate, rate);
          const samples = buffer.getChannelData(0).map((_, n) => Math.sin(n * 0.05));
          buffer.copyToChannel(samples, 0);
          const stop = startVoice(context, buffer, { at: 0 });
          stop(12345 / rate);
          startVoice(context, buffer, { at: 12345 / rate, position: 12345 / rate });
          const rendered = (await context.startRendering()).getChannelData(0);
          const wrong = samples.map((sample, n) => Math.abs(sample - rendered[n]));
          return Math.max(...wrong.slice(480, 40000));
        }"""
    )

    assert worst < 1e-5


def test_loop_goes_round_and_is_heard_only_within_its_ends(page: Page, server: Server) -> None:
    page.add_init_script(REPORTS_COME_SOON)
    begin(page, IN_FULL)
    click_track(page, "1", 0.5)
    page.get_by_role("button", name="Play response 1").click()
    playing(page, "1")
    page.keyboard.press("l")
    expect(page.get_by_text("The loop in response 1 begins at")).to_be_attached()
    page.wait_for_timeout(700)
    page.keyboard.press("l")
    expect(page.get_by_text("A loop in response 1 from")).to_be_attached()
    loop = page.locator('[data-place="1"] [data-loop-region]')
    expect(loop).to_be_visible()
    page.wait_for_timeout(2500)
    playing(page, "1")
    page.keyboard.press(" ")
    page.wait_for_timeout(REPORTED_MS)

    first, looped = [sound for sound in sounds(page) if sound["end"]][-2:]
    ranges, played = heard(server, IN_FULL)
    assert looped["loop"]
    assert list(ranges) == ["1-1"]
    ((start, end),) = ranges["1-1"]
    assert start == pytest.approx(first["seconds"] / 2, abs=0.3)
    assert 0.6 < end - start < 1.6
    assert looped["seconds"] <= end - start + 0.01
    assert played > 3
    page.keyboard.press("l")
    expect(loop).to_be_hidden()


def test_looping_does_not_count_as_hearing_the_clip(page: Page) -> None:
    begin(page, IN_FULL)
    play_for(page, "q", 300)
    page.keyboard.press("l")
    page.wait_for_timeout(500)
    page.keyboard.press("l")
    page.wait_for_timeout(6500)

    playing(page, "1")
    expect(page.locator('[data-place="1"] [data-heard]')).to_be_hidden()
    page.keyboard.press("l")
    expect(page.locator('[data-place="1"] [data-heard]')).to_be_visible(timeout=15_000)


def test_loop_is_set_by_mouse_too(page: Page) -> None:
    begin(page, "demo-which-answer-is-better")
    page.get_by_role("button", name="Loop a part of response 2, from here").click()
    click_track(page, "2", 0.4)
    page.get_by_role("button", name="Loop a part of response 2, up to here").click()
    page.get_by_role("button", name="Play response 2").click()
    playing(page, "2")

    (sound,) = sounds(page)
    assert sound["loop"]
    page.get_by_role("button", name="End the loop in response 2").click()
    assert not sounds(page)[-1]["loop"]


def test_waveforms_are_drawn_and_seek(page: Page) -> None:
    begin(page, "demo-which-answer-is-better")

    assert len(painted(page)) == 3
    assert min(painted(page)) > 500
    for direction, share in (("ltr", 0.75), ("rtl", 0.25)):  # time runs from left to right in every language
        page.evaluate(f"document.documentElement.dir = '{direction}'")
        click_track(page, "1", share)
        seek = page.locator('[data-place="1"] [data-seek]')
        assert seek.evaluate("range => range.value / range.max") == pytest.approx(share, abs=0.03)


def test_dragging_the_playhead_is_silent_until_it_is_let_go(page: Page) -> None:
    begin(page, "demo-which-answer-is-better")
    play_for(page, "q", 300)
    box = page.locator('[data-place="1"] [data-track]').bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] * 0.3, box["y"] + 20)
    page.mouse.down()
    expect(page.locator(".playing")).to_have_count(0)
    page.mouse.move(box["x"] + box["width"] * 0.5, box["y"] + 20, steps=8)
    page.mouse.up()
    playing(page, "1")

    before, after = sounds(page)
    assert after["from"] == pytest.approx(before["seconds"] / 2, abs=0.05)


def test_finger_taps_to_seek_and_swipes_to_scroll(page: Page) -> None:
    page.set_viewport_size({"width": 390, "height": 700})
    begin(page, "demo-which-answer-is-better")
    finger = page.context.new_cdp_session(page)
    finger.send("Emulation.setTouchEmulationEnabled", {"enabled": True})
    box = page.locator('[data-place="0"] [data-track]').bounding_box()
    assert box is not None
    seek = page.locator('[data-place="0"] [data-seek]')

    def touch(kind: str, *points: tuple[float, float]) -> None:
        finger.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": x, "y": y} for x, y in points]})

    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    touch("touchStart", (x, y))
    for step in range(1, 8):
        touch("touchMove", (x, y - 25 * step))
    page.wait_for_timeout(300)  # a finger that rests before it leaves: the page does not glide on
    touch("touchMove", (x, y - 176))
    touch("touchEnd")
    expect(page.locator(".site-header")).not_to_be_in_viewport()
    expect(seek).to_have_value("0")

    page.evaluate("window.scrollTo(0, 0)")
    expect(page.locator(".site-header")).to_be_in_viewport()
    touch("touchStart", (x, y))
    touch("touchEnd")
    expect(seek).not_to_have_value("0")
    assert seek.evaluate("range => range.value / range.max") == pytest.approx(0.5, abs=0.05)


def test_playhead_steps_for_those_who_want_little_motion(page: Page) -> None:
    page.emulate_media(reduced_motion="reduce")
    begin(page, "demo-which-answer-is-better")
    page.evaluate(
        """window.steps = new Set();
        const track = document.querySelector('[data-place="1"] [data-track]');
        new MutationObserver(() => steps.add(track.style.cssText)).observe(track, { attributes: true });
        """
    )
    play_for(page, "q", 1600)

    assert 2 <= page.evaluate("steps.size") <= 6


def test_seek_bar_is_moved_by_keyboard(page: Page) -> None:
    begin(page, "demo-which-answer-is-better")
    seek = page.get_by_role("slider", name="Position in response 1")
    seek.focus()
    for _ in range(10):
        page.keyboard.press("ArrowRight")
    page.get_by_role("button", name="Play response 1").click()
    playing(page, "1")

    assert sounds(page)[0]["from"] == pytest.approx(1.0, abs=0.05)


def test_hidden_waveforms_are_not_there_and_loops_are_still_shown(page: Page, shoot: Shoot) -> None:
    begin(page, NO_PICTURE)
    play_for(page, "q", 500)
    page.keyboard.press("l")
    page.wait_for_timeout(600)
    page.keyboard.press("l")

    assert painted(page) == []
    expect(page.locator('[data-place="1"] [data-loop-region]')).to_be_visible()
    shoot("player-without-waveform")
    assert violations(page) == []


def test_player_looks_right_while_it_loops(page: Page, shoot: Shoot) -> None:
    begin(page, "demo-step-by-step")
    play_for(page, "q", 900)
    page.keyboard.press("l")
    page.wait_for_timeout(900)
    page.keyboard.press("l")
    shoot("player")

    assert violations(page) == []


def test_all_four_aspects_fit_a_laptop(page: Page) -> None:
    begin(page, "demo-which-answer-is-better")

    submit = page.get_by_role("button", name="Submit").bounding_box()
    assert submit is not None
    assert submit["y"] + submit["height"] <= 800


def test_clips_of_the_next_unit_are_there_before_it_comes(page: Page) -> None:
    fetched: list[str] = []
    page.on("request", lambda request: fetched.append(request.url) if "/listen/" in request.url else None)
    with page.expect_response("**/ahead/") as told:
        begin(page, "demo-which-answer-is-better")
    ahead = told.value.json()
    page.wait_for_timeout(1500)
    assert [url.removeprefix(page.url.split("/label/")[0]) for url in fetched[3:]] == list(ahead["clips"].values())

    for key in "1111":
        page.keyboard.press(key)
    page.keyboard.press("Enter")
    expect(page.locator("[data-unit]")).to_have_attribute("data-assignment", ahead["assignment"])
    expect(page.locator("[data-seek]:disabled")).to_have_count(0)
    play_for(page, "q", 300)

    addressed = [url for url in fetched if ahead["assignment"].replace("-", "") in url]
    assert len(addressed) == 3


def test_clips_that_could_not_be_fetched_ahead_are_loaded_as_usual(page: Page, complaints: list[str]) -> None:
    page.route("**/ahead/", lambda route: route.fulfill(status=500))
    begin(page, "demo-which-answer-is-better")
    before = page.locator("[data-unit]").get_attribute("data-assignment") or ""
    for key in "1111":
        page.keyboard.press(key)
    page.keyboard.press("Enter")

    expect(page.locator("[data-unit]")).not_to_have_attribute("data-assignment", before)
    expect(page.locator("[data-seek]:disabled")).to_have_count(0)
    play_for(page, "q", 300)
    complaints.clear()  # the browser reports the 500s itself


def test_clip_that_came_damaged_once_plays(page: Page, complaints: list[str]) -> None:
    served: list[str] = []

    def listen(route: Route) -> None:
        served.append(route.request.url)
        if len(served) == 1:
            route.fulfill(status=503, body="busy")
        elif len(served) == 2:
            body = page.request.get(route.request.url).body()
            route.fulfill(body=body[: len(body) // 2], content_type="audio/wav")
        else:
            route.continue_()

    page.route("**/listen/*", listen)
    begin(page, "demo-which-answer-is-better")

    unit = (page.locator("[data-unit]").get_attribute("data-assignment") or "").replace("-", "")
    assert sorted(served.count(url) for url in set(served) if unit in url) == [1, 2, 2]
    assert page.locator("[data-player-error]:visible").count() == 0
    complaints.clear()  # the browser reports the 503 itself


def test_clip_that_does_not_play_is_given_back_on_the_spot(
    page: Page, server: Server, complaints: list[str], shoot: Shoot
) -> None:
    page.route("**/listen/*", lambda route: route.fulfill(status=404))
    log_in(page, "annotator", at=f"/label/{SAME_WORDS}/")
    expect(page.locator("[data-player-error]:visible")).to_have_count(3)
    shoot("player-error")
    assert violations(page) == []
    before = page.locator("[data-unit]").get_attribute("data-assignment") or ""
    page.unroute("**/listen/*")

    page.get_by_role("button", name="Return it", exact=True).first.click()

    expect(page.locator("[data-unit]")).not_to_have_attribute("data-assignment", before)
    expect(page.get_by_role("button", name="Play response 2")).to_be_enabled()
    reasons = server.rows("SELECT id, return_reason FROM annotation_assignment WHERE return_reason = 'does_not_play'")
    assert before.replace("-", "") in {str(pk).replace("-", "") for pk, _ in reasons}
    complaints.clear()  # the browser reports the 404s itself


def test_interrupted_sound_pauses_and_goes_on_with_the_next_gesture(page: Page) -> None:
    begin(page, "demo-which-answer-is-better")
    play_for(page, "q", 500)

    page.evaluate("contexts[0].suspend()")
    expect(page.locator(".playing")).to_have_count(0)
    page.keyboard.press(" ")
    playing(page, "1")

    assert page.evaluate("contexts[0].state") == "running"
    assert sounds(page)[-1]["from"] > 0.4


def test_volume_page_plays_noise_round_and_round(page: Page, shoot: Shoot) -> None:
    begin(page, "demo-which-answer-is-better")
    page.get_by_role("link", name="Volume").click()
    page.get_by_role("button", name="Play the noise").click()
    stop = page.get_by_role("button", name="Stop")
    expect(stop).to_be_visible()
    shoot("volume")
    assert violations(page) == []
    stop.click()
    expect(page.get_by_role("button", name="Play the noise")).to_be_visible()

    (sound,) = sounds(page)
    assert (sound["from"], sound["loop"]) == (0.1, True)
    assert sound["seconds"] == pytest.approx(6.2)
    assert sound["end"] > sound["at"]
    page.get_by_role("link", name="Continue to labelling").click()
    expect(page.get_by_role("button", name="Play response 2")).to_be_enabled()
