"""The units on which judges and people disagree: which, in which order, what their pages tell, and to whom."""

import html
import re
from pathlib import Path

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from accounts.models import User
from analytics.comparison.disagreements import Wanted, disagreements, kept_labels
from analytics.data.label_arrays import label_arrays
from analytics.reports.kinds.judges import KIND
from analytics.reports.output.figures import Link
from annotation.review.adjudication import review_order
from annotation.review.comments import show_names
from campaigns.models import Campaign, Membership, Role
from judges.models import Run
from protocols.kinds.frames import shown_value
from tests.analytics.reports.shown import figures_of
from tests.analytics.saying import judge_says, labels_say, people_say, units_of
from tests.annotation.test_listening import deliver_fakes
from tests.factories import RARE_A, RARE_B, make_campaign, make_member

pytestmark = pytest.mark.django_db

PEOPLE = (
    ["a", "b", "a", "a", "both_bad", "b"],
    ["a", "b", "a", "a", "both_bad", "a"],
    ["a", "b", "b", "a", "b", "a"],
)
#: Most people said a, b, a, a, both_bad, a.
SAID = ["a", "a", "b", "unparsed", "both_bad", "a"]
OTHER = ["b", "a", "b", "a", "both_bad", "a"]


@pytest.fixture
def campaign(media_root: Path) -> Campaign:
    campaign = make_campaign(units=6)
    deliver_fakes(campaign)
    people_say(campaign, *PEOPLE)
    return campaign


@pytest.fixture
def run(campaign: Campaign) -> Run:
    return judge_says(campaign, {"ab": SAID}, title="Judge", verdict={"reasoning": "The second one lisps."})


@pytest.fixture
def reviewer(client: Client, campaign: Campaign) -> User:
    user = make_member(campaign, Role.REVIEWER)
    client.force_login(user)
    return user


def places(campaign: Campaign, **wanted: str) -> list[int]:
    """Where the disagreed units stand in the campaign, from 0."""
    asked = Wanted(**wanted)  # type: ignore[arg-type]
    at = {row.unit_id: place for place, row in enumerate(units_of(campaign))}
    return [at[split.unit] for split in disagreements(kept_labels(campaign, asked), asked)]


def address(campaign: Campaign, place: int | None = None, query: str = "") -> str:
    if place is None:
        return reverse("disagreements", args=[campaign.slug]) + query
    return reverse("disagreement", args=[campaign.slug, units_of(campaign)[place].pk]) + query


def text(client: Client, where: str) -> str:
    return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", client.get(where).content.decode())).split())


def test_units_on_which_people_were_most_united_come_first(campaign: Campaign, run: Run) -> None:
    # On 1 and 3 all three people agree, on 2 two of them.
    assert places(campaign, judge=str(run.pk)) == [1, 3, 2]


def test_a_cell_has_its_units_agreeing_or_not(campaign: Campaign, run: Run) -> None:
    judge = str(run.pk)
    assert places(campaign, judge=judge, people="a", said="b") == [2]
    assert places(campaign, judge=judge, people="a", said="a") == [0, 5]
    assert places(campaign, judge=judge, people="a", said="-") == [3]
    assert places(campaign, judge=judge, people="a") == [3, 2]


def test_most_judges_count_together(campaign: Campaign, run: Run) -> None:
    judge_says(campaign, {"ab": OTHER}, title="Other")
    judge_says(campaign, {"ab": OTHER}, title="Third")

    assert places(campaign, judge="most") == [0, 1, 2]


def test_another_reference_and_category_can_be_wanted(campaign: Campaign, run: Run) -> None:
    labels_say(campaign, "Experts", ["b", "a", "b", "a", "both_bad", "a"])
    item = units_of(campaign)[3].unit.item
    item.category = "Speed"
    item.save()

    assert places(campaign, judge=str(run.pk), reference="labels-Experts") == [0, 3]
    assert places(campaign, judge=str(run.pk), category="Speed") == [3]


def test_judges_that_did_not_qualify_are_not_to_choose_from(campaign: Campaign, run: Run) -> None:
    judge_says(campaign, {"ab": OTHER}, title="Near", kind="embedding")

    assert [title for _, title in kept_labels(campaign, Wanted()).judges] == [f"Judge ({run.pk})"]


def test_what_is_said_since_is_seen(campaign: Campaign, run: Run) -> None:
    assert places(campaign, judge=str(run.pk)) == [1, 3, 2]
    people_say(campaign, [*["a"] * 2, "b", *["a"] * 3], first_seat=4)
    people_say(campaign, [*["a"] * 2, "b", *["a"] * 3], first_seat=5)

    assert places(campaign, judge=str(run.pk)) == [3, 1]


def test_the_page_lists_units_with_the_split_of_people(
    client: Client, campaign: Campaign, run: Run, reviewer: User
) -> None:
    page = text(client, address(campaign, query=f"?judge={run.pk}"))

    assert "3 units. Those on which people were most united come first." in page
    unit = units_of(campaign)[2]
    order = review_order(unit, reviewer)
    first, second = (shown_value(label, order, "response") for label in "ab")
    assert re.search(rf"{unit.unit.item} {first}\D* 2 {second}\D* 1 {second}\D* 67 %", page)


def test_numbers_of_confusion_matrices_lead_to_their_units(
    client: Client, campaign: Campaign, reviewer: User
) -> None:
    run = judge_says(campaign, {"ab": SAID}, title="Judge")
    figure = figures_of(KIND, campaign)[f"confusion-{run.pk}"]
    links = [cell for row in figure.table.rows for cell in row if isinstance(cell, Link)]  # type: ignore[union-attr]

    for link in links:
        page = client.get(reverse(link.to, args=link.args), link.query)
        assert page.context["n"] == int(link.text), link
    assert len(links) == 5


def test_a_unit_has_clips_answers_reasons_and_a_way_to_the_prompt(
    client: Client, campaign: Campaign, run: Run, reviewer: User
) -> None:
    labels_say(campaign, "Experts", PEOPLE[0])

    page, seen = client.get(address(campaign, 1)).content.decode(), text(client, address(campaign, 1))

    unit = units_of(campaign)[1]
    for place in (1, 2):
        clip = reverse("review-clip", args=[campaign.slug, unit.pk, place, 1])
        assert f'data-clip="{clip}"' in page
        assert client.get(clip).status_code == 200
    for pseudonym in Membership.objects.filter(campaign=campaign, role=Role.ANNOTATOR).values_list(
        "pseudonym", flat=True
    ):
        assert pseudonym in seen
    assert "Experts" in seen
    assert "The second one lisps." in seen
    verdict = run.verdicts.get(unit=unit.unit)
    assert reverse("run-verdict", args=[campaign.slug, run.pk, verdict.pk]) in page
    heard = review_order(unit, reviewer).index("a") + 1
    assert f"heard first: {heard}" in seen


def test_verdicts_without_an_answer_say_what_became_of_them(
    client: Client, campaign: Campaign, run: Run, reviewer: User
) -> None:
    assert "could not be read" in text(client, address(campaign, 3))


def test_the_list_goes_on_from_unit_to_unit(client: Client, campaign: Campaign, run: Run, reviewer: User) -> None:
    query = f"?judge={run.pk}"

    page = client.get(address(campaign, 3, query)).content.decode()

    assert f'href="{address(campaign, 1, query)}" data-go="p"' in page
    assert f'href="{address(campaign, 2, query)}" data-go="n"' in page


def test_names_are_hidden_until_they_are_shown(client: Client, campaign: Campaign, run: Run, reviewer: User) -> None:
    pages = [client.get(where).content.decode() for where in (address(campaign), address(campaign, 1))]
    assert not any(name in page for page in pages for name in (RARE_A, RARE_B))

    show_names(units_of(campaign)[1], reviewer=reviewer)

    assert RARE_A in client.get(address(campaign, 1)).content.decode()


def test_who_labels_here_sees_nothing_of_units_still_to_answer(
    client: Client, campaign: Campaign, run: Run, reviewer: User
) -> None:
    campaign.memberships.create(user=reviewer, role=Role.ANNOTATOR, pseudonym="A-too")

    assert client.get(address(campaign, query=f"?judge={run.pk}")).context["n"] == 0
    assert client.get(address(campaign, 1)).status_code == 403


def test_viewers_and_annotators_have_no_such_page(client: Client, campaign: Campaign, run: Run) -> None:
    for role in (Role.VIEWER, Role.ANNOTATOR):
        client.force_login(make_member(campaign, role))
        assert client.get(address(campaign)).status_code == 403
        assert client.get(address(campaign, 1)).status_code == 403


def test_without_judges_the_page_says_what_is_missing(client: Client, campaign: Campaign, reviewer: User) -> None:
    assert "This needs verdicts of a judge" in text(client, address(campaign))


def test_queries_do_not_grow_with_units_people_and_judges(
    client: Client, campaign: Campaign, run: Run, reviewer: User
) -> None:
    small = [_queries(client, where) for where in (address(campaign), address(campaign, 1))]
    people_say(campaign, *PEOPLE, first_seat=4)
    judge_says(campaign, {"ab": OTHER}, title="Other")
    judge_says(campaign, {"ab": OTHER, "ba": OTHER}, title="Third")

    assert [_queries(client, where) for where in (address(campaign), address(campaign, 1))] == small
    assert max(small) <= 60
    assert len(label_arrays(campaign).runs) == 3


def _queries(client: Client, where: str) -> int:
    with CaptureQueriesContext(
        connection,
    ) as caught:
        assert client.get(where).status_code == 200
    return len(caught)
