"""What the apps that build on datasets say of them: each registers one `Dependent` when it is ready."""

from collections.abc import Iterable

from django.db.models import Q, QuerySet

from accounts.models import User
from corpus.models import Dataset, Item


class Dependent:
    """An app that builds on datasets. By default it says nothing; it overrides what it has something to say of."""

    def viewed_by(self, user: User) -> Q:
        """The datasets that the user may look into because of this app."""
        del user
        return Q(pk=None)

    def managed_by(self, user: User) -> Q:
        """The datasets over which the user may launch campaigns because of this app."""
        del user
        return Q(pk=None)

    def fixed_items(self, dataset: Dataset) -> QuerySet[Item]:
        """The items whose turns and prompts can no longer change."""
        return Item.objects.none().filter(dataset=dataset)

    def words_imported(self, dataset: Dataset, *, user: User) -> None:
        """Called in the transaction that wrote responses with words into the dataset."""


_dependents: list[Dependent] = []


def register(dependent: Dependent) -> None:
    _dependents.append(dependent)


def viewed_by(user: User) -> Q:
    """The datasets that the user may look into: their own, and those of any dependent."""
    return _any(user, (dependent.viewed_by(user) for dependent in _dependents))


def managed_by(user: User) -> Q:
    """The datasets over which the user may launch campaigns: their own, and those of any dependent."""
    return _any(user, (dependent.managed_by(user) for dependent in _dependents))


def _any(user: User, reached: Iterable[Q]) -> Q:
    found = Q(created_by=user)
    for condition in reached:
        found |= condition
    return found


def fixed_items(dataset: Dataset) -> QuerySet[Item]:
    """The items that a dependent has fixed, each once."""
    found = Item.objects.none()
    for dependent in _dependents:
        found |= dependent.fixed_items(dataset)
    return found.distinct()


def words_imported(dataset: Dataset, *, user: User) -> None:
    """Tell every dependent that responses with words came into the dataset."""
    for dependent in _dependents:
        dependent.words_imported(dataset, user=user)
