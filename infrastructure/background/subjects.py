"""What jobs are about: the rows of one model, named and found for lists of jobs."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from django.core.exceptions import ValidationError
from django.db.models import Model
from django.urls import reverse

#: A search looks at no more rows of a model than this.
MOST_FOUND = 500


@dataclass(frozen=True)
class Subject:
    """A row in words, and the address of its page; empty where it has none."""

    name: str
    address: str = ""


@dataclass(frozen=True)
class Subjects:
    """Rows of a model. `name` is a column, `url` a URL name, and `args` the columns in that address."""

    model: type[Model] | None = None
    name: str = ""
    url: str = ""
    args: tuple[str, ...] = ()

    def named(self, ids: Collection[str]) -> Mapping[str, Subject]:
        """Those that are there, by their id, in one query."""
        wanted = [pk for it in ids if (pk := self._key(it)) is not None]
        if self.model is None or not wanted:
            return {}
        rows = self.model._default_manager.filter(pk__in=wanted).values_list("pk", self.name, *self.args)  # noqa: SLF001 - public
        return {str(pk): Subject(str(name), reverse(self.url, args=args)) for pk, name, *args in rows}

    def matching(self, text: str) -> list[str]:
        """The ids of rows with this text in their names."""
        if self.model is None:
            return []
        rows = self.model._default_manager.filter(**{f"{self.name}__icontains": text})  # noqa: SLF001 - public
        return [str(pk) for pk in rows.values_list("pk", flat=True)[:MOST_FOUND]]

    def _key(self, subject: str) -> Any:
        try:
            return self.model and self.model._meta.pk.to_python(subject)
        except ValidationError:
            return None


#: Jobs about no row.
NO_ROWS = Subjects()
