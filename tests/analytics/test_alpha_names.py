"""α is another number by each distance between labels: wherever it stands, its distance stands beside its name."""

import re
from collections.abc import Iterator

import pytest
from django.test import Client
from django.urls import NoReverseMatch, reverse

from campaigns.models import Campaign, Role
from tests.analytics.alpha import BARE_ALPHA
from tests.analytics.saying import judge_says, labels_say, people_say
from tests.config.pages.test_access import WHO_MAY
from tests.factories import UserFactory, make_campaign, make_member
from tests.paths import APPS, PROJECT

#: The one place that makes the name; and the text that explains bands.
NAMED_IN = PROJECT / "protocols" / "kinds" / "agreement.py"
#: With either apostrophe. What computes it writes its name in comments, and in the name of a method before a comma.
NAME = re.compile(r"Krippendorff['’]s α")
COMPUTED_IN = PROJECT / "stats"


def test_one_place_makes_the_name_of_alpha() -> None:
    files = [
        path
        for app in (*APPS, "templates")
        for path in (PROJECT / app).rglob("*")
        if path.suffix in (".py", ".html", ".js", ".txt") and path != NAMED_IN and COMPUTED_IN not in path.parents
    ]
    assert len(files) > 300
    assert [str(path) for path in files if NAME.search(path.read_text("utf-8"))] == []


@pytest.fixture
def campaign() -> Campaign:
    campaign = make_campaign(units=4)
    people_say(campaign, ["a", "b", "a", "both_good"], ["a", "a", "a", "both_bad"])
    return campaign


@pytest.mark.django_db
def test_a_campaigns_page_names_the_distance_of_alpha(client: Client, campaign: Campaign) -> None:
    client.force_login(make_member(campaign, Role.RESEARCHER))

    page = client.get(reverse("campaign-pulse", args=[campaign.slug])).content.decode()

    assert "Krippendorff’s α (typed-tie distance)" in page
    assert BARE_ALPHA.findall(page) == []


def addresses(campaign: Campaign, run: int, label_set: int) -> Iterator[tuple[str, str]]:
    """Every page about these rows, by the name of its URL."""
    of_campaign = [campaign.slug]
    unit = campaign.campaign_units.order_by("position")[0].pk
    choices: list[list[object]] = [
        [], of_campaign, [campaign.dataset.slug], [campaign.slug, run], [campaign.slug, unit], [label_set],
        [campaign.slug, "agreement"],
    ]  # fmt: skip
    for name, (method, _who) in WHO_MAY.items():
        for arguments in choices if method == "GET" else []:
            try:
                yield name, reverse(name, args=arguments)
            except NoReverseMatch:
                continue


#: Pages that show agreement, or might.
SHOWN = {
    "board", "campaign", "campaign-pulse", "comparison", "dataset", "datasets", "disagreement", "disagreements",
    "label-set", "planning", "quality", "report", "review", "review-unit", "run",
}  # fmt: skip


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("language", "named"),
    [
        ("en", "Krippendorff’s α (typed-tie distance)"),
        ("de", "Krippendorffs α (Distanz der typisierten Gleichstände)"),
    ],
)
def test_no_page_names_alpha_without_its_distance(client: Client, language: str, named: str) -> None:
    campaign = make_campaign(units=4)
    said = ["a", "b", "a", "both_good"]
    people_say(campaign, said, ["a", "a", "a", "both_bad"])
    run, labels = judge_says(campaign, {"ab": said}), labels_say(campaign, "Labels", said)
    client.force_login(UserFactory(is_superuser=True, is_researcher=True))

    pages: dict[str, str] = {}
    for name, address in addresses(campaign, run.pk, labels.pk):
        if language != "en" and name not in SHOWN:
            continue
        response = client.get(address, headers={"Accept-Language": language})
        if response.status_code == 200 and response["Content-Type"].startswith("text/html"):
            pages[f"{name} {address}"] = response.content.decode()

    assert {key.partition(" ")[0] for key in pages} >= SHOWN
    assert {key: BARE_ALPHA.findall(page) for key, page in pages.items() if BARE_ALPHA.search(page)} == {}
    assert [key for key, page in pages.items() if named in page and key.startswith("campaign-pulse")]
