from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from django.apps import AppConfig

if TYPE_CHECKING:
    from accounts.models import User
    from campaigns.launch.stopping import Look
    from campaigns.models import Campaign


class ArenaConfig(AppConfig):
    name = "arena"

    def ready(self) -> None:
        """Standings can be watched, exported and deleted. Boards load SciPy, which a command may not need."""
        from analytics.exports.standings import listen_to  # noqa: PLC0415 - models are there only now
        from arena.deletion import register_deletion  # noqa: PLC0415
        from campaigns.launch import stopping  # noqa: PLC0415
        from infrastructure.background.leases import released_at_start  # noqa: PLC0415
        from infrastructure.live import topics  # noqa: PLC0415

        topics.register("standing", _watched_standing)
        listen_to(_standing_rows)
        stopping.register(stopping.PLACES, _first_places)
        stopping.register(stopping.WORTH, _worth_of_places)
        register_deletion()
        released_at_start(_free_boards)


def _watched_standing(user: "User", name: str) -> object:
    from arena.standings.subjects import watched_subject  # noqa: PLC0415

    return watched_subject(user, name)


def _free_boards() -> None:
    """What an ended process claimed while it computed."""
    from arena.models import Board  # noqa: PLC0415

    Board.objects.exclude(claimed_until=None).update(claimed_until=None)


def _standing_rows(campaign: "Campaign") -> Iterable[dict[str, Any]]:
    from arena.board.exported import standing_rows  # noqa: PLC0415

    return standing_rows(campaign)


def _first_places(campaign: "Campaign", said: Mapping[str, float]) -> "Look":
    from arena.standings.stopping import first_places  # noqa: PLC0415

    return first_places(campaign, said)


def _worth_of_places(campaign: "Campaign", said: Mapping[str, float]) -> "Look":
    from arena.standings.stopping import worth_of_places  # noqa: PLC0415

    return worth_of_places(campaign, said)
