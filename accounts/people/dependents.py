"""What the apps above know of an account: each registers one `Dependent` when it is ready."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from accounts.models import User

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise


@dataclass(frozen=True)
class Part:
    """The part that an account has in something: its title, address and role, and whether it has ended."""

    title: str
    address: str
    role: "StrOrPromise"
    has_ended: bool


class Dependent:
    """An app that knows of accounts. By default it says nothing; it overrides what it has something to say of."""

    def campaigns_of(self, users: Iterable[int]) -> Mapping[int, int]:
        """In how many campaigns each of these accounts has a role now."""
        del users
        return {}

    def last_seen(self, users: Iterable[int]) -> Mapping[int, datetime]:
        """When each of these accounts was at work last, as far as the app knows."""
        del users
        return {}

    def parts_of(self, user: User) -> Iterable[Part]:
        """What the account takes part in, now or before."""
        del user
        return ()

    def account_disabled(self, user: User) -> None:
        """Called in the transaction that disables the account."""

    def parts_to_hand_over(self, user: User) -> Iterable[Part]:
        """What would have nobody in charge without the account: it keeps the account from being deleted."""
        del user
        return ()

    def owned_by(self, user: User) -> Iterable[Part]:
        """What belongs to the account alone: an owner who deletes their own account hands it over first."""
        del user
        return ()

    def n_texts_of(self, user: User) -> int:
        """How many comments and reasons the account wrote about the work of others."""
        del user
        return 0

    def remove_texts(self, user: User) -> None:
        """Called in the transaction that deletes the account, where its comments and reasons are to go."""

    def account_deleted(self, user: User, *, with_answers: bool, by: User) -> None:
        """Called in the transaction that deletes the account's identity; `by` takes over what it owned."""


_dependents: list[Dependent] = []


def register(dependent: Dependent) -> None:
    _dependents.append(dependent)


def campaigns_of(users: Iterable[int]) -> Counter[int]:
    ids = list(users)
    return sum((Counter(dependent.campaigns_of(ids)) for dependent in _dependents), Counter())


def last_seen(users: Iterable[int]) -> list[Mapping[int, datetime]]:
    """What each app knows."""
    ids = list(users)
    return [dependent.last_seen(ids) for dependent in _dependents]


def parts_of(user: User) -> list[Part]:
    return [part for dependent in _dependents for part in dependent.parts_of(user)]


def parts_to_hand_over(user: User) -> list[Part]:
    return [part for dependent in _dependents for part in dependent.parts_to_hand_over(user)]


def owned_by(user: User) -> list[Part]:
    return [part for dependent in _dependents for part in dependent.owned_by(user)]


def n_texts_of(user: User) -> int:
    return sum(dependent.n_texts_of(user) for dependent in _dependents)


def remove_texts(user: User) -> None:
    for dependent in _dependents:
        dependent.remove_texts(user)


def account_deleted(user: User, *, with_answers: bool, by: User) -> None:
    for dependent in _dependents:
        dependent.account_deleted(user, with_answers=with_answers, by=by)


def account_disabled(user: User) -> None:
    for dependent in _dependents:
        dependent.account_disabled(user)
