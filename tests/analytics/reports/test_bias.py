from typing import Any

import numpy as np
import pytest
from django.utils import timezone
from scipy import stats

from analytics.reports.contract import ReportKind
from analytics.reports.kinds import bias, sides
from analytics.reports.output.figures import Bars, Curves, Dots, Figure
from annotation.models import Annotation, Answer
from campaigns.models import Campaign
from corpus.models import Clip, ResponseTurn
from tests.analytics.reports.shown import figures_of, row_of, rows_of
from tests.analytics.saying import judge_says, make_run, people_say, units_of
from tests.factories import make_assignment, make_campaign, make_member

pytestmark = pytest.mark.django_db
N = 12
TIED = ["both_good"] * 4 + ["a"] * 8


@pytest.fixture
def campaign() -> Campaign:
    return make_campaign(units=N)


def figures(campaign: Campaign, kind: ReportKind = bias.KIND, **options: Any) -> dict[str, Figure]:
    return figures_of(kind, campaign, **options)


def person_says(campaign: Campaign, answers: list[str], orders: list[str], *, seat: int = 1) -> str:
    """Answers by place on the screen (1, 2 or a tie) to units heard in these orders; the person's pseudonym."""
    person = make_member(campaign)
    for unit, shown, order in zip(units_of(campaign), answers, orders, strict=True):
        assignment = make_assignment(campaign, person, campaign_unit=unit, seat=seat, status="answered", order=order)
        annotation = Annotation.objects.create(
            assignment=assignment, shown_at=timezone.now(), idempotency_key=f"{person.pk}-{unit.pk}"
        )
        value = order[int(shown) - 1] if shown in "12" else shown
        Answer.objects.create(annotation=annotation, aspect="overall", value=value)
    return campaign.memberships.get(user=person).pseudonym


def texts(campaign: Campaign, words: list[tuple[int, int]]) -> None:
    for row, lengths in zip(units_of(campaign), words, strict=True):
        for slot, n in zip("ab", lengths, strict=True):
            ResponseTurn.objects.filter(response=getattr(row.unit, f"{slot}_id")).update(text="word " * n)


def test_votes_for_the_first_are_counted_on_the_screen_and_not_as_stored(campaign: Campaign) -> None:
    orders = ["ab", "ba"] * 6
    person_says(campaign, [*"111111111", "2", "both_bad", "2"], orders)
    judge_says(campaign, {"ab": ["a"] * N, "ba": ["a"] * N}, title="Judge")

    table = figures(campaign)["first"]

    people, judge = row_of(table, who="The campaign’s people"), row_of(table, who="Judge")
    assert (people["first"].estimate, people["first"].n) == (pytest.approx(9 / 11), 11)
    assert people["p"].estimate == pytest.approx(stats.binomtest(9, 11).pvalue)
    assert people["difference"] == pytest.approx(7 / 11)
    assert (judge["first"].estimate, judge["first"].n) == (0.5, 24)


def test_flipped_pairs_are_stable_or_keep_to_a_place_and_silence_stays_in_the_shares(campaign: Campaign) -> None:
    ab = ["a"] * 6 + ["b"] * 2 + ["both_bad", "unparsed", "a", "a"]
    ba = ["a"] * 3 + ["b"] * 3 + ["a"] * 2 + ["a", "a", "a", "unparsed"]
    judge_says(campaign, {"ab": ab, "ba": ba}, title="Judge")

    figure = figures(campaign)["flipped"]

    row = row_of(figure, judge="Judge")
    # a, then b, is what stood first both times; b, then a, is what stood second.
    shares = {name: round(12 * row[name].estimate) for name in ("stable", "first_twice", "second_twice", "other")}
    assert shares == {"stable": 4, "first_twice": 3, "second_twice": 2, "other": 3}
    assert {row[name].n for name in ("stable", "other")} == {12}
    assert (row["stable_of_decided"].estimate, row["stable_of_decided"].n) == (pytest.approx(4 / 9), 9)
    assert row["p"].estimate == pytest.approx(stats.binomtest(3, 5).pvalue)
    assert isinstance(figure.picture, Bars)


def test_a_judge_of_one_order_has_no_flipped_pairs(campaign: Campaign) -> None:
    judge_says(campaign, {"ab": ["a"] * N})

    assert "both ways" in figures(campaign)["flipped"].instead


def test_the_longer_response_is_told_by_its_words(campaign: Campaign) -> None:
    words = [(10, 2)] * 8 + [(3, 4)] * 3 + [(5, 5)]
    texts(campaign, words)
    said = ["a"] * 7 + ["b"] + ["a"] * 3 + ["b"]
    judge_says(campaign, {"ab": said}, title="Judge")

    found, apart = (figures(campaign, gap=gap)["more-words"] for gap in ("", "least"))

    row = row_of(found, who="Judge")
    assert (row["more"].estimate, row["more"].n) == (pytest.approx(7 / 11), 11)
    assert row["less"].interval.low < 4 / 11
    assert row_of(apart, who="Judge")["more"].n == 8
    gaps = np.array([8.0] * 7 + [-8] + [-1] * 3)
    by_scipy = stats.permutation_test(
        (gaps,), np.sum, permutation_type="samples", n_resamples=99_999, alternative="two-sided"
    )
    assert row["p_weighed"].estimate == pytest.approx(by_scipy.pvalue, abs=0.01)


def test_loudness_and_speed_come_from_the_clips_and_missing_ones_are_said(campaign: Campaign) -> None:
    judge_says(campaign, {"ab": ["a"] * N}, title="Judge")
    for row in units_of(campaign):
        for slot, level in (("a", -20.0), ("b", -30.0)):
            clips = ResponseTurn.objects.filter(response=getattr(row.unit, f"{slot}_id")).values("clip")
            Clip.objects.filter(pk__in=clips).update(integrated_lufs=level, seconds=2.0)
    Campaign.objects.filter(pk=campaign.pk).update(target_lufs=None)
    campaign.refresh_from_db()

    found = figures(campaign)

    assert row_of(found["more-loudness"], who="Judge")["more"].estimate == 1.0
    assert found["more-rate"].instead == "It is not known of any pair."
    Campaign.objects.filter(pk=campaign.pk).update(target_lufs=-23)
    campaign.refresh_from_db()
    assert figures(campaign)["more-loudness"].instead == "all clips were played equally loud"


def test_verbosity_is_measured_on_pairs_that_people_found_equal(campaign: Campaign) -> None:
    texts(campaign, [(20, 2)] * 3 + [(4, 2)] + [(2, 20)] * 8)
    people_say(campaign, TIED)
    judge_says(campaign, {"ab": ["a", "a", "b", "both_bad", *["b"] * 8]}, title="Judge")

    row = row_of(figures(campaign)["verbosity"], judge="Judge")
    apart = row_of(figures(campaign, gap="least")["verbosity"], judge="Judge")

    assert [row[f"n_{sort}"] for sort in ("longer", "shorter", "tied")] == [2, 1, 1]
    assert [apart[f"n_{sort}"] for sort in ("longer", "shorter", "tied")] == [2, 1, 0]
    assert row["longer"].estimate == 0.5


def test_judges_lean_on_the_order_where_people_disagree(campaign: Campaign) -> None:
    people_say(campaign, ["a"] * N, [*["a"] * 6, *["b"] * 6], [*["a"] * 6, *["a"] * 3, *["both_bad"] * 3])
    judge_says(campaign, {"ab": ["a"] * N, "ba": [*["a"] * 6, *["b"] * 6]}, title="Judge")

    rows = rows_of(figures(campaign)["difficulty"])

    assert [(row["people"], row["units"], row["turned"].estimate) for row in rows] == [
        ("All people agree", 6, 0.0), ("More than half agree", 3, 1.0), ("Half or fewer agree", 3, 1.0),
    ]  # fmt: skip
    assert (rows[0]["agrees"].estimate, rows[1]["agrees"].estimate) == (1.0, 0.0)


def test_a_probe_in_one_order_is_compared_with_the_verdicts_in_that_order(campaign: Campaign) -> None:
    """Also where the run's two orders disagree, which a probe in both orders leaves out by its reason."""
    people_say(campaign, ["a"] * N)
    clean = {"ab": ["a"] * 12, "ba": ["a"] * 6 + ["b"] * 6}
    run = judge_says(campaign, clean, title="Judge")
    for value, orders, noisy in ((10, "ab", {"ab": ["a"] * 9 + ["b"] * 3}), (1, "both", {**clean, "ab": ["a"] * 12})):
        change = {"name": "white_noise", "value": value, "seed": 0}
        probe = make_run(campaign, title="Judge", orders=orders, perturbation=change, unperturbed=run)
        judge_says(campaign, noisy, run=probe)

    both, one = (row["same"] for row in rows_of(figures(campaign)["noise"]))

    assert (one.estimate, one.n, one.excluded) == (9 / 12, 12, ())
    assert (both.estimate, both.n) == (1, 6)
    assert [(it.n, str(it.why)) for it in both.excluded] == [
        (6, "the answer hangs on the order in which the responses were heard")
    ]


def test_verdicts_that_stay_under_noise_and_without_sound(campaign: Campaign) -> None:
    people_say(campaign, ["a"] * N)
    run = judge_says(campaign, {"ab": ["a"] * 6 + ["b"] * 6}, title="Judge")
    for name, value, said in (
        ("white_noise", 10, ["a"] * 6 + ["b"] * 5 + ["a"]),
        ("white_noise", 1, ["a"] * 9 + ["unparsed"] * 3),
        ("transcript_only", 0, ["b"] * 12),
    ):
        change = {"name": name, "value": value, "seed": 0}
        probe = make_run(campaign, title="Judge", orders="ab", perturbation=change, unperturbed=run)
        judge_says(campaign, {"ab": said}, run=probe)

    found = figures(campaign)

    noise = rows_of(found["noise"])
    assert [row["against"] for row in noise] == ["white noise at 1 dB SNR", "white noise at 10 dB SNR"]
    assert [(row["same"].estimate, row["same"].n) for row in noise] == [(pytest.approx(6 / 9), 9), (11 / 12, 12)]
    assert noise[1]["same_b"].estimate == pytest.approx(5 / 6)
    assert isinstance(found["noise"].picture, Curves)
    assert found["noise"].picture.curves[0].x == (1.0, 10.0)
    assert row_of(found["text"], judge="Judge")["same"].estimate == 0.5


def test_a_judge_of_transcripts_is_set_beside_those_that_hear(campaign: Campaign) -> None:
    people_say(campaign, ["a"] * N)
    judge_says(campaign, {"ab": ["a"] * N}, title="Ears")
    judge_says(campaign, {"ab": ["a"] * 9 + ["b"] * 3}, title="Reader", kind="transcript_llm")

    row = row_of(figures(campaign)["text"], judge="Ears")

    assert (row["against"], row["same"].estimate) == ("Reader", 0.75)


def test_what_is_missing_is_said(campaign: Campaign) -> None:
    assert figures(campaign)["first"].instead == "Nobody has compared two responses yet."
    judge_says(campaign, {"ab": ["a"] * N})
    found = figures(campaign)
    assert "start a probe" in found["noise"].instead
    assert "transcripts" in found["text"].instead
    assert "two people or more" in found["difficulty"].instead
    assert bias.KIND.why_not(make_campaign(units=1, protocol="acr")).startswith("Votes can be swayed")


def test_each_annotator_has_a_side_of_their_own(campaign: Campaign) -> None:
    orders = ["ab", "ba"] * 6
    clicks_first = person_says(campaign, ["1"] * N, orders)
    listens = person_says(campaign, ["1", "2"] * 6, orders, seat=2)

    figure = figures(campaign, sides.KIND)["sides"]

    first, second = row_of(figure, annotator=clicks_first), row_of(figure, annotator=listens)
    assert (first["first"].estimate, second["first"].estimate) == (1.0, 0.5)
    assert first["p"].estimate == pytest.approx(2 / 2**N)
    assert first["p_holm"] == pytest.approx(4 / 2**N)
    assert isinstance(figure.picture, Dots)
    assert sides.KIND.about_people
