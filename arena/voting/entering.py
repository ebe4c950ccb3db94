"""People come into a public arena by themselves: with their account, or as guests."""

from django.db import transaction
from django.utils.translation import gettext as _

from accounts.login.guests import make_guest
from accounts.models import User
from arena.models import ArenaSettings, Entry
from arena.settings.limits import require_room
from campaigns.models import Campaign, Membership, Role
from campaigns.people.consent import give_consent
from campaigns.people.members import join_campaign


class EntryRefused(ValueError):
    """Joining is not possible, for all or for this person. The message is for them."""


@transaction.atomic
def enter(arena: ArenaSettings, *, user: User | None, agreed: int | None = None, origin: str = "") -> User:
    """Make `user`, or a guest without a name, a voter; return who it is. Coming twice is coming once.

    `agreed` is the version of the consent text that was read. Raises EntryRefused, TooManyVotes, ConsentNeeded.
    """
    campaign = Campaign.objects.select_for_update(no_key=True).get(pk=arena.campaign_id)
    if not arena.is_public:
        raise EntryRefused(_("This arena is for people who were invited."))
    if reason := why_shut(campaign):
        raise EntryRefused(reason)
    if user is None:
        if not arena.takes_guests:
            raise EntryRefused(_("This arena is for people with an account. Log in first."))
        require_room(arena, origin=origin)
    elif has_left(campaign, user):
        raise EntryRefused(_("You took part in this arena and have left it."))
    person = user or make_guest()
    give_consent(campaign, user=person, version=agreed)
    member = join_campaign(campaign, user=person)
    Entry.objects.get_or_create(membership=member, defaults={"origin": origin, "as_guest": user is None})
    return person


def has_left(campaign: Campaign, user: User) -> bool:
    """Whether `user` voted here and does not any more, by their own wish or another's."""
    return Membership.objects.filter(
        campaign=campaign, user=user, role=Role.ANNOTATOR, ended_at__isnull=False
    ).exists()


def why_shut(campaign: Campaign) -> str:
    """Why voting is not possible at the moment, or nothing."""
    if campaign.takes_answers:
        return ""
    if campaign.status == Campaign.Status.PAUSED:
        return _("This arena is paused for the moment. Come back later.")
    return _("This arena is over. Thank you for your interest.")
