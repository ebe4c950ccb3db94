"""Examples out of rows: sources, the guard, and the order in which they are heard."""

from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from campaigns.models import Campaign, CampaignUnit
from corpus.models import Label, LabelSet, ResponseTurn, Turn, Unit
from judges.backends.contract import JudgeError
from judges.cases import few_shot
from judges.cases.few_shot import Examples, Labelled, clips_by_unit, offer_source
from judges.kinds.contract import Shot
from judges.models import Judge, Run, Verdict
from tests.factories import make_campaign, make_label
from tests.judges import running

pytestmark = pytest.mark.django_db
ASPECTS = ("content", "voice_quality", "paralinguistics", "overall")


@pytest.fixture
def campaign() -> Campaign:
    return make_campaign(units=12)


@pytest.fixture
def units(campaign: Campaign) -> list[Unit]:
    return [row.unit for row in campaign.campaign_units.select_related("unit__item")]


@pytest.fixture
def labels(campaign: Campaign, units: list[Unit]) -> LabelSet:
    """Of every unit but the last: content a, the rest b or both_bad in turn."""
    row = LabelSet.objects.create(dataset=campaign.dataset, name="theirs", created_by=campaign.created_by)
    for n, unit in enumerate(units[:-1]):
        for aspect in ASPECTS:
            value = "a" if aspect == "content" else ("b", "both_bad")[n % 2]
            make_label(row, unit, value, aspect=aspect)
    return row


def a_run(campaign: Campaign, labels: LabelSet | None = None, **chosen: Any) -> Run:
    """Not saved: what it would judge is known from the campaign."""
    judge = Judge(title="J", kind="random", kind_version="1", settings=chosen, created_by=campaign.created_by)
    return Run(campaign=campaign, judge=judge, label_set=labels, started_by=campaign.created_by)


def shown(campaign: Campaign, unit: Unit, n: int = 8, *, labels: LabelSet | None = None, **chosen: Any) -> list[Shot]:
    return list(Examples(a_run(campaign, labels, **chosen)).beside(unit, n))


def heard(shot: Shot) -> str:
    """The slots of the unit in the order in which the example is heard."""
    sides = {}
    unit = Unit.objects.get(item__key=shot.case.item, item__dataset=Unit.objects.latest("pk").dataset)
    for slot, response in (("a", unit.a), ("b", unit.b)):
        sides[ResponseTurn.objects.get(response=response).clip.sha256] = slot  # type: ignore[union-attr, misc]
    return "".join(sides[turns[0].sound.sha256] for turns in shot.case.responses if turns[0].sound)


def keys(found: list[Shot]) -> set[str]:
    return {shot.case.item for shot in found}


def test_labels_are_answers_in_the_order_in_which_the_example_is_heard(
    campaign: Campaign, units: list[Unit], labels: LabelSet
) -> None:
    found = shown(campaign, units[-1], labels=labels)

    assert len(found) == 8
    orders = set()
    for shot in found:
        order = heard(shot)
        orders.add(order)
        assert shot.answers["content"] == str(order.index("a") + 1)
        assert shot.answers["overall"] in (str(order.index("b") + 1), "both_bad")
    assert orders == {"ab", "ba"}


def test_neither_the_unit_nor_its_item_is_shown(campaign: Campaign, units: list[Unit], labels: LabelSet) -> None:
    twin = Unit.objects.create(dataset=campaign.dataset, item=units[0].item, key="twin", a=units[0].b, b=units[0].a)
    for unit in (units[0], twin):
        assert keys(shown(campaign, unit, 100, labels=labels)) == {unit.item.key for unit in units[1:-1]}


@pytest.mark.parametrize("where", ["response", "prompt"])
def test_a_unit_with_a_clip_in_common_is_not_shown(
    campaign: Campaign, units: list[Unit], labels: LabelSet, where: str
) -> None:
    at_hand, other = units[-1], units[0]
    response = ResponseTurn.objects.filter(response=other.b).get()
    response.clip = Turn.objects.get(item=at_hand.item).clip if where == "prompt" else (
        ResponseTurn.objects.get(response=at_hand.a).clip
    )  # fmt: skip
    response.save()

    found = keys(shown(campaign, at_hand, 100, labels=labels))

    assert found == {unit.item.key for unit in units[1:-1]}


def test_units_of_the_run_are_held_out_where_the_judge_says_so(
    campaign: Campaign, units: list[Unit], labels: LabelSet
) -> None:
    run = a_run(campaign, labels, hold_out=True)
    run.judge.save()
    run.save()
    Verdict.objects.bulk_create(Verdict(run=run, unit=unit, order="ab") for unit in units[4:])

    held_out = list(Examples(run).beside(units[-1], 100))
    before_it_began = shown(campaign, units[-1], 100, labels=labels, hold_out=True)

    assert keys(held_out) == {unit.item.key for unit in units[:4]}
    assert before_it_began == []
    assert len(shown(campaign, units[-1], 100, labels=labels)) == 11


def test_same_seed_same_examples_and_another_seed_others(
    campaign: Campaign, units: list[Unit], labels: LabelSet
) -> None:
    def drawn(seed: int) -> list[str]:
        return [it.case.item for it in shown(campaign, units[-1], 4, labels=labels, shots_seed=seed)]

    assert drawn(1) == drawn(1)
    assert len({tuple(drawn(seed)) for seed in range(6)}) > 1


def test_answers_left_out_of_the_analysis_are_no_examples(
    campaign: Campaign, units: list[Unit], labels: LabelSet
) -> None:
    labels.annotations.filter(unit=units[0]).update(excluded="careless")

    assert units[0].item.key not in keys(shown(campaign, units[-1], 100, labels=labels))


def test_labels_that_the_protocol_does_not_have_are_left_out(
    campaign: Campaign, units: list[Unit], labels: LabelSet
) -> None:
    Label.objects.filter(annotation__unit=units[0], aspect="overall").update(value="tie")
    Label.objects.filter(annotation__unit=units[1], aspect="content").update(value="tie")

    found = {shot.case.item: shot.answers for shot in shown(campaign, units[-1], 100, labels=labels)}

    assert units[0].item.key not in found
    assert set(found[units[1].item.key]) == {"voice_quality", "paralinguistics", "overall"}


def test_gold_is_an_example_where_one_value_alone_is_right(campaign: Campaign, units: list[Unit]) -> None:
    for n, expected in enumerate([{"overall": ["b"]}, {"overall": ["a", "both_good"]}, {}]):
        CampaignUnit.objects.create(
            campaign=campaign, unit=units[n], position=100 + n, purpose="gold", expected=expected
        )

    [found] = shown(campaign, units[-1], shots_from="gold")

    assert (found.case.item, found.answers) == (units[0].item.key, {"overall": str(heard(found).index("b") + 1)})


def test_a_source_can_be_offered_from_above_and_one_that_nobody_offers_is_refused(
    campaign: Campaign, units: list[Unit], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(few_shot, "SOURCES", dict(few_shot.SOURCES))
    offer_source("people", lambda _campaign, _labels: [Labelled(units[2].pk, {"overall": "both_good"})])

    [found] = shown(campaign, units[-1], shots_from="people")

    assert (found.case.item, found.answers) == (units[2].item.key, {"overall": "both_good"})
    with pytest.raises(JudgeError, match="Nobody offers examples from 'nowhere'"):
        shown(campaign, units[-1], shots_from="nowhere")


def test_without_a_label_set_there_is_nothing_to_show(campaign: Campaign, units: list[Unit]) -> None:
    assert shown(campaign, units[0]) == []
    assert shown(campaign, units[0], 0) == []


@pytest.mark.parametrize(("protocol", "value", "in_order"), [("ccr", "2", {"2", "-2"}), ("acr", "4", {"4"})])
def test_every_scale_is_turned_as_it_has_to_be(protocol: str, value: str, in_order: set[str]) -> None:
    campaign = make_campaign(units=9, protocol=protocol)
    units = [row.unit for row in campaign.campaign_units.select_related("unit__item")]
    labels = LabelSet.objects.create(dataset=campaign.dataset, name="theirs", created_by=campaign.created_by)
    for unit in units[1:]:
        make_label(labels, unit, value)
    Label.objects.filter(annotation__unit=units[1]).update(value="tie")

    found = shown(campaign, units[0], labels=labels)

    assert ({shot.answers["overall"] for shot in found}, len(found)) == (in_order, 7)


def test_whole_items_and_rubrics_have_examples_too() -> None:
    for protocol, slots, aspect, value in (
        ("dubbing", "ab", "second_best_system", "b"), ("rubric", "a", "on_topic", "yes"),
    ):  # fmt: skip
        campaign = make_campaign(units=3, protocol=protocol, facts={"dimension": "none"})
        units = [row.unit for row in campaign.campaign_units.select_related("unit__item")]
        labels = LabelSet.objects.create(dataset=campaign.dataset, name="theirs", created_by=campaign.created_by)
        answers = {"intelligible": "yes", "well_formed": "no", aspect: value}
        for name, said in answers.items():
            make_label(labels, units[1], said, aspect=name)

        [found] = shown(campaign, units[0], labels=labels)

        assert len(found.case.responses) == len(slots)
        assert set(found.answers) == (set(answers) if protocol == "rubric" else {aspect})


def test_as_many_queries_for_three_labelled_units_as_for_eleven(
    campaign: Campaign, units: list[Unit], labels: LabelSet
) -> None:
    def queries() -> int:
        with CaptureQueriesContext(
            connection,
        ) as captured:
            shown(campaign, units[-1], 2, labels=labels)
        return len(captured)

    many = queries()
    Label.objects.filter(annotation__unit__in=units[3:]).delete()
    assert queries() == many


def test_clips_of_a_unit_are_those_of_both_sides_and_of_the_prompt(units: list[Unit]) -> None:
    unit = units[0]
    clips = {row.clip_id for row in (*unit.item.turns.all(), *unit.a.turns.all(), *unit.b.turns.all())}

    assert clips_by_unit([unit]) == {unit.pk: frozenset(clips)}
    assert len(clips) == 3


def test_a_worker_reads_the_labelled_units_once_for_all_its_verdicts(
    campaign: Campaign, units: list[Unit], labels: LabelSet
) -> None:
    run = a_run(campaign, labels)
    examples = Examples(run)

    first, *rest = (_queries(lambda unit=unit: examples.beside(unit, 4)) for unit in units)

    assert [examples.beside(unit, 4) for unit in units] == [Examples(run).beside(unit, 4) for unit in units]
    assert sum("corpus_label" in sql for sql in first) > 0
    assert [sql for queries in rest for sql in queries if "corpus_label" in sql] == []
    assert _queries(lambda: [examples.beside(unit, 4) for unit in units]) == [
        sql for unit in units for sql in _queries(lambda unit=unit: clips_by_unit([unit]))
    ]


def test_a_run_reads_them_once(campaign: Campaign, units: list[Unit], labels: LabelSet) -> None:
    judge = running.a_judge(campaign, "majority")
    run = running.a_run(campaign, judge, label_set=labels)

    queries = _queries(lambda: running.worked(run))

    assert run.verdicts.filter(status="ok").count() == len(units)
    assert sum('FROM "corpus_label" ' in sql for sql in queries) == 1


def _queries(does: Callable[[], object]) -> list[str]:
    with CaptureQueriesContext(
        connection,
    ) as captured:
        does()
    return [query["sql"] for query in captured]
