"""Invitation links: created, disabled, and followed by people who become annotators."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounts.audit_log.entries import AuditEvent
from accounts.login.guests import make_guest
from accounts.models import User
from campaigns.access import why_no_new_work
from campaigns.audit_log import record_in
from campaigns.models import Arrival, Campaign, ConsentText, Invitation, Membership, Outcome, Panel, Role
from campaigns.people.consent import consent_needed, give_consent, newest_text
from campaigns.people.members import join_campaign
from campaigns.people.panels import CODE, NO_PARTICIPANT, PanelIds, url_fault
from infrastructure.templatetags.wording import worded

MOST_AT_ONCE = 500
INVITATIONS_MADE = AuditEvent("invitations_made", gettext_lazy("Invitation links were made: %(n)s."))
INVITATION_CLOSED = AuditEvent("invitation_closed", gettext_lazy("An invitation link was closed."))


class InvalidInvitation(ValueError):
    """A link cannot be made like this. `errors` has the messages by field of Terms; codes are `code_…`."""

    def __init__(self, errors: dict[str, str]) -> None:
        super().__init__("; ".join(errors.values()))
        self.errors = errors


class InvitationRefused(ValueError):
    """Joining by this link is not possible, for all or for this person. The message is for them."""


class LogInFirst(InvitationRefused):
    """They may get in once they have said who they are."""


@dataclass(frozen=True)
class Terms:
    """Whom a link lets in, and how they get back to where they came from. `codes` are by Outcome."""

    max_uses: int | None = 1
    expires_at: datetime | None = None
    allows_guests: bool = True
    minutes: int | None = None
    note: str = ""
    panel: str = Panel.NONE
    return_url: str = ""
    codes: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Visit:
    """What a visitor of a link sees: whether they have joined already, or the reason why they cannot join."""

    joined: bool = False
    reason: str = ""
    must_log_in: bool = False
    consent: ConsentText | None = None


@transaction.atomic
def make_invitations(campaign: Campaign, *, terms: Terms, user: User, how_many: int = 1) -> list[Invitation]:
    """So many links on the same terms. Raises InvalidInvitation."""
    if archived := why_no_new_work(campaign):
        raise InvalidInvitation({"how_many": worded(archived)})
    if errors := _faults(terms, how_many):
        raise InvalidInvitation(errors)
    made = [
        Invitation.objects.create(
            campaign=campaign,
            created_by=user,
            max_uses=terms.max_uses,
            expires_at=terms.expires_at,
            allows_guests=terms.allows_guests,
            minutes=terms.minutes,
            note=terms.note,
            panel=terms.panel,
            return_url=terms.return_url,
            **{f"code_{outcome}": code for outcome, code in terms.codes.items()},
        )
        for _n in range(how_many)
    ]
    record_in(campaign, INVITATIONS_MADE, by=user, n=how_many)
    return made


@transaction.atomic
def revoke_invitation(invitation: Invitation, *, by: User) -> Invitation:
    """Disable this link. Annotators who joined by it stay."""
    invitation = Invitation.objects.select_for_update().get(pk=invitation.pk)
    if invitation.revoked_at is None:
        invitation.revoked_at = timezone.now()
        invitation.save(update_fields=["revoked_at"])
        record_in(invitation.campaign, INVITATION_CLOSED, by=by)
    return invitation


@transaction.atomic
def accept_invitation(
    token: str,
    *,
    user: User | None = None,
    ids: PanelIds = NO_PARTICIPANT,
    click: str = "",
    agreed: int | None = None,
) -> User:
    """Make `user`, or a guest without a name, an annotator; return the account.

    A participant who comes again, and the same `click` sent twice, is the person who came before. `agreed` is the
    version of the consent text that was read. Raises Invitation.DoesNotExist, InvitationRefused, ConsentNeeded.
    """
    invitation = _locked(token)
    if invitation.panel and not ids.participant:
        raise InvitationRefused(_("Your participant number is missing. Open the study from the panel again."))
    admitted = _admission(invitation, user=user, ids=ids, click=click)
    person = admitted.person or make_guest()
    if admitted.arrival and ids.session:
        Arrival.objects.filter(pk=admitted.arrival.pk).update(study=ids.study, session=ids.session)
    elif admitted.takes_a_place:
        use = invitation.arrivals.count() + 1
        Arrival.objects.create(invitation=invitation, user=person, use=use, click=click, **ids.as_dict())
    give_consent(invitation.campaign, user=person, version=agreed)
    join_campaign(invitation.campaign, user=person)
    return person


def visit(invitation: Invitation, *, user: User | None, ids: PanelIds) -> Visit:
    """What awaits this person. Writes nothing."""
    try:
        admitted = _admission(invitation, user=user, ids=ids)
    except InvitationRefused as refusal:
        return Visit(reason=str(refusal), must_log_in=isinstance(refusal, LogInFirst))
    person = admitted.person
    text = consent_needed(invitation.campaign, person) if person else newest_text(invitation.campaign)
    joined = admitted.is_member and not admitted.takes_a_place and person == user
    return Visit(joined=joined, consent=text)


@dataclass(frozen=True)
class _Admission:
    """A person who may join: an account, or None for a guest without one yet."""

    person: User | None
    arrival: Arrival | None
    is_member: bool
    takes_a_place: bool


def _admission(invitation: Invitation, *, user: User | None, ids: PanelIds, click: str = "") -> _Admission:
    """Raises InvitationRefused. Those who came by this link before need no place, whatever became of the link's."""
    if reason := _why_shut(invitation):
        raise InvitationRefused(reason)
    person = _person(invitation, user, ids, click)
    arrival = invitation.arrivals.filter(user=person).first() if person else None
    if arrival and ids.participant and arrival.participant != ids.participant:
        raise InvitationRefused(
            _("You came by this link under another participant number. Log out, and open it again.")
        )
    is_member = person is not None and _is_member(invitation.campaign, person)
    takes_a_place = arrival is None and (not is_member or bool(invitation.panel))
    if takes_a_place and (reason := _why_full(invitation)):
        raise InvitationRefused(reason)
    if person is None and not invitation.allows_guests:
        raise LogInFirst(_("This study is for people with an account. Log in, and you come back here."))
    return _Admission(person, arrival, is_member, takes_a_place)


def _person(invitation: Invitation, user: User | None, ids: PanelIds, click: str) -> User | None:
    """Whose account it is. A participant number counts more than who used this browser as a guest before."""
    account = None if user and user.is_guest and invitation.panel else user
    before = _before(invitation, ids, click)
    if before is None or before.user == account:
        return account
    if account and not invitation.panel:
        return account
    if account:
        raise InvitationRefused(_("Another account uses this participant number. Log out, and open the link again."))
    if not before.user.is_guest:
        raise LogInFirst(_("You have an account by now. Log in, and you come back here."))
    return before.user


def _before(invitation: Invitation, ids: PanelIds, click: str) -> Arrival | None:
    """The arrival of this participant by any link of the campaign, or that of the same click."""
    if invitation.panel:
        same = {"invitation__campaign": invitation.campaign_id, "invitation__panel": invitation.panel}
        found = Arrival.objects.filter(**same, participant=ids.participant).exclude(participant="")
    else:
        found = invitation.arrivals.filter(click=click).exclude(click="")
    return found.select_related("user").first()


def _is_member(campaign: Campaign, person: User) -> bool:
    """Whether `person` labels here already. Raises InvitationRefused for a former annotator."""
    member = Membership.objects.filter(campaign=campaign, user=person, role=Role.ANNOTATOR).first()
    if member and member.ended_at:
        raise InvitationRefused(
            _(
                "You took part in this study and have left it. If you want to come back, "
                "ask the person who invited you."
            )
        )
    return member is not None


def _why_shut(invitation: Invitation) -> str:
    """Why joining is not possible at all, or nothing."""
    if invitation.revoked_at:
        return _("This link is no longer valid. Ask the person who gave it to you for another.")
    status = Campaign.Status(invitation.campaign.status)
    is_over = status == Campaign.Status.OPEN and not invitation.campaign.takes_answers
    if is_over or invitation.campaign.archived_at is not None:
        status = Campaign.Status.CLOSED
    return {
        Campaign.Status.DRAFT: _("This study has not begun yet. Come back later."),
        Campaign.Status.PAUSED: _("This study is paused for the moment. Come back later."),
        Campaign.Status.CLOSED: _("This study is over. Thank you for your interest."),
    }.get(status, "")


def _why_full(invitation: Invitation) -> str:
    """Why new people cannot join, or nothing."""
    if invitation.has_expired:
        return _("This link has expired. Ask the person who gave it to you for another.")
    if invitation.max_uses is None or invitation.arrivals.count() < invitation.max_uses:
        return ""
    if invitation.max_uses == 1:
        return _("This link was for one person, and it has been used. Ask the person who gave it to you for another.")
    return _("As many people as were wanted have come by this link. Thank you for your interest.")


def _locked(token: str) -> Invitation:
    """Lock the campaign's row first, as adding members does; so people join one after the other."""
    invitation = Invitation.objects.get(token=token)
    Campaign.objects.select_for_update().get(pk=invitation.campaign_id)
    return Invitation.objects.select_for_update(of=("self",)).select_related("campaign").get(pk=invitation.pk)


def _faults(terms: Terms, how_many: int) -> dict[str, str]:
    """What is wrong, by field."""
    found = {
        f"code_{outcome}": _("Letters, digits, - and _ only, at most sixty.")
        for outcome, code in terms.codes.items()
        if code and not CODE.fullmatch(code)
    }
    if terms.max_uses is not None and terms.max_uses < 1:
        found["max_uses"] = _("At least one person has to get in.")
    if not 1 <= how_many <= MOST_AT_ONCE:
        found["how_many"] = _("At most %(most)s links at once.") % {"most": MOST_AT_ONCE}
    if terms.expires_at and terms.expires_at <= timezone.now():
        found["expires_at"] = _("That is already over.")
    return found | _panel_faults(terms)


def _panel_faults(terms: Terms) -> dict[str, str]:
    found = {}
    if terms.panel not in Panel.values:
        found["panel"] = _("There is no such panel.")
    elif terms.panel and terms.max_uses == 1:
        found["max_uses"] = _("A panel sends everybody to the same link, so let in more than one.")
    completed = terms.codes.get(Outcome.COMPLETED, "")
    if not completed and (terms.panel == Panel.PROLIFIC or "{code}" in terms.return_url):
        found["code_completed"] = _("Without it people cannot show that they have finished.")
    if terms.return_url and terms.panel != Panel.PID:
        found["return_url"] = _("Only for another panel than Prolific, whose address is known.")
    elif terms.return_url and (fault := url_fault(terms.return_url)):
        found["return_url"] = fault
    if unknown := set(terms.codes) - set(Outcome.values):
        found["panel"] = _("There are no codes for %(outcomes)s.") % {"outcomes": ", ".join(sorted(unknown))}
    return found
