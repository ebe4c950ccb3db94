"""Old standings are thinned by a stated rule; what a board shows now, and where it began, is never among them."""

from datetime import UTC, datetime, timedelta

import pytest
from django.utils import timezone

from arena.board.history import history_of
from arena.models import Standing
from arena.standings.choices import Settings
from arena.standings.refresh import newest, rebuild, refresh
from arena.standings.thinning import thin_standings, thinned_out
from arena.tasks import check_standings_task
from tests.arena.voting import make_arena, vote
from tests.cases import each

pytestmark = pytest.mark.databases

NOW = datetime(2030, 6, 15, 12, 30, tzinfo=UTC)
OVERALL = Settings("overall")


def kept(*ages: timedelta) -> list[timedelta]:
    """Of standings so old, from the oldest, those that stay."""
    gone = thinned_out([NOW - age for age in ages], now=NOW)
    return [age for place, age in enumerate(ages) if place not in gone]


def minutes(*counts: int) -> list[timedelta]:
    return [timedelta(minutes=count) for count in counts]


def test_every_standing_of_the_last_hour_stays() -> None:
    assert kept(*minutes(60, 45, 30, 1, 0)) == minutes(60, 45, 30, 1, 0)


def test_of_an_earlier_hour_the_last_stays() -> None:
    # 9:00 (the first of all), 10:05, 10:25, 10:45, 11:10, 11:20, 12:00
    assert kept(*minutes(210, 145, 125, 105, 80, 70, 30)) == minutes(210, 105, 70, 30)


def test_after_a_week_the_last_of_each_day_stays() -> None:
    week, hour = timedelta(days=8), timedelta(hours=1)
    ages = [
        week + 40 * hour,
        week + 3 * hour,
        week + 2 * hour,
        week + hour,
        timedelta(days=2, hours=2),
        timedelta(days=2),
    ]

    assert kept(*ages) == [week + 40 * hour, week + hour, timedelta(days=2, hours=2), timedelta(days=2)]


@each("n", [1, 2])
def test_first_and_last_stay_however_old(n: int) -> None:
    ages = [timedelta(days=400, minutes=-place) for place in range(n)]

    assert kept(*ages) == ages


def test_thinning_twice_is_thinning_once() -> None:
    made = [NOW - timedelta(minutes=7 * step) for step in range(3_000, 0, -1)]
    gone = set(thinned_out(made, now=NOW))
    stay = [it for place, it in enumerate(made) if place not in gone]

    assert thinned_out(stay, now=NOW) == []
    # The first, 9 days, 167 hours and the one that is all there: 8 of the last hour, and the last one before.
    assert len(stay) == 1 + 9 + 167 + 8 + 1


@pytest.mark.django_db
def test_board_goes_on_from_its_last_standing_after_the_night() -> None:
    campaign = make_arena()
    for number in range(5):
        vote(campaign, "Aardwolf", "Binturong", "12"[number % 2])
        refresh(campaign, OVERALL)
    Standing.objects.update(created_at=timezone.now() - timedelta(days=30))

    check_standings_task()

    assert list(Standing.objects.order_by("serial").values_list("serial", flat=True)) == [1, 5]
    last = newest(campaign, OVERALL)
    assert [it.serial for it in history_of(last)] == [1, 5]
    assert rebuild(campaign, OVERALL).equals(last)
    vote(campaign, "Aardwolf", "Binturong", "1")
    assert refresh(campaign, OVERALL).serial == 6


@pytest.mark.django_db
def test_boards_are_thinned_each_for_itself() -> None:
    campaign = make_arena()
    for settings in (OVERALL, Settings("overall", ties="decisive")):
        vote(campaign, "Aardwolf", "Binturong", "1")
        refresh(campaign, settings)
    Standing.objects.update(created_at=timezone.now() - timedelta(days=30))

    assert thin_standings() == 0
    assert Standing.objects.count() == 2
