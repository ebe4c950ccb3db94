"""Texts of a campaign of which a change is a new version: what is agreed to, and guidelines."""

from typing import TypeVar

from django.db import transaction

from accounts.audit_log.entries import AuditEvent
from accounts.models import User
from campaigns.audit_log import record_in
from campaigns.models import Campaign, ConsentText, GuidelinesText

Text = TypeVar("Text", ConsentText, GuidelinesText)


class NoText(ValueError):
    """It says nothing, has no end, or cannot be kept."""


@transaction.atomic
def add_version(
    kind: type[Text], campaign: Campaign, *, text: str, user: User, most: int, changed: AuditEvent
) -> Text:
    """Let this text hold from now on, as the audit log says by `changed`. What is the newest already stays as it is.

    Raises NoText for a text that says nothing, or has more than `most` characters.
    """
    text = text.replace("\r\n", "\n").strip()
    if not text or len(text) > most or "\x00" in text:
        raise NoText
    Campaign.objects.select_for_update().get(pk=campaign.pk)
    newest = newest_version(kind, campaign)
    if newest and newest.text == text:
        return newest
    version = newest.version + 1 if newest else 1
    record_in(campaign, changed, by=user, version=version)
    return kind.objects.create(campaign=campaign, version=version, text=text, made_by=user)


def newest_version(kind: type[Text], campaign: Campaign) -> Text | None:
    return kind.objects.filter(campaign=campaign).order_by("-version").first()
