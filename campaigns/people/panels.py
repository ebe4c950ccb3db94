"""Panels: the numbers with which they send people here, and the way back for each outcome."""

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from urllib.parse import quote, urlsplit

from django.utils.translation import gettext as _

from accounts.models import User
from campaigns.models import Arrival, Campaign, Invitation, Outcome, Panel

PROLIFIC_RETURN = "https://app.prolific.com/submissions/complete?cc={code}"
#: What a panel puts into the address: our word, then the panel's.
PARAMETERS = {
    Panel.PROLIFIC: {"participant": "PROLIFIC_PID", "study": "STUDY_ID", "session": "SESSION_ID"},
    Panel.PID: {"participant": "pid"},
}
#: What is to be pasted behind the link; the panel fills it in for each person.
PLACEHOLDERS: dict[str, str] = {
    Panel.PROLIFIC: "?PROLIFIC_PID={{%PROLIFIC_PID%}}&STUDY_ID={{%STUDY_ID%}}&SESSION_ID={{%SESSION_ID%}}",
    Panel.PID: "?pid=",
}
NUMBER = re.compile(r"[A-Za-z0-9_.~:@+-]{1,100}")
CODE = re.compile(r"[A-Za-z0-9_-]{1,60}")


@dataclass(frozen=True)
class PanelIds:
    """The participant's numbers at the panel that sent them. Without a participant: unknown."""

    participant: str = ""
    study: str = ""
    session: str = ""

    def as_dict(self) -> dict[str, str]:
        return asdict(self)


NO_PARTICIPANT = PanelIds()


@dataclass(frozen=True)
class WayBack:
    """The return address for a panel's participants; a code without an address has to be typed in there."""

    panel_name: str
    code: str = ""
    url: str = ""


def panel_ids(panel: str, parameters: Mapping[str, str]) -> PanelIds:
    """The panel's numbers among the parameters of an address; NOBODY where there is no participant among them.

    A placeholder that the panel did not fill in is no number.
    """
    found = {ours: parameters.get(theirs, "") for ours, theirs in PARAMETERS.get(Panel(panel), {}).items()}
    known = {ours: number for ours, number in found.items() if NUMBER.fullmatch(number)}
    return PanelIds(**known) if "participant" in known else NO_PARTICIPANT


def url_fault(template: str) -> str:
    """What is wrong with an address to return to, or nothing."""
    address = template.replace("{pid}", "p").replace("{code}", "c")
    try:
        parts = urlsplit(address)
        host = parts.hostname
    except ValueError:
        return _("This is no address.")
    if parts.scheme not in {"http", "https"} or not host or parts.netloc != urlsplit(template).netloc:
        return _("An address begins with https:// or http:// and the name of a site.")
    if parts.username is not None or re.search(r"[\s{}\\]|[^ -~]", address):
        return _("Only {pid} and {code} may stand in it, and no spaces or special signs.")
    return ""


def way_back(user: User, campaign: Campaign, outcome: str) -> WayBack | None:
    """How `user`, who came from a panel, returns there; None for all others.

    Without a code for the outcome neither code nor address is known: then they had better return the submission.
    """
    arrivals = Arrival.objects.filter(user=user, invitation__campaign=campaign).exclude(participant="")
    arrival = arrivals.select_related("invitation").order_by("pk").last()
    return way_back_of(arrival.invitation, arrival.participant, outcome) if arrival else None


def way_back_of(invitation: Invitation, participant: str, outcome: str) -> WayBack | None:
    """The same for a visitor who came by this link and has no account yet."""
    if not invitation.panel:
        return None
    name = "Prolific" if invitation.panel == Panel.PROLIFIC else _("the panel")
    code = invitation.code_for(outcome)
    if outcome == Outcome.NO_CONSENT:
        code = code or invitation.code_for(Outcome.SCREENED_OUT)
    template = PROLIFIC_RETURN if invitation.panel == Panel.PROLIFIC else invitation.return_url
    if not template or not _leads_somewhere(template, participant, code, outcome):
        return WayBack(name, code)
    url = template.replace("{pid}", quote(participant, safe="")).replace("{code}", quote(code, safe=""))
    return WayBack(name, code, url)


def _leads_somewhere(template: str, participant: str, code: str, outcome: str) -> bool:
    """Whether everything is known that the address needs; one without a code in it means that all is well."""
    if "{pid}" in template and not participant:
        return False
    return bool(code) if "{code}" in template else outcome == Outcome.COMPLETED
