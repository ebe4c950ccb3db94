"""Searching the entries of the audit log."""

import re
from datetime import date
from typing import Any

from django import forms
from django.db.models import Q, QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounts.audit_log.entries import EVENTS, Subject
from accounts.models import AuditEntry, User

#: With the sign of a number before it and the full stop after it, which would stand beside the dots.
GAP = re.compile(r"#?%\(\w+\)s\.?")
NUMBER = re.compile(r"#?(\d{1,18})")


def event_title(code: str) -> str:
    """The event's text with dots for what differs; an event that is declared no more is its code."""
    return GAP.sub("…", str(EVENTS[code].text)) if code in EVENTS else code


def _events_there() -> list[tuple[str, str]]:
    """Those that occur in the log, by title."""
    codes = AuditEntry.objects.order_by().values_list("event", flat=True).distinct()
    return sorted(((code, event_title(code)) for code in codes), key=lambda it: it[1])


class AuditSearch(forms.Form):
    """What to look for; everything may be left out."""

    kind = forms.ChoiceField(
        label=gettext_lazy("About"), required=False, choices=[("", gettext_lazy("Everything")), *Subject.choices]
    )
    event = forms.ChoiceField(label=gettext_lazy("What happened"), required=False)
    person = forms.CharField(
        label=gettext_lazy("Person"),
        required=False,
        max_length=150,
        widget=forms.TextInput({"placeholder": gettext_lazy("username or #number")}),
    )
    subject = forms.CharField(label=gettext_lazy("Name contains"), required=False, max_length=200)
    since = forms.DateField(label=gettext_lazy("From"), required=False, widget=forms.DateInput({"type": "date"}))
    until = forms.DateField(label=gettext_lazy("To"), required=False, widget=forms.DateInput({"type": "date"}))

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["event"].choices = [("", _("Everything")), *_events_there()]  # type: ignore[attr-defined]

    def clean_person(self) -> int | None:
        """The number of the account."""
        said = str(self.cleaned_data["person"]).strip()
        if not said:
            return None
        if found := User.objects.filter(username=said, is_guest=False).first():
            return found.pk
        if number := NUMBER.fullmatch(said):
            return int(number[1])
        raise forms.ValidationError(_("There is no such account. A deleted one is found by its number."))


def entries_like(
    *,
    kind: str = "",
    event: str = "",
    person: int | None = None,
    subject: str = "",
    since: date | None = None,
    until: date | None = None,
) -> QuerySet[AuditEntry]:
    """Newest first. `person` is who did it or whom it concerns; both days are whole, in the site's time zone."""
    wanted = {
        "subject_kind": kind, "event": event, "subject_name__icontains": subject,
        "at__date__gte": since, "at__date__lte": until,
    }  # fmt: skip
    rows = AuditEntry.objects.filter(**{name: value for name, value in wanted.items() if value})
    if person is None:
        return rows
    concerned = Q(subject_kind=Subject.ACCOUNT, subject_number=person) | Q(params__account=person)
    return rows.filter(Q(by=person) | concerned)
