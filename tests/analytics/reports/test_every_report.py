"""Every kind of report with every option over worlds at the edge and a large one, with names shown and hidden.

It finishes, keeps no number that is none, has its page and its files, and tells no name that is hidden. Kinds and
options are those of the registry: a new one is met here without a line.
"""

import json
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

import matplotlib as mpl
import pytest
from django.db import transaction
from django.test import Client
from django.urls import reverse

from accounts.models import User
from analytics.data.hidden_names import names_are_hidden
from analytics.models import Report
from analytics.reports.contract import ReportKind
from analytics.reports.kinds import KINDS
from analytics.reports.output import style
from analytics.reports.output.charts import drawn, laid_out
from analytics.reports.output.encoding import decoded_figures, encoded_figures
from analytics.reports.output.figures import Bars, Curves, Dots, Figure, Picture
from analytics.reports.output.files import csv_of, json_of, latex_of
from analytics.reports.pages.settings import filters_of, read_settings
from analytics.reports.source import Source
from analytics.reports.storage import figures_of, report_of
from annotation.models import Answer
from campaigns.models import Campaign, NameLock
from tests.analytics.alpha import BARE_ALPHA
from tests.analytics.reports.worlds import LARGEST, NAMES, WORLDS, World, build
from tests.factories import UserFactory
from tests.paths import PROJECT

pytestmark = pytest.mark.django_db
#: The worlds over which every option is tried at each commit: one that has every kind of figure, and one at the edge.
MET_EACH_TIME = ("multi-turn", "one answer")
#: And the one over which names are shown, too.
SHOWN_EACH_TIME = "multi-turn"
_NAMED = re.compile("|".join(NAMES), re.IGNORECASE)
#: As a cell of a CSV, or a value in JSON.
_NOT_A_NUMBER = re.compile(r"(?<![\w-])-?(nan|inf|infinity)(?![\w-])", re.IGNORECASE)


@pytest.fixture
def reader(client: Client) -> Client:
    user: User = UserFactory(is_superuser=True, is_staff=True)
    client.force_login(user)
    return client


@pytest.fixture(autouse=True)
def few_resamples(monkeypatch: pytest.MonkeyPatch) -> None:
    """What falls over does so with few, too; the test of a world then takes seconds."""
    for name, module in list(sys.modules.items()):
        if name.startswith("analytics.reports") and hasattr(module, "RESAMPLES"):
            monkeypatch.setattr(module, "RESAMPLES", 15)


@pytest.mark.parametrize("name", WORLDS)
def test_every_report_of_a_world_finishes_and_tells_no_hidden_name(
    name: str, reader: Client, subtests: pytest.Subtests
) -> None:
    """Names are hidden in each world, and shown in one at each time: shown ones change no number."""
    for campaign in build(WORLDS[name]):
        _check_all(reader, campaign, subtests, hidden=(True, False) if name == SHOWN_EACH_TIME else (True,))


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted({*WORLDS} - {SHOWN_EACH_TIME}))
def test_every_report_of_a_world_finishes_with_names_shown(
    name: str, reader: Client, subtests: pytest.Subtests
) -> None:
    for campaign in build(WORLDS[name]):
        _check_all(reader, campaign, subtests, hidden=(False,))


@pytest.mark.slow
def test_every_report_of_ten_thousand_answers_finishes_and_tells_no_hidden_name(
    reader: Client, subtests: pytest.Subtests
) -> None:
    campaigns = build(LARGEST)
    assert Answer.objects.count() > 10_000
    for campaign in campaigns:
        _check_all(reader, campaign, subtests, hidden=(True, False))


@pytest.mark.parametrize(
    "name", [it if it in MET_EACH_TIME else pytest.param(it, marks=pytest.mark.slow) for it in WORLDS]
)
def test_every_option_of_every_report_finishes_and_tells_no_hidden_name(name: str, subtests: pytest.Subtests) -> None:
    """Of each kind over the first campaign that can have one, names hidden: shown ones change no number."""
    campaigns = build(WORLDS[name])
    for kind in KINDS.values():
        campaign = next((it for it in campaigns if not kind.why_not(it)), None)
        for said in _settings(campaign, kind) if campaign else ():
            with subtests.test(f"{kind.name} {said}"), transaction.atomic():
                _check_made(_under_lock(campaign, hidden=True), kind, said)


def test_pages_in_german_name_the_distance_of_alpha_and_no_hidden_name(
    reader: Client, subtests: pytest.Subtests
) -> None:
    named = 0
    for shown in build(WORLDS["multi-turn"]):
        campaign = _under_lock(shown, hidden=True)
        for kind in KINDS.values():
            if not kind.why_not(campaign):
                with subtests.test(f"{campaign.title}: {kind.name}"):
                    address = reverse(
                        "kept-report", args=[report_of(campaign, kind, read_settings(campaign, kind, {})).pk]
                    )
                    page = reader.get(address, headers={"Accept-Language": "de"}).content.decode()
                    _check_texts([page], hidden=True)
                    named += page.count("Krippendorffs α (")
    assert named


def test_pictures_of_a_world_are_drawn_and_tell_no_hidden_name() -> None:
    """Of all values alike, whose axes have no length of their own."""
    for figure in _with_pictures(replace(WORLDS["all alike"], protocols=("acr",))):
        _check_texts([drawn(figure, "svg").decode()], hidden=True)


@pytest.mark.parametrize("name", ["one answer", "all ties", "multi-turn"])
def test_legends_name_what_is_drawn_and_rows_without_a_point_say_why(name: str) -> None:
    """As they are laid out, of every kind of report."""
    legends = reasons = 0
    for figure in _with_pictures(WORLDS[name]):
        with mpl.rc_context(style.RC):
            drawing = laid_out(figure)
        handles = [it for legend in drawing.legends for it in legend.legend_handles]
        assert len(handles) in (0, len(_drawn_series(figure.picture))), figure.key
        legends += len(handles)
        if isinstance(figure.picture, Dots):
            said = {round(it.get_position()[1]) for it in drawing.axes[0].texts}
            pointed = {
                round(y) for line in drawing.axes[0].lines if line.get_linestyle() == "None" for y in line.get_ydata()
            }
            assert said | pointed == {*range(len(figure.picture.labels))}, figure.key
            assert said & pointed == set(figure.picture.why_no_interval), figure.key
            reasons += len(said - pointed)
    assert legends
    assert reasons


def _with_pictures(world: World) -> Iterator[Figure]:
    for shown in build(world):
        campaign = _under_lock(shown, hidden=True)
        for kind in KINDS.values():
            if not kind.why_not(campaign):
                for figure in decoded_figures(encoded_figures(list(kind.figures(Source(campaign))))):
                    if figure.picture:
                        yield figure


def _drawn_series(picture: Picture | None) -> list[str]:
    match picture:
        case Dots(series=series):
            return [name for name, line in series.items() if any(it and it.estimate is not None for it in line)]
        case Bars(series=series):
            return [name for name, line in series.items() if any(line)]
        case Curves(curves=curves):
            return [it.name for it in curves if it.x]
    return []


def test_worlds_meet_every_kind_and_its_figures() -> None:
    """Or what the tests above say of a kind would be empty."""
    campaigns = build(WORLDS["multi-turn"])
    met = {
        kind.name
        for kind in KINDS.values()
        for campaign in campaigns
        if not kind.why_not(campaign) and any(figure.table for figure in kind.figures(Source(campaign)))
    }
    assert met == set(KINDS)


def _settings(campaign: Campaign, kind: ReportKind) -> Iterator[dict[str, str]]:
    """Every value of every option and filter, one by one."""
    for option in (*kind.options(campaign), *filters_of(campaign)):
        for value, _title in option.values[1:]:
            yield {option.name: value}


def _under_lock(shown: Campaign, *, hidden: bool) -> Campaign:
    """The campaign with the names of its systems hidden, or not."""
    campaign = Campaign.objects.select_related("dataset").get(pk=shown.pk)
    if hidden:
        NameLock.objects.get_or_create(campaign=campaign, defaults={"by": campaign.created_by})
    else:
        NameLock.objects.filter(campaign=campaign).delete()
    return campaign


def _check_all(reader: Client, campaign: Campaign, subtests: pytest.Subtests, *, hidden: Sequence[bool]) -> None:
    """Every kind with its default settings, names hidden or shown."""
    for kind in KINDS.values():
        for names_hidden in hidden:
            with subtests.test(f"{campaign.title}: {kind.name}", hidden=names_hidden), transaction.atomic():
                _check_kept(reader, _under_lock(campaign, hidden=names_hidden), kind)


def _check_made(campaign: Campaign, kind: ReportKind, said: dict[str, str]) -> None:
    """The figures by these settings, which are not kept."""
    figures = list(kind.figures(Source(campaign, read_settings(campaign, kind, said))))
    text = json.dumps(encoded_figures(figures), allow_nan=False, ensure_ascii=False)
    _check_texts([text, latex_of(figures), *map(csv_of, figures)], hidden=names_are_hidden(campaign))
    _check_pictures(figures)


def _check_kept(reader: Client, campaign: Campaign, kind: ReportKind) -> None:
    if kind.why_not(campaign):
        return
    kept = report_of(campaign, kind, read_settings(campaign, kind, {}))
    row = Report.objects.select_related("campaign__dataset").get(pk=kept.pk)
    json.dumps(row.figures, allow_nan=False)
    figures, hidden = figures_of(row), names_are_hidden(campaign)
    document = json_of(row, figures)
    _check_reasons(json.loads(document))
    served = _served(reader, row) if hidden else [document]
    _check_texts([*served, latex_of(figures), *map(csv_of, figures)], hidden=hidden)
    _check_pictures(figures)


@cache
def _published() -> dict[str, str]:
    """Sentences by code, read from the page of the reference alone."""
    page = (PROJECT / "docs" / "reference" / "reasons.md").read_text()
    return dict(re.findall(r"^\| `(\w+)` \| (.*) \|$", page, re.MULTILINE))


def _worded(reason: dict[str, Any]) -> str:
    params = {name: _worded(it) if isinstance(it, dict) else it for name, it in reason["params"].items()}
    return _published()[reason["code"]] % params


def _check_reasons(held: object) -> None:
    """Every reason in a file has a published code, and its sentence follows from the published one."""
    if isinstance(held, dict):
        if {"code", "params"} <= held.keys():
            assert held.get("detail", _worded(held)) == _worded(held)
        held = list(held.values())
    for one in held if isinstance(held, list) else ():
        _check_reasons(one)


def _check_texts(texts: list[str], *, hidden: bool) -> None:
    assert [_around(_NOT_A_NUMBER, text) for text in texts if _NOT_A_NUMBER.search(text)] == []
    assert [_around(BARE_ALPHA, text) for text in texts if BARE_ALPHA.search(text)] == []
    if hidden:
        assert [_around(_NAMED, text) for text in texts if _NAMED.search(text)] == []


def _served(reader: Client, row: Report) -> Iterator[str]:
    """What a reader gets: the page, the files of the report and of its first figure, each with its headers."""
    first = figures_of(row)[0]
    addresses = [
        reverse("kept-report", args=[row.pk]),
        reverse("report-file", args=[row.pk, "json"]),
        reverse("figure-file", args=[row.pk, first.key, "csv"]),
    ]
    for address in addresses:
        response = reader.get(address)
        assert response.status_code == 200, address
        headers = (f"{name}: {value}" for name, value in response.items())
        yield "\n".join([address, *headers, response.content.decode()])


def _check_pictures(figures: list[Figure]) -> None:
    """An axis says what it is of, and intervals lie on the scale that it shows."""
    for figure in figures:
        if isinstance(figure.picture, Dots):
            assert figure.picture.axis_title, f"the axis of {figure.key} has no title"
            if ends := figure.picture.ends:
                lines = figure.picture.series.values()
                found = [it.interval for line in lines for it in line if it and it.interval]
                beyond = [it for it in found if not ends[0] <= it.low <= it.high <= ends[1]]
                assert beyond == [], f"{figure.key} goes beyond its scale"


def _around(pattern: re.Pattern[str], text: str) -> str:
    found = pattern.search(text)
    return text[max(0, found.start() - 80) : found.end() + 20] if found else ""


def test_every_kind_says_what_may_be_claimed_from_it_and_what_not() -> None:
    """One sentence of its own, which its page shows."""
    said = [str(kind.claims) for kind in KINDS.values()]

    assert [kind.name for kind in KINDS.values() if not kind.claims.strip().endswith(".")] == []
    assert len(set(said)) == len(said)
