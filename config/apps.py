from django.apps import AppConfig
from django.core.checks import Tags, register

from config.operations.private_files import check_private_files


class ConfigConfig(AppConfig):
    name = "config"

    def ready(self) -> None:
        from config.administration.sections import SECTIONS  # noqa: PLC0415 - models are there only now
        from infrastructure.administration import sections  # noqa: PLC0415

        sections.register(*SECTIONS)
        register(check_private_files, Tags.security, deploy=True)
