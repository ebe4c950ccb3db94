from django.apps import AppConfig


class MeasurementsConfig(AppConfig):
    name = "measurements"

    def ready(self) -> None:
        """Have new words of a dataset looked through, and its measurements deleted with it."""
        from corpus.dependents import register  # noqa: PLC0415 - models are there only now
        from measurements.dataset_use import Measurements  # noqa: PLC0415
        from measurements.deletion import register_deletion  # noqa: PLC0415

        register(Measurements())
        register_deletion()
