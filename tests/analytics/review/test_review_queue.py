"""Which units are in the queue and why, in which order, and what one walks through."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from accounts.models import User
from analytics.review.queue import Sign, n_reviewed, neighbours, review_queue, review_units
from analytics.review.wanted import Wanted, read_wanted, wanted_units
from annotation.answers.revise import take_back
from annotation.answers.submit import record_answers
from annotation.assignment.next_unit import give_back
from annotation.models import Assignment, DefectMark, Reason
from annotation.review.adjudication import adjudicate
from annotation.review.comments import comment_on
from annotation.review.exclusions import Decider, exclude_answers
from annotation.review.marks import mark_units, undo_last_mark
from campaigns.models import Campaign, CampaignUnit, Role
from tests.cases import each, undone
from tests.factories import DIRECT_ANSWERS, RARE_A, UserFactory, make_assignment, make_campaign, make_member

pytestmark = pytest.mark.django_db
ALIKE = dict.fromkeys(DIRECT_ANSWERS, "both_good")


@pytest.fixture
def campaign() -> Campaign:
    return make_campaign(units=3, answers_per_unit=2)


@pytest.fixture
def people(campaign: Campaign) -> list[User]:
    return [make_member(campaign) for _ in range(2)]


def say(unit: CampaignUnit, annotator: User, seat: int, **changes: str) -> Assignment:
    assignment = make_assignment(unit.campaign, annotator, campaign_unit=unit, seat=seat)
    record_answers(assignment.pk, annotator=annotator, clicked=ALIKE | changes, idempotency_key="k")
    return assignment


def settle_unit(unit: CampaignUnit, *, reviewer: User) -> None:
    mark_units(unit.campaign, [unit.pk], reviewer=reviewer)


def signs(campaign: Campaign) -> list[tuple[int, tuple[Sign, ...]]]:
    return [(unit.number, unit.signs) for unit in review_queue(campaign)]


def test_units_whose_answers_lie_furthest_apart_come_first(campaign: Campaign, people: list[User]) -> None:
    first, second, third = campaign.campaign_units.all()
    for unit, other in ((first, {"content": "1"}), (second, {}), (third, {"content": "both_bad"})):
        say(unit, people[0], 1)
        say(unit, people[1], 2, **other)

    queue = review_queue(campaign)

    assert [(unit.number, unit.apart.aspect, unit.percent_apart) for unit in queue] == [
        (3, "content", 100),
        (1, "content", 50),
    ]
    assert [unit.signs for unit in queue] == [(Sign.APART,)] * 2


def test_unit_with_one_answer_disagrees_with_nobody(campaign: Campaign, people: list[User]) -> None:
    say(campaign.campaign_units.first(), people[0], 1)

    assert review_queue(campaign) == ()


@pytest.mark.databases
def test_excluded_answer_disagrees_with_nobody_and_its_unit_waits(campaign: Campaign, people: list[User]) -> None:
    unit = campaign.campaign_units.first()
    say(unit, people[0], 1)
    wrong = say(unit, people[1], 2, overall="both_bad")

    exclude_answers([wrong], reason=Reason.SPEED, decider=Decider(rule="fast"))

    assert signs(campaign) == [(1, (Sign.WAITING,))]
    Campaign.objects.update(status="closed")
    assert signs(Campaign.objects.get(pk=campaign.pk)) == []


def test_flags_and_marks_are_signs(campaign: Campaign, people: list[User]) -> None:
    first, second, _ = campaign.campaign_units.all()
    say(first, people[0], 1, **{"note.flag": "It hums"})
    marked = say(second, people[0], 1).annotations.get()
    DefectMark.objects.create(annotation=marked, slot="a", turn=1, start_s=0, end_s=1, kind="glitch")

    assert signs(campaign) == [(1, (Sign.FLAG,)), (2, (Sign.DEFECT,))]


def test_unit_given_back_twice_because_it_does_not_play_is_suspected(campaign: Campaign, people: list[User]) -> None:
    first, second, _ = campaign.campaign_units.all()
    for unit, reasons in ((first, ("does_not_play", "cannot_judge")), (second, ("knows_voice", "does_not_play"))):
        for person, reason in zip(people, reasons, strict=True):
            give_back(make_assignment(campaign, person, campaign_unit=unit).pk, annotator=person, reason=reason)

    assert signs(campaign) == [(1, (Sign.RETURNED,))]


def test_checks_are_in_no_queue(campaign: Campaign, people: list[User]) -> None:
    check = CampaignUnit.objects.create(
        campaign=campaign, unit=campaign.campaign_units.first().unit, position=9, purpose="gold"
    )
    say(check, people[0], 1, **{"note.flag": "Is this a trap?"})

    assert review_queue(campaign) == ()


def test_reviewed_unit_comes_back_when_somebody_answers_it_later(campaign: Campaign, people: list[User]) -> None:
    unit = campaign.campaign_units.first()
    say(unit, people[0], 1, **{"note.flag": "It hums"})
    settle_unit(unit, reviewer=UserFactory())
    assert (n_reviewed(review_queue(campaign)), Wanted().has(review_queue(campaign)[0])) == (1, False)

    say(unit, people[1], 2)

    assert n_reviewed(review_queue(campaign)) == 0


def test_reviewed_unit_stays_counted_when_its_sign_is_gone(campaign: Campaign, people: list[User]) -> None:
    unit = campaign.campaign_units.first()
    say(unit, people[0], 1, **{"note.flag": "It hums"})
    settle_unit(unit, reviewer=UserFactory())
    again = take_back(campaign, people[0])
    record_answers(again.pk, annotator=people[0], clicked=ALIKE, idempotency_key="2")
    settle_unit(unit, reviewer=UserFactory())

    assert [(row.signs, row.reviewed) for row in review_queue(campaign)] == [((), True)]


@each(
    "sign, state, expected",
    [
        ("", "", [1, 2]),
        ("flag", "", [1]),
        ("defect", "open", [2]),
        ("nonsense", "nonsense", [1, 2]),
        ("", "done", [3]),
        ("", "all", [1, 2, 3]),
    ],
    undo=True,
)
def test_queue_is_filtered_by_sign_and_state(
    campaign: Campaign, people: list[User], sign: str, state: str, expected: list[int]
) -> None:
    first, second, third = campaign.campaign_units.all()
    say(first, people[0], 1, **{"note.flag": "It hums"})
    marked = say(second, people[0], 1).annotations.get()
    DefectMark.objects.create(annotation=marked, turn=1, start_s=0, end_s=1, kind="glitch")
    say(third, people[0], 1, **{"note.flag": "It hums"})
    settle_unit(third, reviewer=UserFactory())

    wanted = read_wanted({"sign": sign, "state": state})

    assert sorted(unit.number for unit in review_queue(campaign) if wanted.has(unit)) == expected


def around(campaign: Campaign, unit: int) -> tuple[int | None, int | None]:
    return neighbours(
        wanted_units(campaign, review_units(campaign), Wanted(), campaign.created_by, along_with=unit), unit
    )


@pytest.mark.databases
def test_walk_through_the_queue_goes_round_and_leaves_out_what_was_reviewed(
    campaign: Campaign, people: list[User]
) -> None:
    for unit in campaign.campaign_units.all():
        say(unit, people[0], 1, **{"note.flag": "It hums"})
    one, two, three = (unit.pk for unit in review_queue(campaign))

    assert around(campaign, two) == (one, three)
    assert around(campaign, three) == (two, one)
    settle_unit(campaign.campaign_units.get(pk=one), reviewer=UserFactory())
    assert around(campaign, one) == (three, two)
    assert around(campaign, three) == (two, two)
    assert neighbours([], one) == (None, None)


@pytest.mark.databases
def test_queue_costs_the_same_queries_for_more_units() -> None:
    counted = []
    for n in (1, 3):
        campaign = make_campaign(units=n, answers_per_unit=2)
        people = [make_member(campaign) for _ in range(2)]
        for unit in campaign.campaign_units.all():
            say(unit, people[0], 1)
            say(unit, people[1], 2, overall="both_bad", **{"note.flag": "It hums"})
        with CaptureQueriesContext(connection) as queries:
            assert len(review_queue(campaign)) == n
        counted.append(len(queries))

    assert counted == [counted[0]] * 2
    assert counted[0] <= 13


def test_queue_is_read_anew_only_where_something_changed(campaign: Campaign, people: list[User]) -> None:
    """In a bounded number of queries, and not at all where a transaction was rolled back."""
    first, second, _ = campaign.campaign_units.all()
    say(first, people[0], 1, **{"note.flag": "It hums"})
    before = review_queue(campaign)
    assert review_queue(campaign) is before
    with undone():
        say(second, people[0], 1, **{"note.flag": "It hums, too"})
        with CaptureQueriesContext(connection) as queries:
            assert signs(campaign) == [(1, (Sign.FLAG,)), (2, (Sign.FLAG,))]
        assert len(queries) <= 20

    assert signs(campaign) == [(1, (Sign.FLAG,))]


def test_control_units_are_a_queue_of_their_own(campaign: Campaign, people: list[User]) -> None:
    study = campaign.campaign_units.first()
    check = CampaignUnit.objects.create(campaign=campaign, unit=study.unit, position=9, purpose="gold")
    say(check, people[0], 1, **{"note.flag": "Is this a trap?"})

    assert [(unit.pk, unit.number) for unit in review_queue(campaign, control=True)] == [(check.pk, 1)]


@pytest.mark.databases
@each(
    "asked, expected",
    [
        ({"q": "zqxv"}, [1]),
        ({"q": "QUESTION 2"}, [2]),
        ({"q": "Nobody"}, []),
        ({"aspect": "content", "state": "all"}, [1, 2, 3]),
        ({"aspect": "overall", "state": "all"}, []),
        ({"apart": "50"}, [1, 2]),
        ({"apart": "75"}, [2]),
        ({"state": "all", "by": "REVIEWER"}, [3]),
        ({"order": "-unit", "state": "all"}, [3, 2, 1]),
        ({"order": "apart"}, [1, 2]),
    ],
    undo=True,
)
def test_queue_is_searched_narrowed_and_sorted(
    campaign: Campaign, people: list[User], asked: dict[str, str], expected: list[int]
) -> None:
    first, second, third = campaign.campaign_units.all()
    first.unit.item.__class__.objects.filter(pk=first.unit.item_id).update(key="Zqxv")
    second.unit.item.turns.update(text="Question 2?")
    for unit, other in ((first, "1"), (second, "both_bad"), (third, "1")):
        say(unit, people[0], 1)
        say(unit, people[1], 2, content=other)
    reviewer = UserFactory()
    settle_unit(third, reviewer=reviewer)
    wanted = read_wanted(asked | ({"by": str(reviewer.pk)} if "by" in asked else {}))

    found = wanted_units(campaign, review_units(campaign), wanted, reviewer)

    numbers = [unit.number for unit in found]
    assert (numbers if wanted.order else sorted(numbers)) == expected


@pytest.mark.databases
@each(
    "asked, expected",
    [
        ({}, []),
        ({"sign": "every"}, [1, 2, 3]),
        ({"sign": "every", "annotator": "FIRST"}, [1, 2]),
        ({"sign": "every", "annotator": "SECOND"}, [1]),
        ({"sign": "every", "annotator": "999999"}, []),
        ({"sign": "every", "annotator": "zqxv"}, []),
        ({"sign": "left-out", "state": "all"}, [1]),
        ({"sign": "commented", "state": "all"}, [2]),
        ({"sign": "adjudicated", "state": "all"}, [3]),
        ({"sign": "adjudicated"}, []),
    ],
    undo=True,
)
def test_units_are_found_by_what_was_done_about_them_and_by_who_answered(
    campaign: Campaign, people: list[User], asked: dict[str, str], expected: list[int]
) -> None:
    """Answers alike give no reason to look: such units are not in the queue, and found all the same."""
    campaign.answers_per_unit = 1
    campaign.save()
    first, second, third = campaign.campaign_units.all()
    said = say(first, people[0], 1)
    say(first, people[1], 2)
    say(second, people[0], 1)
    exclude_answers([said], reason=Reason.OTHER, decider=Decider(rule="r"))
    reviewer = make_member(campaign, Role.REVIEWER)
    assert review_queue(campaign) == ()
    comment_on(second, reviewer=reviewer, text="Hm", idempotency_key="k")
    adjudicate(third, reviewer=reviewer, clicked=ALIKE, idempotency_key="k")
    members = dict(zip(["FIRST", "SECOND"], campaign.memberships.filter(role=Role.ANNOTATOR), strict=True))
    if asked.get("annotator") in members:
        asked = asked | {"annotator": str(members[asked["annotator"]].pk)}

    found = wanted_units(
        campaign,
        review_units(campaign),
        read_wanted(asked | {"state": "all"} if "annotator" in asked else asked),
        reviewer,
    )

    wanted = expected[:-1] if asked == {"sign": "every"} else expected  # the third was reviewed
    assert sorted(unit.number for unit in found) == wanted


@pytest.mark.databases
def test_systems_are_found_by_those_who_run_the_study_alone(campaign: Campaign, people: list[User]) -> None:
    say(campaign.campaign_units.first(), people[0], 1, **{"note.flag": "It hums"})
    wanted = read_wanted({"q": RARE_A})

    found = [
        len(wanted_units(campaign, review_units(campaign), wanted, make_member(campaign, role)))
        for role in (Role.REVIEWER, Role.RESEARCHER)
    ]

    assert found == [0, 1]


@pytest.mark.databases
def test_last_mark_is_undone_and_done_again(campaign: Campaign, people: list[User]) -> None:
    units = list(campaign.campaign_units.all())
    for unit in units:
        say(unit, people[0], 1, **{"note.flag": "It hums"})
    reviewer, other = UserFactory(), UserFactory()
    assert mark_units(campaign, [unit.pk for unit in units], reviewer=reviewer) == 3
    mark_units(campaign, [units[2].pk], reviewer=other)

    assert undo_last_mark(campaign, reviewer=reviewer) == (2, False)  # the third is another's since
    assert [unit.number for unit in review_queue(campaign) if unit.reviewed] == [3]
    assert undo_last_mark(campaign, reviewer=reviewer) == (2, True)
    assert n_reviewed(review_queue(campaign)) == 3
    assert undo_last_mark(campaign, reviewer=UserFactory()) == (0, False)


@pytest.mark.parametrize(("protocol", "one", "other", "percent"), [("ccr", "-3", "3", 100), ("acr", "1", "5", 100)])
def test_scales_measure_by_their_own_distance(protocol: str, one: str, other: str, percent: int) -> None:
    campaign = make_campaign(protocol=protocol, units=1, answers_per_unit=2)
    unit, people = campaign.campaign_units.get(), [make_member(campaign) for _ in range(2)]
    aspect = campaign.protocol.aspects[0]
    order = "ab" if campaign.protocol.unit == "pair" else "a"
    name = f"{aspect.name}.1" if aspect.per_response else aspect.name
    for seat, (person, value) in enumerate(zip(people, (one, other), strict=True), start=1):
        assignment = make_assignment(campaign, person, campaign_unit=unit, seat=seat, order=order)
        record_answers(assignment.pk, annotator=person, clicked={name: value}, idempotency_key="k")

    [found] = review_queue(campaign)

    assert (found.apart.aspect, found.percent_apart) == (aspect.name, percent)
