import pytest

from campaigns.models import Arrival, Campaign, Outcome, Panel
from campaigns.people.panels import NO_PARTICIPANT, PanelIds, panel_ids, url_fault, way_back, way_back_of
from tests.cases import each
from tests.factories import UserFactory, make_campaign, make_invitation

pytestmark = pytest.mark.django_db
CODES = {"code_completed": "C1", "code_screened_out": "C2", "code_failed_check": "C3", "code_no_consent": "C4"}


@pytest.fixture
def campaign() -> Campaign:
    return make_campaign(units=1)


@pytest.mark.databases
def test_prolific_numbers_are_read_from_the_address() -> None:
    sent = {"PROLIFIC_PID": "5e9b9c9b9c9b9c9b9c9b9c9b", "STUDY_ID": "s1", "SESSION_ID": "x1", "pid": "other"}

    assert panel_ids("prolific", sent) == PanelIds("5e9b9c9b9c9b9c9b9c9b9c9b", "s1", "x1")


@pytest.mark.databases
def test_generic_number_is_read_from_the_address() -> None:
    assert panel_ids("pid", {"pid": "w.42@x", "PROLIFIC_PID": "other"}) == PanelIds("w.42@x")


@pytest.mark.databases
@each("number", ["", "{{%PROLIFIC_PID%}}", "a b", "x" * 101, "a\x00", "a\n", "é"], undo=True)
def test_what_cannot_be_a_number_is_none(number: str) -> None:
    assert panel_ids("prolific", {"PROLIFIC_PID": number, "STUDY_ID": "s1"}) == NO_PARTICIPANT


@pytest.mark.databases
def test_link_that_is_no_panels_reads_no_numbers() -> None:
    assert panel_ids("", {"pid": "1", "PROLIFIC_PID": "2"}) == NO_PARTICIPANT


@pytest.mark.databases
@pytest.mark.parametrize(
    "template",
    [
        "https://panel.example/done",
        "http://panel.example:8080/done?id={pid}&code={code}",
        "https://panel.example/{code}/{pid}#end",
    ],
)
def test_address_to_return_to_may_be(template: str) -> None:
    assert url_fault(template) == ""


@pytest.mark.databases
@each(
    "template",
    [
        "",
        "panel.example/done",
        "//panel.example/done",
        "javascript:alert(1)",
        "data:text/html,x",
        "ftp://panel.example/",
        "https://",
        "https:///done",
        "https://{pid}.example/",
        "https://panel.example@evil.example/",
        "https://panel.example/{name}",
        "https://panel.example/{",
        "https://panel.example/a b",
        "https://panel.example\\@evil.example/",
        "https://panel.example/\n",
        "https://[bad/",
        "https://pänel.example/",
        "{code}://panel.example/",
    ],
    undo=True,
)
def test_address_to_return_to_may_not_be(template: str) -> None:
    assert url_fault(template) != ""


@each("outcome, code", list(zip(Outcome.values, ["C1", "C2", "C3", "C4"], strict=True)), undo=True)
def test_prolific_is_returned_to_with_the_code_of_the_outcome(campaign: Campaign, outcome: str, code: str) -> None:
    invitation = make_invitation(campaign, panel=Panel.PROLIFIC, **CODES)

    back = way_back_of(invitation, "p1", outcome)

    assert back
    assert (back.code, back.url) == (code, f"https://app.prolific.com/submissions/complete?cc={code}")


def test_somebody_who_does_not_agree_is_screened_out_where_there_is_no_code_for_it(campaign: Campaign) -> None:
    invitation = make_invitation(campaign, panel=Panel.PROLIFIC, **CODES | {"code_no_consent": ""})

    back = way_back_of(invitation, "p1", Outcome.NO_CONSENT)

    assert back
    assert back.code == "C2"


def test_outcome_without_a_code_leads_nowhere(campaign: Campaign) -> None:
    invitation = make_invitation(campaign, panel=Panel.PROLIFIC, code_completed="C1")

    back = way_back_of(invitation, "p1", Outcome.FAILED_CHECK)

    assert back
    assert (back.code, back.url) == ("", "")


def test_other_panel_is_returned_to_with_number_and_code_quoted(campaign: Campaign) -> None:
    invitation = make_invitation(
        campaign, panel=Panel.PID, return_url="https://panel.example/done?id={pid}&code={code}", **CODES
    )

    back = way_back_of(invitation, "a+b@c", Outcome.COMPLETED)

    assert back
    assert back.url == "https://panel.example/done?id=a%2Bb%40c&code=C1"


@pytest.mark.parametrize(
    ("template", "participant", "outcome"),
    [
        ("https://panel.example/?id={pid}", "", "completed"),
        ("https://panel.example/?id={pid}", "p", "failed_check"),
        ("", "p", "completed"),
    ],
)
def test_other_panel_is_not_returned_to_half_filled_in(
    campaign: Campaign, template: str, participant: str, outcome: str
) -> None:
    invitation = make_invitation(campaign, panel=Panel.PID, return_url=template, **CODES)

    back = way_back_of(invitation, participant, outcome)

    assert back
    assert back.url == ""


def test_way_back_is_that_of_the_last_panel_the_person_came_from(campaign: Campaign) -> None:
    user = UserFactory()
    for n, invitation in enumerate(
        [
            make_invitation(make_campaign(units=1), panel=Panel.PROLIFIC, code_completed="ELSEWHERE"),
            make_invitation(campaign, panel=Panel.PROLIFIC, code_completed="FIRST"),
            make_invitation(campaign, panel=Panel.PROLIFIC, code_completed="LAST"),
            make_invitation(campaign),
        ]
    ):
        number = f"p{n}" if invitation.panel else ""
        Arrival.objects.create(invitation=invitation, user=user, use=1, participant=number)

    assert way_back(user, campaign, "completed").url == "https://app.prolific.com/submissions/complete?cc=LAST"


def test_somebody_from_no_panel_has_no_way_back(campaign: Campaign) -> None:
    user = UserFactory()
    Arrival.objects.create(invitation=make_invitation(campaign), user=user, use=1)

    assert way_back(user, campaign, "completed") is None
    assert way_back(user, campaign, "completed") is None
    assert way_back(UserFactory(), campaign, "completed") is None
