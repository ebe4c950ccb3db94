"""A judge that learns from labelled units is not started where there are none: on the page and by program."""

import pytest
from django.test import Client
from django.urls import reverse

from campaigns.models import Campaign, Role
from corpus.models import LabelSet
from judges.definitions.judges import make_judge
from judges.kinds import KINDS
from judges.models import Judge, Run
from judges.runs.lifecycle import CannotRun, Plan, require_examples
from tests.cases import each
from tests.factories import make_campaign, make_label, make_member
from tests.judges.drafting import make_model
from tests.judges.running import a_judge, a_run, worked

pytestmark = pytest.mark.django_db
REFUSAL = "This judge learns from labelled units of other items."


def labelled(campaign: Campaign) -> LabelSet:
    labels = LabelSet.objects.create(dataset=campaign.dataset, name="People", created_by=campaign.created_by)
    for unit in campaign.dataset.units.all():
        make_label(labels, unit, "a")
    return labels


def test_the_most_frequent_label_of_nothing_is_refused_in_the_form_and_by_program(client: Client) -> None:
    campaign = make_campaign(units=3)
    judge = a_judge(campaign, "majority")
    client.force_login(make_member(campaign, Role.RESEARCHER, is_researcher=True))
    where = reverse("run-new", args=[campaign.slug, judge.pk])
    given = {"orders": "both", "samples": "1"}

    for button in ("estimate", "start"):
        page = client.post(where, given | {button: "1"})
        assert page.status_code == 422
        assert REFUSAL in page.content.decode()
    api = f"/api/v1/campaigns/{campaign.slug}/runs/"
    for address in (api, f"{api}estimate/"):
        reply = client.post(address, {"judge": judge.pk}, content_type="application/json")
        assert (reply.status_code, REFUSAL in reply.content.decode()) == (409, True)
    assert not Run.objects.exists()


def test_it_runs_with_labels_of_other_items() -> None:
    campaign = make_campaign(units=3)

    run = worked(a_run(campaign, a_judge(campaign, "majority"), label_set=labelled(campaign)))

    assert (run.status, run.verdicts.filter(status="ok").count()) == ("done", 3)


def test_labels_of_the_same_item_alone_are_none() -> None:
    campaign = make_campaign(units=1)

    with pytest.raises(CannotRun, match=REFUSAL):
        a_run(campaign, a_judge(campaign, "majority"), label_set=labelled(campaign))


@each("kind", [name for name, kind in KINDS.items() if "shots" in {it.name for it in kind.settings}], undo=True)
def test_every_kind_that_can_be_shown_examples_needs_some_once_it_is_set_to(kind: str) -> None:
    campaign = make_campaign(units=2)
    model = make_model(campaign.created_by, sound_form="input_audio")

    def judge(shots: int) -> Judge:
        told = {"title": f"{shots}", "settings": {"shots": shots}, "language_model": model}
        return make_judge(KINDS[kind], user=campaign.created_by, **told)  # type: ignore[arg-type]

    require_examples(campaign, judge(0), Plan())
    with pytest.raises(CannotRun, match=REFUSAL):
        require_examples(campaign, judge(2), Plan())
