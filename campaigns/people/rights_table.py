"""What may be done by whom, as the code that decides it says: asked of example accounts, never saved."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from accounts.models import User
from accounts.people.rights import PERMITTED
from campaigns.access import RIGHT_TEXTS, rights_of_roles
from campaigns.models import Role

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise

RESEARCHER = pgettext_lazy("of the installation", "Researcher")
ADMINISTRATOR = _("Administrator")


@dataclass(frozen=True)
class RightsTable:
    """The titles of the columns, and each permission with whether it is given to each."""

    columns: list["StrOrPromise"]
    rows: list[tuple["StrOrPromise", list[bool]]]


def rights_in_campaigns() -> RightsTable:
    """The roles of a campaign; and who administers the installation, or is a guest who annotates."""
    who: dict[StrOrPromise, frozenset[str]] = {
        role.label: frozenset(rights_of_roles(User(), [role])) for role in Role
    }
    who[_("Guest")] = frozenset(rights_of_roles(User(is_guest=True), [Role.ANNOTATOR]))
    who[ADMINISTRATOR] = frozenset(rights_of_roles(User(is_superuser=True), []))
    return RightsTable(
        list(who), [(text, [right in held for held in who.values()]) for right, text in RIGHT_TEXTS.items()]
    )


def rights_in_installation() -> RightsTable:
    """Accounts without a right, with each of the two, and guests."""
    who: dict[StrOrPromise, User] = {
        _("Account"): User(),
        RESEARCHER: User(is_researcher=True),
        ADMINISTRATOR: User(is_superuser=True),
        _("Guest"): User(is_guest=True),
    }
    return RightsTable(list(who), [(text, [may(user) for user in who.values()]) for text, may in PERMITTED])
