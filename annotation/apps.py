from django.apps import AppConfig


class AnnotationConfig(AppConfig):
    name = "annotation"

    def ready(self) -> None:
        """Have the answers counted, and units given back when an account is disabled."""
        from accounts.people import dependents  # noqa: PLC0415 - models are there only now
        from annotation.assignment.annotators import Annotators  # noqa: PLC0415
        from annotation.deletion import register_deletion  # noqa: PLC0415
        from annotation.gauges import answers  # noqa: PLC0415
        from annotation.withdrawal.deleted_accounts import Answers  # noqa: PLC0415
        from infrastructure import gauges  # noqa: PLC0415

        gauges.register(answers)
        dependents.register(Annotators())
        dependents.register(Answers())
        register_deletion()
