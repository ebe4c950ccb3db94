"""Texts of a campaign of which a change is a new version: what is agreed to, and guidelines."""

from typing import TypeVar

from django.db import transaction

from accounts.models import User
from campaigns.models import Campaign, ConsentText, GuidelinesText

Text = TypeVar("Text", ConsentText, GuidelinesText)


class NoText(ValueError):
    """It says nothing, has no end, or cannot be kept."""


@transaction.atomic
def add_version(kind: type[Text], campaign: Campaign, *, text: str, user: User, most: int) -> Text:
    """Let this text hold from now on. What is the newest already stays as it is.

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
    return kind.objects.create(campaign=campaign, version=version, text=text, made_by=user)


def newest_version(kind: type[Text], campaign: Campaign) -> Text | None:
    return kind.objects.filter(campaign=campaign).order_by("-version").first()
