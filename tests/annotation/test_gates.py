"""Entry gates: what is asked before the first unit, in order, once, and always with a way to continue."""

import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from random import Random
from threading import Barrier
from typing import Any
from uuid import UUID

import pytest
from django.db import connection
from django.http import HttpResponseBase
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.models import User
from analytics.data.labels import campaign_labels
from annotation.answers.revise import NothingToTakeBack, take_back
from annotation.answers.submit import record_answers
from annotation.assignment.next_unit import next_assignment, plan_next
from annotation.assignment.progress import answers_by_campaign, others_hold_units, own_progress, units_done
from annotation.entry_gates.by_ear import environment, headphones
from annotation.entry_gates.by_ear.environment import ENVIRONMENT
from annotation.entry_gates.by_ear.headphones import HEADPHONES
from annotation.entry_gates.by_ear.registry import EAR_CHECKS
from annotation.entry_gates.gate_progress import GateNeeded, State, next_gate, progress_at
from annotation.entry_gates.guidelines import AnotherVersion, note_reading
from annotation.entry_gates.tries import NoTryLeft, could_not_run, say, start_try
from annotation.entry_gates.volume import note_volume_set
from annotation.models import Assignment
from campaigns.audio.levels import gate_form
from campaigns.audio.signals.noisy_speech import noisy_speech_wav
from campaigns.audio.signals.tones import tone_wav
from campaigns.control_units.checks import read_gold
from campaigns.entry_gates.gates import set_gates
from campaigns.entry_gates.guidelines import new_guidelines
from campaigns.entry_gates.settings import USUAL, GatePlan
from campaigns.models import Campaign, GateTry
from campaigns.people.consent import new_version
from tests.annotation.test_listening import deliver_fakes
from tests.cases import each
from tests.factories import DIRECT_ANSWERS, RARE_A, RARE_B, make_campaign, make_invitation, make_member

pytestmark = pytest.mark.django_db
SOFT = "soft"
#: All four aspects of unit 0 and of unit 1; DIRECT_ANSWERS in the order `ab` is right about unit 0.
TABLE = (
    "unit,aspect,value,feedback\n"
    "0,content,a,Listen to the end.\n0,voice_quality,b,\n0,paralinguistics,both_bad,\n0,overall,a,\n"
    "1,content,a,\n1,voice_quality,b,\n1,paralinguistics,both_bad,\n1,overall,a,\n"
)


def campaign_with(*kinds: str, units: int = 6, table: str = TABLE, **changes: Any) -> Campaign:
    """An open campaign that asks for these gates, as they usually are but for the changes."""
    campaign = make_campaign(units=units, status="draft")
    plans: dict[str, GatePlan | None] = {kind: GatePlan(**(vars(USUAL[kind]) | changes)) for kind in kinds}
    tables = {kind: read_gold(table) for kind in kinds if kind in ("training", "qualification")}
    set_gates(campaign, plans=plans, units=tables)
    if "guidelines" in kinds:
        new_guidelines(campaign, text="# Listen\nto all of it", user=campaign.created_by)
    Campaign.objects.update(status="open")
    return Campaign.objects.get(pk=campaign.pk)


def begin(campaign: Campaign, annotator: User, kind: str) -> GateTry:
    check = EAR_CHECKS.get(kind)
    return start_try(campaign.gates.get(kind=kind), annotator, drawn=check.draw(Random(1)) if check else None)


def hear_tones(campaign: Campaign, annotator: User, *, right: int) -> GateTry:
    """Six trials at the headphones, so many of them right."""
    one = begin(campaign, annotator, "headphones")
    for trial, order in enumerate(one.drawn["orders"]):
        place = order.index(SOFT) + 1
        chosen = place if trial < right else place % 3 + 1
        one = say(one.pk, annotator=annotator, trial=trial, what=chosen, verdict=HEADPHONES.verdict)
    return one


def hear_noise(campaign: Campaign, annotator: User, *, threshold: float) -> GateTry:
    """Pairs until the staircase is through, by somebody who notices noise down to the threshold."""
    one = begin(campaign, annotator, "environment")
    while one.outcome == "":
        clean = one.drawn["clean"][len(one.said)]
        notices = environment._staircase(one).snr_db <= threshold
        chosen = clean if notices else 3 - clean
        one = say(one.pk, annotator=annotator, trial=len(one.said), what=chosen, verdict=ENVIRONMENT.verdict)
    return one


def answer_unit(campaign: Campaign, annotator: User, *, right: bool = True) -> Assignment:
    """Answer the unit in hand as the table expects it, or all otherwise."""
    assignment = next_assignment(campaign, annotator)
    assert assignment
    first, second = ("1", "2") if (assignment.order == "ab") == right else ("2", "1")
    tie = "both_bad" if right else "both_good"
    clicked = {"content": first, "voice_quality": second, "paralinguistics": tie, "overall": first}
    record_answers(assignment.pk, annotator=annotator, clicked=clicked, idempotency_key=str(assignment.pk))
    return assignment


def needed(campaign: Campaign, annotator: User) -> tuple[str, str]:
    """The gate at which this person is stopped, and how they stand at it."""
    with pytest.raises(GateNeeded) as stopped:
        next_assignment(campaign, annotator)
    return stopped.value.progress.gate.kind, str(stopped.value.progress.state)


def later(minutes: int) -> None:
    """Let every try have ended so long ago."""
    for one in GateTry.objects.exclude(ended_at=None):
        GateTry.objects.filter(pk=one.pk).update(ended_at=timezone.now() - timedelta(minutes=minutes))


# -- progress ----------------------------------------------------------------------------------------------------


@pytest.mark.databases
def test_gates_are_met_in_their_order_and_then_the_first_unit() -> None:
    kinds = ["qualification", "volume", "environment", "guidelines", "training", "headphones"]
    campaign = campaign_with(*kinds, tries=1)
    annotator = make_member(campaign)
    met = []

    def meet(kind: str, pass_it: Callable[[], object]) -> None:
        met.append(needed(campaign, annotator)[0])
        pass_it()

    gates = {gate.kind: gate for gate in campaign.gates.all()}
    meet("guidelines", lambda: note_reading(gates["guidelines"], annotator, version="1"))
    meet("volume", lambda: note_volume_set(gates["volume"], annotator))
    meet("headphones", lambda: hear_tones(campaign, annotator, right=6))
    meet("environment", lambda: hear_noise(campaign, annotator, threshold=44))
    for kind in ("training", "qualification"):
        meet(kind, lambda kind=kind: begin(campaign, annotator, kind))  # type: ignore[misc]
        for _ in range(2):
            assignment = answer_unit(campaign, annotator)
            if kind == "training":
                one = GateTry.objects.get(kind=kind)
                say(one.pk, annotator=annotator, trial=len(one.said), what=str(assignment.pk))
        assert needed(campaign, annotator) == (kind, "passed")

    assert met == ["guidelines", "volume", "headphones", "environment", "training", "qualification"]
    first = next_assignment(campaign, annotator)
    assert first
    assert first.campaign_unit.purpose == "study"
    assert next_gate(campaign, annotator) is None


def test_campaign_without_gates_lets_everybody_in() -> None:
    campaign = make_campaign()

    assert next_gate(campaign, make_member(campaign)) is None


def test_nothing_is_planned_before_the_first_unit() -> None:
    campaign = campaign_with("volume")
    annotator = make_member(campaign)

    assert plan_next(campaign, annotator) is None
    note_volume_set(campaign.gates.get(), annotator)
    assert plan_next(campaign, annotator)


def test_one_persons_tries_are_nobody_elses() -> None:
    campaign = campaign_with("volume")
    note_volume_set(campaign.gates.get(), make_member(campaign))

    assert needed(campaign, make_member(campaign)) == ("volume", "new")


# -- guidelines and volume ---------------------------------------------------------------------------------------


def test_new_version_of_the_guidelines_is_read_again() -> None:
    campaign = campaign_with("guidelines")
    annotator = make_member(campaign)
    gate = campaign.gates.get()
    note_reading(gate, annotator, version="1")
    assert next_gate(campaign, annotator) is None

    new_guidelines(campaign, text="# Listen twice", user=campaign.created_by)

    assert needed(campaign, annotator) == ("guidelines", "new")
    with pytest.raises(AnotherVersion):
        note_reading(gate, annotator, version="1")
    assert note_reading(gate, annotator, version="2").details == {"version": 2}
    assert next_gate(campaign, annotator) is None


@pytest.mark.databases
def test_volume_is_set_again_when_it_has_expired() -> None:
    campaign = campaign_with("volume", valid_minutes=30)
    annotator = make_member(campaign)
    note_volume_set(campaign.gates.get(), annotator)
    later(29)
    assert next_gate(campaign, annotator) is None

    later(31)

    assert needed(campaign, annotator) == ("volume", "new")


# -- headphones --------------------------------------------------------------------------------------------------


@each("right, outcome", [(6, "passed"), (5, "passed"), (4, "failed"), (0, "failed")], undo=True)
def test_headphones_are_believed_from_five_of_six(right: int, outcome: str) -> None:
    campaign = campaign_with("headphones")

    one = hear_tones(campaign, make_member(campaign), right=right)

    assert (one.outcome, one.score) == (outcome, right)
    assert one.details["chosen"].count(SOFT) == right


@pytest.mark.databases
def test_every_place_is_right_twice() -> None:
    for seed in range(20):
        places = [order.index(SOFT) for order in headphones.draw(Random(seed))["orders"]]

        assert sorted(places) == [0, 0, 1, 1, 2, 2]


@pytest.mark.databases
def test_second_try_and_then_in_with_a_note() -> None:
    campaign = campaign_with("headphones")
    annotator = make_member(campaign)

    hear_tones(campaign, annotator, right=3)
    assert needed(campaign, annotator) == ("headphones", "again")
    hear_tones(campaign, annotator, right=2)

    assert next_gate(campaign, annotator) is None
    assert progress_at(campaign.gates.get(), annotator).state == State.LET_IN
    assert list(GateTry.objects.values_list("number", "outcome", "score")) == [(1, "failed", 3.0), (2, "failed", 2.0)]
    with pytest.raises(NoTryLeft):
        begin(campaign, annotator, "headphones")


@pytest.mark.databases
def test_who_is_turned_away_may_come_back_when_the_tries_have_expired() -> None:
    campaign = campaign_with("headphones", tries=1, on_failure="turn_away", valid_minutes=30)
    annotator = make_member(campaign)
    hear_tones(campaign, annotator, right=0)
    assert needed(campaign, annotator) == ("headphones", "turned_away")

    later(31)

    assert needed(campaign, annotator) == ("headphones", "new")
    assert hear_tones(campaign, annotator, right=6).number == 2
    assert next_gate(campaign, annotator) is None


@pytest.mark.parametrize(("on_failure", "state"), [("let_in", None), ("turn_away", "could_not_run")])
def test_check_that_could_not_run_is_not_failed(on_failure: str, state: str | None) -> None:
    campaign = campaign_with("headphones", tries=1, on_failure=on_failure)
    annotator = make_member(campaign)

    one = could_not_run(begin(campaign, annotator, "headphones").pk, annotator=annotator, reason="No sound")

    assert (one.outcome, one.score, one.details) == ("could_not_run", None, {"reason": "No sound"})
    now = next_gate(campaign, annotator)
    assert (str(now.state) if now else None) == state
    if state:
        assert begin(campaign, annotator, "headphones").number == 2


@pytest.mark.databases
def test_two_tabs_are_in_the_same_try_and_answers_are_not_replayed() -> None:
    campaign = campaign_with("headphones")
    annotator = make_member(campaign)
    first, second = (begin(campaign, annotator, "headphones") for _ in range(2))
    assert first.pk == second.pk

    for what in (1, 2, 3):
        say(first.pk, annotator=annotator, trial=0, what=what)
    say(first.pk, annotator=annotator, trial=5, what=3)

    first.refresh_from_db()
    assert first.said == [1]


@pytest.mark.django_db(transaction=True)
def test_tabs_that_begin_and_answer_at_the_same_moment_make_one_try_and_one_answer() -> None:
    campaign = campaign_with("headphones")
    annotator = make_member(campaign)
    together = Barrier(4)

    def work(place: int) -> UUID:
        try:
            together.wait(timeout=20)
            one = begin(campaign, annotator, "headphones")
            say(one.pk, annotator=annotator, trial=0, what=place)
            return one.pk
        finally:
            connection.close()

    with ThreadPoolExecutor(4) as pool:
        tries = set(pool.map(work, [1, 2, 3, 1]))

    one = GateTry.objects.get()
    assert tries == {one.pk}
    assert len(one.said) == 1


def test_nobody_answers_for_somebody_else() -> None:
    campaign = campaign_with("headphones")
    one = begin(campaign, make_member(campaign), "headphones")

    with pytest.raises(GateTry.DoesNotExist):
        say(one.pk, annotator=make_member(campaign), trial=0, what=1)


def test_try_that_has_ended_is_not_touched() -> None:
    campaign = campaign_with("headphones")
    annotator = make_member(campaign)
    one = hear_tones(campaign, annotator, right=2)

    could_not_run(one.pk, annotator=annotator, reason="")
    say(one.pk, annotator=annotator, trial=6, what=1)

    again = GateTry.objects.get()
    assert (again.outcome, len(again.said), again.ended_at) == ("failed", 6, one.ended_at)


# -- surroundings ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("threshold", "outcome"), [(44, "passed"), (38, "passed"), (32, "failed")])
def test_surroundings_pass_by_the_noise_that_is_noticed(threshold: float, outcome: str) -> None:
    campaign = campaign_with("environment")

    one = hear_noise(campaign, make_member(campaign), threshold=threshold)

    assert one.outcome == outcome
    assert one.score == pytest.approx(threshold, abs=2)


def test_who_notices_nothing_has_no_threshold() -> None:
    campaign = campaign_with("environment")

    one = hear_noise(campaign, make_member(campaign), threshold=0)

    assert (one.outcome, one.score, one.details["pairs"]) == ("failed", None, 3)


def test_surroundings_are_checked_again_after_half_an_hour_even_with_a_unit_in_hand() -> None:
    campaign = campaign_with("environment")
    annotator = make_member(campaign)
    hear_noise(campaign, annotator, threshold=44)
    held = next_assignment(campaign, annotator)

    later(31)

    assert needed(campaign, annotator) == ("environment", "new")
    hear_noise(campaign, annotator, threshold=44)
    assert next_assignment(campaign, annotator) == held


# -- training and qualification ----------------------------------------------------------------------------------


def train(campaign: Campaign, annotator: User, *, right: bool = True) -> None:
    one = begin(campaign, annotator, "training")
    for _ in range(2):
        assignment = answer_unit(campaign, annotator, right=right)
        one.refresh_from_db()
        say(one.pk, annotator=annotator, trial=len(one.said), what=str(assignment.pk))
    assert needed(campaign, annotator) == ("training", "passed")


def test_training_waits_until_what_was_expected_was_read() -> None:
    campaign = campaign_with("training")
    annotator = make_member(campaign)
    begin(campaign, annotator, "training")

    answer_unit(campaign, annotator)

    assert needed(campaign, annotator) == ("training", "under_way")


def test_nobody_fails_the_training() -> None:
    campaign = campaign_with("training")
    annotator = make_member(campaign)

    train(campaign, annotator, right=False)

    one = GateTry.objects.get()
    assert (one.outcome, one.score, one.details) == ("passed", 0.0, {"right": 0, "of": 8})


@pytest.mark.databases
def test_training_comes_again_after_an_hour_with_the_same_units() -> None:
    campaign = campaign_with("training")
    annotator = make_member(campaign)
    train(campaign, annotator)
    later(61)

    train(campaign, annotator)

    had = Assignment.objects.filter(campaign_unit__purpose="training")
    assert sorted(had.values_list("campaign_unit__unit__key", "round")) == [("0", 1), ("0", 2), ("1", 1), ("1", 2)]


def test_unit_in_hand_is_finished_before_the_training_comes_again() -> None:
    campaign = campaign_with("training")
    annotator = make_member(campaign)
    train(campaign, annotator)
    held = next_assignment(campaign, annotator)

    later(61)

    assert next_assignment(campaign, annotator) == held


@pytest.mark.parametrize(
    ("n_right", "outcome", "share"), [(2, "passed", 1.0), (1, "failed", 0.5), (0, "failed", 0.0)]
)
def test_qualification_is_passed_by_the_share_of_answers(n_right: int, outcome: str, share: float) -> None:
    campaign = campaign_with("qualification")
    annotator = make_member(campaign)
    begin(campaign, annotator, "qualification")

    for n in range(2):
        answer_unit(campaign, annotator, right=n < n_right)

    kind, state = needed(campaign, annotator)
    one = GateTry.objects.get()
    assert (one.outcome, one.score) == (outcome, share)
    assert (kind, state) == ("qualification", {"passed": "passed", "failed": "again"}[outcome])


def test_qualification_is_tried_twice_and_then_over() -> None:
    campaign = campaign_with("qualification")
    annotator = make_member(campaign)

    for state in ("again", "turned_away"):
        begin(campaign, annotator, "qualification")
        for _ in range(2):
            answer_unit(campaign, annotator, right=False)
        assert needed(campaign, annotator) == ("qualification", state)

    with pytest.raises(NoTryLeft):
        begin(campaign, annotator, "qualification")
    later(60 * 24 * 365)
    assert needed(campaign, annotator) == ("qualification", "turned_away")


@pytest.mark.databases
@pytest.mark.parametrize(("reason", "outcome"), [("does_not_play", "could_not_run"), ("cannot_judge", "failed")])
def test_only_what_does_not_play_is_left_out_of_a_qualification(reason: str, outcome: str) -> None:
    campaign = campaign_with("qualification", tries=1)
    annotator = make_member(campaign)
    begin(campaign, annotator, "qualification")

    while (assignment := _unit_or_none(campaign, annotator)) is not None:
        assignment.status, assignment.return_reason = "returned", reason
        assignment.save()

    assert GateTry.objects.get().outcome == outcome


def _unit_or_none(campaign: Campaign, annotator: User) -> Assignment | None:
    try:
        return next_assignment(campaign, annotator)
    except GateNeeded:
        return None


def test_units_of_gates_count_nowhere() -> None:
    campaign = campaign_with("training", "qualification")
    annotator, other = make_member(campaign), make_member(campaign)
    train(campaign, annotator)
    begin(campaign, annotator, "qualification")
    answer_unit(campaign, annotator)
    assignment = next_assignment(campaign, annotator)
    assert assignment

    assert list(campaign_labels(campaign)) == []
    [(_, progress)] = answers_by_campaign([campaign])
    assert (progress.answered, progress.total) == (0, 6)
    mine = own_progress(campaign, annotator)
    assert (mine.answered, mine.total) == (0, 6)
    here = units_done(assignment)
    assert (here.answered, here.total) == (1, 2)
    assert not others_hold_units(campaign, other)
    with pytest.raises(NothingToTakeBack):
        take_back(campaign, annotator)


# -- the pages ---------------------------------------------------------------------------------------------------


def page(response: HttpResponseBase) -> str:
    return " ".join(re.sub(r"<[^>]+>", " ", response.getvalue().decode()).split())


def gate_url(campaign: Campaign, kind: str) -> str:
    return reverse("gate", args=[campaign.slug, kind])


def label_url(campaign: Campaign) -> str:
    return reverse("label", args=[campaign.slug])


@pytest.fixture
def visit(client: Client) -> Callable[[Campaign], Client]:
    def enter(campaign: Campaign) -> Client:
        client.force_login(make_member(campaign))
        return client

    return enter


def test_label_leads_to_the_gate_and_the_gate_back(visit: Callable[[Campaign], Client]) -> None:
    campaign = campaign_with("guidelines", "volume")
    client = visit(campaign)

    assert client.get(label_url(campaign))["Location"] == gate_url(campaign, "guidelines")
    assert client.get(gate_url(campaign, "volume"))["Location"] == gate_url(campaign, "guidelines")
    shown = client.get(gate_url(campaign, "guidelines")).content.decode()
    assert "Step 1 of 2" in shown
    assert "<h2>Listen</h2>" in shown
    read = client.post(gate_url(campaign, "guidelines"), {"do": "read", "version": "1"})
    assert read["Location"] == label_url(campaign)
    assert "Step 2 of 2" in page(client.get(gate_url(campaign, "volume")))
    client.post(gate_url(campaign, "volume"), {"do": "volume"})
    assert client.get(label_url(campaign)).status_code == 200


@pytest.mark.databases
def test_answer_that_needs_a_gate_next_is_led_there(visit: Callable[[Campaign], Client]) -> None:
    campaign = campaign_with("training")
    client = visit(campaign)
    client.post(gate_url(campaign, "training"), {"do": "start"})
    client.get(label_url(campaign))
    assignment = Assignment.objects.get()

    sent = client.post(
        reverse("answer", args=[campaign.slug, assignment.pk]), DIRECT_ANSWERS, headers={"HX-Request": "true"}
    )

    assert sent["HX-Redirect"] == gate_url(campaign, "training")


def test_old_version_of_the_guidelines_is_not_taken(visit: Callable[[Campaign], Client]) -> None:
    campaign = campaign_with("guidelines")
    client = visit(campaign)
    new_guidelines(campaign, text="Other", user=campaign.created_by)

    refused = client.post(gate_url(campaign, "guidelines"), {"do": "read", "version": "1"})

    assert refused.status_code == 422
    assert "changed meanwhile" in page(refused)
    assert not GateTry.objects.exists()


def test_guidelines_are_text_and_nothing_else(visit: Callable[[Campaign], Client]) -> None:
    campaign = campaign_with("guidelines")
    new_guidelines(campaign, text="# <script>x</script>\n- <b>y</b>", user=campaign.created_by)

    shown = visit(campaign).get(gate_url(campaign, "guidelines")).content.decode()

    assert "<h2>&lt;script&gt;x&lt;/script&gt;</h2>" in shown
    assert "<li>&lt;b&gt;y&lt;/b&gt;</li>" in shown


def test_guidelines_can_be_read_again_from_the_label_page(visit: Callable[[Campaign], Client]) -> None:
    campaign = campaign_with("guidelines")
    client = visit(campaign)
    client.post(gate_url(campaign, "guidelines"), {"do": "read", "version": "1"})
    again = reverse("guidelines", args=[campaign.slug])

    assert f'href="{again}"' in client.get(label_url(campaign)).content.decode()
    assert "to all of it" in page(client.get(again))


def sounds_in(response: HttpResponseBase) -> list[str]:
    return re.findall(r'data-sound="([^"]+)"', response.getvalue().decode())


def request_ids(response: HttpResponseBase) -> set[tuple[str, str]]:
    return {(name, said) for name, said in response.headers.items() if name == "X-Request-ID"}


@pytest.mark.parametrize("kind", ["headphones", "environment"])
def test_nothing_but_the_sound_tells_the_right_answer(visit: Callable[[Campaign], Client], kind: str) -> None:
    campaign = campaign_with(kind)
    client = visit(campaign)
    client.post(gate_url(campaign, kind), {"do": "start"})
    shown = client.get(gate_url(campaign, kind))
    urls = sounds_in(shown)

    answers = [client.get(url) for url in urls]

    assert len(urls) == EAR_CHECKS[kind].places
    assert {answer.status_code for answer in answers} == {200}
    assert len({len(answer.content) for answer in answers}) == 1
    assert len({answer.content[:44] for answer in answers}) == 1
    assert len({str(sorted(answer.headers.items() - request_ids(answer))) for answer in answers}) == 1
    assert len({answer.content for answer in answers}) == len(urls)
    assert len({len(url) for url in urls}) == 1
    one = GateTry.objects.get()
    text = shown.content.decode()
    assert [word for word in ("soft", "antiphase", "clean", str(one.drawn)) if word in text] == []
    addresses = {"".join(url.rpartition("/")[2].split(":")[0][:34]) for url in urls}
    assert addresses == {f"{one.pk.hex}00"}


@pytest.mark.databases
def test_sounds_are_those_that_were_drawn(visit: Callable[[Campaign], Client]) -> None:
    campaign = campaign_with("headphones", "environment")
    client = visit(campaign)
    client.post(gate_url(campaign, "headphones"), {"do": "start"})
    one = GateTry.objects.get()
    tones = [client.get(url).content for url in sounds_in(client.get(gate_url(campaign, "headphones")))]
    could_not_run(one.pk, annotator=one.annotator, reason="")
    client.post(gate_url(campaign, "environment"), {"do": "start"})
    heard = []
    for clean in (1, 2):
        GateTry.objects.filter(outcome="").update(drawn={"clean": [clean] * 18})
        voices = [client.get(url).content for url in sounds_in(client.get(gate_url(campaign, "environment")))]
        heard.append([voices.index(noisy_speech_wav(snr, gate_form(campaign))) + 1 for snr in (50, 30)])

    assert tones == [tone_wav(sound, rms_dbfs=-23.0) for sound in one.drawn["orders"][0]]
    assert heard == [[1, 2], [2, 1]]


def test_sounds_of_another_person_or_another_trial_are_not_to_be_had(visit: Callable[[Campaign], Client]) -> None:
    campaign = campaign_with("headphones")
    client = visit(campaign)
    client.post(gate_url(campaign, "headphones"), {"do": "start"})
    url = sounds_in(client.get(gate_url(campaign, "headphones")))[0]
    one = GateTry.objects.get()
    stranger = Client()
    stranger.force_login(make_member(campaign))

    assert stranger.get(url).status_code == 404
    assert client.get(url[:-1]).status_code == 404
    client.post(gate_url(campaign, "headphones"), {"do": "say", "try": one.pk, "trial": 0, "place": 1})
    assert client.get(url).status_code == 404


def test_page_that_is_reloaded_goes_on_where_it_was(visit: Callable[[Campaign], Client]) -> None:
    campaign = campaign_with("headphones")
    client = visit(campaign)
    url = gate_url(campaign, "headphones")
    client.post(url, {"do": "start"})
    one = GateTry.objects.get()

    client.post(url, {"do": "say", "try": one.pk, "trial": 0, "place": 2})
    client.post(url, {"do": "say", "try": one.pk, "trial": 0, "place": 3})
    client.post(url, {"do": "start"})

    assert "2 of 6" in page(client.get(url))
    one.refresh_from_db()
    assert one.said == [2]
    assert GateTry.objects.count() == 1


@each("place", ["", "0", "4", "x"], undo=True)
def test_answer_that_names_no_sound_is_asked_again(visit: Callable[[Campaign], Client], place: str) -> None:
    campaign = campaign_with("headphones")
    client = visit(campaign)
    client.post(gate_url(campaign, "headphones"), {"do": "start"})
    one = GateTry.objects.get()

    sent = client.post(gate_url(campaign, "headphones"), {"do": "say", "try": one.pk, "trial": 0, "place": place})

    assert sent.status_code == 422
    assert "Choose one of the sounds." in page(sent)


@pytest.mark.parametrize(
    "posted", [{"do": "say", "try": "x", "trial": "0", "place": "1"}, {"do": "say", "place": "1"}]
)
def test_nonsense_leads_back_to_the_page(visit: Callable[[Campaign], Client], posted: dict[str, str]) -> None:
    campaign = campaign_with("headphones")

    sent = visit(campaign).post(gate_url(campaign, "headphones"), posted)

    assert sent["Location"] == gate_url(campaign, "headphones")


def fail_by_page(client: Client, campaign: Campaign) -> HttpResponseBase:
    url = gate_url(campaign, "headphones")
    client.post(url, {"do": "start"})
    one = GateTry.objects.get(outcome="")
    for trial, order in enumerate(one.drawn["orders"]):
        place = order.index("antiphase") + 1
        client.post(url, {"do": "say", "try": one.pk, "trial": trial, "place": place})
    return client.get(url)


def test_who_fails_is_told_what_to_do_and_then_let_in(visit: Callable[[Campaign], Client]) -> None:
    campaign = campaign_with("headphones")
    client = visit(campaign)

    first, second = (page(fail_by_page(client, campaign)) for _ in range(2))

    assert "0 of 6 right." in first
    assert "Put on headphones" in first
    assert "1 try left." in first
    assert "You can continue; thank you" in second
    assert client.get(label_url(campaign)).status_code == 200


@pytest.mark.databases
def test_who_is_turned_away_has_a_way_back_to_the_panel(client: Client) -> None:
    campaign = campaign_with("headphones", tries=1, on_failure="turn_away")
    annotator = make_member(campaign)
    link = make_invitation(campaign, panel="prolific", code_failed_check="NOPE")
    link.arrivals.create(user=annotator, use=1, participant="p1")
    client.force_login(annotator)

    shown = fail_by_page(client, campaign)

    assert "https://app.prolific.com/submissions/complete?cc=NOPE" in shown.getvalue().decode()
    assert client.get(label_url(campaign))["Location"] == gate_url(campaign, "headphones")


def test_check_that_cannot_be_done_is_noted_with_its_reason(visit: Callable[[Campaign], Client]) -> None:
    campaign = campaign_with("headphones")
    client = visit(campaign)
    client.post(gate_url(campaign, "headphones"), {"do": "start"})
    one = GateTry.objects.get()

    client.post(
        gate_url(campaign, "headphones"), {"do": "could-not-run", "try": one.pk, "reason": "I am deaf in one ear"}
    )

    one.refresh_from_db()
    assert (one.outcome, one.details) == ("could_not_run", {"reason": "I am deaf in one ear"})
    assert "could not run" in page(client.get(gate_url(campaign, "headphones")))
    assert client.get(label_url(campaign)).status_code == 200


def test_training_tells_what_was_expected_and_why(visit: Callable[[Campaign], Client]) -> None:
    campaign = campaign_with("training")
    client = visit(campaign)
    client.post(gate_url(campaign, "training"), {"do": "start"})
    shown = client.get(label_url(campaign)).content.decode()
    assert "does not count in the study" in shown
    assert "data-take-back" not in shown
    assignment = Assignment.objects.get()
    better = "1" if assignment.order == "ab" else "2"
    clicked = {"content": better, "voice_quality": better, "paralinguistics": "both_bad", "overall": better}
    client.post(reverse("answer", args=[campaign.slug, assignment.pk]), clicked)

    told = client.get(gate_url(campaign, "training"))

    assert "Listen to the end." in page(told)
    rows = re.findall(r'<tr class="(as-expected|otherwise)">', told.getvalue().decode())
    assert rows == ["as-expected", "otherwise", "as-expected", "as-expected"]
    other = "2" if better == "1" else "1"
    assert f"{better} is better {other} is better" in page(told)
    client.post(gate_url(campaign, "training"), {"do": "feedback-read", "assignment": assignment.pk})
    assert "1 of 2" in page(client.get(label_url(campaign)))


@pytest.mark.parametrize(("kind", "status"), [("training", 200), ("qualification", 404)])
def test_clips_of_training_alone_can_be_heard_after_the_answer(
    visit: Callable[[Campaign], Client], kind: str, status: int
) -> None:
    campaign = campaign_with(kind)
    deliver_fakes(campaign)
    client = visit(campaign)
    client.post(gate_url(campaign, kind), {"do": "start"})
    clips = re.findall(r'data-clip="([^"]+)"', client.get(label_url(campaign)).content.decode())
    client.post(reverse("answer", args=[campaign.slug, Assignment.objects.get().pk]), DIRECT_ANSWERS)

    assert [client.get(clip).status_code for clip in clips] == [status] * 3
    if kind == "training":
        again = sounds_in(client.get(gate_url(campaign, kind)))
        assert [client.get(clip).content for clip in again] == [client.get(clip).content for clip in clips]


@pytest.mark.databases
def test_qualification_by_the_pages_ends_with_a_word_about_it(visit: Callable[[Campaign], Client]) -> None:
    campaign = campaign_with("qualification")
    client = visit(campaign)
    client.post(gate_url(campaign, "qualification"), {"do": "start"})
    for _ in range(2):
        client.get(label_url(campaign))
        answer_unit(campaign, Assignment.objects.get(status="reserved").annotator)

    assert client.get(label_url(campaign))["Location"] == gate_url(campaign, "qualification")
    assert "8 of 8 as expected." in page(client.get(gate_url(campaign, "qualification")))
    assert client.get(label_url(campaign)).status_code == 200


@pytest.mark.databases
def test_gate_of_a_paused_campaign_leads_to_the_label_page(visit: Callable[[Campaign], Client]) -> None:
    campaign = campaign_with("volume")
    client = visit(campaign)
    Campaign.objects.update(status="paused")

    assert client.post(gate_url(campaign, "volume"), {"do": "volume"})["Location"] == label_url(campaign)
    assert not GateTry.objects.exists()


def test_consent_comes_before_every_gate(visit: Callable[[Campaign], Client]) -> None:
    campaign = campaign_with("volume")
    client = visit(campaign)
    new_version(campaign, text="Agree", user=campaign.created_by)
    consent = reverse("consent", args=[campaign.slug])

    assert [client.get(url)["Location"] for url in (label_url(campaign), gate_url(campaign, "volume"))] == [
        consent
    ] * 2


def test_no_page_of_a_gate_names_a_system(visit: Callable[[Campaign], Client]) -> None:
    campaign = campaign_with("guidelines", "volume", "headphones", "training", table=TABLE.partition("1,content")[0])
    client = visit(campaign)
    seen: list[HttpResponseBase] = []

    def look(kind: str, **posted: Any) -> HttpResponseBase:
        seen.append(client.get(gate_url(campaign, kind)))
        if posted:
            client.post(gate_url(campaign, kind), posted)
        return seen[-1]

    look("guidelines", do="read", version="1")
    look("volume", do="volume")
    look("headphones", do="start")
    seen += [client.get(url) for url in sounds_in(look("headphones"))]
    could_not_run(GateTry.objects.get(outcome="").pk, annotator=GateTry.objects.get(outcome="").annotator, reason="")
    look("headphones")
    look("training", do="start")
    seen.append(client.get(label_url(campaign)))
    client.post(reverse("answer", args=[campaign.slug, Assignment.objects.get().pk]), DIRECT_ANSWERS)
    look("training", do="feedback-read", assignment=str(Assignment.objects.get().pk))
    client.get(label_url(campaign))
    look("training")

    assert [response.status_code for response in seen] == [200] * 12
    everything = [str(response.headers) + response.getvalue().decode("latin-1") for response in seen]
    assert [name for name in (RARE_A, RARE_B) for text in everything if name.casefold() in text.casefold()] == []


def test_gate_that_is_not_asked_leads_to_the_label_page(visit: Callable[[Campaign], Client]) -> None:
    campaign = make_campaign()

    assert visit(campaign).get(gate_url(campaign, "headphones"))["Location"] == label_url(campaign)
