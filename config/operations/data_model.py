"""Write docs/reference/data-model.md from the models: `python -m config.operations.data_model`."""

import os
from collections.abc import Iterator
from pathlib import Path

import django
from django.apps import apps
from django.db import models

PAGE = Path(__file__).resolve().parents[2] / "docs" / "reference" / "data-model.md"
#: Lowest first: an app refers to those above it in this list.
APPS = [
    "accounts",
    "infrastructure",
    "protocols",
    "corpus",
    "campaigns",
    "measurements",
    "judges",
    "annotation",
    "analytics",
    "arena",
]
HEAD = """# Data model

The tables, app by app, drawn from the models by `python -m config.operations.data_model`. In a diagram, `A }o--|| B`
means that each A belongs to one B and that a B may have many A; `o|` on the right means that the reference may be
empty. Tables of other apps are named with their app. The words are explained in the [glossary](glossary.md).
"""


def page() -> str:
    labels = {config.label for config in apps.get_app_configs()}
    return "\n".join([HEAD, *(part(label) for label in APPS if label in labels and tables(label))])


def tables(label: str) -> list[type[models.Model]]:
    return sorted(apps.get_app_config(label).get_models(), key=lambda model: model.__name__)


def part(label: str) -> str:
    """One app: its diagram, then a line for each table."""
    found = tables(label)
    edges = [edge for model in found for edge in relations(model)]
    rows = [f"- **{model.__name__}**: {summary(model)} Columns: {columns(model)}." for model in found]
    return "\n".join([f"## {label}", "", "```mermaid", "erDiagram", *edges, "```", "", *rows, ""])


def relations(model: type[models.Model]) -> Iterator[str]:
    """An edge for each foreign key, one-to-one and many-to-many field; a table without any stands alone."""
    name, alone = model.__name__, True
    for field in [*model._meta.fields, *model._meta.many_to_many]:
        target = field.related_model
        if field.auto_created or not isinstance(target, type):
            continue
        alone = False
        yield f"    {name} {_ends(field)} {_name(target, model)} : {field.name}"
    if alone:
        yield f"    {name}"


def _ends(field: models.Field) -> str:  # type: ignore[type-arg]
    if field.many_to_many:
        return "}o--o{"
    many = "|o" if field.one_to_one else "}o"
    return f"{many}--{'o|' if field.null else '||'}"


def _name(target: type[models.Model], source: type[models.Model]) -> str:
    label = target._meta.app_label
    return target.__name__ if label == source._meta.app_label else f"{label}_{target.__name__}"


def summary(model: type[models.Model]) -> str:
    """The first sentence of the model's docstring; Django's own, which lists the fields, is none."""
    text = " ".join((model.__doc__ or "").split("\n\n")[0].split())
    return "" if text.startswith(f"{model.__name__}(") else text


def columns(model: type[models.Model]) -> str:
    return ", ".join(f"`{field.name}`" for field in model._meta.fields if not field.primary_key) or "none"


if __name__ == "__main__":
    os.environ["DJANGO_SETTINGS_MODULE"] = "tests.settings"  # as `import config` sets it otherwise
    django.setup()
    PAGE.write_text(page(), encoding="utf-8")
