"""The demo has an arena with votes in it: given through the real functions, by simulated people with tastes, once."""

import re
from collections import Counter, defaultdict
from collections.abc import Mapping
from io import StringIO

import pytest
from django.core.cache import cache
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from accounts.models import User
from analytics.management.commands.seed_demo_people import TITLE
from analytics.simulation.demo_people import NAME, PEOPLE
from analytics.simulation.rehearsal.playing import Player, answer_as
from annotation.models import Annotation, Answer, Assignment
from arena.models import ArenaSettings, Draw, Standing
from arena.staff import demo_votes as demo
from arena.staff.demo_votes import VOTERS, VOTES_EACH, name_of, seed_votes
from arena.standings.choices import Settings
from arena.standings.refresh import rebuild
from campaigns.models import Campaign, Membership
from corpus.demo import speech
from corpus.demo.script import DEMO_ITEMS
from corpus.demo.speech import DEMO_SYSTEMS
from corpus.models import Dataset, LabelSet
from tests.arena.arenas import make_open_arena

pytestmark = pytest.mark.django_db
NAMES = [system.name for system in DEMO_SYSTEMS]
SLUG = "demo-arena-with-simulated-voters"


@pytest.fixture
def arena() -> ArenaSettings:
    cache.clear()
    return make_open_arena(systems=NAMES, items=4)


def votes() -> list[tuple[object, ...]]:
    rows = Answer.objects.values_list("annotation__assignment__annotator__username", "annotation", "aspect", "value")
    return sorted(rows)


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> int:
    """So many votes of each voter, for the sake of time."""
    monkeypatch.setattr(demo, "VOTES_EACH", 3)
    return 3


def test_every_simulated_voter_hears_and_votes_on_as_many_pairs_that_were_drawn(
    arena: ArenaSettings, few: int
) -> None:
    seed_votes(arena)

    by = Counter(Annotation.objects.values_list("assignment__annotator__username", flat=True))
    assert by == {name_of(n): few for n in range(1, VOTERS + 1)}
    assert Draw.objects.filter(assignment__annotations__isnull=False).count() == VOTERS * few
    assert all(Annotation.objects.values_list("listening", flat=True))
    assert not User.objects.filter(username__startswith="simulated-voter").exclude(password__startswith="!").exists()


def test_board_of_the_seeded_votes_has_intervals_and_a_history(arena: ArenaSettings) -> None:
    seed_votes(arena)

    standings = list(Standing.objects.order_by("serial"))
    assert [it.n for it in standings] == [VOTES_EACH * n for n in (3, 6, 9, 12)]
    last = standings[-1]
    assert (last.table["voters"], last.table["errors_over"]) == (VOTERS, "voters and items")
    assert rebuild(arena.campaign, Settings("overall")).equals(last)
    (island,) = last.table["islands"]
    rating = {row["system"]: row["rating"] for row in island["rows"]}
    assert set(rating) == set(NAMES)
    assert all(it["low"] is not None for it in rating.values())
    assert rating["aurora"]["value"] > rating["flint"]["value"]
    assert set(Answer.objects.values_list("value", flat=True)) == {"a", "b", "both_good", "both_bad"}
    # Horvitz & Thompson: 1 / propensity, summed over the draws of a pair, estimates how many draws there were.
    weights: dict[tuple[int, int], float] = defaultdict(float)
    for draw in Draw.objects.all():
        weights[draw.one_id, draw.other_id] += 1 / draw.propensity
    assert len(weights) == 15
    assert sum(weights.values()) / 15 == pytest.approx(VOTERS * VOTES_EACH, rel=0.25)


def test_voters_have_tastes_of_their_own(arena: ArenaSettings) -> None:
    """What a fault means differs from voter to voter by more than what they hear differs."""
    tastes = [demo._tastes(n) for n in range(1, VOTERS + 1)]

    for fault, mean in demo.SOUNDS.items():
        own = [taste[fault] for taste in tastes]
        assert max(own) - min(own) > 2 * demo.TASTE
        assert sum(own) / VOTERS == pytest.approx(mean, abs=0.5)


@pytest.mark.usefixtures("few")
def test_seeding_again_changes_nothing(arena: ArenaSettings) -> None:
    seed_votes(arena)
    before = votes(), Draw.objects.count(), Standing.objects.count(), User.objects.count(), Membership.objects.count()

    seed_votes(arena)

    after = votes(), Draw.objects.count(), Standing.objects.count(), User.objects.count(), Membership.objects.count()
    assert after == before


def test_seeding_that_was_ended_halfway_is_completed(
    arena: ArenaSettings, few: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    def ended(player: Player, assignment: Assignment, quality: Mapping[str, float]) -> None:
        if Annotation.objects.count() == 3 * few + 2:
            raise KeyboardInterrupt
        answer_as(player, assignment, quality)

    monkeypatch.setattr(demo, "answer_as", ended)
    with pytest.raises(KeyboardInterrupt):
        seed_votes(arena)
    assert Annotation.objects.count() == 3 * few + 2
    monkeypatch.setattr(demo, "answer_as", answer_as)

    seed_votes(arena)

    by = Counter(Annotation.objects.values_list("assignment__annotator__username", flat=True))
    assert by == {name_of(n): few for n in range(1, VOTERS + 1)}


def test_demo_has_an_open_arena_with_a_board_in_which_the_annotator_can_vote(
    client: Client, few: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(speech, "DEMO_ITEMS", DEMO_ITEMS[:4])
    cache.clear()

    said = StringIO()
    call_command("seed_demo", stdout=said)
    counted = [model.objects.count() for model in (Campaign, Dataset, Annotation, Draw, Standing, User)]
    call_command("seed_demo")

    assert [line.partition(",")[0] for line in said.getvalue().splitlines() if line.endswith("…")] == [
        "Speech with planted defects",
        "The campaign “Demo: step by step” …",
        "The campaign “Demo: which answer is better?” …",
        "Answers of simulated people …",
        "Judges that need no key …",
        "An arena with simulated voters …",
    ]
    assert set(LabelSet.objects.filter(name=NAME).values_list("rater", flat=True)) == {
        f"simulated-{n}" for n in range(1, PEOPLE + 1)
    }
    assert counted == [model.objects.count() for model in (Campaign, Dataset, Annotation, Draw, Standing, User)]
    campaign = Campaign.objects.get(slug=SLUG)
    assert (campaign.status, counted[2]) == (Campaign.Status.OPEN, VOTERS * few)
    client.force_login(User.objects.get(username="researcher"))
    board = client.get(reverse("board", args=[SLUG])).content.decode()
    assert f"{VOTERS * few} votes; standing 4" in board
    assert all(name in board for name in NAMES)
    listed = re.findall(r'<th scope="row"><a href="([^"]+)"><bdi>', client.get("/").content.decode())
    first = Campaign.objects.get(title=TITLE)
    assert (listed[0], len(listed)) == (first.get_absolute_url(), 3)
    overview = client.get(listed[0]).content.decode()
    pulse = client.get(f"{listed[0]}pulse/").content.decode()
    n_units = first.campaign_units.count()
    assert f"Imported labels: {PEOPLE} people of “{NAME}” labelled {n_units} units." in overview
    assert f"this is the agreement of the {PEOPLE} raters whose labels were imported as “{NAME}”" in pulse
    assert "undefined:" not in pulse
    client.force_login(User.objects.get(username="annotator"))
    page = client.get(reverse("arena", args=[SLUG]), follow=True)
    assert page.status_code == 200
    assert not any(name in page.content.decode() for name in NAMES)
