"""The models that may be asked, and the deeds that add and disable them."""

from typing import cast

from django.conf import settings
from django.core.exceptions import PermissionDenied
from django.db.models import Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.models import User
from accounts.sealing import KeyLost, sealed, unsealed
from judges import sayings
from judges.backends.addresses import check_url
from judges.backends.contract import JudgeError, JudgeInput, JudgeOutput, SoundForm
from judges.backends.openai_chat import ChatServer, OpenAIChat
from judges.models import LanguageModel

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


def models_for(user: User) -> QuerySet[LanguageModel]:
    """The models that `user` may use: their own, and those that are shared."""
    enabled = LanguageModel.objects.filter(disabled_at=None)
    return enabled if user.is_superuser else enabled.filter(Q(created_by=user) | Q(shared=True))


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
    return LanguageModel.objects.create(
        title=title, base_url=base_url, model=model, sealed_key=sealed(api_key), timeout_s=timeout_s,
        shared=shared, created_by=user, sound_form=sound_form,
    )  # fmt: skip


def disable_model(row: LanguageModel, *, user: User) -> None:
    """Ask it no more, and forget its key. What it said stays. Raises PermissionDenied for somebody else's."""
    if row.created_by_id != user.pk and not user.is_superuser:
        raise PermissionDenied(_("Only who added a model, or an administrator, can disable it."))
    LanguageModel.objects.filter(pk=row.pk, disabled_at=None).update(disabled_at=timezone.now(), sealed_key="")


def backend_of(row: LanguageModel, *, attempts: int = 5, timeout_s: float | None = None) -> OpenAIChat:
    """Raises JudgeError where its key cannot be read or it was disabled."""
    if row.disabled_at:
        raise JudgeError(sayings.MODEL_DISABLED % {"model": row}, permanent=True)
    try:
        api_key = unsealed(row.sealed_key)
    except KeyLost as lost:
        raise JudgeError(str(lost), permanent=True) from lost
    return OpenAIChat(
        ChatServer(
            base_url=row.base_url, model=row.model, api_key=api_key, timeout_s=timeout_s or row.timeout_s,
            attempts=attempts, private_allowed=settings.MODELS_ON_PRIVATE_ADDRESSES,
            sound_form=cast(SoundForm, row.sound_form),
        )
    )  # fmt: skip


def try_model(row: LanguageModel) -> JudgeOutput:
    """Ask it once for a word, with little patience. Raises JudgeError."""
    backend = backend_of(row, attempts=1, timeout_s=TEST_S)
    try:
        return backend.ask(GREETING)
    finally:
        backend.close()
