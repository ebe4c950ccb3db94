"""Arena against rubric: planted strengths are found in both, and figures agree with scipy and scikit-learn."""

from itertools import combinations
from typing import Any

import numpy as np
import pytest
from scipy import stats
from sklearn.metrics import cohen_kappa_score

from analytics.data.label_arrays import Reading
from analytics.reports.kinds import KINDS
from analytics.reports.kinds.arena_rubric import KIND
from analytics.reports.source import Settings
from analytics.reports.storage import figures_of as kept_figures
from analytics.reports.storage import report_of
from campaigns.models import Campaign, FrozenCriterion, FrozenRubric, Membership, NameLock
from judges.models import Judge
from stats.systems.rubrics import pseudo_agreement
from tests.analytics.reports.studies import cells, figures_of, judge_says, make_dataset, make_study, person_says
from tests.factories import make_campaign, make_invitation

pytestmark = pytest.mark.django_db
SYSTEMS = ("Aardwolf", "Binturong", "Cacomistle", "Dugong", "Echidna")
STRENGTH = dict(zip(SYSTEMS, (0.2, 0.35, 0.5, 0.65, 0.85), strict=True))
SECONDS = dict(zip(SYSTEMS, (2.0, 4.0, 6.0, 8.0, 10.0), strict=True))
ASKED = ("intelligible", "on_topic", "well_formed", "remembers", "consistent")


def votes(rng: np.random.Generator, campaign: Campaign) -> dict[str, str]:
    said = {}
    for unit in campaign.campaign_units.select_related("unit"):
        _, a, b = unit.unit.key.split("/")
        said[unit.unit.key] = "a" if rng.random() < 0.5 + (STRENGTH[a] - STRENGTH[b]) * 0.7 else "b"
    return said


def checks(rng: np.random.Generator, campaign: Campaign) -> dict[str, dict[str, str]]:
    said: dict[str, dict[str, str]] = {}
    for unit in campaign.campaign_units.select_related("unit"):
        _, name = unit.unit.key.split("/")
        for criterion in ASKED:
            said.setdefault(criterion, {})[unit.unit.key] = "yes" if rng.random() < STRENGTH[name] else "no"
    return said


class Study:
    def __init__(self, *, turns: tuple[int, ...] = (1,), people: int = 2) -> None:
        self.rng = np.random.default_rng(1)
        facts = [{"dimension": "semantic", "capability": "x"}]
        dataset = make_dataset(SYSTEMS, 24, facts=facts, categories=("chat", "task"), turns=turns, seconds=SECONDS)
        self.arena = make_study(dataset, "arena")
        self.rubric = make_study(dataset, "rubric")
        self.users: list[Any] = []
        self.votes, self.checks = [], []
        for seat in range(1, people + 1):
            self.votes.append(votes(self.rng, self.arena))
            self.checks.append(checks(self.rng, self.rubric))
            user = person_says(self.arena, {"overall": self.votes[-1]}, seat=seat)
            self.users.append(user)
            Membership.objects.create(campaign=self.rubric, user=user, role="annotator", pseudonym=f"R{seat}")
            person_says(self.rubric, self.checks[-1], seat=seat, user=user)


def share_met(said: dict[str, dict[str, str]], key: str) -> float:
    """As the rubric counts: where nothing could be understood, nothing else was met."""
    if said["intelligible"][key] == "no":
        return 0.0 + sum(said[name][key] == "yes" for name in ASKED) / len(ASKED)
    return sum(said[name][key] == "yes" for name in ASKED) / len(ASKED)


def test_registered_and_says_what_is_missing() -> None:
    assert KINDS["arena_rubric"] is KIND
    assert KIND.why_not(make_campaign(protocol="arena")) == "There is no rubric campaign over the same dataset."
    assert KIND.why_not(make_campaign(protocol="rubric")).startswith("The protocol does not ask which")
    study = Study(people=0)
    assert KIND.why_not(study.arena) is None
    assert KIND.options(study.arena)[0].values == ((study.rubric.slug, "rubric"),)
    assert figures_of(KIND, study.arena)["scores"].instead == "Nobody has voted yet, and no criterion was checked."


def test_elo_follows_the_order_of_votes_and_rubric_scores_are_shares() -> None:
    study = Study()

    found = figures_of(KIND, study.arena)["scores-people"]

    ratings = dict.fromkeys(SYSTEMS, 1000.0)
    for said in study.votes:
        for key, value in said.items():
            _, a, b = key.split("/")
            expected = 1 / (1 + 10 ** ((ratings[b] - ratings[a]) / 400))
            change = 4 * ((value == "a") - expected)
            ratings[a], ratings[b] = ratings[a] + change, ratings[b] - change
    elo = cells(found, "elo_0")
    assert {name: elo[name].estimate for name in SYSTEMS} == pytest.approx(ratings)
    rubric = cells(found, "rubric_0")
    by_hand = np.mean([share_met(said, f"i{n}/Dugong") for said in study.checks for n in range(24)])
    assert rubric["Dugong"].estimate == pytest.approx(by_hand)
    assert rubric["Dugong"].interval.low < by_hand < rubric["Dugong"].interval.high
    won = [
        (value == "a") == key.split("/")[1].startswith("Echidna")
        for said in study.votes
        for key, value in said.items()
        if "Echidna" in key
    ]
    assert cells(found, "win_rate")["Echidna"].estimate == pytest.approx(np.mean(won))


def test_both_rank_systems_alike_with_an_interval_about_all_like_these() -> None:
    found = figures_of(KIND, Study().arena)
    scores = found["scores-people"]
    elo, rubric = ([it.estimate for it in cells(scores, name).values()] for name in ("elo_0", "rubric_0"))

    row = cells(found["correlation"], "spearman")["People"]

    assert row.estimate == pytest.approx(stats.spearmanr(elo, rubric).statistic)
    assert (row.interval, row.reason) == (None, "an interval needs 7 systems, and there are 5")
    linear, of_scipy = cells(found["correlation"], "pearson")["People"], stats.pearsonr(elo, rubric)
    assert linear.estimate == pytest.approx(of_scipy.statistic)
    assert (linear.interval.low, linear.interval.high) == pytest.approx(tuple(of_scipy.confidence_interval()))


def test_named_and_implied_winners_are_each_persons_own() -> None:
    study = Study()

    found = figures_of(KIND, study.arena)["consistency"]

    explicit, implied = [], []
    for said, checked in zip(study.votes, study.checks, strict=True):
        for key, value in said.items():
            item, a, b = key.split("/")
            one, other = (round(share_met(checked, f"{item}/{name}"), 9) for name in (a, b))
            if one != other:
                explicit.append(value)
                implied.append("a" if one > other else "b")
    kappa = cells(found, "kappa")["Each person"]
    assert (kappa.estimate, kappa.n) == (pytest.approx(cohen_kappa_score(explicit, implied)), len(explicit))
    same = cells(found, "same")["Each person"]
    assert same.estimate == pytest.approx(np.mean(np.array(explicit) == np.array(implied)))
    assert "People" in cells(found, "kappa")


def test_judges_stand_beside_people() -> None:
    study = Study()
    judge = Judge.objects.create(
        title="Mimic", kind="random", kind_version="1", digest="m", created_by=study.arena.created_by
    )
    judge_says(study.arena, {"overall": study.votes[0]}, judge=judge)
    judge_says(study.rubric, study.checks[0], judge=judge)
    judge_says(study.arena, {"overall": votes(study.rng, study.arena)}, title="Other")

    found = figures_of(KIND, study.arena)

    agreement = cells(found["agreement-arena"], "same", "one", "other")
    mimic = next(other for one, other in agreement if other.startswith("Mimic"))
    first, second = study.votes
    unanimous = [key for key in first if first[key] == second[key]]
    assert agreement["People", mimic].estimate == pytest.approx(
        np.mean([first[key] == (first[key] if key in unanimous else "tie") for key in first])
    )
    assert agreement["People", "each other"].estimate == pytest.approx(len(unanimous) / len(first))
    rubric = cells(found["agreement-rubric"], "same", "one", "other")
    both = [(a[key], b[key]) for a, b in [(study.checks[0][c], study.checks[1][c]) for c in ASKED] for key in a]
    assert rubric["People", "each other"].estimate == pytest.approx(np.mean([a == b for a, b in both]))
    assert rubric["People", mimic].estimate == pytest.approx(1)
    assert cells(found["against-people"], "rubric")[mimic].estimate > 0.5
    assert "Mimic" in {title.partition(" (")[0] for title in cells(found["consistency"], "kappa")}
    table = found["pseudo-pairs"].table
    names = [f"{a} – {b}" for a, b in combinations(SYSTEMS, 2)]
    assert [row[0] for row in table.rows] == names * 2
    assert table.rows[0][4] == pytest.approx(pseudo_agreement(table.rows[0][2], table.rows[0][3]))
    assert cells(found["pseudo-agreement"], "above")[mimic].n == 10


def test_elo_differences_follow_win_rates() -> None:
    found = figures_of(KIND, Study().arena)["gaps"]

    assert cells(found, "pairs")["People"] == 10
    assert cells(found, "spearman")["People"].estimate > 0.8
    assert len(found.picture.names) == 10


def test_leaving_criteria_out_keeps_the_ranking_less_and_less() -> None:
    found = figures_of(KIND, Study().arena)["exclusion"]

    rho = [row[1].estimate for row in found.table.rows]
    assert rho[0] > rho[2] - 0.05
    assert all(row[2].estimate > 0.5 for row in found.table.rows[:3])
    assert [it.name for it in found.picture.curves] == ["with all criteria", "with Elo"]


def test_turns_have_a_slope_where_conversations_differ_in_length() -> None:
    flat = figures_of(KIND, Study().arena)["turns"]
    study = Study(turns=(1, 2, 3))
    found = figures_of(KIND, study.arena)["turns"]

    assert flat.instead.startswith("All items have the same number of turns")
    assert [it.key for it in found.table.columns] == ["system", "turn_1", "turn_2", "turn_3", "slope"]
    scores = [np.mean([share_met(said, f"i{n}/Echidna") for said in study.checks]) for n in range(24)]
    turns = [n % 3 + 1 for n in range(24)]
    assert cells(found, "slope")["Echidna"].estimate == pytest.approx(stats.linregress(turns, scores).slope)
    assert cells(found, "turn_2")["Echidna"].estimate == pytest.approx(np.mean(scores[1::3]))


def test_longer_responses_are_seen_to_get_more() -> None:
    found = figures_of(KIND, Study().arena)

    assert cells(found["duration"], "seconds")["Dugong"].estimate == 8
    scores = cells(found["scores-people"], "rubric_0")
    rubric = [scores[name].estimate for name in SYSTEMS]
    rows = cells(found["duration-correlation"], "spearman")
    expected = stats.spearmanr(list(SECONDS.values()), rubric).statistic
    assert rows["rubric score of systems"].estimate == pytest.approx(expected)
    assert rows["rubric score of single responses"].interval.low > 0


def test_sources_are_told_apart() -> None:
    study = Study()
    for campaign in (study.arena, study.rubric):
        for user, note in zip(study.users, ("public", "panel"), strict=True):
            make_invitation(campaign, note=note).arrivals.create(user=user, use=1)

    found = figures_of(KIND, study.arena)

    assert [it.key for it in found["sources"].table.columns] == ["system", "elo_1", "elo_2", "rubric_1", "rubric_2"]
    rows = found["sources-correlation"].table.rows
    assert [row[2] for row in rows] == ["arena", "rubric"]
    elo = [[row[place].estimate for row in found["sources"].table.rows] for place in (1, 2)]
    assert rows[0][3].estimate == pytest.approx(stats.spearmanr(*elo).statistic)


def test_dimensions_and_categories_divide_the_items() -> None:
    study = Study()
    items = list(study.arena.dataset.items.order_by("pk"))
    for place, item in enumerate(items):
        item.facts = {"dimension": "ambient" if place % 2 else "semantic"}
        item.save()

    found = figures_of(KIND, study.arena)["scores-people"]
    chat = figures_of(KIND, study.arena, Settings(Reading(category="chat")))["scores-people"]

    assert [it.title for it in found.table.columns][2:] == [
        "Elo: all", "Rubric: all", "Elo: ambient", "Rubric: ambient", "Elo: semantic", "Rubric: semantic",
    ]  # fmt: skip
    semantic = cells(found, "rubric_2")["Echidna"]
    assert (semantic.n, cells(chat, "rubric_0")["Echidna"].n) == (12, 12)
    assert semantic.interval is not None


def test_criteria_that_fell_with_an_earlier_no_were_not_met() -> None:
    dataset = make_dataset(SYSTEMS[:3], 2, facts=[{"dimension": "semantic"}])
    arena, rubric = make_study(dataset, "arena"), make_study(dataset, "rubric")
    frozen = FrozenRubric.objects.create(campaign=rubric, digest="x")
    FrozenCriterion.objects.bulk_create(
        FrozenCriterion(rubric=frozen, item=item, number=1, text="Does it name the day?")
        for item in dataset.items.all()
    )
    person_says(
        rubric,
        {
            "intelligible": {"i0/Aardwolf": "no", "i0/Binturong": "yes"},
            "on_topic": {"i0/Binturong": "yes"},
            "item_1": {"i0/Binturong": "no"},
        },
    )
    person_says(arena, {"overall": {"i0/Aardwolf/Binturong": "b"}})

    found = figures_of(KIND, arena)["scores-people"]

    scores = cells(found, "rubric_0")
    assert scores["Aardwolf"].estimate == 0
    assert scores["Binturong"].estimate == pytest.approx(2 / 3)  # what was left out without a reason is missing
    assert scores["Cacomistle"].estimate is None
    assert cells(figures_of(KIND, arena)["consistency"], "same")["People"].estimate == 1


def test_evaluators_of_one_format_alone_are_shown_with_what_they_said() -> None:
    study = Study(people=0)
    judge_says(study.arena, {"overall": votes(study.rng, study.arena)}, title="Arena only")
    person_says(study.rubric, checks(study.rng, study.rubric))

    found = figures_of(KIND, study.arena)

    assert cells(found["scores-people"], "elo_0")["Dugong"].reason == "no votes"
    assert found["consistency"].instead == "Nobody did both."
    assert "pseudo-agreement" not in found
    judge = next(key for key in found if key.startswith("scores-run"))
    assert cells(found[judge], "rubric_0")["Dugong"].estimate is None
    chosen = figures_of(KIND, study.arena, Settings(options={"evaluator": judge.removeprefix("scores-")}))
    assert chosen["exclusion"].instead == "No criteria were checked."
    assert chosen["turns"].instead


def test_names_that_are_hidden_are_codes_in_every_figure_and_the_same_ones() -> None:
    study = Study()
    arena = study.arena
    shown = {name: it.estimate for name, it in cells(figures_of(KIND, arena)["scores-people"], "rubric_0").items()}
    NameLock.objects.create(campaign=arena, by=arena.created_by)

    found = figures_of(KIND, Campaign.objects.get(pk=arena.pk))

    scores, seconds = cells(found["scores-people"], "rubric_0"), cells(found["duration"], "seconds")
    assert set(scores) == set(seconds) == set("ABCDE")
    assert sorted(it.estimate for it in scores.values()) == sorted(shown.values())
    for code, score in scores.items():  # one code is one system, in the rubric as in the arena and among durations
        name = next(it for it, estimate in shown.items() if estimate == score.estimate)
        assert seconds[code].estimate == SECONDS[name]
    assert cells(found["correlation"], "spearman")["People"].n == 5


def test_a_rubric_that_hides_names_is_not_set_beside_an_arena_that_shows_them() -> None:
    study = Study(people=0)
    NameLock.objects.create(campaign=study.rubric, by=study.rubric.created_by)

    assert KIND.why_not(study.arena) == "There is no rubric campaign over the same dataset."


def test_rubric_scores_that_are_all_alike_have_a_trend_without_an_interval() -> None:
    dataset = make_dataset(SYSTEMS[:3], 6, facts=[{"dimension": "semantic"}], turns=(1, 2, 3))
    arena, rubric = make_study(dataset, "arena"), make_study(dataset, "rubric")
    judge = Judge.objects.create(
        title="Ear", kind="audio_llm", kind_version="1", digest="e", created_by=dataset.created_by
    )
    keys = [it.unit.key for it in rubric.campaign_units.select_related("unit")]
    judge_says(rubric, {name: dict.fromkeys(keys, "yes") for name in ASKED}, judge=judge)
    run = judge_says(arena, {"overall": votes(np.random.default_rng(1), arena)}, judge=judge)

    kept = report_of(arena, KIND, Settings(options={"evaluator": f"run-{run.pk}"}))

    slope = cells({it.key: it for it in kept_figures(kept)}["turns"], "slope")["Aardwolf"]
    assert (slope.estimate, slope.interval) == (0.0, None)
    assert slope.reason == "scores that all lie on one line say nothing of how others would vary"
