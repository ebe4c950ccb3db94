"""The kinds of topics that pages may watch: every app registers its own, with who may watch it."""

from collections.abc import Callable

from accounts.models import User

#: Raises Http404 or PermissionDenied unless this person may watch what the rest of the topic names.
Guard = Callable[[User, str], object]
#: By the word before the colon.
TOPICS: dict[str, Guard] = {}


def register(kind: str, guard: Guard) -> None:
    TOPICS[kind] = guard
