"""What pages can, the API can: each page that takes a POST has an operation over the same action, or a reason."""

import inspect
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

import pytest
from django.test import Client

from accounts.models import User
from tests.cases import undone
from tests.paths import PROJECT
from tests.world import Values, api_routes, campaign, filled, pages, people, values

pytestmark = pytest.mark.django_db
__all__ = ["campaign", "people", "values"]

#: By page, the operations that do what it does.
OPERATIONS = {
    "people": "POST person-list",
    "people-invite": "POST person-list",
    "person": "PATCH person-detail",
    "person-right": "PATCH person-detail",
    "person-password": "POST person-password",
    "person-disable": "POST person-disable",
    "person-delete": "DELETE person-detail",
    "person-enable": "POST person-enable",
    "person-log-out": "POST person-log-out",
    "person-token-revoke": "DELETE person-token",
    "member-password": "POST person-password",
    "campaign-arena": "POST arena-list; POST arena-end",
    "arena-let-in": "POST arena-let-in",
    "board-lock": "POST standing-hide-names",
    "take-back": "POST label-take-back",
    "answer": "POST assignment-answers",
    "heard": "POST assignment-heard",
    "give-back": "POST assignment-give-back",
    "consent": "POST label-consent",
    "withdraw": "POST label-withdraw",
    "quality-rules": "POST quality-rules-list",
    "quality-decide": "POST annotator-decide",
    "quality-favour-decide": "POST annotator-decide",
    "review-mark": "POST review-mark",
    "review-settle": "POST review-mark",
    "review-undo": "POST review-undo-mark",
    "review-use-many": "POST review-use-many",
    "review-stop-many": "POST review-stop-use",
    "review-undo-many": "POST review-undo-use",
    "review-adjudicate": "POST review-adjudicate",
    "review-comment": "POST review-comment",
    "review-names": "POST review-names",
    "review-use": "POST review-use",
    "review-accept": "POST review-accept",
    "comparison-qualify": "POST comparison-qualify",
    "keep-report": "POST report-keep",
    "share-report": "POST report-share-list",
    "unshare-report": "DELETE report-share-detail",
    "planning": "PATCH campaign-detail",
    "retention": "POST retention-list",
    "administration-storage": "POST storage-list",
    "storage-clear": "POST storage-clear",
    "administration-backups": "POST backup-list",
    "backup-test": "POST backup-test",
    "backup-remove": "DELETE backup-detail",
    "exports": "POST campaign-export-list",
    "export-delete": "DELETE export-detail",
    "dataset-metrics-compute": "POST metric-list",
    "dataset-metrics-import": "POST metric-scores",
    "dataset-numbers-import": "POST unit-number-list",
    "dataset-likelihoods-import": "POST likelihood-list",
    "dataset-features": "POST feature-list",
    "dataset-identity-scan": "POST identity-leak-list",
    "models": "POST model-list",
    "model-test": "POST model-try-",
    "model-terms": "POST model-terms",
    "model-disable": "DELETE model-detail",
    "verdicts-import": "POST verdict-import-list",
    "verdict-import-columns": "POST verdict-import-list",
    "verdict-import-cancel": "POST verdict-import-cancel",
    "rubric-item": "POST rubric-item-criteria; POST rubric-item-none; POST rubric-item-decide",
    "rubric-upload": "POST rubric-list",
    "rubric-drafts": "POST criteria-drafts-list",
    "rubric-drafts-stop": "POST criteria-drafts-stop",
    "judge-new": "POST judge-list",
    "baselines": "POST run-baselines",
    "baselines-cancel": "POST run-cancel-baselines",
    "run-new": "POST run-list",
    "run-turn": "POST run-pause; POST run-resume; POST run-cancel; POST run-again; POST run-top-up",
    "run-probe": "POST probe-list",
    "protocol-new": "POST protocol-list",
    "protocol-preview": "POST protocol-preview-list",
    "protocol-upload": "POST protocol-preview-list",
    "campaign-new": "POST campaign-list",
    "launch-systems": "PATCH campaign-detail",
    "launch-protocol": "PATCH campaign-detail",
    "launch-units": "PATCH campaign-detail",
    "launch-answers": "PATCH campaign-detail",
    "campaign-later-units": "POST campaign-later-units",
    "campaign-clone": "POST campaign-clone",
    "campaign-turn": "POST campaign-open; POST campaign-pause; POST campaign-close",
    "campaign-audio": "POST campaign-audio",
    "checks": "POST checks-list",
    "gates": "POST entry-gates-list",
    "guidelines-text": "POST entry-gates-guidelines",
    "traps": "POST checks-traps",
    "trap-recordings": "POST checks-recordings; DELETE checks-recordings",
    "members": "POST member-list",
    "member-end": "DELETE member-detail",
    "invitation-new": "POST invitation-list",
    "invitation-revoke": "DELETE invitation-detail",
    "consent-text": "POST consent-text-list",
    "webhooks": "POST webhook-list",
    "webhook-test": "POST webhook-test",
    "webhook-disable": "DELETE webhook-detail",
    "delivery-again": "POST delivery-again",
    "dataset-about": "PATCH dataset-detail",
    "import-new": "POST import-list",
    "import-columns": "POST import-mapping",
    "import-choices": "POST import-choices",
    "import-confirm": "POST import-confirm",
    "import-cancel": "POST import-cancel",
    "import-recipes": "POST recipe-list",
    "import-recipe-rename": "PATCH recipe-detail",
    "import-recipe-delete": "DELETE recipe-detail",
    "job-cancel": "POST job-cancel",
    "job-again": "POST job-again",
    "manage": "PATCH dataset-detail; PATCH campaign-detail; PATCH judge-detail; PATCH protocol-detail",
    "archive": "POST dataset-archive; POST campaign-archive; POST judge-archive; POST protocol-archive; "
    "POST import-archive",
    "restore": "POST dataset-restore; POST campaign-restore; POST judge-restore; POST protocol-restore; "
    "POST import-restore",
    "delete": "DELETE dataset-detail; DELETE campaign-detail; DELETE judge-detail; DELETE protocol-detail; "
    "DELETE import-detail",
}
#: Why others have none.
REASONS = {
    "how a person proves who they are, which no token may change": """
        setup login login-code logout sign-on sign-on-link sign-on-unlink email email-confirm password forgotten
        new-password second-factor second-factor-off account account-delete keep-account
    """,
    "tokens are made by a person at a browser: one token could otherwise outlive its own end": """
        tokens token-revoke
    """,
    "removing a second factor needs the administrator's own password": "person-second-factor member-second-factor",
    "an arena is voted in by people on its own page": "arena arena-start arena-vote arena-ahead",
    "done by ear, in the browser that plays the clips": "gate guidelines volume",
    "an invitation is a page for the person who follows it": "join",
    "state of the label page: a unit prepared ahead, or an answer that was opened again": "ahead leave-as-it-was",
    "a rehearsal of the label page, of which nothing is kept": "preview-answer preview-heard preview-skip",
    "the language of the pages; a request to the API names its own": "set_language",
    "the demo is for a first look at the pages; `manage.py demo` takes it away, too": "demo",
}
WITHOUT = {name for names in REASONS.values() for name in names.split()}
#: Pages whose operation shares no action with them, and why.
BY_ANOTHER_ACTION = {
    "launch-answers": "one PATCH of a draft changes what the steps of the page change one by one",
    "planning": "sets the same as the step of the answers",
    "verdict-import-columns": "the operation takes the mapping together with the table",
    "model-test": "asks the model; nothing is written",
    "protocol-preview": "shows what is wrong with the page's form; nothing is written",
    "protocol-upload": "fills the page's form; nothing is written",
}
#: What functions that write call.
WRITES = {
    "atomic",
    "bulk_create",
    "create",
    "delete",
    "get_or_create",
    "save",
    "start_job",
    "update",
    "update_or_create",
}


def test_every_page_that_takes_a_post_has_an_operation_or_a_reason(
    client: Client, people: dict[str, User], values: Values
) -> None:
    client.force_login(people["superuser"])

    taking = {name for name, address in filled(values).items() if takes_posts(client, address)}

    assert taking - OPERATIONS.keys() - WITHOUT == set()
    assert OPERATIONS.keys() - taking == set()
    assert OPERATIONS.keys() & WITHOUT == set()


def test_operations_that_are_named_exist() -> None:
    assert {it for several in OPERATIONS.values() for it in several.split("; ")} - handlers().keys() == set()
    assert {name for name, _route, _view in pages()} >= WITHOUT


def test_page_and_operation_call_the_same_action() -> None:
    views = {name: inspect.unwrap(view) for name, _route, view in pages()}
    apart = {
        page
        for page, several in OPERATIONS.items()
        for operation in several.split("; ")
        if not share_an_action(actions_of(views[page], None), actions_of(*handlers()[operation]))
    }

    assert apart - BY_ANOTHER_ACTION.keys() == set()
    assert BY_ANOTHER_ACTION.keys() - apart == set()


def takes_posts(client: Client, address: str) -> bool:
    """The method is looked at before anything else."""
    session = client.cookies.copy()
    with undone():
        status = client.post(address).status_code
    client.cookies = session  # one of them logs out
    return status != 405


@cache
def handlers() -> dict[str, tuple[Any, type]]:
    """By method and name, what an operation runs, and its class."""
    return {
        f"{method.upper()} {name}": (getattr(view.cls, run), view.cls)
        for name, _route, view in api_routes()
        for method, run in getattr(view, "actions", {}).items()
    }


def share_an_action(of_page: set[Any], of_operation: set[Any]) -> bool:
    """One may call it in the course of a larger one."""
    return bool(with_parts(of_page) & of_operation or of_page & with_parts(of_operation))


def with_parts(actions: set[Any]) -> set[Any]:
    return actions | {inspect.unwrap(it) for one in actions for it in named_in(one, None) if writes(it)}


def actions_of(function: Any, cls: type | None) -> set[Any]:
    """The functions of other modules, among those that it or its module's helpers name, that write."""
    module, found, seen = inspect.unwrap(function).__module__, set(), set()
    waiting = [function]
    while waiting:
        current = inspect.unwrap(waiting.pop())
        if current in seen:
            continue
        seen.add(current)
        for it in named_in(current, cls):
            if it.__module__ in {module, getattr(cls, "__module__", None)} or "." in it.__qualname__:
                waiting.append(it)
            elif writes(it):
                found.add(inspect.unwrap(it))
    return found


@cache
def writes(function: Any) -> bool:
    """Whether it, or a function of ours that it names, names one of the ways to write."""
    waiting, seen = [function], set()
    while waiting:
        current = inspect.unwrap(waiting.pop())
        if current in seen:
            continue
        seen.add(current)
        if WRITES & set(names_of(current.__code__)):
            return True
        waiting += named_in(current, None)
    return False


def named_in(function: FunctionType, cls: type | None) -> Iterator[Any]:
    """Functions of ours that the code of this one names: as a global, in a module, among methods, in a mapping."""
    names = set(names_of(function.__code__))
    for name in names:
        held = function.__globals__.get(name)
        values = [held, getattr(cls, name, None) if cls else None]
        if isinstance(held, ModuleType):
            values += [vars(held).get(it) for it in names]
        for value in values:
            several = value.values() if isinstance(value, dict) else [value]
            yield from (it for it in several if is_ours(it))


def names_of(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from names_of(inner)


def is_ours(value: Any) -> bool:
    if not isinstance(value, FunctionType):
        return False
    path = Path(inspect.unwrap(value).__code__.co_filename)
    return path.is_relative_to(PROJECT) and ".venv" not in path.parts
