from django.apps import AppConfig


class ArenaConfig(AppConfig):
    name = "arena"

    def ready(self) -> None:
        """Tell the room below what its exports ask."""
        from analytics.exports.standings import listen_to  # noqa: PLC0415 - rows are there only now
        from arena.board.exported import standing_rows  # noqa: PLC0415

        listen_to(standing_rows)
