"""The switches of a board: what may be chosen, what is chosen, each in words."""

from collections.abc import Iterable
from dataclasses import dataclass

from django.utils.translation import gettext as _

from analytics.data.rater_groups import ALL_RATERS
from arena.standings.choices import BY_COLUMN, SHUFFLED, STEPS, Offer, Settings
from infrastructure.templatetags.wording import worded


@dataclass(frozen=True)
class Choice:
    value: str
    title: str
    chosen: bool


@dataclass(frozen=True)
class Switch:
    name: str
    title: str
    choices: tuple[Choice, ...]


def switches(offer: Offer, now: Settings) -> list[Switch]:
    """Those that have something to choose from."""
    found = [
        _switch("aspect", _("Aspect"), ((name, worded(title)) for name, title in offer.aspects.items()), now.aspect),
        _switch("category", _("Category"), [("", _("All")), *((it, it) for it in offer.categories)], now.category),
        _switch("by", _("Answers of"), _evaluators(offer), now.by),
        _switch("excluded", _("Excluded answers"), _excluded(offer, now), "1" if now.excluded else ""),
        _switch("method", _("Method"), _methods(now), now.method),
        _switch("ties", _("Ties"), _ties(offer, now), now.ties),
        _switch("errors", _("Errors"), _errors(now), now.errors),
        _switch("k", _("Step of Elo (K)"), ((step, step) for step in STEPS), f"{now.k:g}"),
        _switch("order", _("Order of Elo"), _orders(offer, now), now.order),
    ]
    if now.method == "elo":
        found = [it for it in found if it.name != "errors"]
    else:
        found = [it for it in found if it.name not in ("k", "order")]
    return [it for it in found if len(it.choices) > 1]


def _switch(name: str, title: str, choices: Iterable[tuple[str, str]], chosen: str) -> Switch:
    return Switch(name, title, tuple(Choice(value, text, value == chosen) for value, text in choices))


def _evaluators(offer: Offer) -> list[tuple[str, str]]:
    if ALL_RATERS in offer.by:
        return [("", _("This rater")), (ALL_RATERS, _("All raters of this name"))]
    groups = ((group, worded(title)) for group, title in offer.groups.items())
    judges = (
        (by, _("Judge %(judge)s (run %(n)s)") % {"judge": it.judge, "n": it.run})
        for by, it in offer.boards_of_runs.items()
    )
    return [("", _("Everybody")), *groups, *judges, *((it, it) for it in offer.by)]


def _excluded(offer: Offer, now: Settings) -> list[tuple[str, str]]:
    """Of a judge's verdicts none is ever left out by people or rules."""
    if not offer.has_exclusions or now.of_judge:
        return []
    return [("", _("Left out")), ("1", _("Counted as well"))]


def _methods(now: Settings) -> list[tuple[str, str]]:
    elo = _("Elo, in the order of the units") if now.of_judge else _("Elo, in the order of the answers")
    elo = _("Elo") if now.order else elo
    return [
        ("bradley_terry", _("Bradley–Terry")),
        ("contextual", _("Bradley–Terry at equal duration, loudness, rate and position")),
        ("elo", elo),
    ]


def _ties(offer: Offer, now: Settings) -> list[tuple[str, str]]:
    found = [("half", _("Half a win each")), ("decisive", _("Left out"))]
    if now.aspect in offer.typed:
        found += [("without_both_bad", _("Without both bad")), ("without_both_good", _("Without both good"))]
    return (
        found if now.method == "contextual" else [*found, ("davidson", _("With a parameter of their own (Davidson)"))]
    )


def _orders(offer: Offer, now: Settings) -> list[tuple[str, str]]:
    recorded = _("As the units stand") if now.of_judge else _("As the answers were recorded")
    columns = ((f"{BY_COLUMN}{it}", _("By the column “%(name)s”") % {"name": it}) for it in offer.columns)
    return [("", recorded), (SHUFFLED, _("Mean over 1,000 shuffled orders")), *columns]


def _errors(now: Settings) -> list[tuple[str, str]]:
    clusters = _("Over items (sandwich)") if now.of_judge else _("Over voters and items (sandwich)")
    found = [("clusters", clusters), ("votes", _("Each vote for itself (sandwich)"))]
    if not now.may_resample:
        return found
    found.append(("bootstrap", _("Bootstrap over votes")))
    return found if now.of_judge else [*found, ("cluster_bootstrap", _("Bootstrap over voters"))]
