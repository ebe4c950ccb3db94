"""Who agrees with whom: every pair, each beside the others, each with themselves."""

import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score

from analytics.data.label_arrays import _counted
from analytics.reports.kinds.rater_pairs import KIND, MOST_RATERS
from analytics.reports.output.figures import Heatmap
from corpus.imports.writing import write_labels
from corpus.models import LabelSet
from corpus.tidy.rows import TidyAnswer
from tests.analytics.reports.shown import figures_of, rows_of
from tests.analytics.reports.test_agreement_report import ONE, OTHER, repeat
from tests.analytics.saying import labels_say, people_say, units_of
from tests.factories import make_campaign

pytestmark = pytest.mark.django_db


def test_raters_stand_as_one_counts() -> None:
    assert sorted(["A10", "A2", "B1", "A1", "Ada"], key=_counted) == ["A1", "A2", "A10", "Ada", "B1"]


def many_raters(campaign, n, *, units):
    """As many imported raters, who know the answer more often than not."""
    rng = np.random.default_rng(1)
    truth = rng.choice(["a", "b", "both_bad"], units)
    sets = LabelSet.objects.bulk_create(
        LabelSet(dataset=campaign.dataset, name="Crowd", rater=f"r{at:02}", created_by=campaign.created_by)
        for at in range(n)
    )
    said = {
        row.rater: np.where(rng.random(units) < 0.6, truth, rng.choice(["a", "b", "both_bad"], units)).tolist()
        for row in sets
    }
    write_labels(
        [
            (row, it.unit_id, TidyAnswer("overall", "", value))
            for row in sets
            for it, value in zip(units_of(campaign), said[row.rater], strict=True)
        ]
    )
    return said


@pytest.mark.parametrize("n", [3, 12], ids=["few raters", "many raters"])
def test_each_pair_has_its_kappa(n):
    campaign = make_campaign(units=30, protocol="blind_overall")
    said = many_raters(campaign, n, units=30)

    figure = figures_of(KIND, campaign)["pairs-overall"]

    found = {(row["first"], row["second"]): row["kappa"] for row in rows_of(figure)}
    names = {f"Crowd · {rater}": rater for rater in said}
    assert len(found) == n * (n - 1) / 2
    for (first, second), kappa in found.items():
        assert kappa.estimate == pytest.approx(cohen_kappa_score(said[names[first]], said[names[second]]))
        assert kappa.n == 30
        assert kappa.interval.low <= kappa.estimate <= kappa.interval.high


def test_matrix_is_symmetric_and_empty_where_there_is_nothing_to_compare():
    campaign = make_campaign(units=8, protocol="blind_overall")
    labels_say(campaign, "Gold", ONE, rater="one")
    labels_say(campaign, "Gold", OTHER, rater="two")
    labels_say(campaign, "Gold", [None] * 7 + ["a"], rater="late")

    figure = figures_of(KIND, campaign)["pairs-overall"]

    assert isinstance(figure.picture, Heatmap)
    values = figure.picture.values
    assert [values[at][at] for at in range(3)] == [None] * 3
    assert all(values[one][other] == values[other][one] for one in range(3) for other in range(3))
    undefined = [row["kappa"] for row in rows_of(figure) if row["kappa"].estimate is None]
    assert [(it.n, it.reason) for it in undefined] == [(1, "both raters gave one and the same label to every unit")]


def test_weights_and_alpha_are_chosen_by_an_option():
    campaign = make_campaign(units=8, protocol="blind_overall")
    people_say(campaign, ONE, OTHER)

    found = [
        rows_of(figures_of(KIND, campaign, coefficient=name)["pairs-overall"])[0][name].method
        for name in ("kappa", "weighted", "alpha")
    ]

    assert found == ["Cohen's κ", "Cohen's κ, typed-tie weights", "Krippendorff's α, typed-tie"]


def test_more_raters_than_can_be_seen_are_refused():
    campaign = make_campaign(units=2, protocol="blind_overall")
    many_raters(campaign, MOST_RATERS + 1, units=2)

    assert str(MOST_RATERS + 1) in figures_of(KIND, campaign)["pairs-overall"].instead


def test_pairs_without_a_unit_in_common_are_left_out_and_counted():
    campaign = make_campaign(units=4, protocol="blind_overall")
    people_say(campaign, ["a", "b", None, None], ["a", "b", None, None])
    people_say(campaign, [None, None, "a", "b"], first_seat=3)

    figure = figures_of(KIND, campaign)["pairs-overall"]

    assert len(rows_of(figure)) == 1
    assert "2 pairs have no unit in common and are left out." in figure.notes


def test_each_rater_stands_beside_the_majority_of_the_others():
    campaign = make_campaign(units=4, protocol="blind_overall")
    labels_say(campaign, "Gold", list("abab"), rater="one")
    labels_say(campaign, "Gold", list("abab"), rater="two")
    labels_say(campaign, "Gold", list("abba"), rater="three")

    found = {row["rater"]: row for row in rows_of(figures_of(KIND, campaign)["others-overall"])}

    assert (found["Gold · three"]["same"].estimate, found["Gold · three"]["same"].n) == (0.5, 4)
    assert found["Gold · three"]["kappa"].estimate == 0.0
    assert (found["Gold · one"]["same"].estimate, found["Gold · one"]["same"].n) == (1.0, 2)


def test_each_rater_stands_beside_themselves():
    campaign = make_campaign(units=3, protocol="blind_overall")
    people_say(campaign, list("aba"), list("abb"))
    member = campaign.memberships.order_by("pk").first()
    repeat(campaign, member.user, {0: "a", 1: "a"})

    (row,) = rows_of(figures_of(KIND, campaign)["themselves-overall"])

    assert (row["rater"], row["same"].estimate, row["same"].n) == (member.pseudonym, 0.5, 2)


def test_what_each_annotator_did_is_for_those_who_review():
    assert KIND.about_people
