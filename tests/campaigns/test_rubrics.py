"""Criteria of items: drafted, reviewed by a person, asked, and frozen when the campaign opens."""

import pytest

from analytics.monitoring.accepted_criteria import acceptance_shares
from annotation.answers.submit import record_answers
from annotation.label_page.unit_view import screen_of
from campaigns.launch.lifecycle import CannotOpen, obstacles, open_campaign
from campaigns.models import Campaign, Criterion, CriterionDecision, FrozenCriterion
from campaigns.rubrics.asking import facts_to_read, protocol_for
from campaigns.rubrics.progress import acceptance, freeze_rubric, reviewed
from campaigns.rubrics.reviewing import Origin as CriterionOrigin
from campaigns.rubrics.reviewing import add_criterion, decide, draft_criteria, needs_none
from campaigns.rubrics.tables import criteria_lines, read_criteria, take_criteria
from corpus.models import Item
from infrastructure.files.uploaded_tables import InvalidTable
from protocols.judging import judge_instructions, judge_schema
from tests.annotation.test_listening import deliver_fakes
from tests.campaigns.rubrics import DRAFTS, drafted, item_of, rubric_campaign
from tests.cases import each
from tests.factories import make_assignment, make_member

pytestmark = pytest.mark.django_db
PLAIN = {"intelligible": "yes", "on_topic": "yes", "well_formed": "no", "remembers": "yes", "consistent": "yes"}


def asked(campaign: Campaign, key: str = "0") -> dict[str, str]:
    aspects = protocol_for(campaign, item_of(campaign, key)).aspects
    return {one.name: str(one.question) for one in aspects if one.name.startswith("item_")}


def test_drafts_are_not_asked_before_a_person_accepted_them() -> None:
    campaign = rubric_campaign()
    first, second = drafted(campaign)

    assert asked(campaign) == {}

    decide(campaign, first.pk, "accept", by=campaign.created_by)
    decide(campaign, second.pk, "edit", by=campaign.created_by, text="  Does it\n offer shelter? ")

    assert asked(campaign) == {"item_1": DRAFTS[0], "item_2": "Does it offer shelter?"}


def test_names_stay_when_a_criterion_is_dropped_and_are_never_given_again() -> None:
    campaign = rubric_campaign()
    for row in drafted(campaign):
        decide(campaign, row.pk, "accept", by=campaign.created_by)

    decide(campaign, Criterion.objects.get(number=1).pk, "drop", by=campaign.created_by)
    add_criterion(campaign, item_of(campaign), "Is it brief?", by=campaign.created_by)

    assert asked(campaign) == {"item_2": DRAFTS[1], "item_3": "Is it brief?"}


@pytest.mark.databases
def test_criteria_of_the_dataset_keep_their_numbers_before_all_others() -> None:
    campaign = rubric_campaign()
    Item.objects.update(facts={"dimension": "semantic", "criteria": ["Is it Tuesday?"]})

    add_criterion(campaign, item_of(campaign), "Is it brief?", by=campaign.created_by)

    assert asked(campaign) == {"item_1": "Is it Tuesday?", "item_2": "Is it brief?"}


@pytest.mark.databases
def test_every_decision_is_kept() -> None:
    campaign = rubric_campaign()
    row = drafted(campaign)[0]
    other = make_member(campaign, "reviewer")

    decide(campaign, row.pk, "drop", by=other)
    decide(campaign, row.pk, "edit", by=campaign.created_by, text="Does it rain?")
    decide(campaign, row.pk, "accept", by=other)

    kept = CriterionDecision.objects.values_list("state", "text", "by")
    assert list(kept) == [
        ("dropped", DRAFTS[0], other.pk),
        ("edited", "Does it rain?", campaign.created_by.pk),
        ("accepted", DRAFTS[0], other.pk),
    ]
    row.refresh_from_db()
    assert (row.text, row.drafted_text, row.prompt) == (DRAFTS[0], DRAFTS[0], "Write criteria.")


def test_text_that_is_the_draft_counts_as_accepted_as_drafted() -> None:
    campaign = rubric_campaign()

    row = decide(campaign, drafted(campaign)[0].pk, "edit", by=campaign.created_by, text=DRAFTS[0])

    assert row.state == "accepted"


@each(
    "text, reason",
    [(" ", "needs a text"), ("x" * 501, "at most 500"), ("a\x00b", "needs a text"), (DRAFTS[1], "already")],
    undo=True,
)
def test_unusable_texts_are_refused(text: str, reason: str) -> None:
    campaign = rubric_campaign()
    row = drafted(campaign)[0]

    for attempt in (
        lambda: decide(campaign, row.pk, "edit", by=campaign.created_by, text=text),
        lambda: add_criterion(campaign, row.item, text, by=campaign.created_by),
    ):
        with pytest.raises(ValueError, match=reason):
            attempt()

    assert Criterion.objects.count() == 2


def test_criterion_of_another_dataset_is_out_of_reach() -> None:
    campaign, other = rubric_campaign(), rubric_campaign()

    with pytest.raises(Criterion.DoesNotExist):
        decide(campaign, drafted(other)[0].pk, "accept", by=campaign.created_by)


def test_campaign_does_not_open_before_every_item_is_reviewed() -> None:
    campaign = rubric_campaign(units=3)
    deliver_fakes(campaign)
    row = drafted(campaign)[0]
    add_criterion(campaign, item_of(campaign, "1"), "Is it brief?", by=campaign.created_by)
    assert (reviewed(campaign).done, reviewed(campaign).total) == (1, 3)

    [obstacle] = obstacles(campaign)
    with pytest.raises(CannotOpen):
        open_campaign(campaign)

    assert obstacle.message == "Criteria are reviewed for 1 of 3 items."
    assert obstacle.url == f"/campaigns/{campaign.slug}/rubric/"

    for criterion in row.item.criteria.all():
        decide(campaign, criterion.pk, "drop", by=campaign.created_by)
    needs_none(campaign, item_of(campaign, "2"), by=campaign.created_by)
    assert reviewed(campaign).done == 2  # everything was dropped: somebody has to say that this is right
    needs_none(campaign, item_of(campaign, "0"), by=campaign.created_by)

    assert open_campaign(campaign).status == "open"


@pytest.mark.databases
def test_opened_campaign_asks_what_stood_then() -> None:
    campaign = rubric_campaign(units=1)
    deliver_fakes(campaign)
    row = add_criterion(campaign, item_of(campaign), "Is it brief?", by=campaign.created_by)
    open_campaign(campaign)
    campaign = Campaign.objects.get()
    digest = campaign.frozen_rubric.digest

    Criterion.objects.update(text="Is it long?")
    with pytest.raises(ValueError, match="fixed"):
        decide(campaign, row.pk, "drop", by=campaign.created_by)
    freeze_rubric(campaign)

    assert asked(campaign) == {"item_1": "Is it brief?"}
    assert FrozenCriterion.objects.count() == 1
    assert campaign.frozen_rubric.digest == digest
    assert len(digest) == 64


@pytest.mark.databases
def test_people_and_judges_get_the_same_criteria_and_answers_are_kept_by_name() -> None:
    campaign = rubric_campaign(units=1, status="draft")
    for row in drafted(campaign):
        decide(campaign, row.pk, "accept", by=campaign.created_by)
    decide(campaign, Criterion.objects.get(number=1).pk, "drop", by=campaign.created_by)
    freeze_rubric(campaign)
    Campaign.objects.update(status="open")
    annotator = make_member(campaign)
    assignment = make_assignment(campaign, annotator, order="a")

    shown = [one.aspect.name for one in screen_of(assignment, assignment.campaign).aspects]
    said = record_answers(assignment.pk, annotator=annotator, clicked=PLAIN | {"item_2": "yes"}, idempotency_key="k")

    assert shown == [*PLAIN, "item_2"]
    assert said.answers.get(aspect="item_2").value == "yes"
    protocol = protocol_for(Campaign.objects.get(), item_of(campaign))
    assert DRAFTS[1] in judge_instructions(protocol, 1)
    assert judge_schema(protocol, 1)["properties"]["item_2"]["enum"] == ["yes", "no", ""]


@pytest.mark.databases
def test_answers_are_read_again_by_the_frozen_criteria_of_their_campaign() -> None:
    campaign = rubric_campaign(units=1)
    drafted(campaign)
    item = item_of(campaign)

    assert facts_to_read([item])[item.pk]["numbered_criteria"] == {1: DRAFTS[0], 2: DRAFTS[1]}

    for row in item.criteria.all():
        decide(campaign, row.pk, "accept" if row.number == 1 else "drop", by=campaign.created_by)
    freeze_rubric(campaign)
    Criterion.objects.filter(number=1).update(text="Another?")

    read = facts_to_read([item], from_campaign=campaign.slug)[item.pk]
    assert read["numbered_criteria"] == {1: DRAFTS[0]}


def test_acceptance_counts_drafts_and_not_what_was_written_by_hand() -> None:
    campaign = rubric_campaign(units=1)
    rows = drafted(campaign, texts=("A?", "B?", "C?", "D?", "E?"))
    for row, (verb, text) in zip(rows, [("accept", ""), ("accept", ""), ("edit", "F?"), ("drop", "")], strict=False):
        decide(campaign, row.pk, verb, by=campaign.created_by, text=text)
    add_criterion(campaign, item_of(campaign), "Is it brief?", by=campaign.created_by)

    found, shares = acceptance_shares(campaign)

    assert found == acceptance(campaign)
    assert (found.as_drafted, found.edited, found.dropped, found.waiting) == (2, 1, 1, 1)
    kept = shares[0]
    assert (kept.kind, kept.n, kept.of) == ("kept", 3, 4)
    # Wilson for 3 of 4, worked out by hand: (3 + 1.9207) / 7.8415 ± 1.96 · √(0.75 + 0.9604) / 7.8415
    assert kept.low == pytest.approx(30.06, abs=0.05)
    assert kept.high == pytest.approx(95.44, abs=0.05)


def test_without_a_decision_there_is_no_acceptance_rate() -> None:
    campaign = rubric_campaign()
    drafted(campaign)

    _, shares = acceptance_shares(campaign)

    assert [(share.percent, share.low) for share in shares] == [(None, None)] * 4


def test_criteria_go_out_as_a_table_and_come_back_under_their_names() -> None:
    campaign, elsewhere = rubric_campaign(units=2), rubric_campaign(units=2)
    rows = drafted(campaign, texts=("A?", "B, or “C”?", "D?"))
    for row, (verb, text) in zip(rows, [("drop", ""), ("edit", "B?"), ("accept", "")], strict=True):
        decide(campaign, row.pk, verb, by=campaign.created_by, text=text)
    table = "".join(criteria_lines(campaign))

    came = take_criteria(elsewhere, read_criteria(table), by=elsewhere.created_by, reviewed=True)

    assert came == 2
    assert asked(elsewhere) == asked(campaign) == {"item_2": "B?", "item_3": "D?"}
    assert take_criteria(elsewhere, read_criteria(table), by=elsewhere.created_by, reviewed=True) == 0


@pytest.mark.databases
def test_rows_of_a_table_come_as_drafts() -> None:
    campaign = rubric_campaign(units=2)

    rows = read_criteria("item,text,state\n0,Is it brief?,accepted\n1,Is it long?,\n")
    take_criteria(campaign, rows, by=campaign.created_by, reviewed=False)

    assert list(Criterion.objects.values_list("state", "source")) == [("drafted", "csv")] * 2


@pytest.mark.databases
def test_tables_of_criteria_may_have_semicolons() -> None:
    assert [row.text for row in read_criteria("item;text\n0;Brief, and clear?\n")] == ["Brief, and clear?"]


@each(
    "table, fault",
    [
        ("item\n0\n", "text is missing"),
        ("item,text\n", "no rows"),
        ("item,text\n0,\n", "Row 1: A criterion needs a text"),
        ("item,text\n0,A?\n9,B?\n", "Row 2: the campaign has no item '9'"),
        ("item,text\n0,A?\n0,A?\n", "Row 2: This item has the criterion “A\\?” already"),
        ("item,text,number\n0,A?,-1\n", "Row 1: '-1' is no number"),
        ("item,text,number\n0,A?,4\n0,B?,4\n", "Row 2: 0 has another criterion 4"),
        ("item,text,state\n0,A?,fine\n", "Row 1: 'fine' is none of"),
        ('item,text\n0,"A?\n', "not valid CSV"),
    ],
    undo=True,
)
def test_faulty_tables_are_refused_by_row_and_change_nothing(table: str, fault: str) -> None:
    campaign = rubric_campaign()

    with pytest.raises(InvalidTable, match=fault):
        take_criteria(campaign, read_criteria(table), by=campaign.created_by, reviewed=False)

    assert not Criterion.objects.exists()


def test_an_item_has_at_most_twenty_criteria() -> None:
    campaign = rubric_campaign()
    origin = CriterionOrigin(Criterion.Source.CSV, campaign.created_by)

    with pytest.raises(ValueError, match="at most 20"):
        draft_criteria(item_of(campaign), [f"{n}?" for n in range(21)], origin=origin)
