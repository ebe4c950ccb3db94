import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from pytest_django import Settings

from accounts.sealing import unsealed
from campaigns.models import Campaign
from campaigns.rubrics.reviewing import add_criterion
from infrastructure.models import Job
from judges import reasons
from judges.language_models.registry import backend_of
from judges.models import DraftReply, DraftRun, LanguageModel, Price
from tests.campaigns.rubrics import rubric_campaign
from tests.factories import UserFactory, make_member
from tests.judges.drafting import make_model
from tests.judges.server import completion, fault, serving

pytestmark = pytest.mark.django_db
FORM = {
    "title": "Drafter",
    "base_url": "https://models.example/v1/",
    "model": "m",
    "api_key": "sk-very-secret",
    "timeout_s": "60",
}


@pytest.fixture
def launcher(client: Client) -> Client:
    client.force_login(UserFactory(username="launcher", is_researcher=True))
    return client


@pytest.fixture
def campaign(client: Client) -> Campaign:
    campaign = rubric_campaign(units=2)
    client.force_login(make_member(campaign, "researcher", is_researcher=True))
    return campaign


def test_model_is_added_and_its_key_is_never_shown_again(launcher: Client) -> None:
    response = launcher.post(reverse("models"), FORM, follow=True)

    row = LanguageModel.objects.get()
    assert (row.base_url, unsealed(row.sealed_key)) == ("https://models.example/v1", "sk-very-secret")
    page = response.content.decode()
    assert "kept, encrypted" in page
    assert "sk-very-secret" not in page
    assert row.sealed_key not in page


def test_faulty_form_does_not_give_the_key_back(launcher: Client) -> None:
    page = launcher.post(reverse("models"), FORM | {"base_url": "ftp://models.example"}).content.decode()

    assert "has to begin with http://" in page
    assert "sk-very-secret" not in page
    assert not LanguageModel.objects.exists()


@pytest.mark.parametrize(("form", "told"), [("", False), ("input_audio", True), ("audio_url", True)])
def test_model_is_added_with_the_form_in_which_it_takes_sound(launcher: Client, form: str, told: bool) -> None:
    page = launcher.post(reverse("models"), FORM | {"sound_form": form}, follow=True).content.decode()

    row = LanguageModel.objects.get()
    assert (row.sound_form, "· takes sound" in page) == (form, told)
    assert backend_of(row)._server.sound_form == form


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"api_key": "sk-ü"}, "no such characters"),
        ({"timeout_s": "1"}, "greater than or equal"),
        ({"sound_form": "mp3"}, "not one of the available"),
    ],
)
def test_faults_are_told(launcher: Client, changes: dict[str, str], said: str) -> None:
    response = launcher.post(reverse("models"), FORM | changes)

    assert (response.status_code, said in response.content.decode()) == (422, True)


def test_connection_is_tested(launcher: Client, settings: Settings) -> None:
    settings.MODELS_ON_PRIVATE_ADDRESSES = True
    user = LanguageModel._meta.get_field("created_by").related_model.objects.get()
    with serving(completion('{"ready": true}'), completion("Hello"), fault(401, "bad key")) as server:
        row = make_model(user, server.url)

        said = [launcher.post(reverse("model-test", args=[row.pk]), follow=True).content.decode() for _ in range(3)]

    assert "as m-2026" in said[0]
    assert "not in the requested form" in said[1]
    assert "The server answered 401: bad key" in said[2]


def test_private_address_says_what_to_do(launcher: Client, settings: Settings) -> None:
    settings.MODELS_ON_PRIVATE_ADDRESSES = False
    row = make_model(UserFactory(), shared=True)

    page = launcher.post(reverse("model-test", args=[row.pk]), follow=True).content.decode()

    assert "MODELS_ON_PRIVATE_ADDRESSES=true in .env, then restart" in page


@pytest.mark.parametrize(
    ("address", "allowed", "said"),
    [
        ("http://localhost:11434/v1", False, "cannot be called: localhost is in a private network. An administrator"),
        ("http://127.0.0.1:11434/v1", False, "MODELS_ON_PRIVATE_ADDRESSES=true in .env, then restart"),
        ("http://169.254.1.1/v1", True, "169.254.1.1 is not an address that is asked."),
        ("http://127.0.0.1:11434/v1", True, "The model was added. Test the connection once."),
    ],
)
def test_model_at_an_address_that_is_not_asked_is_kept_with_a_warning(
    launcher: Client, settings: Settings, address: str, allowed: bool, said: str
) -> None:
    settings.MODELS_ON_PRIVATE_ADDRESSES = allowed

    page = launcher.post(reverse("models"), FORM | {"base_url": address}, follow=True).content.decode()

    assert LanguageModel.objects.get().base_url == address
    assert said in page


def test_shared_model_can_be_used_but_not_disabled_by_others(launcher: Client) -> None:
    mine_alone, shared = make_model(UserFactory()), make_model(UserFactory(), title="Shared", shared=True)

    answers = {
        row: launcher.post(reverse("model-disable", args=[row.pk])).status_code for row in (mine_alone, shared)
    }

    assert answers == {mine_alone: 404, shared: 403}
    page = launcher.get(reverse("models")).content.decode()
    assert (page.count("Shared"), page.count("Drafter")) == (1, 0)


def test_list_of_models_has_the_price_that_holds_now(launcher: Client) -> None:
    launcher.post(reverse("models"), FORM)
    row = LanguageModel.objects.get()
    unpriced = launcher.get(reverse("models")).content.decode()
    for usd_in, usd_out in ((9, 9), ("2.5", 10)):
        Price.objects.create(language_model=row, usd_in=usd_in, usd_out=usd_out, set_by=row.created_by)

    page = launcher.get(reverse("models")).content.decode()

    assert "not named" in unpriced
    assert "$2.5000 for questions, $10.0000 for replies" in page


def test_disabled_model_is_gone_and_its_key_too(launcher: Client) -> None:
    launcher.post(reverse("models"), FORM)
    row = LanguageModel.objects.get()

    launcher.post(reverse("model-disable", args=[row.pk]))

    row.refresh_from_db()
    assert (row.sealed_key, row.disabled_at is None) == ("", False)
    assert "No model yet" in launcher.get(reverse("models")).content.decode()


def test_without_a_model_the_page_offers_hand_and_table(client: Client, campaign: Campaign) -> None:
    page = client.get(reverse("rubric-drafts", args=[campaign.slug])).content.decode()

    assert "by hand or take them from a table" in page
    assert reverse("models") in page


@pytest.mark.parametrize(("n", "button"), [(1, "for 1 item"), (2, "for 2 items")])
def test_page_says_for_how_many_items_it_would_draft(client: Client, campaign: Campaign, n: int, button: str) -> None:
    make_model(UserFactory(), shared=True)
    for item in campaign.dataset.items.all()[n:]:
        add_criterion(campaign, item, "Is it brief?", by=campaign.created_by)

    page = client.get(reverse("rubric-drafts", args=[campaign.slug])).content.decode()

    assert f"Draft criteria {button}</button>" in page


def test_drafts_are_started_and_stopped(client: Client, campaign: Campaign) -> None:
    url = reverse("rubric-drafts", args=[campaign.slug])
    row = make_model(UserFactory(), shared=True)

    response = client.post(url, {"model": row.pk, "n_per_item": "3"})
    page = client.get(url).content.decode()
    client.post(reverse("rubric-drafts-stop", args=[campaign.slug]))

    assert response.status_code == 302
    assert "<progress" in page
    run = DraftRun.objects.get()
    assert (run.n_per_item, run.stopped_at is None, Job.objects.get().kind) == (3, False, "draft-criteria")


def test_failures_are_shown_in_as_many_queries_for_two_as_for_one(client: Client, campaign: Campaign) -> None:
    url = reverse("rubric-drafts", args=[campaign.slug])
    run = DraftRun.objects.create(
        campaign=campaign, language_model=make_model(UserFactory()), started_by=campaign.created_by
    )
    queries = []
    for item in campaign.dataset.items.all():
        DraftReply.objects.create(run=run, item=item, status="unparsed", message=reasons.DRAFTS_NO_LIST())
        client.get(url)
        with CaptureQueriesContext(connection) as captured:
            page = client.get(url).content.decode()
        queries.append(len(captured))

    assert page.count("The reply has no list of texts.") == 2
    assert queries[0] == queries[1]
