"""Judges: made from a kind and its settings, for good."""

import hashlib
import json
import math
from collections.abc import Mapping
from typing import Any

from django.core.exceptions import PermissionDenied
from django.db.models import Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.models import User
from accounts.sealing import is_readable
from infrastructure.templatetags.wording import worded
from judges.kinds import KINDS
from judges.kinds.contract import Kind, Setting
from judges.kinds.imported import IMPORTED
from judges.language_models.registry import models_for
from judges.models import Judge, LanguageModel
from judges.sayings import KEY_LOST
from protocols import Protocol

MAX_TITLE = 120


def judges_for(user: User) -> QuerySet[Judge]:
    """The judges that `user` may run: those without a model, and those whose model they may use."""
    rows = Judge.objects.filter(archived_at=None).select_related("language_model", "created_by")
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
        raise ValueError(_("This model is not there, or not any more."))
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


def archive_judge(judge: Judge, *, user: User) -> None:
    """Offer it no more. Its runs stay. Raises PermissionDenied for somebody else's."""
    if judge.created_by_id != user.pk and not user.is_superuser:
        raise PermissionDenied(_("Only who made a judge, or an administrator, can archive it."))
    Judge.objects.filter(pk=judge.pk, archived_at=None).update(archived_at=timezone.now())


def checked_settings(kind: Kind, given: Mapping[str, Any]) -> dict[str, str | int | float | bool]:
    """Every setting of the kind, in its type; what is not given has its default. Raises ValueError."""
    if unknown := set(given) - {setting.name for setting in kind.settings}:
        raise ValueError(_("%(kind)s has no setting %(name)s.") % {"kind": kind.name, "name": min(unknown)})
    return {setting.name: _checked(setting, given.get(setting.name, setting.default)) for setting in kind.settings}


def digest_of(kind: Kind, settings: Mapping[str, Any], model: LanguageModel | None) -> str:
    """SHA-256 of kind, version, settings and model; the model is its address and name, whoever entered it."""
    asked = [model.base_url, model.model] if model else None
    said = json.dumps([kind.name, kind.version, dict(settings), asked], sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(said.encode()).hexdigest()


def why_not(judge: Judge, protocol: Protocol) -> str:
    """Why this judge cannot answer the protocol, in the language of the page; empty where it can."""
    kind = KINDS.get(judge.kind)
    if kind is None:
        return _("This kind of judge is not part of this installation any more.")
    if kind.version != judge.kind_version:
        told = {"now": kind.version, "then": judge.kind_version}
        return _("This kind is at version %(now)s now, and the judge is of version %(then)s: make it anew.") % told
    if judge.language_model and judge.language_model.disabled_at:
        return _("Its model was disabled.")
    if judge.language_model and not is_readable(judge.language_model.sealed_key):
        return _(KEY_LOST)
    return worded(kind.fits(protocol, judge.settings))


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


def asks_nobody(judge: Judge) -> bool:
    """Whether its verdicts cost nothing, since no model is asked. What imported ones cost elsewhere is not known."""
    kind = KINDS.get(judge.kind)
    return kind is not None and not kind.asks_model and kind is not IMPORTED
