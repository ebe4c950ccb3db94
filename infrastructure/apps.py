from django.apps import AppConfig


class InfrastructureConfig(AppConfig):
    name = "infrastructure"

    def ready(self) -> None:
        """Jobs can be watched, counted and administered."""
        from infrastructure import gauges  # noqa: PLC0415 - models are there only now
        from infrastructure.administration import failing_work, sections  # noqa: PLC0415
        from infrastructure.administration.failing_deletions import failing_deletions  # noqa: PLC0415
        from infrastructure.administration.own_sections import SECTIONS  # noqa: PLC0415
        from infrastructure.background.jobs import job_for  # noqa: PLC0415
        from infrastructure.live import topics  # noqa: PLC0415

        topics.register("job", job_for)
        gauges.register(gauges.background_work)
        sections.register(*SECTIONS)
        failing_work.register(failing_deletions)
