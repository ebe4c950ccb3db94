from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django import forms
from django.forms.boundfield import BoundField
from django.utils.translation import gettext_lazy as _

from analytics.quality.signals import SIGNALS, Signal
from annotation.models import Reason
from annotation.review.exclusions import MAX_COMMENT
from campaigns.quality.rule import MOST_ANSWERS, Action, Rule

ACTIONS = (
    (Action.NOTHING, _("Nothing")),
    (Action.WARN, _("Warn")),
    (Action.PAUSE, _("Pause")),
    (Action.EXCLUDE, _("Leave the answers out")),
)


@dataclass(frozen=True)
class RuleFields:
    """The fields of one signal's rule, in the order of the table."""

    signal: Signal
    tolerated: BoundField
    minimum: BoundField
    action: BoundField

    @property
    def errors(self) -> list[str]:
        return [str(error) for field in (self.tolerated, self.minimum, self.action) for error in field.errors]


class RulesForm(forms.Form):
    """A rule for every signal."""

    def __init__(self, *args: Any, rules: Mapping[str, Rule], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name, rule in rules.items():
            self.fields[f"{name}.tolerated"] = forms.FloatField(min_value=0, max_value=1, initial=rule.tolerated)
            self.fields[f"{name}.tolerated"].widget.attrs["step"] = "0.01"
            self.fields[f"{name}.minimum"] = forms.IntegerField(
                min_value=1, max_value=MOST_ANSWERS, initial=rule.minimum
            )
            self.fields[f"{name}.action"] = forms.ChoiceField(choices=ACTIONS, initial=rule.action)

    @property
    def rows(self) -> list[RuleFields]:
        return [RuleFields(s, *(self[f"{s.name}.{part}"] for part in PARTS)) for s in SIGNALS.values()]

    @property
    def rules(self) -> dict[str, Rule]:
        data = self.cleaned_data
        return {
            name: Rule(data[f"{name}.tolerated"], data[f"{name}.minimum"], Action(data[f"{name}.action"]))
            for name in SIGNALS
        }


PARTS = ("tolerated", "minimum", "action")


class DecisionForm(forms.Form):
    """Why something is decided about an annotator."""

    reason = forms.ChoiceField(label=_("Reason"), choices=Reason.choices, initial=Reason.OTHER)
    comment = forms.CharField(
        label=_("Why"), max_length=MAX_COMMENT, required=False, widget=forms.Textarea(attrs={"rows": 2})
    )
