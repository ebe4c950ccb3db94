"""The accounts of an installation as a table: searched, filtered and sorted."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from django.db.models import Exists, F, Max, OuterRef, Q, QuerySet
from django.utils.translation import gettext_lazy as _

from accounts.models import ApiToken, Authenticator, User
from accounts.people import dependents


class Show(StrEnum):
    """Which accounts the table shows. Deleted ones have no name, and are never there."""

    ALL = "all"
    RESEARCHERS = "researchers"
    ADMINISTRATORS = "administrators"
    NO_RIGHT = "no-right"
    NO_FACTOR = "no-factor"
    NEVER = "never"
    DISABLED = "disabled"
    GUESTS = "guests"


TITLES = {
    Show.ALL: _("All but guests"),
    Show.RESEARCHERS: _("Researchers"),
    Show.ADMINISTRATORS: _("Administrators"),
    Show.NO_RIGHT: _("Neither researcher nor administrator"),
    Show.NO_FACTOR: _("Without a second factor"),
    Show.NEVER: _("Never logged in"),
    Show.DISABLED: _("Disabled"),
    Show.GUESTS: _("Guests"),
}
WHICH = {
    Show.RESEARCHERS: Q(is_researcher=True),
    Show.ADMINISTRATORS: Q(is_superuser=True),
    Show.NO_RIGHT: Q(is_researcher=False, is_superuser=False),
    Show.NO_FACTOR: Q(has_second_factor=False, is_active=True),
    Show.NEVER: Q(last_login=None),
    Show.DISABLED: Q(is_active=False),
}
#: What the table can be sorted by, with the title of the column.
COLUMNS = {
    "username": _("Username"),
    "email": _("E-mail address"),
    "last_login": _("Last log-in"),
}


@dataclass(frozen=True)
class Wanted:
    """What of the accounts is shown, in which order: a column, with a minus before it from the end."""

    search: str = ""
    show: Show = Show.ALL
    sort: str = "username"

    @property
    def column(self) -> str:
        return self.sort.removeprefix("-")

    @property
    def is_descending(self) -> bool:
        return self.sort.startswith("-")


def accounts_of_installation(wanted: Wanted = Wanted()) -> QuerySet[User]:
    """Those with a name, or the guests; each says whether it `has_second_factor`."""
    factors = Authenticator.objects.filter(user=OuterRef("pk"), confirmed=True)
    rows = User.objects.filter(_people(wanted.show)).annotate(has_second_factor=Exists(factors))
    if wanted.search:
        rows = rows.filter(Q(username__icontains=wanted.search) | Q(email__icontains=wanted.search))
    column = F(wanted.column)
    order = column.desc(nulls_last=True) if wanted.is_descending else column.asc(nulls_last=True)
    return rows.filter(WHICH.get(wanted.show, Q())).order_by(order, "pk")


def guests_of_installation() -> QuerySet[User]:
    """Those who label without a name; deleted accounts are none."""
    return User.objects.filter(_people(Show.GUESTS))


def last_seen(people: Iterable[User]) -> dict[int, datetime]:
    """When each logged in, used a token or was at work last; without those who never did."""
    logged_in = {person.pk: person.last_login for person in people if person.last_login}
    ids = [person.pk for person in people]
    used = ApiToken.objects.filter(user__in=ids, last_used_at__isnull=False).order_by().values_list("user")
    worked = {person.pk: person.last_worked_at for person in people if person.last_worked_at}
    found: list[Mapping[int, datetime]] = [logged_in, worked, dict(used.annotate(at=Max("last_used_at")))]
    found += dependents.last_seen(ids)
    return {pk: max(times[pk] for times in found if pk in times) for pk in set().union(*found)}


def _people(show: Show) -> Q:
    return Q(is_guest=True, is_active=True) if show == Show.GUESTS else Q(is_guest=False)
