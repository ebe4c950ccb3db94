"""From where annotators came: by which invitation link, or by none."""

from collections.abc import Iterable
from dataclasses import replace

from analytics.data.label_arrays import Group, Rater
from campaigns.models import Arrival, Campaign, Membership, Role
from infrastructure.wording.phrases import Phrase


def by_source(campaign: Campaign, group: Group) -> dict[str, Group]:
    """The group's raters by the link by which they came first, in the order of the links; two queries.

    Imported raters came by none.
    """
    links = _links(campaign)
    found: dict[tuple[int, str], list[Rater]] = {}
    for rater in group.raters:
        found.setdefault(links.get(rater.key, (0, Phrase("By no link"))), []).append(rater)
    return {
        title: replace(group, title=title, raters=tuple(raters)) for (_pk, title), raters in sorted(found.items())
    }


def users_of(campaign: Campaign, raters: Iterable[Rater]) -> dict[str, int]:
    """By the rater's key, who they are: the same person has another pseudonym in every campaign."""
    rows = Membership.objects.filter(campaign=campaign, role=Role.ANNOTATOR).values_list("pseudonym", "user")
    users = {f"annotator-{pseudonym}": user for pseudonym, user in rows}
    return {rater.key: users[rater.key] for rater in raters if rater.key in users}


def _links(campaign: Campaign) -> dict[str, tuple[int, str]]:
    came = Arrival.objects.filter(invitation__campaign=campaign).order_by("-pk")
    links = {
        user: (pk, Phrase("Link %(n)s: %(note)s", n=pk, note=note) if note else Phrase("Link %(n)s", n=pk))
        for user, pk, note in came.values_list("user", "invitation", "invitation__note")
    }
    rows = Membership.objects.filter(campaign=campaign, role=Role.ANNOTATOR).values_list("pseudonym", "user")
    return {f"annotator-{pseudonym}": links[user] for pseudonym, user in rows if user in links}
