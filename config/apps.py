from django.apps import AppConfig
from django.core.checks import Tags, register

from config.operations.private_files import check_private_files


class ConfigConfig(AppConfig):
    name = "config"

    def ready(self) -> None:
        register(check_private_files, Tags.security, deploy=True)
