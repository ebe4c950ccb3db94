"""The models that may be asked, and the actions that add and disable them."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, cast

from django.conf import settings
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounts.audit_log.entries import AuditEvent, Subject, record
from accounts.models import User
from accounts.sealing import KeyLost, sealed, unsealed
from infrastructure.wording.reasons import Reason
from judges import reasons
from judges.backends.addresses import RefusedAddress, check_server, check_url
from judges.backends.contract import JudgeError, JudgeInput, JudgeOutput, SoundForm
from judges.backends.openai_chat import ChatServer, OpenAIChat
from judges.backends.parameters import Parameters
from judges.backends.refused_parameters import ParameterRefused, without_parameter
from judges.language_models.prices import require_owner, set_price, set_terms
from judges.models import LanguageModel

MODEL_ADDED = AuditEvent("model_added", gettext_lazy("Added; its key is kept encrypted."))
MODEL_DISABLED = AuditEvent("model_disabled", gettext_lazy("Disabled, and its key deleted."))
TEST_S = 15.0
GREETING = JudgeInput(
    messages=({"role": "user", "content": 'Reply with the JSON object {"ready": true} and nothing else.'},),
    schema={
        "type": "object",
        "properties": {"ready": {"type": "boolean"}},
        "required": ["ready"],
        "additionalProperties": False,
    },
    max_tokens=50,
)
#: So often the test changes what is sent before it gives up.
MOST_CHANGES = 3


@dataclass(frozen=True)
class Trial:
    """What came of a model's test. `parameters` is what worked; `changed` where it is not what the model has."""

    output: JudgeOutput
    parameters: Parameters
    changed: bool = False


def models_for(user: User) -> QuerySet[LanguageModel]:
    """The models that `user` may use: their own, and those that are shared."""
    enabled = LanguageModel.objects.filter(disabled_at=None)
    return enabled if user.is_superuser else enabled.filter(Q(created_by=user) | Q(shared=True))


@transaction.atomic
def add_model(
    *,
    title: str,
    base_url: str,
    model: str,
    api_key: str,
    timeout_s: int,
    shared: bool,
    user: User,
    sound_form: str = "",
) -> LanguageModel:
    """Keep a model with its key encrypted. Raises RefusedAddress."""
    check_url(base_url)
    row = LanguageModel.objects.create(
        title=title, base_url=base_url, model=model, sealed_key=sealed(api_key), timeout_s=timeout_s,
        shared=shared, created_by=user, sound_form=sound_form,
    )  # fmt: skip
    record(MODEL_ADDED, by=user, kind=Subject.MODEL, number=row.pk, name=row.title)
    return row


def why_not_asked(row: LanguageModel) -> Reason | None:
    """Why this installation does not ask the server of a model, or nothing. It is looked up and not asked."""
    try:
        check_server(row.base_url, private_allowed=settings.MODELS_ON_PRIVATE_ADDRESSES)
    except RefusedAddress as refusal:
        return refusal.reason
    except JudgeError:
        return None  # it may be there later; the test says so
    return None


@transaction.atomic
def disable_model(row: LanguageModel, *, user: User) -> None:
    """Stop using it, and delete its key. Its replies stay. Raises PermissionDenied for another user's."""
    if row.created_by_id != user.pk and not user.is_superuser:
        raise PermissionDenied(_("Only who added a model, or an administrator, can disable it."))
    enabled = LanguageModel.objects.filter(pk=row.pk, disabled_at=None)
    if enabled.update(disabled_at=timezone.now(), sealed_key="", sealed_headers=""):
        record(MODEL_DISABLED, by=user, kind=Subject.MODEL, number=row.pk, name=row.title)


@transaction.atomic
def add_model_with_terms(
    columns: Mapping[str, Any],
    *,
    parameters: Parameters,
    headers: Mapping[str, str] | None,
    prices: Mapping[str, Decimal | None],
    user: User,
) -> LanguageModel:
    """Keep a model with what it is sent and what it costs; `columns` as in `add_model`. Raises RefusedAddress."""
    row = add_model(**columns, user=user)
    set_parameters(row, parameters, user=user, headers=headers)
    set_price(row, prices, user=user)
    return row


@transaction.atomic
def change_terms(
    row: LanguageModel,
    *,
    limits: Mapping[str, Any],
    parameters: Parameters,
    headers: Mapping[str, str] | None,
    prices: Mapping[str, Decimal | None],
    user: User,
) -> None:
    """How a model is asked from now on, what it is sent and what it costs. Raises PermissionDenied."""
    terms: dict[str, Any] = {**limits, **prices}
    set_terms(row, **terms, user=user)
    set_parameters(row, parameters, user=user, headers=headers)


@transaction.atomic
def set_parameters(
    row: LanguageModel, parameters: Parameters, *, user: User, headers: Mapping[str, str] | None = None
) -> None:
    """What it is sent from now on; `headers` None keeps those that are there. Raises PermissionDenied."""
    require_owner(row, user)
    changes = {
        "limit_name": parameters.limit_name,
        "sends_temperature": parameters.sends_temperature,
        "reasoning_effort": parameters.reasoning_effort,
        "thinking_tokens": parameters.thinking_tokens,
        "extra_body": dict(parameters.extra_body) or None,
    }
    if headers is not None:
        changes["sealed_headers"] = sealed(json.dumps(dict(headers))) if headers else ""
    LanguageModel.objects.filter(pk=row.pk).update(**changes)
    row.refresh_from_db()


def backend_of(
    row: LanguageModel,
    *,
    attempts: int = 5,
    timeout_s: float | None = None,
    parameters: Parameters | None = None,
) -> OpenAIChat:
    """Raises JudgeError where its key cannot be read or it was disabled."""
    if row.disabled_at:
        raise JudgeError(reasons.MODEL_DISABLED(model=str(row)), permanent=True)
    try:
        api_key, headers = unsealed(row.sealed_key), unsealed(row.sealed_headers)
    except KeyLost as lost:
        raise JudgeError(reasons.KEY_LOST(), permanent=True) from lost
    return OpenAIChat(
        ChatServer(
            base_url=row.base_url, model=row.model, api_key=api_key, timeout_s=timeout_s or row.timeout_s,
            attempts=attempts, private_allowed=settings.MODELS_ON_PRIVATE_ADDRESSES,
            sound_form=cast(SoundForm, row.sound_form), parameters=parameters or row.parameters,
            extra_headers=json.loads(headers) if headers else {},
        )
    )  # fmt: skip


def try_model(row: LanguageModel) -> Trial:
    """Ask it for a word, with a short timeout. Raises JudgeError.

    A parameter that the server does not take is left out or called otherwise, and it is asked again.
    """
    parameters, tried = row.parameters, 0
    while True:
        try:
            return Trial(_greeted(row, parameters), parameters, changed=tried > 0)
        except ParameterRefused as refusal:
            other = without_parameter(parameters, refusal.parameter)
            if other is None or (tried := tried + 1) > MOST_CHANGES:
                raise
            parameters = other


def _greeted(row: LanguageModel, parameters: Parameters) -> JudgeOutput:
    backend = backend_of(row, attempts=1, timeout_s=TEST_S, parameters=parameters)
    try:
        return backend.ask(GREETING)
    finally:
        backend.close()
