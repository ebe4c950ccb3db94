"""What a board says of its method."""

from dataclasses import dataclass

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from analytics.data.votes import of_judges
from arena.standings.choices import BY_COLUMN, SHUFFLED, Settings
from arena.standings.tables import Json
from infrastructure.wording.reasons import Reason
from stats.ratings.table import ESTABLISHED

#: Fewer voters, or items, tell badly how voters, or items, differ (Cameron & Miller 2015, §VI).
FEW_CLUSTERS = 20


@dataclass(frozen=True)
class Effect:
    """What a covariate does to ratings, in words."""

    title: str
    means: str
    rating: Json


def effects(island: Json) -> list[Effect]:
    """Those of an island's context; empty where the ratings have none."""
    titles = {"seconds": _("Duration"), "loudness": _("Loudness"), "rate": _("Speaking rate"), "first": _("Position")}
    return [Effect(titles[it["name"]], _effect(it), it) for it in island.get("effects", ())]


def _effect(it: Json) -> str:
    """A sentence on one effect, by its interval: up, down, or neither beyond doubt."""
    if it["value"] is None:
        return ""
    more = {
        "seconds": _("A response that is a second longer"),
        "loudness": _("A response that is 1 LU louder"),
        "rate": _("A response with one word more in a second"),
        "first": _("The response that is heard first"),
    }[it["name"]]
    if it["low"] is None or it["low"] <= 0 <= it["high"]:
        return _("%(more)s is neither preferred nor passed over beyond doubt.") % {"more": more}
    if it["value"] > 0:
        return _("%(more)s is preferred, as if its system had so many points more.") % {"more": more}
    return _("%(more)s is passed over, as if its system had so many points less.") % {"more": more}


def claims(table: Json, *, of_judge: bool) -> str:
    """What may be said on the strength of a board with votes, and what not; empty for one without."""
    if not table["n"]:
        return ""
    whose = _("this judge’s verdicts") if of_judge else _("the votes of these people")
    said = _(
        "That one system is preferred to another of the same table by %(whose)s, on items like these and by this "
        "question, where the comparison of the two below says so. Not that two systems "
        "are equal because their whiskers overlap, not how good a system is by itself, and not how far systems of "
        "different tables lie apart."
    )
    return said % {"whose": whose}


def described(table: Json, settings: Settings) -> str:
    """How the ratings came about, in a sentence or two."""
    left_out = {
        "without_both_good": _("Votes that find both good do not count."),
        "without_both_bad": _("Votes that find both bad do not count."),
    }.get(settings.ties, "")
    return " ".join(filter(None, [_how(table, settings), left_out]))


def _how(table: Json, settings: Settings) -> str:
    if settings.method == "elo":
        step = f"{settings.k:g}"
        if settings.order == SHUFFLED:
            return _(
                "The mean of online Elo with K = %(k)s from 1000 over 1,000 shuffled orders of the votes. The ends "
                "hold 95 %% of the orders: they say how far the order alone moves a rating, not what other votes "
                "would say."
            ) % {"k": step}
        if settings.order:
            return _(
                "Online Elo with K = %(k)s from 1000, in the order of the column “%(column)s”; votes without a value "
                "come last. It depends on that order and has no interval, so there are no ranks."
            ) % {"k": step, "column": settings.order.removeprefix(BY_COLUMN)}
        if settings.of_judge:
            return _(
                "Online Elo with K = %(k)s from 1000, in the order of the units’ keys, for a judge’s verdicts come "
                "in no order of their own. It depends on that order and has no interval, so there are no ranks."
            ) % {"k": step}
        return _(
            "Online Elo with K = %(k)s from 1000, in the order in which the answers were recorded. It depends on "
            "that order and has no interval, so there are no ranks."
        ) % {"k": step}
    return " ".join(filter(None, [_model(settings), _centre(table), _intervals(table)]))


def _model(settings: Settings) -> str:
    if settings.method == "contextual":
        return _(
            "Bradley–Terry at equal context, by maximum likelihood: what would be left of the distances if responses "
            "were equally long, loud and fast, and heard in the same place; the mean is 1000."
        )
    if settings.ties == "davidson":
        return _("Davidson’s model of wins and ties, by maximum likelihood; the mean is 1000.")
    if settings.ties == "decisive":
        return _("Bradley–Terry by maximum likelihood from the votes that name a winner; the mean is 1000.")
    return _("Bradley–Terry by maximum likelihood, a tie as half a win each; the mean is 1000.")


def _centre(table: Json) -> str:
    """Whose mean is 1000, and who does not count in it yet."""
    rows = [row for island in table["islands"] for row in island["rows"] if row["rating"]["value"] is not None]
    new = [row["system"] for row in rows if not row["established"]]
    if not new:
        return ""
    return _(
        "The mean is that of established systems, which have at least %(part)s of the median number of votes; so a "
        "newcomer moves and widens nobody else. Not yet established: %(new)s."
    ) % {"part": f"{100 * ESTABLISHED:g} %", "new": ", ".join(new)}


def _intervals(table: Json) -> str:
    voters = ngettext("%(n)s voter", "%(n)s voters", table["voters"]) % {"n": table["voters"]}
    items = ngettext("%(n)s item", "%(n)s items", table["items"]) % {"n": table["items"]}
    over = table["errors_over"]
    if over == "items" and "judged" in table:
        said = _(
            "95 %% intervals from sandwich errors over %(items)s alone: a judge’s run is one voter, so they do not "
            "say how other judges, or another run, would vary."
        )
    elif over == "bootstrap":
        said = _("95 %% intervals from 1,000 resamples of the votes.")
    elif over == "cluster_bootstrap" and table["voters"] < 2:
        said = _("No intervals: all votes are of one voter, and voters are what is resampled.")
    elif over == "cluster_bootstrap":
        said = _("95 %% intervals from 1,000 resamples of the %(voters)s, each with all their votes.")
    elif over == "voters and items":
        said = _("95 %% intervals from sandwich errors over %(voters)s and %(items)s.")
    elif over == "items":
        said = _("95 %% intervals from sandwich errors over %(items)s; all votes are of one voter.")
    elif over == "voters":
        said = _("95 %% intervals from sandwich errors over %(voters)s; all votes are on one item.")
    else:
        said = _("95 %% intervals from sandwich errors, each vote for itself.")
    return " ".join(filter(None, [said % {"voters": voters, "items": items}, _few(table), _looks(table)]))


def _looks(table: Json) -> str:
    """How often one may look; one look at imported labels, which do not grow, needs no word."""
    if not table.get("at_every_look"):
        return ""
    return _(
        "Look as often as you like: each interval holds at every look, and ranks, and who beats whom, hold for all "
        "systems at once. For one look intervals would be three fifths as wide."
    )


def _few(table: Json) -> str:
    """What to make of intervals over fewer clusters than tell how they vary; empty where there are enough."""
    over = table["errors_over"]
    counted = {"voters": table["voters"], "items": table["items"]}
    few = [name for name, n in counted.items() if name in over.split(" and ") and n < FEW_CLUSTERS]
    said = {
        ("voters",): _("Few voters"), ("items",): _("Few items"), ("voters", "items"): _("Few voters and few items"),
    }  # fmt: skip
    if not few:
        return ""
    return _(
        "%(few)s: how they differ is known only roughly. Intervals are wider for it, and none is narrower than the "
        "same votes each for itself would give."
    ) % {"few": said[tuple(few)]}


@dataclass(frozen=True)
class JudgedUnits:
    """Whose verdicts the votes are, and what became of those that are none, in words."""

    run: int
    judge: str
    heard: str
    n_votes: int
    n_units: int
    left_out: tuple[tuple[int, Reason], ...]
    unread: tuple[tuple[int, Reason], ...]


def judged_units(table: Json) -> JudgedUnits | None:
    """None where the votes are people's, or of labels. Verdicts are counted where a unit has several."""
    said = table.get("judged")
    if not said:
        return None
    left_out = tuple((n, why) for why, n in said["left_out"])
    several = said["orders"] == "both" or said["samples"] > 1
    missing = [(n, _MISSING[status]) for status, n in said["verdicts"] if status in _MISSING]
    return JudgedUnits(
        said["run"], said["judge"], _heard(said), said["units"] - sum(n for n, _why in left_out), said["units"],
        left_out, tuple(missing) if several else (),
    )  # fmt: skip


_MISSING = {str(status): why for status, why in of_judges.WITHOUT_ANSWER.items()}


def _heard(said: Json) -> str:
    """How the verdicts on a unit became one vote."""
    sentences = {
        "ab": _("It heard each pair as it is stored."),
        "ba": _("It heard each pair the other way round than it is stored."),
        "both": _("It heard each pair in both orders; a vote is what both say, and where they differ there is none."),
    }
    found = [sentences[said["orders"]]]
    if said["samples"] > 1:
        found.append(
            _("Of %(n)s samples in one order the majority counts, and without one there is no vote.")
            % {"n": said["samples"]}
        )
    return " ".join(found)
