from typing import Any

from django import forms
from django.utils.formats import number_format
from django.utils.translation import gettext_lazy as _

from infrastructure.templatetags.wording import worded
from infrastructure.wording.names import require_visible
from judges.definitions.judges import MAX_TITLE
from judges.kinds import KINDS
from judges.kinds.contract import Kind, Setting
from judges.models import Judge

PREFIX = "setting_"


class JudgeForm(forms.Form):
    """A judge of one kind; its fields are the kind's settings."""

    title = forms.CharField(label=_("Title"), max_length=MAX_TITLE, validators=[require_visible])

    def __init__(self, *args: Any, kind: Kind, models: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.kind = kind
        if kind.asks_model:
            self.fields["model"] = forms.ModelChoiceField(label=_("Model"), queryset=models, empty_label=None)
        for setting in kind.settings:
            self.fields[PREFIX + setting.name] = _field(setting)

    @property
    def settings(self) -> dict[str, Any]:
        cleaned = self.cleaned_data
        return {it.name: _typed(it, cleaned[PREFIX + it.name]) for it in self.kind.settings}


def shown_settings(judge: Judge) -> list[tuple[str, str]]:
    """The settings of a judge by their titles, as its form has them; those that its kind does not know by name."""
    kind = KINDS.get(judge.kind)
    by_name = {setting.name: setting for setting in kind.settings} if kind else {}
    return [
        (worded(by_name[name].title), _shown(by_name[name], value)) if name in by_name else (name, str(value))
        for name, value in judge.settings.items()
    ]


def _shown(setting: Setting, value: Any) -> str:
    if isinstance(value, bool):
        return str(_("yes") if value else _("no"))
    titles = {choice: worded(title) for choice, title in setting.choices}
    return titles.get(value) or (number_format(value) if isinstance(value, int | float) else str(value)) or "–"


def _field(setting: Setting) -> forms.Field:
    options: dict[str, Any] = {
        "label": worded(setting.title),
        "help_text": worded(setting.help) if setting.help else "",
        "initial": setting.default,
    }
    if setting.choices:
        choices = [(str(value), worded(title)) for value, title in setting.choices]
        return forms.ChoiceField(choices=choices, **options)
    if isinstance(setting.default, bool):
        return forms.BooleanField(required=False, **options)
    if isinstance(setting.default, int):
        return forms.IntegerField(min_value=_whole(setting.least), max_value=_whole(setting.most), **options)
    if isinstance(setting.default, float):
        return forms.FloatField(min_value=setting.least, max_value=setting.most, **options)
    return forms.CharField(required=False, max_length=2000, **options)


def _whole(bound: float | None) -> int | None:
    return None if bound is None else int(bound)


def _typed(setting: Setting, value: Any) -> Any:
    """A choice comes as text, whatever its type is."""
    by_text = {str(choice): choice for choice, _title in setting.choices}
    return by_text.get(value, value) if setting.choices else value
