"""What annotators agree to before they begin: texts by version, and who agreed to which."""

from django.db import transaction
from django.db.models import Exists, OuterRef
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounts.audit_log.entries import AuditEvent
from accounts.models import User
from campaigns.entry_gates.versioned_texts import NoText, add_version, newest_version
from campaigns.models import Campaign, Consent, ConsentText
from infrastructure.compiled_queries import Given, Prepared

MAX_LENGTH = 20_000
CHANGED = AuditEvent("consent_text_changed", gettext_lazy("Has a consent text of version %(version)s now."))
_given = Consent.objects.filter(text=OuterRef("pk"), user=Given("user"))
#: The newest text, and whether this person agreed to it.
_newest = Prepared(
    lambda: (
        ConsentText.objects.filter(campaign=Given("campaign"))
        .order_by("-version")
        .values_list("pk", Exists(_given))[:1]
    )
)


class ConsentNeeded(ValueError):
    """Nothing goes on before this person has agreed to `text`."""

    def __init__(self, text: ConsentText) -> None:
        super().__init__(_("Please read what you agree to first."))
        self.text = text


def new_version(campaign: Campaign, *, text: str, user: User) -> ConsentText:
    """Require consent to this text from all annotators from now on. An unchanged text creates no new version.

    Raises ValueError for a text that says nothing, or has no end.
    """
    try:
        return add_version(ConsentText, campaign, text=text, user=user, most=MAX_LENGTH, changed=CHANGED)
    except NoText as fault:
        raise ValueError(_("A text has something to say, in at most 20,000 characters.")) from fault


@transaction.atomic
def give_consent(campaign: Campaign, *, user: User, version: int | None) -> Consent | None:
    """Note that `user` agreed to the newest text; None where none is asked for.

    Raises ConsentNeeded if the version read is not the newest, or there is none. Agreeing twice is agreeing
    once.
    """
    newest = newest_text(campaign)
    if newest is None:
        return None
    if earlier := newest.consents.filter(user=user).first():
        return earlier
    if newest.version != version:
        raise ConsentNeeded(newest)
    return Consent.objects.get_or_create(text=newest, user=user)[0]


def newest_text(campaign: Campaign) -> ConsentText | None:
    return newest_version(ConsentText, campaign)


def consent_needed(campaign: Campaign, user: User) -> ConsentText | None:
    """The text to which `user` has still to agree, if there is one. One query where there is none."""
    newest = _newest.rows(campaign=campaign.pk, user=user.pk)
    return newest_text(campaign) if newest and not newest[0][1] else None


def require_consent(campaign: Campaign, user: User) -> None:
    """Raise ConsentNeeded unless `user` has agreed to the newest text, or there is none."""
    if text := consent_needed(campaign, user):
        raise ConsentNeeded(text)
