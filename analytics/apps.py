from collections.abc import Mapping
from typing import TYPE_CHECKING

from django.apps import AppConfig

if TYPE_CHECKING:
    from campaigns.control_units.forecast import GuesserForecast
    from campaigns.launch.stopping import Look
    from campaigns.models import Campaign


class AnalyticsConfig(AppConfig):
    name = "analytics"

    def ready(self) -> None:
        """Have votes, alarms, annotators and units to review counted, and register sections of the administration.

        What loads SciPy is imported when it is needed, which it may not be by a command.
        """
        from analytics.administration import SECTIONS  # noqa: PLC0415 - models are there only now
        from analytics.deletion import register_deletion  # noqa: PLC0415
        from analytics.gauges import votes  # noqa: PLC0415
        from campaigns.control_units import guessing  # noqa: PLC0415
        from campaigns.launch import stopping  # noqa: PLC0415
        from campaigns.navigation import count_to_do  # noqa: PLC0415
        from infrastructure import gauges  # noqa: PLC0415
        from infrastructure.administration import sections  # noqa: PLC0415

        gauges.register(votes)
        sections.register(*SECTIONS)
        guessing.register(_guesser_forecast)
        count_to_do("quality", _n_of_quality)
        count_to_do("review", _n_to_review)
        stopping.register(stopping.AGREEMENT, _known_agreement)
        stopping.register(stopping.JUDGES, _known_judges)
        register_deletion()


def _n_of_quality(campaign: "Campaign") -> int:
    """Alarms, and annotators who raised signals."""
    from analytics.monitoring.alarms import n_open_alarms  # noqa: PLC0415
    from analytics.quality.flags import n_raised  # noqa: PLC0415

    return n_open_alarms(campaign) + n_raised(campaign)


def _n_to_review(campaign: "Campaign") -> int:
    from analytics.review.queue import n_to_review  # noqa: PLC0415

    return n_to_review(campaign)


def _guesser_forecast(campaign: "Campaign") -> "GuesserForecast | None":
    from analytics.quality.guessing.forecast import forecast_guesser  # noqa: PLC0415

    return forecast_guesser(campaign)


def _known_judges(campaign: "Campaign", said: Mapping[str, float]) -> "Look":
    from analytics.judged.stopping import known_judges  # noqa: PLC0415

    return known_judges(campaign, said)


def _known_agreement(campaign: "Campaign", said: Mapping[str, float]) -> "Look":
    from analytics.monitoring.stopping import known_agreement  # noqa: PLC0415

    return known_agreement(campaign, said)
