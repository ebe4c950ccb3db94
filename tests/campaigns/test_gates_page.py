"""The page on which a researcher sets up the entry gates."""

import re

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from campaigns.entry_gates.gates import Passing, giveaways, passing, set_gates, unready_gates
from campaigns.entry_gates.settings import USUAL, read_settings
from campaigns.models import Campaign, CampaignUnit, Gate, GateTry
from tests.cases import each
from tests.factories import RARE_A, RARE_B, make_campaign, make_member

pytestmark = pytest.mark.django_db
TRAINING = "unit,aspect,value,feedback\n1,overall,a,Hear the end\n0,overall,b,\n1,content,a,\n"
HEADPHONES = {
    "headphones-on": "on",
    "headphones-tries": "3",
    "headphones-on_failure": "turn_away",
    "headphones-valid_minutes": "90",
    "headphones-pass_at": "6",
}


@pytest.fixture
def campaign() -> Campaign:
    return make_campaign(units=3, status="draft")


@pytest.fixture
def researcher(client: Client, campaign: Campaign) -> Client:
    client.force_login(make_member(campaign, "researcher"))
    return client


def url(campaign: Campaign) -> str:
    return reverse("gates", args=[campaign.slug])


def table(text: str) -> SimpleUploadedFile:
    return SimpleUploadedFile("units.csv", text.encode())


def row_of(page: str, title: str) -> list[str]:
    """The cells of the row that begins with this title."""
    row = re.search(rf'<tr><th scope="row">{title}</th>(.*?)</tr>', page)
    assert row
    return [re.sub("<[^>]+>", "", cell) for cell in re.findall(r"<td>(.*?)</td>", row[1])]


def test_page_without_gates_says_what_to_do(researcher: Client, campaign: Campaign) -> None:
    page = researcher.get(url(campaign)).content.decode()

    assert "Nothing is asked: annotators begin with the first unit." in page
    assert "None yet. Write what annotators should know" in page


def test_gate_is_switched_on_as_filled_in_and_off_again(researcher: Client, campaign: Campaign) -> None:
    sent = researcher.post(url(campaign), HEADPHONES | {"volume-on": "on"})

    assert sent.status_code == 302
    gates = Gate.objects.order_by("kind").values_list("kind", "tries", "on_failure", "valid_minutes", "settings")
    assert list(gates) == [
        ("headphones", 3, "turn_away", 90, {"pass_at": 6}),
        ("volume", 1, "let_in", None, {}),
    ]
    researcher.post(url(campaign), {})
    assert not Gate.objects.exists()


def test_page_shows_what_is_set(researcher: Client, campaign: Campaign) -> None:
    researcher.post(url(campaign), HEADPHONES)

    page = researcher.get(url(campaign)).content.decode()

    assert '<input type="number" name="headphones-pass_at" value="6"' in page
    assert row_of(page, "Headphones") == ["0", "0", "0", "0", "nobody yet", "–"]
    assert 'name="volume-on" id="id_volume-on">' in page


@each(
    "field, value",
    [("pass_at", "7"), ("pass_at", ""), ("tries", "0"), ("valid_minutes", "0"), ("tries", "")],
    undo=True,
)
def test_faulty_number_is_told_and_nothing_is_set(
    researcher: Client, campaign: Campaign, field: str, value: str
) -> None:
    sent = researcher.post(url(campaign), HEADPHONES | {f"headphones-{field}": value})

    assert sent.status_code == 422
    assert 'class="error-text"' in sent.content.decode()
    assert not Gate.objects.exists()


def test_training_units_come_in_the_order_of_their_table_with_what_is_told(
    researcher: Client, campaign: Campaign
) -> None:
    researcher.post(url(campaign), {"training-on": "on", "training-units": table(TRAINING)})

    rows = CampaignUnit.objects.filter(purpose="training").order_by("position")
    assert [(row.unit.key, row.expected, row.explanation) for row in rows] == [
        ("1", {"overall": ["a"], "content": ["a"]}, "Hear the end"),
        ("0", {"overall": ["b"]}, ""),
    ]
    page = researcher.get(url(campaign)).content.decode()
    assert "Training: 2 units" in re.sub("<[^>]+>", "", page)
    assert "2 units of training or qualification are also units of the study" in page


def test_units_stay_where_no_table_is_sent(researcher: Client, campaign: Campaign) -> None:
    researcher.post(url(campaign), {"training-on": "on", "training-units": table(TRAINING)})

    researcher.post(url(campaign), {"training-on": "on"})

    assert CampaignUnit.objects.filter(purpose="training").count() == 2


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("unit,aspect,value\n99,overall,a\n", "has no unit"),
        ("unit,aspect,value\n0,overall,c\n", "is not among"),
        ("nonsense", "is missing"),
    ],
)
def test_faulty_table_is_told_and_nothing_is_set(
    researcher: Client, campaign: Campaign, text: str, told: str
) -> None:
    sent = researcher.post(url(campaign), {"training-on": "on", "training-units": table(text)})

    assert sent.status_code == 422
    assert told in sent.content.decode()
    assert not Gate.objects.exists()
    assert not CampaignUnit.objects.filter(purpose="training").exists()


def test_nothing_is_changed_once_the_campaign_has_opened(researcher: Client, campaign: Campaign) -> None:
    Campaign.objects.update(status="open")

    sent = researcher.post(url(campaign), HEADPHONES)

    assert sent.status_code == 422
    assert not Gate.objects.exists()
    assert "fixed once a campaign has opened" in researcher.get(url(campaign)).content.decode()
    with pytest.raises(ValueError, match="fixed"):
        set_gates(campaign, plans={"volume": USUAL["volume"]})


def test_guidelines_get_versions_even_while_it_runs(researcher: Client, campaign: Campaign) -> None:
    address = reverse("guidelines-text", args=[campaign.slug])
    researcher.post(address, {"text": "# One"})
    Campaign.objects.update(status="open")
    researcher.post(address, {"text": "# <b>Two"})

    page = researcher.get(url(campaign)).content.decode()

    assert list(campaign.guidelines_texts.values_list("version", "text")) == [(2, "# <b>Two"), (1, "# One")]
    assert "<h2>&lt;b&gt;Two</h2>" in page


def test_text_that_names_a_system_is_warned_about(researcher: Client, campaign: Campaign) -> None:
    researcher.post(reverse("guidelines-text", args=[campaign.slug]), {"text": f"Not {RARE_A.lower()}!"})
    told = f"unit,aspect,value,feedback\n0,overall,a,{RARE_B} hums\n1,overall,a,{RARE_A}ly\n"
    researcher.post(url(campaign), {"training-on": "on", "training-units": table(told)})

    assert giveaways(campaign) == [
        f"The text of the guidelines names {RARE_A}, and annotators read it. Blind means blind.",
        f"Feedback after the training unit 0 names {RARE_B}, and annotators read it. Blind means blind.",
    ]
    assert researcher.get(url(campaign)).content.decode().count("Blind means blind.") == 2


def test_empty_guidelines_are_refused(researcher: Client, campaign: Campaign) -> None:
    sent = researcher.post(reverse("guidelines-text", args=[campaign.slug]), {"text": "  "})

    assert sent.status_code == 422
    assert not campaign.guidelines_texts.exists()


def test_campaign_does_not_open_with_gates_that_cannot_be_asked(campaign: Campaign) -> None:
    set_gates(campaign, plans={kind: USUAL[kind] for kind in ("guidelines", "training", "qualification")})

    assert [message for message, _fix in unready_gates(campaign)] == [
        "Guidelines are to be read, and there are none.",
        "Training is asked for, and has no units.",
        "Qualification is asked for, and has no units.",
    ]


@each(
    "kind, document",
    [
        ("headphones", {"pass_at": 7}),
        ("environment", {"pass_db": 55}),
        ("qualification", {"threshold": 0}),
        ("volume", {"pass_at": 5}),
        ("nonsense", {}),
    ],
    undo=True,
)
def test_settings_that_no_gate_can_mean_are_refused(kind: str, document: dict[str, float]) -> None:
    with pytest.raises(ValueError, match=r"trials|dB|share|settings"):
        read_settings(kind, document)


# -- how people fare ---------------------------------------------------------------------------------------------


SCORES = {"passed": 6, "failed": 3}


def tried(campaign: Campaign, *outcomes: str, reason: str = "") -> None:
    """One person whose tries ended like this, with six right or three."""
    annotator = make_member(campaign)
    for number, outcome in enumerate(outcomes, start=1):
        ended = timezone.now() if outcome else None
        GateTry.objects.create(
            campaign=campaign,
            annotator=annotator,
            kind="headphones",
            number=number,
            outcome=outcome,
            ended_at=ended,
            score=SCORES.get(outcome),
            details={"reason": reason} if reason else {},
        )


def test_everybody_counts_once_by_how_their_last_try_ended(researcher: Client, campaign: Campaign) -> None:
    researcher.post(url(campaign), HEADPHONES)
    for outcomes in (["failed", "passed"], ["passed"], ["failed", "failed"], ["failed", ""]):
        tried(campaign, *outcomes)
    tried(campaign, "failed", "could_not_run", reason="A <drill>")

    fared = passing(campaign)["headphones"]

    assert fared == Passing(
        passed=2, failed=1, could_not_run=1, under_way=1, median_score=6.0, reasons=("A <drill>",)
    )
    assert fared.percent == 67
    page = researcher.get(url(campaign)).content.decode()
    assert row_of(page, "Headphones") == ["2", "1", "1", "1", "67 %", "6 / 6"]
    assert '<li dir="auto">A &lt;drill&gt;</li>' in page


def test_what_could_not_run_has_no_rate(campaign: Campaign) -> None:
    tried(campaign, "could_not_run")

    assert passing(campaign)["headphones"].percent is None


def test_page_costs_the_same_queries_whoever_was_there(
    researcher: Client, campaign: Campaign, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    researcher.post(url(campaign), HEADPHONES | {"training-on": "on", "training-units": table(TRAINING)})
    for _ in range(2):
        with django_assert_num_queries(QUERIES):
            researcher.get(url(campaign))
        for _person in range(3):
            tried(campaign, "passed")


QUERIES = 15
