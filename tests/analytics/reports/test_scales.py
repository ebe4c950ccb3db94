"""Rating scales against scikit-learn, krippendorff, scipy and a simulated truth."""

from itertools import combinations, permutations

import krippendorff
import numpy as np
import pytest
from django.utils.translation import override
from scipy import stats
from sklearn.metrics import cohen_kappa_score, mean_absolute_error, mean_squared_error

from analytics.data.label_arrays import Reading
from analytics.reports.kinds import KINDS
from analytics.reports.kinds.scales import KIND
from analytics.reports.source import Settings
from analytics.templatetags.report_cells import report_cell
from campaigns.models import Campaign
from corpus.models import Response, System
from measurements.models import MetricScore
from stats.systems.means import two_way_mean
from tests.analytics.reports.studies import cells, figures_of, judge_says, make_dataset, make_study, person_says
from tests.factories import make_campaign, make_invitation

pytestmark = pytest.mark.django_db
SYSTEMS = ("Aardwolf", "Binturong", "Cacomistle", "Dugong", "Echidna")
STRENGTH = dict(zip(SYSTEMS, (1.5, 2.5, 3.0, 3.5, 4.5), strict=True))


def rate(rng: np.random.Generator, campaign: Campaign, aspect: str = "overall") -> dict[str, str]:
    said = {}
    for unit in campaign.campaign_units.select_related("unit__a__system"):
        value = STRENGTH[unit.unit.a.system.name] + rng.normal(0, 1)
        said[unit.unit.key] = str(int(np.clip(round(value), 1, 5)))
    return said


@pytest.fixture
def acr() -> tuple[Campaign, list[dict[str, str]]]:
    rng = np.random.default_rng(1)
    campaign = make_study(make_dataset(SYSTEMS, 12, categories=("calm", "loud")), "acr")
    said = [rate(rng, campaign) for _ in range(3)]
    said[2] = dict(list(said[2].items())[:40])
    for seat, answers in enumerate(said, 1):
        person_says(campaign, {"overall": answers}, seat=seat)
    return campaign, said


def measure(campaign: Campaign, name: str, value) -> None:
    MetricScore.objects.bulk_create(
        MetricScore(
            system=it.system, response=it, metric=name, version="1", source="imported", value=value(it),
        )
        for it in Response.objects.filter(item__dataset=campaign.dataset).select_related("system", "item")
    )  # fmt: skip


def test_kind_is_registered_and_refuses_protocols_without_a_scale() -> None:
    assert KINDS["scales"] is KIND
    assert not KIND.why_not(make_campaign(protocol="medical"))
    assert KIND.why_not(make_campaign(protocol="hcot")) == "The protocol asks for no rating on a scale."
    assert KIND.why_not(make_campaign(protocol="rubric"))


def test_alpha_is_that_of_the_package(acr) -> None:
    campaign, said = acr

    figure = figures_of(KIND, campaign)["alpha"]

    keys = sorted({key for one in said for key in one})
    table = np.array([[float(one.get(key, "nan")) for key in keys] for one in said])
    found = cells(figure, "alpha", "question", "category")
    ordinal = krippendorff.alpha(reliability_data=table, level_of_measurement="ordinal", value_domain=[1, 2, 3, 4, 5])
    interval = krippendorff.alpha(reliability_data=table, level_of_measurement="interval")
    assert found["Quality", "All items"].estimate == pytest.approx(ordinal, abs=1e-9)
    steps = cells(figure, "alpha_interval", "question", "category")
    assert steps["Quality", "All items"].estimate == pytest.approx(interval, abs=1e-9)
    calm = [key for key in keys if int(key[1:].partition("/")[0]) % 2 == 0]
    part = np.array([[float(one.get(key, "nan")) for key in calm] for one in said])
    assert steps["Quality", "calm"].estimate == pytest.approx(
        krippendorff.alpha(reliability_data=part, level_of_measurement="interval"), abs=1e-9
    )
    assert found["Quality", "All items"].interval.low < ordinal < found["Quality", "All items"].interval.high


def test_preferences_follow_from_ratings_of_one_item(acr) -> None:
    campaign, said = acr

    found = cells(figures_of(KIND, campaign)["preference-kappa"], "kappa", "category")["All items"]

    kappas = []
    for one, other in combinations(said, 2):
        labels = []
        for item in range(12):
            for a, b in permutations(SYSTEMS, 2):
                keys = [f"i{item}/{name}" for name in (a, b)]
                if all(key in one and key in other for key in keys):
                    labels.append([np.sign(int(it[keys[1]]) - int(it[keys[0]])) for it in (one, other)])
        kappas.append(cohen_kappa_score(*zip(*labels, strict=True)))
    assert found.estimate == pytest.approx(np.mean(kappas))
    assert (found.n, found.interval is not None) == (3, True)


def test_opinion_scores_are_means_with_intervals_over_items_and_raters(acr) -> None:
    campaign, said = acr

    found = figures_of(KIND, campaign)

    by_hand = [float(value) for one in said for key, value in one.items() if key.endswith("/Dugong")]
    dugong = cells(found["mos"], "mos_overall")["Dugong"]
    assert (dugong.estimate, dugong.n) == (pytest.approx(np.mean(by_hand)), len(by_hand))
    assert dugong.interval.method == "generalized interval over 12 items and 3 raters, on the logit of the scale"
    assert dugong.interval.low < 3.5 < dugong.interval.high
    assert [row[0] for row in found["mos"].table.rows] == sorted(
        SYSTEMS, key=lambda name: -cells(found["mos"], "mos_overall")[name].estimate
    )
    picture = found["mos"].picture
    assert (picture.ends, picture.x_title) == ((1.0, 5.0), "Mean opinion score")
    assert list(picture.labels) == [row[0] for row in found["mos"].table.rows]
    calm = [
        float(v)
        for one in said
        for k, v in one.items()
        if k.endswith("/Dugong") and int(k[1:].split("/")[0]) % 2 == 0
    ]
    assert cells(found["mos-categories"], "mos_1")["Dugong"].estimate == pytest.approx(np.mean(calm))


def test_metrics_are_put_beside_people_by_system_and_by_response(acr) -> None:
    campaign, said = acr
    rng = np.random.default_rng(2)
    values: dict[int, float] = {}
    measure(campaign, "utmos", lambda it: values.setdefault(it.pk, STRENGTH[it.system.name] + rng.normal()))
    measure(campaign, "wer", lambda it: -STRENGTH[it.system.name])
    MetricScore.objects.bulk_create(
        MetricScore(system=it, metric="nisqa", version="1", source="imported", value=7 - STRENGTH[it.name])
        for it in System.objects.filter(dataset=campaign.dataset)
    )
    judge_says(campaign, {"overall": {key: str(6 - int(value)) for key, value in said[0].items()}}, title="Contrary")

    found = figures_of(KIND, campaign)

    people: dict[str, list[float]] = {}
    for one in said:
        for key, value in one.items():
            people.setdefault(key, []).append(float(value))
    of_response = {key: np.mean(given) for key, given in people.items()}
    utmos = {
        f"{it.item.key}/{it.system.name}": values[it.pk] for it in Response.objects.select_related("item", "system")
    }
    keys = sorted(of_response)
    own, its = ([side[key] for key in keys] for side in (of_response, utmos))
    responses = found["metrics-responses"]
    assert cells(responses, "spearman")["UTMOS-v2"].estimate == pytest.approx(stats.spearmanr(own, its).statistic)
    assert cells(responses, "pearson")["UTMOS-v2"].estimate == pytest.approx(stats.pearsonr(own, its).statistic)
    of_system = [
        [np.mean([side[key] for key in keys if key.endswith("/" + name)]) for name in SYSTEMS]
        for side in (of_response, utmos)
    ]
    systems = found["metrics-systems"]
    assert cells(systems, "pearson")["UTMOS-v2"].estimate == pytest.approx(stats.pearsonr(*of_system).statistic)
    rho = cells(systems, "spearman")
    assert rho["UTMOS-v2"].estimate == pytest.approx(stats.spearmanr(*of_system).statistic)
    assert rho["UTMOS-v2"].interval.method.startswith("true means of systems, shrunken bootstrap over 12 items")
    assert (rho["WER"].estimate, rho["NISQA-MOS"].estimate) == (pytest.approx(-1), pytest.approx(-1))
    judge = next(title for title in rho if title.startswith("Contrary"))
    assert rho[judge].estimate < 0
    assert cells(systems, "reliable")["WER"] == "yes"
    assert "NISQA-MOS" not in cells(responses, "spearman")
    top = found["top-metrics"].table.rows
    assert {row[0] for row in top} == {"All items", "calm", "loud"}
    assert top[0][1:3] == (1, "WER")


def test_errors_of_judges_are_those_of_scikit_learn(acr) -> None:
    campaign, said = acr
    judged = {key: str(6 - int(value)) for key, value in said[0].items()}
    judge_says(campaign, {"overall": judged}, title="Contrary")

    found = figures_of(KIND, campaign)["judges-errors"]

    people = [np.mean([float(one[key]) for one in said if key in one]) for key in judged]
    its = [float(value) for value in judged.values()]
    for column, expected in (
        ("squared_error", mean_squared_error(people, its)),
        ("absolute_error", mean_absolute_error(people, its)),
        ("bias", np.mean(its) - np.mean(people)),
    ):
        (value,) = cells(found, column).values()
        assert value.estimate == pytest.approx(expected), column
        assert value.interval.low < expected < value.interval.high
        assert value.n == len(its)


def test_only_what_is_read_counts(acr) -> None:
    campaign, said = acr

    found = figures_of(KIND, campaign, Settings(Reading(category="calm")))

    assert [row[0] for row in found["mos"].table.rows] == sorted(
        SYSTEMS, key=lambda name: -cells(found["mos"], "mos_overall")[name].estimate
    )
    picture = found["mos"].picture
    assert (picture.ends, picture.x_title) == ((1.0, 5.0), "Mean opinion score")
    assert list(picture.labels) == [row[0] for row in found["mos"].table.rows]
    calm = [
        float(v)
        for one in said
        for k, v in one.items()
        if k.endswith("/Echidna") and int(k[1:].split("/")[0]) % 2 == 0
    ]
    assert cells(found["mos"], "mos_overall")["Echidna"].estimate == pytest.approx(np.mean(calm))
    assert "mos-categories" not in found


def test_sources_of_raters_are_told_apart() -> None:
    rng = np.random.default_rng(3)
    campaign = make_study(make_dataset(SYSTEMS, 6), "acr")
    for seat, note in enumerate(("students", "panel"), 1):
        user = person_says(campaign, {"overall": rate(rng, campaign)}, seat=seat)
        make_invitation(campaign, note=note).arrivals.create(user=user, use=1)

    found = figures_of(KIND, campaign)

    titles = [it.title for it in found["mos-sources"].table.columns]
    assert [title.partition(": ")[2] for title in titles[1:]] == ["students", "panel"]
    assert found["metrics-systems"].instead.startswith("No metric was measured")


def test_questionnaires_have_every_question_and_the_chosen_ones() -> None:
    rng = np.random.default_rng(4)
    campaign = make_study(make_dataset(SYSTEMS, 8), "medical")
    slots = dict(zip("abcde", SYSTEMS, strict=True))
    for seat in (1, 2, 3):
        by_aspect: dict[str, dict[str, str]] = {}
        for item in range(8):
            for aspect in ("voice_quality", "trust", "overall"):
                for slot, name in slots.items():
                    level = int(np.clip(round(STRENGTH[name] + rng.normal(0, 0.7)), 1, 5))
                    value = ("no", "maybe", "yes")[min(level, 4) // 2] if aspect == "trust" else str(level)
                    by_aspect.setdefault(aspect, {})[f"item i{item}.{slot}"] = value
            by_aspect.setdefault("best_system", {})[f"item i{item}"] = "e" if rng.random() < 0.8 else "d"
        person_says(campaign, by_aspect, seat=seat)

    found = figures_of(KIND, campaign)

    assert set(cells(found["alpha"], "alpha")) >= {"Voice and audio", "Trust", "Overall"}
    assert cells(found["alpha"], "level")["Trust"] == "ordinal"
    mos = found["mos"].table
    assert mos.columns[1].key == "mos_overall"
    trust = cells(found["mos"], "mos_trust")
    assert 1 <= trust["Aardwolf"].estimate < trust["Echidna"].estimate <= 3
    unasked = cells(found["mos"], "mos_prosody")["Echidna"]
    assert (unasked.estimate, unasked.reason) == (None, "nobody rated this system")
    best = cells(found["chosen"], "share_best_system")
    assert sum(it.estimate for it in best.values()) == pytest.approx(1)
    assert (best["Echidna"].n, best["Aardwolf"].estimate) == (24, 0)
    kappas = cells(found["preference-kappa"], "kappa")
    assert kappas["from ratings: Overall"].estimate > 0.3
    assert "as chosen: Best" in kappas


def test_scores_by_two_raters_say_that_they_are_about_these_alone() -> None:
    campaign, rng = make_study(make_dataset(SYSTEMS, 12), "acr"), np.random.default_rng(1)
    for seat in (1, 2):
        person_says(campaign, {"overall": rate(rng, campaign)}, seat=seat)

    figure = figures_of(KIND, campaign)["mos"]

    dugong = cells(figure, "mos_overall")["Dugong"]
    assert dugong.interval.method == "Student's t over 12 items, on the logit of the scale"
    assert dugong.reason == "about these two raters alone"
    assert "5 of these 5 intervals say nothing of other raters, or of other items." in figure.notes
    with override("de"):
        assert "gilt nur für diese zwei Urteilenden" in report_cell(dugong, "number")


def test_comparisons_give_each_side_what_was_said_of_it() -> None:
    campaign = make_study(make_dataset(SYSTEMS[:2], 4), "ccr")
    person_says(campaign, {"overall": {f"i{n}/Aardwolf/Binturong": value for n, value in enumerate("3210")}})

    found = figures_of(KIND, campaign)

    mos = cells(found["mos"], "mos_overall")
    assert (mos["Binturong"].estimate, mos["Aardwolf"].estimate) == (1.5, -1.5)
    assert "Comparisons rate no response" in found["metrics-systems"].instead


def test_nothing_said_is_said() -> None:
    campaign = make_study(make_dataset(SYSTEMS, 2), "acr")

    assert figures_of(KIND, campaign)["mos"].instead == "Nobody has rated anything, and no labels were imported."


def test_intervals_of_opinion_scores_cover_a_simulated_truth() -> None:
    hits = 0
    for seed in range(300):
        rng = np.random.default_rng(seed)
        items, raters = np.repeat(np.arange(40), 5), np.tile(np.arange(5), 40)
        values = rng.normal(0, 0.7, 40)[items] + rng.normal(0, 0.4, 5)[raters] + rng.normal(size=200)
        interval = two_way_mean(values, items, raters).interval
        hits += interval.low <= 0 <= interval.high
    assert hits / 300 == pytest.approx(0.95, abs=0.035)
