from django.db import models
from django.utils.text import slugify


def unique_slug(model: type[models.Model], name: str) -> str:
    """A slug for `name` that no row of `model` has yet."""
    base = slugify(name)[:70] or model.__name__.lower()
    taken = set(model._default_manager.filter(slug__startswith=base).values_list("slug", flat=True))  # noqa: SLF001
    return next(slug for n in range(len(taken) + 1) if (slug := f"{base}-{n + 1}" if n else base) not in taken)
