"""The steps of a launch as pages: each its own address, nothing lost on the way, and a sentence for nonsense."""

from dataclasses import replace
from datetime import timedelta

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from accounts.models import User
from campaigns.access import RIGHTS
from campaigns.launch.steps import STEPS, ProgressLine, progress_line
from campaigns.models import Campaign, Role
from corpus.models import Dataset, Unit
from infrastructure.models import Job
from tests.campaigns.control_units.trapping import make_trap
from tests.campaigns.launch.launching import begin, launched, step
from tests.cases import each
from tests.factories import RARE_A, RARE_B, DatasetFactory, UserFactory, make_campaign, make_member, make_unit

pytestmark = pytest.mark.django_db
HTMX = {"HX-Request": "true"}


@pytest.fixture
def owner(client: Client) -> User:
    owner = UserFactory(is_researcher=True)
    client.force_login(owner)
    return owner


@pytest.fixture
def dataset(owner: User) -> Dataset:
    dataset = DatasetFactory(created_by=owner)
    for n in range(4):
        make_unit(dataset, f"q{n}").delete()
    return dataset


def draft(client: Client, dataset: Dataset) -> Campaign:
    begin(client, dataset)
    return Campaign.objects.get(title="Mine")


def address(campaign: Campaign, name: str) -> str:
    return reverse(f"launch-{name}", args=[campaign.slug])


def errors(response: object) -> dict[str, list[str]]:
    return dict(response.context["form"].errors)  # type: ignore[attr-defined]


def test_launch_goes_from_step_to_step_and_ends_before_the_button(client: Client, dataset: Dataset) -> None:
    ways = [begin(client, dataset)["Location"]]
    campaign = Campaign.objects.get(title="Mine")
    ways += [step(client, campaign, name)["Location"] for name in ("protocol", "units", "answers")]

    assert ways == [
        address(campaign, "protocol"),
        reverse("campaign-arena", args=[campaign.slug]),
        address(campaign, "answers"),
        reverse("checks", args=[campaign.slug]),
    ]
    assert Campaign.objects.get(title="Mine").status == Campaign.Status.DRAFT
    assert Job.objects.get().kind == "prepare-audio"


@pytest.mark.databases
def test_every_step_of_a_fresh_draft_can_be_looked_at(client: Client, dataset: Dataset) -> None:
    campaign = draft(client, dataset)

    steps = progress_line(campaign, RIGHTS[Role.ADMIN]).steps
    pages = [client.get(step.url) for step in steps]

    assert [page.status_code for page in pages] == [200] * (len(STEPS) - 1)  # the rubric is of some protocols
    assert all(
        page.content.count(b"aria-current=") - page.content.count(b'aria-current="true"') == 1 for page in pages
    )


@pytest.mark.databases
def test_draft_leads_to_its_next_open_step_from_where_it_was_left(client: Client, dataset: Dataset) -> None:
    campaign = draft(client, dataset)
    rights = RIGHTS[Role.ADMIN]
    ways = []
    for name in ("protocol", "units", "answers"):
        ways.append(progress_line(campaign, rights).next_open.url)
        step(client, campaign, name)
        campaign.refresh_from_db()

    last = progress_line(campaign, rights).next_open.url
    page = client.get(campaign.get_absolute_url()).content.decode()

    assert ways == [address(campaign, name) for name in ("protocol", "units", "answers")]
    assert last == address(campaign, "open")
    assert f'class="button primary" href="{last}"' in page


@pytest.mark.databases
def test_steps_before_can_be_changed_and_come_as_they_were_left(client: Client, dataset: Dataset) -> None:
    campaign = launched(
        client, dataset, protocol="hcot_guided", listening="full", how="subset", per_pair=2, repeat_share=50,
        answers_per_unit=3,
    )  # fmt: skip

    shown = {name: client.get(address(campaign, name)).context["form"].initial for name in ("protocol", "units")}
    answers = client.get(address(campaign, "answers")).context["form"].initial

    assert (shown["protocol"]["protocol"], shown["protocol"]["listening"]) == ("hcot_guided", "full")
    assert {name: shown["units"][name] for name in ("how", "per_pair", "repeat_share")} == {
        "how": "subset", "per_pair": 2, "repeat_share": 50,
    }  # fmt: skip
    assert answers["answers_per_unit"] == 3
    assert sorted(campaign.campaign_units.values_list("purpose", flat=True)) == ["repeat", "study", "study"]


def test_units_are_drawn_again_until_it_opens_and_not_after(client: Client, dataset: Dataset) -> None:
    campaign = launched(client, dataset, how="subset", per_pair=2)
    step(client, campaign, "units", how="all")
    drawn = campaign.campaign_units.count()
    Campaign.objects.update(status="open")

    response = step(client, campaign, "units", how="subset", per_pair=1)

    assert drawn == 4
    assert response["Location"] == campaign.get_absolute_url()
    assert campaign.campaign_units.count() == 4


@each("name", ["systems", "protocol", "units", "answers", "open"], undo=True)
@each("status", ["open", "paused", "closed"], undo=True)
def test_step_of_an_opened_campaign_leads_to_the_campaign(client: Client, name: str, status: str) -> None:
    campaign = make_campaign(status=status)
    client.force_login(make_member(campaign, Role.ADMIN))

    response = client.get(address(campaign, name))

    assert response["Location"] == campaign.get_absolute_url()


@pytest.mark.parametrize("target", ["-23", "loud"], ids=["prepared", "refused"])
@pytest.mark.parametrize(
    ("page", "name"), [("launch-open", "launch-open"), ("campaign", "campaign"), ("", "campaign")]
)
def test_audio_is_prepared_on_the_page_where_the_button_was_pressed(
    client: Client, dataset: Dataset, page: str, name: str, target: str
) -> None:
    campaign = launched(client, dataset)
    where = reverse(name, args=[campaign.slug])

    response = client.post(
        reverse("campaign-audio", args=[campaign.slug]), {"page": page, "target_lufs": target}, follow=True
    )

    assert response.redirect_chain == [(where, 302)]


@pytest.mark.parametrize("name", ["launch-open", "campaign"])
def test_state_of_the_audio_is_fetched_again_from_the_page_it_is_on(
    client: Client, dataset: Dataset, name: str
) -> None:
    campaign = launched(client, dataset)
    where = reverse(name, args=[campaign.slug])

    working = client.get(where).content.decode()
    Job.objects.update(status="succeeded")
    fragment = client.get(where, headers=HTMX).content.decode()

    assert f'hx-get="{where}"' in working
    assert "<html" not in fragment
    assert f'name="page" value="{name}"' in fragment


# -- arenas ---------------------------------------------------------------------------------------------------


def test_units_and_overview_of_an_arena_say_that_pairs_are_drawn(client: Client, dataset: Dataset) -> None:
    campaign = launched(client, dataset)
    pages = [address(campaign, "units"), campaign.get_absolute_url()]
    units, overview = (client.get(page).content.decode() for page in pages)
    Campaign.objects.update(label_page="arena")

    units_of_arena, overview_of_arena = (client.get(page).content.decode() for page in pages)

    assert ("In an arena every pair is drawn" in units, "Hours of work" in units) == (False, True)
    assert ("In an arena every pair is drawn" in units_of_arena, "Hours of work" in units_of_arena) == (True, False)
    assert ("drawn for each voter" in overview, "Annotators per unit" in overview) == (False, True)
    assert ("drawn for each voter" in overview_of_arena, "Annotators per unit" in overview_of_arena) == (True, False)


# -- refusals -------------------------------------------------------------------------------------------------


@pytest.mark.databases
@each(
    "fields, refused",
    [
        ({"title": ""}, {"title": ["This field is required."]}),
        (
            {"title": f"How good is {RARE_A}?"},
            {"title": [f"The title names {RARE_A}, and annotators read it."]},
        ),
        ({"systems": []}, {"systems": ["Choose at least one system."]}),
        ({"systems": [0]}, {"systems": ["These are the systems of another dataset. Choose again."]}),
    ],
    undo=True,
)
def test_first_step_refuses_nonsense_and_makes_nothing(
    client: Client, dataset: Dataset, fields: dict[str, object], refused: dict[str, list[str]]
) -> None:
    response = begin(client, dataset, **fields)

    assert (response.status_code, errors(response)) == (422, refused)
    assert not Campaign.objects.exists()


def test_first_step_refuses_systems_of_another_dataset(client: Client, dataset: Dataset, owner: User) -> None:
    other = DatasetFactory(created_by=owner)
    make_unit(other, "q")

    response = begin(client, dataset, dataset=other.pk)

    assert errors(response) == {"systems": ["These are the systems of another dataset. Choose again."]}


def test_first_step_shows_the_systems_of_the_dataset_that_is_chosen(
    client: Client, dataset: Dataset, owner: User
) -> None:
    other = DatasetFactory(created_by=owner)
    other.systems.create(name="Lone")

    page = client.get(reverse("campaign-new"), {"dataset": other.pk}, headers=HTMX).content.decode()

    assert page.count('name="systems"') == 1
    assert "Lone" in page


def test_first_step_without_datasets_says_what_to_do(client: Client, owner: User) -> None:
    page = client.get(reverse("campaign-new")).content.decode()

    assert f'href="{reverse("import-new")}"' in page
    assert "<form" not in page.partition("<main")[2].partition("</main")[0]


@pytest.mark.parametrize(
    ("fields", "refused"),
    [
        ({"protocol": ""}, {"protocol": ["Choose a protocol."]}),
        (
            {"match_loudness": "on", "target_lufs": 3},
            {"target_lufs": ["Ensure this value is less than or equal to -12.0."]},
        ),
    ],
)
def test_protocol_step_refuses_nonsense(
    client: Client, dataset: Dataset, fields: dict[str, object], refused: dict[str, list[str]]
) -> None:
    response = step(client, draft(client, dataset), "protocol", **fields)

    assert (response.status_code, errors(response)) == (422, refused)


@each(
    "fields, refused",
    [
        ({"how": "magic"}, ["how"]),
        ({"how": "imported"}, ["how"]),
        ({"how": "subset", "per_pair": 0}, ["per_pair"]),
        ({"how": "subset", "per_pair": ""}, ["per_pair"]),
        ({"how": "file"}, ["pairs"]),
        ({"repeat_share": 90}, ["repeat_share"]),
        ({"pace": ""}, ["pace"]),
    ],
    undo=True,
)
def test_units_step_refuses_nonsense_and_draws_nothing(
    client: Client, dataset: Dataset, fields: dict[str, object], refused: list[str]
) -> None:
    campaign = draft(client, dataset)

    response = step(client, campaign, "units", **fields)

    assert (response.status_code, list(errors(response))) == (422, refused)
    assert (campaign.campaign_units.count(), Unit.objects.count()) == (0, 0)


def test_units_step_refuses_systems_that_never_met(client: Client, dataset: Dataset) -> None:
    begin(client, dataset, systems=[dataset.systems.get(name=RARE_A).pk])

    response = step(client, Campaign.objects.get(), "units")

    assert errors(response) == {"how": ["These systems have no such unit. Choose another way, or other systems."]}


@each(
    "fields, refused",
    [
        ({"answers_per_unit": 0}, ["answers_per_unit"]),
        ({"answers_per_unit": ""}, ["answers_per_unit"]),
        ({"closes_at": "2001-01-01T00:00"}, ["closes_at"]),
        ({"closes_at": "soon"}, ["closes_at"]),
    ],
    undo=True,
)
def test_answers_step_refuses_nonsense(
    client: Client, dataset: Dataset, fields: dict[str, object], refused: list[str]
) -> None:
    response = step(client, draft(client, dataset), "answers", **fields)

    assert (response.status_code, list(errors(response))) == (422, refused)


@pytest.mark.databases
def test_answers_step_keeps_when_it_ends(client: Client, dataset: Dataset) -> None:
    day = (timezone.now() + timedelta(days=3)).replace(second=0, microsecond=0)
    campaign = draft(client, dataset)

    step(client, campaign, "answers", closes_at=day.strftime("%Y-%m-%dT%H:%M"), closes_when_complete="on")
    page = client.get(address(campaign, "answers")).content.decode()

    campaign.refresh_from_db()
    assert (campaign.closes_at, campaign.closes_when_complete) == (day, True)
    assert f'value="{day:%Y-%m-%dT%H:%M}"' in page


# -- units ----------------------------------------------------------------------------------------------------


@pytest.mark.databases
@pytest.mark.parametrize("headers", [HTMX, {}])
def test_numbers_are_shown_before_anything_is_drawn(
    client: Client, dataset: Dataset, headers: dict[str, str]
) -> None:
    campaign = draft(client, dataset)
    Campaign.objects.update(answers_per_unit=3)
    asked = {"how": "all", "per_pair": "", "repeat_share": 25, "pace": 60, "count": "1"}

    response = client.post(address(campaign, "units"), asked, headers=headers)

    numbers = response.context["numbers"]
    assert (numbers.units, numbers.answers, numbers.repeats, numbers.hours) == (4, 12, 1, 15 * 60 / 3600)
    assert (response.status_code, campaign.campaign_units.count(), Unit.objects.count()) == (200, 0, 0)


def table(*lines: str) -> SimpleUploadedFile:
    return SimpleUploadedFile("pairs.csv", "\n".join(["item,system_a,system_b", *lines]).encode())


def test_units_come_from_a_file_and_stay_until_there_is_another(client: Client, dataset: Dataset) -> None:
    campaign = draft(client, dataset)
    pairs = table(f"q0,{RARE_A},{RARE_B}", f"q2,{RARE_B},{RARE_A}")

    step(client, campaign, "units", how="file", pairs=pairs)
    first = set(campaign.campaign_units.values_list("unit", flat=True))
    step(client, campaign, "units", how="file", repeat_share=50)

    study = campaign.campaign_units.filter(purpose="study")
    assert {row.unit.item.key for row in study} == {"q0", "q2"}
    assert set(study.values_list("unit", flat=True)) == first
    assert campaign.campaign_units.filter(purpose="repeat").count() == 1


def test_file_with_a_fault_leaves_everything_as_it_was(client: Client, dataset: Dataset) -> None:
    campaign = launched(client, dataset)
    before = list(campaign.campaign_units.values_list("unit", flat=True))

    response = step(client, campaign, "units", how="file", pairs=table(f"q0,{RARE_A},{RARE_B}", f"q9,{RARE_A},x"))

    assert errors(response) == {"pairs": ["Line 3: the chosen systems answered no item 'q9'."]}
    assert list(campaign.campaign_units.values_list("unit", flat=True)) == before


def test_file_that_is_no_text_is_refused(client: Client, dataset: Dataset) -> None:
    file = SimpleUploadedFile("pairs.csv", b"\xff\xfe\x00")

    response = step(client, draft(client, dataset), "units", how="file", pairs=file)

    assert errors(response) == {"pairs": ["This is not UTF-8 text. Save it as UTF-8."]}


@pytest.mark.databases
def test_units_are_of_the_chosen_systems_alone(client: Client, dataset: Dataset) -> None:
    third = dataset.systems.create(name="Third")
    for item in dataset.items.all():
        item.responses.create(system=third, key=f"{item.key}-third")
    chosen = [third.pk, dataset.systems.get(name=RARE_A).pk]
    begin(client, dataset, systems=chosen)
    campaign = Campaign.objects.get()

    step(client, campaign, "units")

    units = Unit.objects.filter(pk__in=campaign.campaign_units.values("unit"))
    assert {frozenset((unit.a.system_id, unit.b.system_id)) for unit in units} == {frozenset(chosen)}
    assert units.count() == 4


# -- the line of steps ----------------------------------------------------------------------------------------


def test_steps_show_only_those_that_one_may_take() -> None:
    campaign = make_campaign(status="draft")

    line = progress_line(campaign, RIGHTS[Role.RESEARCHER], "checks")

    assert [step.url for step in line.steps if "members" in step.url] == []
    assert [step.url for step in line.steps][-2:] == [
        reverse("preview", args=[campaign.slug]),
        reverse("launch-open", args=[campaign.slug]),
    ]


def test_pages_of_an_opened_campaign_have_tabs_and_no_steps(client: Client) -> None:
    campaign = make_campaign()
    client.force_login(make_member(campaign, Role.ADMIN))

    page = client.get(reverse("checks", args=[campaign.slug])).content.decode()

    assert 'class="tabs"' in page
    assert "launch-steps" not in page


@pytest.mark.databases
@each("name", ["systems", "protocol", "units", "answers", "open"], undo=True)
def test_step_costs_the_same_queries_for_one_unit_and_for_three(client: Client, name: str) -> None:
    counts = []
    for units in (1, 3):
        campaign = make_campaign(units=units, status="draft")
        client.force_login(make_member(campaign, Role.ADMIN))
        with CaptureQueriesContext(connection) as queries:
            client.get(address(campaign, name))
        counts.append(len(queries))

    assert counts[0] == counts[1]


@pytest.mark.databases
def test_a_step_that_is_done_leads_on_unless_its_form_does(client: Client, dataset: Dataset) -> None:
    campaign = draft(client, dataset)
    step(client, campaign, "protocol")
    rights = RIGHTS[Role.ADMIN]

    lines = {
        current: progress_line(campaign, rights, current) for current in ("launch-protocol", "checks", "launch-open")
    }

    assert {current: line.may_go_on for current, line in lines.items()} == {
        "launch-protocol": False,
        "checks": True,
        "launch-open": False,
    }


def test_the_reviewed_rubric_leads_on(client: Client, dataset: Dataset) -> None:
    campaign = draft(client, dataset)
    line = progress_line(campaign, RIGHTS[Role.ADMIN], "launch-open")
    here = replace(line.steps[0], is_current=True, saves=False)

    assert [
        ProgressLine((replace(here, is_done=done, is_optional=False), *line.steps[1:])).may_go_on
        for done in (True, False)
    ] == [True, False]


def test_units_are_drawn_anew_after_a_question_where_spoken_traps_are_lost_by_it(
    client: Client, dataset: Dataset
) -> None:
    campaign = draft(client, dataset)
    step(client, campaign, "protocol")
    step(client, campaign, "units")
    before = client.get(address(campaign, "units")).content.decode()
    make_trap(campaign)

    page = client.get(address(campaign, "units")).content.decode()

    assert '<details class="confirm">' not in before
    asked = page.index('<details class="confirm">')
    assert page.index("Only count") < asked  # what Enter in a field presses
    assert asked < page.index("This campaign has 1 spoken trap.") < page.index("Yes, draw them anew")
    assert page.count("Yes, draw them anew") == 1
    client.get(address(campaign, "units"))
    step(client, campaign, "units")
    assert not campaign.campaign_units.filter(purpose="trap").exists()
    after = client.get(address(campaign, "units")).content.decode()
    assert "1 spoken trap was dropped, since its unit is no longer one of the study; kept: 0." in after


@pytest.mark.databases
@pytest.mark.parametrize("name", ["systems", "protocol"])
def test_step_that_would_drop_units_made_by_hand_asks_first(client: Client, dataset: Dataset, name: str) -> None:
    campaign = draft(client, dataset)
    step(client, campaign, "protocol")
    step(client, campaign, "units")
    make_trap(campaign)
    changed = {
        "systems": {"title": "Mine", "dataset": dataset.pk, "systems": [dataset.systems.first().pk]},
        "protocol": {"protocol": "acr", "listening": "", "target_lufs": -23},
    }[name]

    asked = client.post(address(campaign, name), changed)

    page = asked.content.decode()
    assert asked.status_code == 422
    assert "this change drops 1 unit that was made by hand" in page
    assert page.index('<button form="step" hidden>') < page.index('name="drop"')  # what Enter in a field presses
    assert campaign.campaign_units.filter(purpose="trap").count() == 1
    assert client.post(address(campaign, name), changed | {"drop": "1"}).status_code == 302
    assert not campaign.campaign_units.exists()


def test_step_that_drops_nothing_made_by_hand_does_not_ask(client: Client, dataset: Dataset) -> None:
    campaign = draft(client, dataset)
    step(client, campaign, "protocol")
    step(client, campaign, "units")
    make_trap(campaign)

    assert step(client, campaign, "protocol").status_code == 302
    assert campaign.campaign_units.filter(purpose="trap").count() == 1
