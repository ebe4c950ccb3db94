from django.apps import AppConfig


class JudgesConfig(AppConfig):
    name = "judges"

    def ready(self) -> None:
        """Runs can be watched, and what judges do is counted, in the navigation, too, and administered."""
        from campaigns.navigation import count_to_do  # noqa: PLC0415 - models are there only now
        from infrastructure import gauges  # noqa: PLC0415
        from infrastructure.administration import failing_work, sections  # noqa: PLC0415
        from infrastructure.live import topics  # noqa: PLC0415
        from judges.administration import SECTIONS  # noqa: PLC0415
        from judges.deletion import register_deletion  # noqa: PLC0415
        from judges.gauges import judging  # noqa: PLC0415
        from judges.runs.failing import failing_runs  # noqa: PLC0415
        from judges.runs.lifecycle import watched_run  # noqa: PLC0415
        from judges.runs.progress import n_stopped_runs  # noqa: PLC0415

        topics.register("run", watched_run)
        count_to_do("runs", n_stopped_runs)
        gauges.register(judging)
        failing_work.register(failing_runs)
        sections.register(*SECTIONS)
        register_deletion()
