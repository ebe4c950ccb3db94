"""The reviewer's pages: what they show and hide, what each button does, and what annotators never receive."""

import html
import io
import json
import re
from csv import DictReader
from pathlib import Path

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from accounts.models import User
from analytics.data.labels import adjudicated_labels, imported_labels
from annotation.answers.submit import record_answers
from annotation.models import Adjudication, Annotation, AnswerReview, DefectMark, NamesShown, Reason
from annotation.review import bulk
from annotation.review.adjudication import review_order
from annotation.review.exclusions import Decider, exclude_answers
from annotation.withdrawal.withdraw import withdraw
from campaigns.models import Campaign, CampaignUnit, Role
from corpus.imports.uploads.checking import check_upload, write_checked
from corpus.imports.writing import Destination
from corpus.models import ResponseTurn
from tests.annotation.test_listening import deliver_fakes
from tests.factories import DIRECT_ANSWERS, RARE_A, RARE_B, make_assignment, make_campaign, make_member

pytestmark = pytest.mark.django_db


@pytest.fixture
def campaign(media_root: Path) -> Campaign:
    """Two people disagree about the first of two units, heard in opposite orders; one of them flags and marks."""
    campaign = make_campaign(units=2, answers_per_unit=2)
    deliver_fakes(campaign)
    first = campaign.campaign_units.first()
    say(first, make_member(campaign), 1, order="ab")
    said = say(first, make_member(campaign), 2, order="ba", **{"note.flag": "Kakapo hums"})
    DefectMark.objects.create(annotation=said, slot="a", turn=1, start_s=0.25, end_s=0.5, kind="glitch")
    return campaign


@pytest.fixture
def unit(campaign: Campaign) -> CampaignUnit:
    return campaign.campaign_units.first()


@pytest.fixture
def reviewer(client: Client, campaign: Campaign) -> User:
    user = make_member(campaign, Role.REVIEWER)
    client.force_login(user)
    return user


def say(unit: CampaignUnit, annotator: User, seat: int, *, order: str = "ab", **changes: str) -> Annotation:
    assignment = make_assignment(unit.campaign, annotator, campaign_unit=unit, seat=seat, order=order)
    clicked = DIRECT_ANSWERS | changes
    return record_answers(assignment.pk, annotator=annotator, clicked=clicked, idempotency_key="k")


def url(name: str, unit: CampaignUnit, *more: object) -> str:
    return reverse(name, args=[unit.campaign.slug, unit.pk, *more])


def text(client: Client, address: str) -> str:
    return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", client.get(address).content.decode())).split())


def done(client: Client, address: str, **posted: str) -> str:
    """What the page says after the button was pressed."""
    page = client.post(address, posted, follow=True).content.decode()
    return " ".join(re.findall(r'<li class="notice \w+">(.*?)</li>', page))


# -- the queue ---------------------------------------------------------------------------------------------------


def test_queue_shows_units_reasons_and_progress(client: Client, campaign: Campaign, reviewer: User) -> None:
    page = text(client, reverse("review", args=[campaign.slug]))

    assert "0 of 1 reviewed" in page
    assert "Unit 1 0 100 % Content Answers far apart Flagged Defects marked 2" in page
    assert "Unit 2" not in page


def test_queue_names_no_system(client: Client, campaign: Campaign, unit: CampaignUnit, reviewer: User) -> None:
    """Keys of units do; reviewers are blind until they ask."""
    unit.unit.key = f"0 | {RARE_A} | {RARE_B}"
    unit.unit.save()

    pages = [
        client.get(a).content.decode() for a in (reverse("review", args=[campaign.slug]), url("review-unit", unit))
    ]

    assert [(RARE_A in page, RARE_B in page) for page in pages] == [(False, False)] * 2


def test_queue_without_units_says_what_brings_them(client: Client) -> None:
    campaign = make_campaign()
    client.force_login(make_member(campaign, Role.REVIEWER))

    assert "No unit has answers yet." in text(client, reverse("review", args=[campaign.slug]))


def test_queue_is_paginated_and_costs_the_same_queries(client: Client) -> None:
    counted = []
    for n in (1, 3, 26):
        campaign = make_campaign(units=n)
        person = make_member(campaign)
        for row in campaign.campaign_units.all():
            say(row, person, 1, **{"note.flag": "Hm"})
        client.force_login(make_member(campaign, Role.REVIEWER))
        with CaptureQueriesContext(connection) as queries:
            page = text(client, reverse("review", args=[campaign.slug]))
        counted.append(len(queries))

    assert len(set(counted)) == 1
    assert "Page 1 of 2" in page
    assert "Unit 26" in text(client, reverse("review", args=[campaign.slug]) + "?page=2")


# -- a unit ------------------------------------------------------------------------------------------------------


def test_answers_stand_side_by_side_in_the_reviewers_frame(
    client: Client, unit: CampaignUnit, reviewer: User
) -> None:
    order = review_order(unit, reviewer)

    page = client.get(url("review-unit", unit)).content.decode()

    table = re.search(r'<table class="side-by-side">(.*?)</table>', page, re.DOTALL)[1]
    rows = [re.findall(r">([^<>\s][^<>]*)<", row) for row in table.split("<tr")[2:]]
    said = {row[0]: row[1:] for row in rows}
    ann = "1 is better" if order == "ab" else "2 is better"
    bob = "2 is better" if order == "ab" else "1 is better"
    assert said["Content"] == [ann, bob]
    assert said["Paralinguistics"] == ["Both bad", "Both bad"]
    assert said["Heard first"] == (["1", "2"] if order == "ab" else ["2", "1"])
    assert said["Flag"] == ["–", "Kakapo hums"]


def test_marks_lie_on_the_clip_that_was_marked(client: Client, unit: CampaignUnit, reviewer: User) -> None:
    place = review_order(unit, reviewer).index("a") + 1

    page = client.get(url("review-unit", unit)).content.decode()

    assert re.findall(r'<rect x="(\S+)" y="0" width="(\S+)"', page) == [("250", "250")]
    assert re.findall(r'data-hear="(\S+)" data-at="(\S+)"', page) == [(f"{place}-1", "0.25")]


def test_each_place_plays_the_clip_that_its_answers_are_about(
    client: Client, unit: CampaignUnit, reviewer: User
) -> None:
    order = review_order(unit, reviewer)
    sides = {"a": unit.unit.a, "b": unit.unit.b}

    heard = [client.get(url("review-clip", unit, place, 1)).getvalue() for place in (1, 2)]

    clips = [ResponseTurn.objects.get(response=sides[slot]).clip_id for slot in order]
    assert heard == [f"{clip:08d}".encode() * 4 for clip in clips]
    assert client.get(url("review-clip", unit, 3, 1)).status_code == 404
    assert client.get(url("review-clip", unit, 1, 2)).status_code == 404


def test_names_are_hidden_until_they_are_asked_for_and_that_is_kept(
    client: Client, unit: CampaignUnit, reviewer: User
) -> None:
    told = done(client, url("review-names", unit))

    page = client.get(url("review-unit", unit)).content.decode()
    assert told == "The names are shown, and this is recorded."
    assert (RARE_A in page, RARE_B in page) == (True, True)
    assert NamesShown.objects.get().by == reviewer
    client.force_login(make_member(unit.campaign, Role.REVIEWER))
    assert RARE_A not in client.get(url("review-unit", unit)).content.decode()


def test_page_costs_the_same_queries_for_more_answers(client: Client) -> None:
    counted = []
    for n in (1, 3):
        campaign = make_campaign(units=1, answers_per_unit=n)
        unit = campaign.campaign_units.get()
        for seat in range(1, n + 1):
            say(unit, make_member(campaign), seat, **{"note.flag": "Hm"})
        client.force_login(make_member(campaign, Role.REVIEWER))
        with CaptureQueriesContext(connection) as queries:
            client.get(url("review-unit", unit))
        counted.append(len(queries))

    assert counted[0] == counted[1]


def test_withdrawn_answers_are_not_shown(client: Client, unit: CampaignUnit, reviewer: User) -> None:
    said = Annotation.objects.get(flag="Kakapo hums")

    withdraw(unit.campaign, said.assignment.annotator, identity=False, answers=True)

    assert "Kakapo" not in client.get(url("review-unit", unit)).content.decode()


def test_control_unit_is_heard_as_its_annotators_hear_it(client: Client, unit: CampaignUnit, reviewer: User) -> None:
    """An identical pair is one response twice; it can be marked, and not adjudicated."""
    check = CampaignUnit.objects.create(campaign=unit.campaign, unit=unit.unit, position=9, purpose="identical")

    page = client.get(url("review-unit", check)).content.decode()
    sounds = [client.get(url("review-clip", check, place, 1)).getvalue() for place in (1, 2)]

    assert ("Control unit 1" in page, "Answer it yourself" in page, page.count("data-clip=")) == (True, False, 3)
    assert sounds[0] == sounds[1]
    assert done(client, url("review-settle", check)) == "1 unit is marked as reviewed."
    assert client.post(url("review-adjudicate", check)).status_code == 404


def test_units_of_other_campaigns_and_of_entry_gates_are_not_found(
    client: Client, unit: CampaignUnit, reviewer: User
) -> None:
    training = CampaignUnit.objects.create(campaign=unit.campaign, unit=unit.unit, position=9, purpose="training")
    other = make_campaign().campaign_units.first()

    assert client.get(url("review-unit", training)).status_code == 404
    assert client.get(reverse("review-unit", args=[unit.campaign.slug, other.pk])).status_code == 404
    said = say(other, make_member(other.campaign), 1)
    assert client.post(url("review-use", unit, said.pk), {"use": "no", "reason": "speed"}).status_code == 404
    assert client.post(url("review-accept", unit, said.pk), {"accepted": "yes"}).status_code == 404


def test_reviewer_who_labels_too_sees_no_answers_to_what_is_still_theirs_to_answer(
    client: Client, unit: CampaignUnit, reviewer: User
) -> None:
    unit.campaign.memberships.create(user=reviewer, role=Role.ANNOTATOR, pseudonym="A99")

    assert client.get(url("review-unit", unit)).status_code == 403
    say(unit, reviewer, 3)
    assert client.get(url("review-unit", unit)).status_code == 200


# -- what each button does -----------------------------------------------------------------------------------------


def test_answer_is_left_out_with_a_reason_and_taken_in_again(
    client: Client, unit: CampaignUnit, reviewer: User
) -> None:
    said = Annotation.objects.get(flag="Kakapo hums")
    address = url("review-use", unit, said.pk)

    assert done(client, address, use="no", reason="technical", comment="No sound") == (
        "The answer is left out. It can be included again."
    )
    assert f"Left out: Something technical, by {reviewer.username}: No sound" in text(
        client, url("review-unit", unit)
    )
    assert done(client, address, use="no", reason="technical") == "Nothing changed."
    assert done(client, address, use="yes") == "The answer is used again."
    decisions = said.assignment.decisions.values_list("use", "reason", "comment", "by")
    assert list(decisions) == [(False, "technical", "No sound", reviewer.pk), (True, "other", "", reviewer.pk)]


@pytest.mark.parametrize(
    ("posted", "told"),
    [
        ({"use": "no"}, "Choose why it is left out."),
        ({"use": "no", "reason": "nonsense"}, "Select a valid choice. nonsense is not one of the available choices."),
        ({}, "This field is required."),
    ],
)
def test_leaving_out_without_a_reason_is_refused(
    client: Client, unit: CampaignUnit, reviewer: User, posted: dict[str, str], told: str
) -> None:
    said = Annotation.objects.first()

    assert told in done(client, url("review-use", unit, said.pk), **posted)
    assert said.assignment.decisions.count() == 0


def test_adjudicating_keeps_the_answers_and_marks_the_unit_as_reviewed(
    client: Client, unit: CampaignUnit, reviewer: User
) -> None:
    posted = DIRECT_ANSWERS | {"idempotency_key": "1", "comment": "Both hum"}

    assert done(client, url("review-adjudicate", unit), **posted) == "Your answers are saved beside the others."

    page = client.get(url("review-unit", unit) + "?state=all").content.decode()
    assert json.loads(html.unescape(re.search(r'data-answers="([^"]*)"', page)[1])) == DIRECT_ANSWERS
    assert "1 of 1 reviewed" in page
    assert Adjudication.objects.get().comment == "Both hum"


def test_incomplete_adjudication_says_what_is_missing(client: Client, unit: CampaignUnit, reviewer: User) -> None:
    assert "Overall: please answer" in done(client, url("review-adjudicate", unit), content="1")
    assert not Adjudication.objects.exists()


def test_comment_whose_form_is_sent_twice_is_stored_once(client: Client, unit: CampaignUnit, reviewer: User) -> None:
    page = client.get(url("review-unit", unit)).content.decode()
    form = page[page.index(url("review-comment", unit)) :]
    key = re.search(r'name="idempotency_key" value="(\w{32})"', form)

    for _time in range(2):
        assert done(client, url("review-comment", unit), text="It hums", idempotency_key=key[1]) == "Noted."
    assert done(client, url("review-comment", unit), text="It hums") == "Noted."

    assert [row.text for row in unit.comments.all()] == ["It hums", "It hums"]


def test_comments_and_settling_and_the_way_back_into_the_same_part_of_the_queue(
    client: Client, unit: CampaignUnit, reviewer: User
) -> None:
    assert done(client, url("review-comment", unit), text="Ask the lab <b>") == "Noted."
    assert done(client, url("review-comment", unit), text=" ") == "Write something first."
    answer = client.post(url("review-settle", unit) + "?state=all&sign=flag")

    assert answer["Location"] == url("review-unit", unit) + "?sign=flag&state=all"
    page = text(client, url("review-unit", unit))
    assert "Ask the lab <b>" in page
    assert f"Reviewed by {reviewer.username}" in page


def test_selected_units_and_all_that_match_are_marked_and_it_is_undone(client: Client) -> None:
    campaign = make_campaign(units=3)
    person = make_member(campaign)
    units = list(campaign.campaign_units.all())
    for row in units:
        say(row, person, 1, **{"note.flag": "Hm"})
    client.force_login(make_member(campaign, Role.REVIEWER))
    mark, undo = (reverse(name, args=[campaign.slug]) for name in ("review-mark", "review-undo"))
    queue = reverse("review", args=[campaign.slug])

    assert done(client, mark, unit=str(units[0].pk), done="yes") == "1 unit is marked as reviewed."
    assert "Mark 2 units as reviewed" in text(client, queue)
    assert done(client, mark + "?sign=flag", all="yes") == "2 units are marked as reviewed."
    assert "3 of 3 reviewed" in text(client, queue)
    assert done(client, undo) == "2 units are open again."
    assert "1 of 3 reviewed" in text(client, queue)
    assert done(client, mark, unit="x", done="yes") == "Nothing changed."


def test_progress_is_of_the_units_that_are_shown(client: Client) -> None:
    campaign = make_campaign(units=3)
    person, units = make_member(campaign), list(campaign.campaign_units.all())
    for row in units[:2]:
        say(row, person, 1)
    client.force_login(make_member(campaign, Role.REVIEWER))
    queue = reverse("review", args=[campaign.slug])

    nothing = text(client, queue)
    done(client, reverse("review-mark", args=[campaign.slug]) + "?sign=every", unit=str(units[0].pk), done="yes")

    assert "2 of 3 units have answers, and none has a reason to look at it. Units appear here when" in nothing
    assert "All units 3" in nothing
    assert "1 of 1 reviewed" in text(client, queue)
    assert "1 of 3 reviewed" in text(client, queue + "?sign=every")
    assert "1 of 3 reviewed" in text(client, queue + "?sign=every&state=done")
    assert "1 of 3 reviewed · 1 of 2 in this list" in text(client, url("review-unit", units[1]) + "?sign=every")


def test_answer_is_accepted_or_not_with_a_message(client: Client, unit: CampaignUnit, reviewer: User) -> None:
    said = Annotation.objects.first()
    address = url("review-accept", unit, said.pk)

    assert done(client, address, accepted="no", message="Hear both").startswith("Choose a reason")
    assert (
        done(client, address, accepted="no", reason="listening", message="Hear both")
        == "Saved, and the annotator was notified."
    )
    assert done(client, address, message="Hear both").startswith("Say whether")
    assert [(row.accepted, row.reason, row.message) for row in AnswerReview.objects.all()] == [
        (False, "listening", "Hear both")
    ]


def test_reviewer_sees_their_tabs_and_no_way_to_manage_or_export(
    client: Client, campaign: Campaign, reviewer: User
) -> None:
    page = client.get(campaign.get_absolute_url()).content.decode()

    tabs = re.search(r'<nav class="tabs".*?</nav>', page, re.DOTALL)[0]
    theirs = ["Overview", "Judges", "Quality", "Units to review", "Labels", "Comparison", "Results", "Board"]
    assert re.findall(r"<a [^>]*>([\w ]+)", tabs) == theirs
    assert reverse("campaign-tidy", args=[campaign.slug]) not in page


# -- adjudicated labels --------------------------------------------------------------------------------------------


def test_adjudicated_labels_go_out_as_their_own_rater_and_come_in_again(
    client: Client, campaign: Campaign, unit: CampaignUnit, reviewer: User, tmp_path: Path
) -> None:
    done(client, url("review-adjudicate", unit), **DIRECT_ANSWERS | {"overall": "both_bad"})
    done(client, url("review-adjudicate", unit), **DIRECT_ANSWERS | {"overall": "both_good"})
    client.force_login(make_member(campaign, Role.ADMIN))
    address = reverse("campaign-tidy", args=[campaign.slug])
    table = client.get(address, {"with": "adjudicated"}).getvalue().decode()
    (tmp_path / "answers.csv").write_bytes(table.encode())
    checked = check_upload(
        tmp_path / "answers.csv", None, dataset_name=campaign.dataset.name, label_set_name="Again",
        progress=lambda *_: None,
    )  # fmt: skip
    assert checked.errors == []
    destination = Destination(campaign.dataset.name, "Again", campaign.created_by)
    dataset = write_checked(checked, None, destination, progress=lambda *_: None)

    labels = dataset.label_sets.get(rater="adjudicated")
    assert list(imported_labels(labels)) == list(adjudicated_labels(campaign))
    client.force_login(campaign.created_by)
    again = client.get(reverse("label-set-all-raters", args=[labels.pk]), {"with": "adjudicated"}).getvalue().decode()
    assert again == table
    overall = [row for row in DictReader(io.StringIO(table)) if row["aspect"] == "overall"]
    assert [row["value"] for row in overall if row["annotator"] == "adjudicated"] == ["both_good"]
    assert reviewer.username not in table
    client.force_login(make_member(campaign, Role.ADMIN))
    assert "adjudicated" not in client.get(address).getvalue().decode()


# -- annotators ----------------------------------------------------------------------------------------------------


def test_annotator_never_receives_what_another_answered_or_a_reviewer_said(
    client: Client, campaign: Campaign, unit: CampaignUnit
) -> None:
    """Everything an annotator may open, before and after a review full of rare words."""
    reader = make_member(campaign)
    anne = Annotation.objects.first()
    secrets = ["Kakapo", "Axolotl", "Tardigrade", "Wombat", RARE_A, RARE_B]
    before = everything_received(reader, campaign)
    reviewer = make_member(campaign, Role.REVIEWER, username="Wombat")
    client.force_login(reviewer)
    done(client, url("review-comment", unit), text="Axolotl")
    done(client, url("review-names", unit))
    done(client, url("review-adjudicate", unit), **DIRECT_ANSWERS | {"comment": "Axolotl"})
    done(client, url("review-accept", unit, anne.pk), accepted="yes", message="Tardigrade")
    exclude_answers([anne.assignment], reason=Reason.OTHER, decider=Decider(rule="Axolotl"), comment="Axolotl")

    after = everything_received(reader, campaign)

    assert f"get {reverse('label', args=[campaign.slug])}" in after
    assert "Which one?" in after[f"get {reverse('messages', args=[campaign.slug])}"]
    assert [(a, word) for a, page in (before | after).items() for word in secrets if word in page] == []
    own = everything_received(anne.assignment.annotator, campaign)
    read = {word for page in own.values() for word in secrets if word in page}
    assert read == {"Tardigrade"}


def everything_received(user: User, campaign: Campaign) -> dict[str, str]:
    """Every page of the campaign that this person may or may not open, with the clips and forms they lead to."""
    client = Client()
    client.force_login(user)
    unit = campaign.campaign_units.first()
    said = Annotation.objects.first().pk
    slug = [campaign.slug]
    pages = [reverse("home"), *(reverse(name, args=slug) for name in OF_CAMPAIGN)]
    pages += [url(name, unit) for name in OF_UNIT]
    pages += [url(name, unit, said) for name in ("review-use", "review-accept")] + [url("review-clip", unit, 1, 1)]
    received = {}
    leaving = reverse("withdraw", args=slug)  # whoever has left receives nothing any more
    for address in pages:
        for method in ("get",) if address in (leaving, reverse("home")) else ("get", "post"):
            response = getattr(client, method)(address)
            received[f"{method} {address}"] = response.getvalue().decode("latin-1") + str(response.headers)
    return received


OF_CAMPAIGN = (
    "label", "messages", "volume", "consent", "withdraw", "take-back", "ahead", "review", "labels", "campaign",
    "campaign-tidy", "campaign-trace", "checks", "members",
)  # fmt: skip
OF_UNIT = ("review-unit", "review-adjudicate", "review-settle", "review-comment", "review-names")


def test_answers_to_selected_units_are_left_out_and_it_is_undone(
    client: Client, campaign: Campaign, unit: CampaignUnit, reviewer: User
) -> None:
    address = reverse("review-use-many", args=[campaign.slug])
    posted = {"use": "no", "which": "selected", "reason": "technical"}

    assert done(client, address, **posted) == "Nothing is selected."
    assert done(client, address, use="no", which="selected", unit=str(unit.pk)) == "Choose why it is left out."
    assert done(client, address, **posted, unit=str(unit.pk)) == "2 answers are left out."
    assert done(client, address, **posted, unit=str(unit.pk)) == "Nothing changed."
    first = campaign.bulk_decisions.first()
    assert "You left out 2 answers" in text(client, reverse("review", args=[campaign.slug]))

    undo = reverse("review-undo-many", args=[campaign.slug])
    client.force_login(make_member(campaign, Role.REVIEWER))
    assert done(client, undo, decision=str(first.pk)) == "Nothing changed."
    client.force_login(reviewer)
    assert done(client, undo, decision=str(first.pk)) == "2 answers are used again."
    assert done(client, undo, decision=str(first.pk)) == "Nothing changed."


def test_decision_is_stopped_while_it_is_being_done_by_the_reviewer_who_made_it(
    client: Client, campaign: Campaign, unit: CampaignUnit, reviewer: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bulk, "AT_ONCE", 1)
    many = {"use": "no", "which": "selected", "reason": "technical", "unit": str(unit.pk)}
    done(client, reverse("review-use-many", args=[campaign.slug]), **many)
    row, stop = campaign.bulk_decisions.get(), reverse("review-stop-many", args=[campaign.slug])
    assert "Stop here" in text(client, reverse("review", args=[campaign.slug]))

    client.force_login(make_member(campaign, Role.REVIEWER))
    assert done(client, stop, decision=str(row.pk)) == "Nothing changed."
    client.force_login(reviewer)
    assert done(client, stop, decision=str(row.pk)) == "Nothing changed."
    row.refresh_from_db()

    assert row.n_answers == 0
    assert "Stop here" not in text(client, reverse("review", args=[campaign.slug]))


def test_answers_of_one_annotator_to_all_that_match_are_left_out_and_taken_in(
    client: Client, campaign: Campaign, unit: CampaignUnit, reviewer: User
) -> None:
    member = campaign.memberships.filter(role=Role.ANNOTATOR).first()
    address = reverse("review-use-many", args=[campaign.slug]) + "?sign=every"
    posted = {"which": "all", "annotator": str(member.pk)}

    assert done(client, address, use="no", reason="speed", **posted) == "1 answer is left out."
    assert "With an answer left out 1" in text(client, reverse("review", args=[campaign.slug]))
    assert done(client, address, use="yes", **posted) == "1 answer is used again."
    assert done(client, address, use="yes", which="all", annotator="999999") == "Nothing is selected."
