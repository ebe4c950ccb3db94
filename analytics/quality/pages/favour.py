"""The page of favours: who prefers a system more than others and taste explain, and the board without them."""

from collections.abc import Collection
from dataclasses import dataclass

from django.db.models import Count
from django.utils.translation import gettext_lazy as _

from analytics.data.hidden_names import shown_names
from analytics.quality.evidence import ENOUGH
from analytics.quality.favouring.boards import BoardRow, boards
from analytics.quality.favouring.weighed import Weighed, weighed
from analytics.quality.flags import open_flags
from annotation.assignment.next_unit import paused_annotators
from annotation.models import Assignment
from campaigns.models import Campaign, CampaignUnit, Membership
from campaigns.quality.rule import Rule
from infrastructure.wording.reasons import Reason
from stats.false_discoveries import e_bh
from stats.ratings.favour import FOR

#: Of those who are marked, at most this share are wrongly so on average.
WRONG_SHARE = 0.05
#: Beside those with enough evidence, so many with the most evidence are listed.
MOST_LISTED = 20
#: From which evidence on it is called what.
STRENGTHS = (
    (10_000.0, _("very strong")), (ENOUGH, _("strong")), (10.0, _("some, not enough")), (1.0, _("hardly any")),
    (0.0, _("none")),
)  # fmt: skip


@dataclass(frozen=True)
class Preference:
    """So many of `n` votes with a system went to it, or (`is_for` is false) against it; others let expect so many."""

    system: str
    is_for: bool
    n: int
    took: float
    expected: float
    evidence: float

    @property
    def strength(self) -> str:
        return str(next(word for least, word in STRENGTHS if self.evidence >= least))

    @property
    def one_of(self) -> int:
        """Of so many voters within the tolerance at most one ever gets here."""
        return int(min(max(self.evidence, 1.0), 1e9))


@dataclass(frozen=True)
class VoterRow:
    """`is_believed` says that it is one of the marked, of whom few are wrong; `left_out` that no answer is used."""

    member: Membership
    preference: Preference
    is_enough: bool
    is_believed: bool
    is_flagged: bool
    is_paused: bool
    left_out: bool
    is_away: bool


@dataclass(frozen=True)
class GroupRow:
    kind: str
    title: str
    members: tuple[Membership, ...]
    preference: Preference
    is_enough: bool


@dataclass(frozen=True)
class SharedPreference:
    """Some accounts favour the system, or its opponents; `members` are those whose own votes point there most."""

    system: str
    is_for: bool
    evidence: float
    members: tuple[Membership, ...]


@dataclass(frozen=True)
class NamedBoardRow:
    name: str
    row: BoardRow


@dataclass(frozen=True)
class FavourPage:
    """`voters` are how many were weighed; `why_not` says why nobody could be."""

    rule: Rule
    rows: tuple[VoterRow, ...]
    groups: tuple[GroupRow, ...]
    together: tuple[SharedPreference, ...]
    board: tuple[NamedBoardRow, ...]
    voters: int
    n: int
    why_not: Reason | None

    @property
    def tolerated_votes(self) -> int:
        """Of 100 in an even pair."""
        return round(100 * self.rule.tolerated)

    @property
    def away(self) -> list[Membership]:
        """Whose votes the second board does not have."""
        return [row.member for row in self.rows if row.is_away]


def favour_page(campaign: Campaign, *, without: Collection[int] | None = None) -> FavourPage:
    """`without` are the memberships that the second board does not have; by default all with enough evidence."""
    found = weighed(campaign)
    evidence = found.favours.of_voters
    known = [at for at, why in enumerate(found.favours.reason) if why is None]
    enough = {at for at in known if evidence[at] >= ENOUGH}
    if without is None:
        without = {found.members[int(found.favours.voters[at])] for at in enough}
    order = sorted(known, key=lambda at: -evidence[at])
    listed = order[: max(MOST_LISTED, len(enough))]
    names = shown_names(campaign, found.favours.systems)
    members = campaign.memberships.select_related("user").in_bulk(_named(found, listed))
    return FavourPage(
        rule=found.rule,
        rows=tuple(_rows(campaign, found, listed, members, names, without)),
        groups=tuple(_groups(found, members, names)),
        together=tuple(_together(found, members, names)),
        board=tuple(_board(found, without, names)),
        voters=len(known),
        n=len(found.cast.rows),
        why_not=next((why for why in found.favours.reason if why), None) if not known else None,
    )


def _rows(
    campaign: Campaign,
    found: Weighed,
    listed: list[int],
    members: dict[int, Membership],
    names: dict[str, str],
    without: Collection[int],
) -> list[VoterRow]:
    evidence = found.favours.of_voters
    believed = e_bh(evidence, share=WRONG_SHARE)
    flags, paused, used = open_flags(campaign), paused_annotators(campaign), _used(campaign)
    rows = []
    for at in listed:
        member = members[found.members[int(found.favours.voters[at])]]
        rows.append(
            VoterRow(
                member=member,
                preference=_preference(found, at, names),
                is_enough=bool(evidence[at] >= ENOUGH),
                is_believed=bool(believed[at]),
                is_flagged=(member.pk, "favour") in flags,
                is_paused=member.user_id in paused,
                left_out=not used.get(member.user_id, 0),
                is_away=member.pk in without,
            )
        )
    return rows


def _preference(found: Weighed, at: int, names: dict[str, str]) -> Preference:
    of = found.favours
    system, direction = of.strongest(at)
    return _worded(
        names[of.systems[system]], direction, int(of.n[at, system]), of.took[at, system], of.expected[at, system],
        float(of.of_voters[at]),
    )  # fmt: skip


def _worded(system: str, direction: int, n: int, took: float, expected: float, evidence: float) -> Preference:
    """Against a system counts what its opponents took."""
    is_for = direction == FOR
    sums = (took, expected) if is_for else (n - took, n - expected)
    return Preference(system, is_for, n, float(sums[0]), float(sums[1]), evidence)


def _groups(found: Weighed, members: dict[int, Membership], names: dict[str, str]) -> list[GroupRow]:
    return [
        GroupRow(
            it.group.kind,
            it.group.title,
            tuple(members[found.members[rater]] for rater in it.group.raters),
            _worded(names[found.favours.systems[it.system]], it.direction, it.n, it.took, it.expected, it.evidence),
            it.evidence >= ENOUGH,
        )
        for it in found.groups
    ]


def _together(found: Weighed, members: dict[int, Membership], names: dict[str, str]) -> list[SharedPreference]:
    return [
        SharedPreference(
            names[found.favours.systems[it.system]],
            it.direction == FOR,
            it.evidence,
            tuple(members[found.members[rater]] for rater in it.raters),
        )
        for it in found.together
    ]


def _board(found: Weighed, without: Collection[int], names: dict[str, str]) -> list[NamedBoardRow]:
    if not len(found.cast.rows):
        return []
    return [NamedBoardRow(names[found.favours.systems[row.system]], row) for row in boards(found, without)]


def _named(found: Weighed, listed: list[int]) -> set[int]:
    """The memberships of all whom the page names."""
    raters = {int(found.favours.voters[at]) for at in listed}
    raters |= {rater for it in found.groups for rater in it.group.raters}
    raters |= {rater for it in found.together for rater in it.raters}
    return {found.members[rater] for rater in raters}


def _used(campaign: Campaign) -> dict[int, int]:
    """How many answers of each annotator are used."""
    answered = campaign.assignments.filter(
        status=Assignment.Status.ANSWERED, excluded=False, campaign_unit__purpose=CampaignUnit.Purpose.STUDY
    )
    return dict(answered.order_by().values_list("annotator").annotate(n=Count("pk")))
