"""What reviewers send about one answer."""

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation.models import Reason
from annotation.review.adjudication import MAX_COMMENT


class UseForm(forms.Form):
    """Leave an answer out, or take it in again."""

    use = forms.TypedChoiceField(choices=[("no", ""), ("yes", "")], coerce=lambda word: word == "yes")
    reason = forms.ChoiceField(label=_("Reason"), choices=Reason.choices, required=False)
    comment = forms.CharField(label=_("Comment"), required=False, max_length=MAX_COMMENT)

    def clean(self) -> dict[str, object]:
        if self.cleaned_data.get("use") is False and not self.cleaned_data.get("reason"):
            self.add_error("reason", _("Choose why it is left out."))
        return self.cleaned_data


class BulkUseForm(UseForm):
    """The same for many units: those that are selected or all that match, and the answers of all or of one."""

    which = forms.ChoiceField(choices=[("selected", ""), ("all", "")])
    annotator = forms.CharField(required=False, max_length=18)


class AcceptForm(forms.Form):
    """Accept an answer or not, with a message. What a refusal needs is the action's to say."""

    accepted = forms.TypedChoiceField(choices=[("no", ""), ("yes", "")], coerce=lambda word: word == "yes")
    reason = forms.CharField(required=False, max_length=12)
    message = forms.CharField(required=False, max_length=MAX_COMMENT)
