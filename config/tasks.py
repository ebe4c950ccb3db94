"""Upkeep of the installation itself."""

from celery import shared_task

from config.sqlite.statistics import analyse


@shared_task
def analyse_task() -> None:
    analyse()
