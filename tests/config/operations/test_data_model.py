"""docs/reference/data-model.md is drawn from the models: `python -m config.operations.data_model`."""

from django.apps import apps

from config.operations.data_model import APPS, PAGE, page


def test_page_is_drawn_from_the_models() -> None:
    message = "run `python -m config.operations.data_model` and commit docs/reference/data-model.md"

    assert PAGE.read_text(encoding="utf-8") == page(), message


def test_page_has_every_app_of_ours_with_tables() -> None:
    ours = {model._meta.app_label for model in apps.get_models() if not model.__module__.startswith("django")}

    assert ours - {"socialaccount", "authtoken"} <= set(APPS)
