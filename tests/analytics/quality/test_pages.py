"""The pages of quality: what they show, to whom, at what cost; rules that are changed; decisions that are made."""

import re
from html import unescape

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from accounts.models import User
from analytics.models import QualityFlag
from analytics.quality.apply_rules import study_answers
from analytics.quality.decisions import resume
from analytics.quality.evaluate import look_at
from analytics.quality.flags import n_raised
from analytics.quality.pages.overview import overview
from analytics.quality.pages.person import person_page
from analytics.quality.rules import rules_of
from analytics.quality.signals import SIGNALS
from annotation.assignment.next_unit import is_paused, next_assignment
from annotation.models import AnnotatorDecision, Assignment, UseDecision
from annotation.review.exclusions import Decider, exclude_answers
from annotation.withdrawal.withdraw import withdraw
from campaigns.models import Campaign, QualityRules
from campaigns.quality.rule import Action, Rule
from tests.analytics.quality.answering import RIGHT, WRONG, answer_gold, answer_study, campaign_with_gold, membership
from tests.cases import each
from tests.charts import assert_charts
from tests.factories import RARE_A, RARE_B, UserFactory, make_member

pytestmark = pytest.mark.django_db


@pytest.fixture
def campaign() -> Campaign:
    return campaign_with_gold()


@pytest.fixture
def reviewer(client: Client, campaign: Campaign) -> User:
    user = make_member(campaign, "reviewer")
    client.force_login(user)
    return user


@pytest.fixture
def careless(campaign: Campaign) -> User:
    """Has two answers and failed three gold units, over which they were paused."""
    annotator = make_member(campaign)
    answer_study(campaign, annotator, 2)
    answer_gold(campaign, annotator, WRONG, WRONG, WRONG)
    look_at(campaign)
    return annotator


def quality_url(campaign: Campaign) -> str:
    return reverse("quality", args=[campaign.slug])


def person_url(campaign: Campaign, user: User, name: str = "quality-annotator") -> str:
    return reverse(name, args=[campaign.slug, membership(campaign, user).pk])


def read(client: Client, url: str, **headers: str) -> str:
    response = client.get(url, headers=headers)
    assert response.status_code == 200
    return response.content.decode()


# -- the campaign --------------------------------------------------------------------------------------------------


def test_page_without_anybody_says_what_to_do(client: Client, campaign: Campaign, reviewer: User) -> None:
    page = read(client, quality_url(campaign))

    assert "Invite annotators" in page
    assert "No answers yet" in page
    assert "Nothing has been looked at yet" in page


def test_page_marks_who_crossed_which_rule(
    client: Client, campaign: Campaign, reviewer: User, careless: User
) -> None:
    page = read(client, quality_url(campaign))

    assert "paused" in page
    shown = [cell for row in overview(campaign).rows for cell in row.cells if cell.strip]
    assert_charts(page, planes=0, marks=1 + len(shown))
    rows = {row.member.user_id: row for row in overview(campaign).rows}
    flagged = [cell.signal.name for cell in rows[careless.pk].cells if cell.is_flagged]
    assert "gold" in flagged
    assert rows[careless.pk].n == 5


def test_page_names_pseudonyms_and_nobody(client: Client, campaign: Campaign, reviewer: User, careless: User) -> None:
    person = read(client, person_url(campaign, careless))
    assert_charts(
        person,
        planes=1,
        marks=sum(it.strip is not None for it in person_page(campaign, membership(campaign, careless)).cells),
    )
    pages = read(client, quality_url(campaign)) + person

    assert membership(campaign, careless).pseudonym in pages
    assert not any(name in pages for name in (careless.username, RARE_A, RARE_B))


def test_funnel_counts_every_answer_once(campaign: Campaign) -> None:
    annotator = make_member(campaign)
    first, second, *_rest = answer_study(campaign, annotator, 4)
    answer_gold(campaign, annotator, RIGHT)
    exclude_answers([first], reason="speed", decider=Decider(rule="x"))
    exclude_answers([second], reason="technical", decider=Decider(UserFactory()))

    found = overview(campaign)

    assert (found.given, found.used, found.checks) == (4, 2, 1)
    assert {(step.label, step.n, step.percent) for step in found.left_out} == {
        ("Too fast", 1, 25.0),
        ("Something technical", 1, 25.0),
    }


def test_table_is_sorted_by_flags_answers_or_a_signal(campaign: Campaign, careless: User) -> None:
    busy = make_member(campaign)
    answer_study(campaign, busy, 6)
    answer_gold(campaign, busy, RIGHT)
    look_at(campaign)

    orders = {sort: [row.member.user_id for row in overview(campaign, sort=sort).rows] for sort in ("", "n", "gold")}

    assert orders == {"": [careless.pk, busy.pk], "n": [busy.pk, careless.pk], "gold": [careless.pk, busy.pk]}


def test_unknown_sort_is_the_usual_one(client: Client, campaign: Campaign, reviewer: User, careless: User) -> None:
    assert membership(campaign, careless).pseudonym in read(client, quality_url(campaign) + "?sort=nonsense")


def test_fragment_comes_again_only_when_there_is_something_new(
    client: Client, campaign: Campaign, reviewer: User, careless: User
) -> None:
    htmx = {"HX-Request": "true"}
    [again] = re.findall(r'hx-get="([^"]+)"', read(client, quality_url(campaign) + "?sort=gold"))
    again = unescape(again)

    unchanged = client.get(again, headers=htmx)
    assert (unchanged.status_code, unchanged["HX-Reswap"]) == (204, "none")
    answer_study(campaign, make_member(campaign))
    fragment = client.get(again, headers=htmx)

    assert fragment.status_code == 200
    assert "<html" not in fragment.content.decode()


@pytest.mark.parametrize("which", ["quality", "quality-annotator"])
def test_pages_cost_the_same_however_many_there_are(client: Client, which: str) -> None:
    costs = []
    for people in (1, 3):
        campaign = campaign_with_gold()
        client.force_login(make_member(campaign, "reviewer"))
        for _ in range(people):
            annotator = make_member(campaign)
            answer_study(campaign, annotator, people)
            answer_gold(campaign, annotator, *[WRONG] * (2 + people))
        look_at(campaign)
        url = quality_url(campaign) if which == "quality" else person_url(campaign, annotator)
        with CaptureQueriesContext(connection) as queries:
            read(client, url)
        costs.append(len(queries))

    assert costs[0] == costs[1]


# -- one annotator ---------------------------------------------------------------------------------------------------


def test_person_page_has_checks_flags_and_decisions(campaign: Campaign, careless: User) -> None:
    member = membership(campaign, careless)

    page = person_page(campaign, member)

    assert [(c.purpose, c.expected, c.given, c.passed) for c in page.checks] == [
        ("gold", "overall: both_good", "overall: both_bad", False)
    ] * 3
    assert [flag.signal for flag in page.flags if flag.action == "pause"] == ["gold"]
    assert (page.is_paused, page.given, page.used, page.paid) == (True, 2, 2, None)
    assert [it.look for it in page.timeline.shapes] == ["point", "point", "failed", "failed", "failed"]
    assert len(page.cells) == len(SIGNALS)


def test_person_of_another_campaign_is_not_there(client: Client, campaign: Campaign, reviewer: User) -> None:
    other = campaign_with_gold()
    member = membership(other, make_member(other))

    assert client.get(reverse("quality-annotator", args=[campaign.slug, member.pk])).status_code == 404


def decide(client: Client, campaign: Campaign, user: User, decision: str, **data: str) -> int:
    data = {"decision": decision, "reason": "other", "comment": "", **data}
    return client.post(person_url(campaign, user, "quality-decide"), data).status_code


def test_decisions_are_made_and_kept(client: Client, campaign: Campaign, reviewer: User, careless: User) -> None:
    assert decide(client, campaign, careless, "resume", comment="A bad clip.") == 302
    assert not is_paused(campaign, careless)
    assert next_assignment(campaign, careless)
    assert decide(client, campaign, careless, "pause", reason="speed") == 302
    assert is_paused(campaign, careless)
    assert decide(client, campaign, careless, "exclude", reason="gold") == 302
    assert Assignment.objects.filter(excluded=True).count() == 2
    assert decide(client, campaign, careless, "include") == 302
    assert not Assignment.objects.filter(excluded=True).exists()
    assert decide(client, campaign, careless, "accept") == 302

    by_person = AnnotatorDecision.objects.filter(by=reviewer).order_by("pk").values_list("about", "yes", "reason")
    assert list(by_person) == [("work", True, "other"), ("work", False, "speed"), ("pay", True, "other")]
    assert UseDecision.objects.filter(by=reviewer).count() == 4
    page = read(client, person_url(campaign, careless))
    assert reviewer.username in page
    assert "accepted" in page


def test_using_all_again_takes_back_what_a_rule_left_out(client: Client, campaign: Campaign, reviewer: User) -> None:
    QualityRules.objects.create(
        campaign=campaign, rules={"gold": Rule(0.1, 3, Action.EXCLUDE).document()}, made_by=reviewer
    )
    annotator = make_member(campaign)
    answer_study(campaign, annotator)
    answer_gold(campaign, annotator, WRONG, WRONG, WRONG)
    look_at(campaign)
    assert Assignment.objects.filter(excluded=True).count() == 1

    decide(client, campaign, annotator, "include", comment="Fine after all.")

    assert QualityFlag.objects.filter(event="lifted", by=reviewer).values_list("signal", flat=True).get() == "gold"
    assert not Assignment.objects.filter(excluded=True).exists()


def test_declining_wants_a_hundred_characters(
    client: Client, campaign: Campaign, reviewer: User, careless: User
) -> None:
    assert decide(client, campaign, careless, "decline", comment="x" * 99) == 422
    assert not AnnotatorDecision.objects.filter(about="pay").exists()

    assert decide(client, campaign, careless, "decline", comment="x" * 100) == 302
    assert AnnotatorDecision.objects.get(about="pay").yes is False


@pytest.mark.parametrize("wrong", [{"decision": "promote"}, {"reason": "bored"}, {"comment": "x" * 2001}])
def test_nonsense_decides_nothing(
    client: Client, campaign: Campaign, reviewer: User, careless: User, wrong: dict[str, str]
) -> None:
    before = AnnotatorDecision.objects.count()

    assert decide(client, campaign, careless, **{"decision": "pause", **wrong}) == 422
    assert AnnotatorDecision.objects.count() == before


# -- the rules -------------------------------------------------------------------------------------------------------


def rules_form(**changes: str) -> dict[str, str]:
    data = {}
    for name, signal in SIGNALS.items():
        for part, value in signal.default.document().items():
            data[f"{name}.{part}"] = str(value)
    return data | {name.replace("__", "."): value for name, value in changes.items()}


@pytest.fixture
def manager(client: Client, campaign: Campaign) -> User:
    user = make_member(campaign, "researcher")
    client.force_login(user)
    return user


def test_rules_page_has_every_signal(client: Client, campaign: Campaign, manager: User) -> None:
    page = read(client, reverse("quality-rules", args=[campaign.slug]))

    assert all(f'name="{name}.action"' in page for name in SIGNALS)
    assert "Nobody has changed a rule" in page


def test_changed_rule_holds_and_is_recorded(client: Client, campaign: Campaign, manager: User) -> None:
    url = reverse("quality-rules", args=[campaign.slug])

    assert client.post(url, rules_form(side__action="pause", gold__tolerated="0.2")).status_code == 302

    rules = rules_of(campaign)
    assert (rules["side"].action, rules["gold"].tolerated) == (Action.PAUSE, 0.2)
    row = QualityRules.objects.get()
    assert (row.made_by, sorted(row.rules)) == (manager, ["gold", "side"])
    assert manager.username in read(client, url)


def test_rules_that_hold_already_are_no_change(client: Client, campaign: Campaign, manager: User) -> None:
    client.post(reverse("quality-rules", args=[campaign.slug]), rules_form())

    assert not QualityRules.objects.exists()


def test_reset_brings_the_defaults_back_and_keeps_the_history(
    client: Client, campaign: Campaign, manager: User
) -> None:
    url = reverse("quality-rules", args=[campaign.slug])
    client.post(url, rules_form(side__action="pause"))

    client.post(url, {"reset": "1"})

    assert rules_of(campaign) == {name: signal.default for name, signal in SIGNALS.items()}
    assert QualityRules.objects.count() == 2


@pytest.mark.parametrize("wrong", [{"gold__tolerated": "1.2"}, {"gold__minimum": "0"}, {"gold__action": "shoot"}])
def test_rule_that_is_none_is_refused(
    client: Client, campaign: Campaign, manager: User, wrong: dict[str, str]
) -> None:
    assert client.post(reverse("quality-rules", args=[campaign.slug]), rules_form(**wrong)).status_code == 422
    assert not QualityRules.objects.exists()


def test_annotators_who_raised_signals_come_first_on_the_overview_until_a_person_decides(
    client: Client, campaign: Campaign, careless: User, reviewer: User
) -> None:
    overview_url = reverse("campaign", args=[campaign.slug])
    tab = re.compile(rf'href="{quality_url(campaign)}"[^>]*>Quality <span class="to-do"[^>]*>.*?(\d+)')

    first, shown = first_step(client, overview_url), read(client, overview_url)
    resume(membership(campaign, careless), by=reviewer, reason="other", comment="")

    assert first == (quality_url(campaign), "1 annotator raised signals")
    assert "<dt>Annotators with signals</dt><dd>1</dd>" in shown
    assert tab.search(shown)[1] == "1"  # type: ignore[index]
    assert n_raised(campaign) == 0
    assert first_step(client, overview_url) != first


@each("ends", ["left out", "withdrawn", "recovered"], undo=True)
def test_annotator_does_not_wait_for_a_decision(campaign: Campaign, careless: User, ends: str) -> None:
    row = membership(campaign, careless)
    assert n_raised(campaign) == 1

    if ends == "left out":
        exclude_answers(study_answers(row), reason="other", decider=Decider(UserFactory()))
    elif ends == "withdrawn":
        withdraw(campaign, careless, identity=False, answers=True)
    else:
        for flag in QualityFlag.objects.filter(event="crossed"):
            QualityFlag.objects.create(membership=row, signal=flag.signal, event="recovered", action="nothing")

    assert n_raised(campaign) == 0


def first_step(client: Client, address: str) -> tuple[str, str]:
    found = re.search(r'<a class="button primary" href="([^"]+)">([^<]+)</a>', read(client, address))
    assert found
    return found[1], found[2]
