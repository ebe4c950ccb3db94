"""Answers against the protocol by which they were given: an app that knows protocols registers how it checks them."""

from collections.abc import Mapping
from typing import Protocol

from corpus.imports.answers.plan import AnswersPlan
from corpus.models import Item


class Check(Protocol):
    """Refuses in the plan what the protocol would not have taken.

    `items` are by their keys. Without `facts_known` they are made of the table, and nothing is known of them.
    """

    def __call__(self, plan: AnswersPlan, items: Mapping[str, Item], *, facts_known: bool) -> None: ...


_checks: list[Check] = []


def register(check: Check) -> None:
    _checks.append(check)


def check_by_protocol(plan: AnswersPlan, items: Mapping[str, Item], *, facts_known: bool) -> None:
    for check in _checks:
        check(plan, items, facts_known=facts_known)
