"""How large a request with files may be, as each view says that takes any, and who may send them."""

from collections.abc import Callable
from typing import Any, TypeVar

from accounts.models import User

#: The content type of a part of a resumable upload (tus 1.0.0).
PART = "application/offset+octet-stream"
View = TypeVar("View", bound=Callable[..., Any])


_rights: list[Callable[[User], bool]] = []


def register(may_upload_because: Callable[[User], bool]) -> None:
    """An app gives some users something to which they may upload."""
    _rights.append(may_upload_because)


def may_upload(user: User) -> bool:
    """Whether there is anything at all to which this person may upload. What, is asked by the views."""
    return user.may_launch or any(right(user) for right in _rights)


def takes_files(most: int | Callable[[], int]) -> Callable[[View], View]:
    """Mark a view, or an action of the API, with the most bytes that its files may have together.

    The server asks before it reads a body, and allows a little more for the other fields.
    """

    def mark(view: View) -> View:
        view.most_file_bytes = most if callable(most) else lambda: most  # type: ignore[attr-defined]
        return view

    return mark


def most_file_bytes(view: Callable[..., Any], method: str) -> int | None:
    """What a view or, of the API, its action for this method was marked with; None where it takes no files."""
    if (view_set := getattr(view, "cls", None)) is not None:
        view = getattr(view_set, getattr(view, "actions", {}).get(method.lower(), ""), view)
    most: Callable[[], int] | None = getattr(view, "most_file_bytes", None)
    return most() if most else None
