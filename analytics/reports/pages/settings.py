"""A report's settings as addresses say them: filters that all kinds have, and the choices of the kind."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from analytics.data.label_arrays import Reading
from analytics.data.rater_groups import groups_of
from analytics.data.votes.table import categories_of
from analytics.judged.counting import Counting
from analytics.reports.contract import Option, ReportKind
from analytics.reports.judging.panel import counting_options
from analytics.reports.source import Settings
from campaigns.models import Campaign
from infrastructure.wording.phrases import Phrase

FILTERS = ("category", "group", "order", "excluded")


@dataclass(frozen=True)
class Choice:
    """An option with the value that was chosen."""

    option: Option
    chosen: str


def filters_of(campaign: Campaign) -> tuple[Option, ...]:
    """What every kind can be narrowed to in this campaign; a choice of one is none, and is not offered."""
    categories = tuple((name, name) for name in categories_of(campaign))
    groups = tuple(groups_of(campaign).items())
    everything = (
        Option("category", Phrase("Category"), (("", Phrase("All")), *categories)),
        Option("group", Phrase("People"), (("", Phrase("Everybody")), *groups)),
        Option(
            "order",
            Phrase("Heard"),
            (
                ("", Phrase("In either order")),
                ("ab", Phrase("As stored, or order not known")),
                ("ba", Phrase("Turned round, or order not known")),
            ),
        ),
        Option("excluded", Phrase("Left out"), (("", Phrase("Without")), ("with", Phrase("With what was left out")))),
    )
    return tuple(it for it in everything if len(it.values) > 1)


def read_settings(campaign: Campaign, kind: ReportKind, said: Mapping[str, str]) -> Settings:
    """What an address says; what is none of the choices is passed over."""
    chosen = {it.option.name: it.chosen for it in choices(campaign, kind, said)}
    return Settings(_reading(chosen), {name: value for name, value in chosen.items() if name not in FILTERS})


def choices(campaign: Campaign, kind: ReportKind, said: Mapping[str, str]) -> list[Choice]:
    """Every option with what is chosen of it, those of the kind first. One without a value is none yet."""
    return _chosen((*kind.options(campaign), *filters_of(campaign)), said)


def filter_choices(campaign: Campaign, said: Mapping[str, str]) -> list[Choice]:
    """The filters alone, for pages that are no report."""
    return _chosen(filters_of(campaign), said)


def counting_choices(campaign: Campaign, said: Mapping[str, str]) -> list[Choice]:
    """How answers count beside a reference, for pages that are no report."""
    return _chosen(counting_options(campaign), said)


def counting_of(chosen: Iterable[Choice]) -> Counting:
    return Counting(**{it.option.name: it.chosen for it in chosen})


def reading_of(chosen: Iterable[Choice]) -> Reading:
    return _reading({it.option.name: it.chosen for it in chosen})


def _reading(chosen: Mapping[str, str]) -> Reading:
    return Reading(
        chosen.get("category", ""), chosen.get("group", ""), chosen.get("order", ""), bool(chosen.get("excluded"))
    )


def _chosen(options: Iterable[Option], said: Mapping[str, str]) -> list[Choice]:
    found = []
    for option in options:
        if not option.values:
            continue
        possible = [value for value, _title in option.values]
        wanted = said.get(option.name, "")
        found.append(Choice(option, wanted if wanted in possible else next(iter(possible), "")))
    return found


def no_choices(campaign: Campaign, kind: ReportKind, said: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """What is said and is none of the choices: its name, and what there is in its place."""
    return not_among(choices(campaign, kind, said), said)


def not_among(found: Iterable[Choice], said: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """The same of the choices that were found; what is said and empty is not chosen."""
    known = {choice.option.name: choice for choice in found}
    for name, value in said.items():
        if name not in known:
            yield name, f"{name} is no choice here. There is {', '.join(known) or 'none'}."
        elif value and known[name].chosen != value:
            possible = ", ".join(repr(it) for it, _title in known[name].option.values)
            yield name, f"{name}={value} is no choice here. There is {possible}."


def as_address(settings: Settings) -> dict[str, str]:
    """The settings as an address has them, without what is meant anyway."""
    reading = settings.reading
    found = {
        "category": reading.category,
        "group": reading.group,
        "order": reading.order,
        "excluded": "with" if reading.with_excluded else "",
    }
    return {name: value for name, value in (*sorted(settings.options.items()), *found.items()) if value}
