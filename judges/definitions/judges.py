"""Judges: made from a kind and its settings, for good."""

import hashlib
import json
import math
from collections.abc import Mapping
from typing import Any

from django.db.models import Q, QuerySet
from django.utils.translation import gettext as _

from accounts.models import User
from accounts.sealing import is_readable
from infrastructure.wording.reasons import Reason
from judges import reasons
from judges.kinds import KINDS
from judges.kinds.contract import Kind, Setting
from judges.kinds.imported import IMPORTED
from judges.language_models.registry import models_for
from judges.models import Judge, LanguageModel
from protocols import Protocol

MAX_TITLE = 120


def judges_for(user: User) -> QuerySet[Judge]:
    """The judges that `user` may run: those without a model, and those whose model they may use."""
    return all_judges_for(user).filter(archived_at=None)


def all_judges_for(user: User) -> QuerySet[Judge]:
    """With archived ones; without those that were imported, which are never run here."""
    rows = Judge.objects.exclude(kind=IMPORTED.name).select_related("language_model", "created_by")
    return rows.filter(Q(language_model=None) | Q(language_model__in=models_for(user)))


def make_judge(
    kind: Kind, *, title: str, settings: Mapping[str, Any], language_model: LanguageModel | None, user: User
) -> Judge:
    """A judge with these settings; the one that is there already, where it is the same. Raises ValueError."""
    title = title.strip()
    if not title or len(title) > MAX_TITLE or "\x00" in title:
        raise ValueError(_("A judge has a title of at most %(n)s characters.") % {"n": MAX_TITLE})
    if kind.asks_model and language_model is None:
        raise ValueError(_("This kind of judge asks a model: choose one."))
    if language_model and not models_for(user).filter(pk=language_model.pk).exists():
        raise ValueError(_("This model does not exist, or no longer exists."))
    if kind.sends_sound and language_model and not language_model.sound_form:
        raise ValueError(_("This kind of judge hears, and the model takes no sound."))
    model = language_model if kind.asks_model else None
    checked = checked_settings(kind, settings)
    digest = digest_of(kind, checked, model)
    if held := judges_for(user).filter(digest=digest).first():
        return held
    return Judge.objects.create(
        title=title,
        kind=kind.name,
        kind_version=kind.version,
        settings=checked,
        language_model=model,
        digest=digest,
        created_by=user,
    )


def checked_settings(kind: Kind, given: Mapping[str, Any]) -> dict[str, str | int | float | bool]:
    """Every setting of the kind, in its type; what is not given has its default. Raises ValueError."""
    if unknown := set(given) - {setting.name for setting in kind.settings}:
        raise ValueError(_("%(kind)s has no setting %(name)s.") % {"kind": kind.name, "name": min(unknown)})
    return {setting.name: _checked(setting, given.get(setting.name, setting.default)) for setting in kind.settings}


def digest_of(kind: Kind, settings: Mapping[str, Any], model: LanguageModel | None) -> str:
    """SHA-256 of kind, version, settings and model; the model is its address and name, independent of its owner."""
    asked = [model.base_url, model.model] if model else None
    said = json.dumps([kind.name, kind.version, dict(settings), asked], sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(said.encode()).hexdigest()


def why_not(judge: Judge, protocol: Protocol) -> Reason | None:
    """Why this judge cannot answer the protocol; None where it can."""
    kind = KINDS.get(judge.kind)
    if kind is None:
        return reasons.KIND_GONE()
    if kind.version != judge.kind_version:
        return reasons.KIND_AT_ANOTHER_VERSION(now=kind.version, then=judge.kind_version)
    if judge.language_model and judge.language_model.disabled_at:
        return reasons.ITS_MODEL_DISABLED()
    if judge.language_model and not is_readable(judge.language_model.sealed_key):
        return reasons.KEY_LOST()
    return kind.fits(protocol, judge.settings)


def _checked(setting: Setting, value: Any) -> str | int | float | bool:
    """The value in the type of the default. Raises ValueError."""
    wrong = ValueError(_("%(title)s: %(value)s cannot be set.") % {"title": setting.title, "value": repr(value)})
    kind = type(setting.default)
    if kind is float and isinstance(value, int) and not isinstance(value, bool):
        value = float(value)
    if type(value) is not kind or (isinstance(value, str) and "\x00" in value):
        raise wrong
    if setting.choices and value not in {choice for choice, _title in setting.choices}:
        raise wrong
    if isinstance(value, int | float) and not isinstance(value, bool):
        least = -math.inf if setting.least is None else setting.least
        most = math.inf if setting.most is None else setting.most
        if not (math.isfinite(value) and least <= value <= most):
            raise wrong
    found: str | int | float | bool = value
    return found


def calls_no_model(judge: Judge) -> bool:
    """Whether its verdicts cost nothing, since no model is asked. What imported ones cost elsewhere is not known."""
    kind = KINDS.get(judge.kind)
    return kind is not None and not kind.asks_model and kind is not IMPORTED
