"""Researchers under a lock on names try to learn who is ahead: by every address, and by the codes themselves."""

import hashlib
import re
from collections import deque
from collections.abc import Iterable, Iterator

import pytest
from django.http import HttpResponseBase
from django.test import Client
from django.urls import NoReverseMatch, resolve, reverse
from pytest_django import Settings
from rest_framework.test import APIClient

from accounts.models import User
from analytics.data.hidden_names import codes, shown_names
from analytics.models import Report
from analytics.reports.kinds import KINDS
from analytics.reports.source import Settings as ReportSettings
from analytics.reports.storage import report_of, share
from annotation.models import NamesShown
from arena.board.name_locks import hide_names
from arena.standings.choices import Settings as BoardSettings
from campaigns.models import Campaign, Role
from tests.analytics.exporting.exported import made_export
from tests.api.callers import caller
from tests.arena.voting import SYSTEMS, make_arena, vote
from tests.factories import make_member
from tests.judges.running import a_judge, a_run, worked
from tests.world import routes

pytestmark = pytest.mark.django_db
#: Where names may stand, because nothing is said there of how the systems do.
WITHOUT_RESULTS = {
    "dataset": "whose answers the dataset holds",
    "dataset-items": "the items with everybody's answers",
    "item": "who said what to one item",
    "item-features": "what was measured on the clips of one item",
    "dataset-features": "what was measured on clips",
    "dataset-identity": "what each system says of itself",
    "dataset-identity-pairs": "which pairs of systems tell who they are",
    "api:identity-leak-list": "what each system says of itself",
    "api:identity-leak-pairs": "which pairs of systems tell who they are",
    "gold-template": "the units, to be filled in",
    "verdict-import-template": "the units, to be filled in; their keys may have names",
    "launch-systems": "who takes part",
    "launch-units": "who meets whom",
    "api:system-list": "who is in the dataset",
    "api:response-list": "whose answers the dataset holds",
}
#: Reports are looked at by a test of their own; the last would log us out.
COMPUTED = ("/figures/", "/results/print/", "/logout/")


@pytest.fixture
def campaign() -> Campaign:
    campaign = make_arena()
    for one, other, said in [("Aardwolf", "Binturong", "1"), ("Binturong", "Cacomistle", "2")]:
        vote(campaign, one, other, said)
        vote(campaign, one, other, said, item=1)
    worked(a_run(campaign, a_judge(campaign, "random")))
    return campaign


@pytest.fixture
def admin(campaign: Campaign) -> User:
    return make_member(campaign, Role.ADMIN)


@pytest.fixture
def before(campaign: Campaign, admin: User) -> list[str]:
    """Addresses of what was made under names: reports, a link to one, and an export. Then the names were hidden."""
    reports = [report_of(campaign, KINDS[name], ReportSettings()) for name in ("systems", "labels")]
    link = share(reports[0], user=admin)
    assert SYSTEMS[0] in str(reports[0].figures)
    export = made_export(campaign)
    unit = campaign.campaign_units.get(
        unit__a__system__name="Aardwolf", unit__b__system__name="Binturong", position=0
    )
    NamesShown.objects.create(campaign_unit=unit, by=admin)
    hide_names(campaign, user=admin, settings=BoardSettings("overall"))
    addresses = [reverse("kept-report", args=[row.pk]) for row in reports]
    addresses += [reverse("report-file", args=[row.pk, "json"]) for row in reports]
    addresses += [reverse("shared-report", args=[link.token]), reverse("shared-file", args=[link.token, "json"])]
    addresses += [reverse("export-file", args=[campaign.slug, export.pk])]
    return [*addresses, reverse("review-unit", args=[campaign.slug, unit.pk])]


def beginnings(campaign: Campaign) -> Iterator[str]:
    """Every address that takes nothing, or the one word for a campaign or dataset; and those of runs."""
    run = campaign.runs.get().pk
    for name, _route, _view in routes():
        for given in ([], [campaign.slug], [campaign.dataset.slug], [campaign.slug, run]):
            try:
                yield reverse(name, args=given)
            except NoReverseMatch:
                continue
    for file in ("answers.csv", "trace.jsonl"):
        yield f"/api/v1/campaigns/{campaign.slug}/exports/{file}/"
    for form in ("csv", "json", "tex", "jsonl"):
        yield f"/campaigns/{campaign.slug}/runs/{run}/verdicts.{form}"
        yield f"/campaigns/{campaign.slug}/board.{form}"
        yield f"/campaigns/{campaign.slug}/comparison.{form}"
    yield from (f"/campaigns/{campaign.slug}/board.svg?picture={name}" for name in ("ratings", "matrix"))


def text_of(response: HttpResponseBase) -> str:
    return response.getvalue().decode("latin-1")


def crawled(client: Client, program: APIClient, first: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Every page that can be reached by links from these, with what it says."""
    todo, seen = deque(first), set()
    while todo:
        url = todo.popleft()
        path = url.split("?")[0]
        if path in seen or path.startswith("/static/") or path.endswith(COMPUTED):
            continue
        seen.add(path)
        response = (program if path.startswith("/api/") else client).get(url)
        said = text_of(response)
        yield path, said
        if leads_to := response.headers.get("Location", ""):
            todo.append(leads_to)
        if "html" in response.headers.get("Content-Type", ""):
            todo += [it.replace("&amp;", "&") for it in re.findall(r'(?:href|src|hx-get)="(/[^"#]*)"', said)]


def test_no_address_tells_how_systems_do_by_their_names(
    client: Client, campaign: Campaign, admin: User, before: list[str]
) -> None:
    client.force_login(admin)
    named, n = set(), 0
    for path, said in crawled(client, caller(admin), [*before, *beginnings(campaign)]):
        n += 1
        if any(system in said for system in SYSTEMS):
            named.add(resolve(path).view_name)

    assert n > 150
    assert named - set(WITHOUT_RESULTS) == set()


def test_reviewers_are_told_no_more_names(client: Client, campaign: Campaign, admin: User, before: list[str]) -> None:
    client.force_login(admin)
    unit = campaign.campaign_units.get(position=1)

    response = client.post(reverse("review-names", args=[campaign.slug, unit.pk]))

    assert response.status_code == 403
    assert not NamesShown.objects.filter(campaign_unit=unit).exists()


def test_what_was_made_before_is_told_again_when_the_campaign_closes(
    client: Client, campaign: Campaign, admin: User, before: list[str]
) -> None:
    client.force_login(admin)
    hidden = {url: client.get(url) for url in before}
    Campaign.objects.update(status=Campaign.Status.CLOSED)

    assert {url: client.get(url).status_code for url in before} == dict.fromkeys(before, 200)
    assert hidden[before[-1]].status_code == 200  # the unit, without its names
    assert {hidden[url].status_code for url in before[:-1]} == {403}


def test_reports_are_computed_under_codes_meanwhile(client: Client, campaign: Campaign, admin: User) -> None:
    hide_names(campaign, user=admin, settings=BoardSettings("overall"))
    client.force_login(admin)

    possible = [kind.name for kind in KINDS.values() if not kind.why_not(campaign)]
    pages = {
        name: client.get(reverse("report-figures", args=[campaign.slug, name]), follow=True) for name in possible
    }

    assert {page.status_code for page in pages.values()} == {200}
    assert [name for name, page in pages.items() if any(system in text_of(page) for system in SYSTEMS)] == []
    assert Report.objects.count() == len(possible)


def test_codes_cannot_be_worked_out_from_the_names_and_this_code(campaign: Campaign, settings: Settings) -> None:
    """Sorting the names by a hash of what anybody knows gave the letters away."""
    names = [f"system {n}" for n in range(12)]
    told = codes(names, campaign.pk)
    guessed = sorted(names, key=lambda name: hashlib.sha256(f"{campaign.pk} {name}".encode()).digest())

    assert [told[name] for name in guessed] != sorted(told.values())
    settings.SECRET_KEY = "of another installation"
    assert codes(names, campaign.pk) != told


def test_code_is_the_systems_own_whatever_is_left_out(campaign: Campaign, admin: User) -> None:
    """Else a filter under which two of three systems have votes would tell by the letters which one is missing."""
    hide_names(campaign, user=admin, settings=BoardSettings("overall"))
    campaign = Campaign.objects.get(pk=campaign.pk)
    everybody = shown_names(campaign, SYSTEMS)

    for left_out in SYSTEMS:
        some = [name for name in SYSTEMS if name != left_out]
        assert shown_names(campaign, some) == {name: everybody[name] for name in some}
