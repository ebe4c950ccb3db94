"""What is wrong with a campaign before it opens: what keeps it from opening, and what one should only know."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from urllib.parse import quote

from django.urls import reverse
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from campaigns.audio.delivery import (
    clips_at_other_levels,
    clips_that_cannot_match,
    highest_target_of,
    items_without_prompt,
    undelivered_clips,
    units_without_audio,
    where_heard,
)
from campaigns.control_units.forecast import GuesserForecast
from campaigns.control_units.guessing import control_units, guesser_forecast, noticed_text
from campaigns.control_units.reach import Reach, reach_of
from campaigns.entry_gates.gates import unready_gates
from campaigns.entry_gates.system_name_leaks import systems_named
from campaigns.models import LABEL, Campaign, CampaignUnit, Invitation, Role
from campaigns.rubrics.progress import must_be_reviewed, reviewed
from corpus.audio.delivery import QUIETEST_TARGET
from corpus.models import Clip, UnitMember
from infrastructure.templatetags.wording import worded

Purpose = CampaignUnit.Purpose
#: So many recordings are named.
MOST_NAMED = 5
#: A guesser who passes all control units more often than this is not caught by them.
MOST_GUESSED = 0.05
#: A guesser whom the rules notice less often than this goes unseen too easily.
LEAST_NOTICED = 0.95
_TITLES: dict[str, Promise] = {
    Purpose.GOLD: gettext_lazy("gold units"),
    Purpose.IDENTICAL: gettext_lazy("identical pairs"),
    Purpose.REPEAT: gettext_lazy("repeats"),
    Purpose.TRAP: gettext_lazy("spoken traps"),
}


@dataclass(frozen=True)
class Obstacle:
    """Something that is wrong, what to do about it and where. A warning keeps no campaign from opening."""

    message: str
    fix: str
    url: str = ""
    is_warning: bool = False


def obstacles(campaign: Campaign) -> list[Obstacle]:
    """Everything that keeps the campaign from opening, in the order in which one would mend it."""
    return [
        *_about_units(campaign),
        *_about_audio(campaign),
        *_about_title(campaign),
        *_about_gold(campaign),
        *_about_gates(campaign),
        *_about_criteria(campaign),
        *_about_the_end(campaign),
    ]


def warnings(campaign: Campaign) -> list[Obstacle]:
    """What one should know before opening."""
    return [
        *_about_prompts(campaign),
        *_about_islands(campaign),
        *_about_loudness(campaign),
        *_about_other_levels(campaign),
        *_about_what_an_arena_leaves_out(campaign),
        *_about_equal_files(campaign),
        *_about_overlap(campaign),
        *_about_control_units(campaign),
        *_about_people(campaign),
    ]


def islands_of_systems(campaign: Campaign) -> list[list[str]]:
    """The names of the systems in groups that units of the study connect, the largest group first."""
    chosen = list(campaign.systems.all()) or list(campaign.dataset.systems.all())
    names = {system.pk: system.name for system in chosen}
    groups = components(names, [tuple(edge) for edge in _compared(campaign)])
    return sorted(([names[one] for one in group] for group in groups), key=lambda group: (-len(group), group))


def components(nodes: Iterable[int], edges: Iterable[tuple[int, ...]]) -> list[list[int]]:
    """The connected components of a graph, each in the order of its nodes; an edge connects all that it names.

    >>> components([1, 2, 3, 4], [(1, 3), (4, 4)])
    [[1, 3], [2], [4]]
    """
    leader = {node: node for node in nodes}

    def lead(node: int) -> int:
        while leader[node] != node:
            leader[node] = leader[leader[node]]
            node = leader[node]
        return node

    for first, *others in edges:
        for other in others:
            leader[lead(leader.setdefault(other, other))] = lead(leader.setdefault(first, first))
    groups: dict[int, list[int]] = {}
    for node in leader:
        groups.setdefault(lead(node), []).append(node)
    return list(groups.values())


def _compared(campaign: Campaign) -> Iterator[tuple[int, ...]]:
    """The systems that stand side by side, once for each set of them."""
    study = campaign.campaign_units.filter(purpose=Purpose.STUDY).order_by()
    if campaign.protocol.unit == "pair":
        yield from study.values_list("unit__a__system", "unit__b__system").distinct()
        return
    members = UnitMember.objects.filter(unit__in=study.values("unit")).order_by("unit")
    by_unit: dict[int, list[int]] = {}
    for unit, system in members.values_list("unit", "response__system"):
        by_unit.setdefault(unit, []).append(system)
    yield from {tuple(systems) for systems in by_unit.values()}


def _about_units(campaign: Campaign) -> Iterator[Obstacle]:
    if not campaign.campaign_units.filter(purpose=Purpose.STUDY).exists():
        yield Obstacle(
            _("The campaign has no units."), _("Choose its units."), reverse("launch-units", args=[campaign.slug])
        )
    if silent := units_without_audio(campaign):
        yield Obstacle(
            _("Units without audio: %(n)s, first %(first)s.") % {"n": len(silent), "first": silent[0]},
            _("Import the dataset again with its audio: rows that are there keep their labels."),
            reverse("import-new"),
        )


def _about_prompts(campaign: Campaign) -> Iterator[Obstacle]:
    if mute := items_without_prompt(campaign):
        yield Obstacle(
            _("Items without a prompt: %(n)s, first %(first)s. Only the responses are heard there.")
            % {"n": len(mute), "first": mute[0]},
            _("If people should know what was asked, import a table with item, system and prompt_text."),
            f"{reverse('import-new')}?dataset_name={quote(campaign.dataset.name)}",
            is_warning=True,
        )


def _about_audio(campaign: Campaign) -> Iterator[Obstacle]:
    here = reverse("launch-open", args=[campaign.slug]) + "#audio"
    if campaign.audio_problems:
        message = _("Clips that cannot be delivered: %(n)s, first %(first)s. %(reason)s")
        first = campaign.audio_problems[0]
        parameters = {"n": len(campaign.audio_problems), "first": first["where"], "reason": worded(first["message"])}
        yield Obstacle(message % parameters, _remedy(campaign), here)
    elif missing := undelivered_clips(campaign).count():
        message = _("Clips whose audio is not prepared: %(n)s.") % {"n": missing}
        yield Obstacle(message, _("Prepare the audio below."), here)


def _remedy(campaign: Campaign) -> str:
    """What helps against everything that kept clips from being delivered."""
    refused = [problem for problem in campaign.audio_problems if not problem.get("is_unreadable")]
    sentences = []
    if len(refused) < len(campaign.audio_problems):
        sentences.append(_("Import the dataset again with its audio: rows that are there keep their labels."))
    if refused and all(problem["highest_target_lufs"] is not None for problem in refused):
        highest = min(problem["highest_target_lufs"] for problem in refused)
        is_too_low = highest < QUIETEST_TARGET
        choose = _("No loudness fits them all.") if is_too_low else _("Choose %(highest)s LUFS or lower below.")
        sentences.append(choose % {"highest": f"{highest:g}"})
        sentences.append(_("With the field left empty, clips keep their levels."))
    if refused:
        sentences.append(how_to_leave_out(campaign))
    return " ".join(sentences)


def how_to_leave_out(campaign: Campaign) -> str:
    """The way in which a campaign does without some responses; only pairs can be named one by one."""
    if campaign.protocol.unit == "pair":
        return _("To leave responses out, choose under Units a file of pairs that does not name them.")
    return _("To leave responses out, import a dataset without them.")


def _about_title(campaign: Campaign) -> Iterator[Obstacle]:
    if names := systems_named(campaign.dataset, campaign.title)[0]:
        yield Obstacle(
            _("The title names %(systems)s, and annotators read it.") % {"systems": ", ".join(names)},
            _("Blind means blind: choose a title that names no system."),
            reverse("launch-systems", args=[campaign.slug]),
        )


def _about_gold(campaign: Campaign) -> Iterator[Obstacle]:
    if n := campaign.campaign_units.filter(purpose=Purpose.GOLD, expected={}).count():
        yield Obstacle(
            _("Gold units without answers: %(n)s. Nobody could pass or fail them.") % {"n": n},
            _("Upload the gold units again, with an answer for each."),
            reverse("checks", args=[campaign.slug]),
        )


def _about_gates(campaign: Campaign) -> Iterator[Obstacle]:
    here = reverse("gates", args=[campaign.slug])
    for message, fix in unready_gates(campaign):
        yield Obstacle(message, fix, here)


def _about_criteria(campaign: Campaign) -> Iterator[Obstacle]:
    if must_be_reviewed(campaign) and (waiting := reviewed(campaign)).left:
        message = ngettext(
            "Criteria are reviewed for %(done)s of %(total)s item.",
            "Criteria are reviewed for %(done)s of %(total)s items.",
            waiting.total,
        )
        yield Obstacle(
            message % {"done": waiting.done, "total": waiting.total},
            _("Review the others under Rubric."),
            reverse("rubric", args=[campaign.slug]),
        )


def _about_the_end(campaign: Campaign) -> Iterator[Obstacle]:
    if campaign.closes_at and campaign.closes_at <= timezone.now():
        yield Obstacle(
            _("The day on which it closes is over."),
            _("Choose a later one, or none."),
            reverse("launch-answers", args=[campaign.slug]),
        )


def _about_islands(campaign: Campaign) -> Iterator[Obstacle]:
    if campaign.protocol.unit == "single":
        return
    groups = islands_of_systems(campaign)
    if len(groups) > 1 and max(map(len, groups)) > 1:
        listed = "; ".join(", ".join(group) for group in groups[:4])
        yield Obstacle(
            _("Systems in %(n)s islands that no unit connects: %(groups)s.") % {"n": len(groups), "groups": listed},
            _("Ratings across islands cannot be compared. Choose units that connect them, or fewer systems."),
            reverse("launch-units", args=[campaign.slug]),
            is_warning=True,
        )


def _about_loudness(campaign: Campaign) -> Iterator[Obstacle]:
    if campaign.target_lufs is None:
        yield Obstacle(
            _("Loudness is not matched: the louder of two clips tends to be preferred."),
            _("Match loudness, unless how loud a system is belongs to what you study."),
            reverse("launch-protocol", args=[campaign.slug]),
            is_warning=True,
        )


def _about_other_levels(campaign: Campaign) -> Iterator[Obstacle]:
    """Clips whose level is not what the campaign says of all: differences in loudness are never hidden."""
    if not (found := clips_at_other_levels(campaign)):
        return
    parameters = {"n": len(found), "names": _named([row.clip for row in found])}
    if campaign.target_lufs is None:
        message = _("Clips turned down, by up to %(db)s dB, so that full scale does not cut them: %(n)s (%(names)s).")
        parameters["db"] = f"{-found[0].gain_db:.1f}"
        fix = _("Against the others they are quieter than they were recorded. Match loudness to avoid that.")
    else:
        message = _(
            "Clips without a loudness to match (silent, or nearly), delivered as they are: %(n)s (%(names)s)."
        )
        fix = _("A system that answered with silence can be judged like any other.")
    yield Obstacle(
        message % parameters,
        f"{fix} {how_to_leave_out(campaign)}",
        reverse("launch-units", args=[campaign.slug]),
        is_warning=True,
    )


def _named(clips: list[Clip]) -> str:
    return ", ".join(where_heard(clip) for clip in clips[:MOST_NAMED]) + (", …" if len(clips) > MOST_NAMED else "")


def _about_what_an_arena_leaves_out(campaign: Campaign) -> Iterator[Obstacle]:
    """An arena draws from all recordings of its systems, not only from those of its units."""
    if campaign.label_page == LABEL or not (clips := list(clips_that_cannot_match(campaign))):
        return
    parameters = {"n": len(clips), "names": _named(clips), "target": f"{campaign.target_lufs:g}"}
    yield Obstacle(
        _("Recordings that miss %(target)s LUFS and would be left out of the arena: %(n)s (%(names)s).") % parameters,
        _("Choose a target of %(highest)s LUFS or lower: at a higher one, peaks would be clipped.")
        % {"highest": f"{highest_target_of(clips):g}"},
        reverse("launch-protocol", args=[campaign.slug]),
        is_warning=True,
    )


def _about_equal_files(campaign: Campaign) -> Iterator[Obstacle]:
    """Files saved from a campaign that reveals names can be recognised in one that is blind."""
    others = Campaign.objects.filter(dataset=campaign.dataset, target_lufs=campaign.target_lufs)
    others = others.exclude(pk=campaign.pk).exclude(status=Campaign.Status.DRAFT)
    if campaign.delivery_rate:
        others = others.filter(delivery_rate=campaign.delivery_rate)
    # Answers are final where the names of the systems are shown after each of them.
    titles = list(others.filter(answers_are_final=not campaign.answers_are_final).values_list("title", flat=True)[:4])
    if not titles:
        return
    if campaign.answers_are_final:
        message = _("This campaign reveals names, and the same files are heard blind in: %(titles)s.")
    else:
        message = _("The same files are heard in a campaign that reveals names: %(titles)s.")
    yield Obstacle(
        message % {"titles": ", ".join(titles)},
        _("Choose another loudness target, so that no file is equal, or keep people from taking part in both."),
        reverse("launch-protocol", args=[campaign.slug]),
        is_warning=True,
    )


def _about_overlap(campaign: Campaign) -> Iterator[Obstacle]:
    """In an arena the number of answers plays no part: a pair is voted on by as many people as come."""
    if campaign.is_open_ended:
        return
    repeats = campaign.campaign_units.filter(purpose=Purpose.REPEAT)
    if campaign.answers_per_unit < 2 and not repeats.exists():
        yield Obstacle(
            _("One answer per unit and no repeats: there is nothing from which to compute agreement."),
            _("Ask for two answers or more, or have a share of the units repeated."),
            reverse("launch-answers", args=[campaign.slug]),
            is_warning=True,
        )


def _about_control_units(campaign: Campaign) -> Iterator[Obstacle]:
    """How many an annotator meets who answers every unit, and whether a guesser is seen by them."""
    reach = _reach(campaign)
    if reach is None or not reach.there:
        return
    here, parameters = reverse("checks", args=[campaign.slug]), {"met": reach.met, "there": reach.there}
    parameters["units"] = reach.units
    if reach.met < reach.there:
        kinds = ", ".join(f"{_TITLES[name]} {n:.1f}" for name, n in reach.by_purpose.items() if n)
        message = _("Who answers all %(units)s units meets %(met)s of the %(there)s control units.") % parameters
        message += " " + (_("On average: %(kinds)s.") % {"kinds": kinds} if kinds else _("None can be met."))
        fix = _("Let them come more often, or take fewer, or more units.")
        yield Obstacle(message, fix, here, is_warning=True)
    if reach.guessed is not None and reach.guessed > MOST_GUESSED:
        message = _("Who guesses passes every control unit with a chance of %(percent)s %%.")
        fix = _("Add gold units or spoken traps that have one right answer.")
        yield Obstacle(message % {"percent": round(100 * reach.guessed)}, fix, here, is_warning=True)
    yield from _about_guessers(campaign)


def _about_guessers(campaign: Campaign) -> Iterator[Obstacle]:
    """Whether rules notice an annotator who guesses, by control units alone; and repeats that cannot come."""
    if (found := guesser_forecast(campaign)) is None:
        return
    here, rules = reverse("checks", args=[campaign.slug]), reverse("quality-rules", args=[campaign.slug])
    if found.out_of_reach:
        message = ngettext(
            "%(n)s repeat cannot come: at least %(apart)s units must lie before the second time, of %(units)s.",
            "%(n)s repeats cannot come: at least %(apart)s units must lie before the second time, of %(units)s.",
            found.out_of_reach,
        )
        parameters = {"n": found.out_of_reach, "apart": found.apart, "units": found.units}
        yield Obstacle(message % parameters, _("Choose more units, or no repeats."), here, is_warning=True)
    yield Obstacle(*_noticed(found), here if found.is_noticed(LEAST_NOTICED) else rules, is_warning=True)


def _noticed(found: GuesserForecast) -> tuple[str, str]:
    """When rules notice an annotator who guesses; and when they do something about it, or how they would."""
    if found.flagged is None:
        return _("No rule says anything about who guesses."), _("Let a rule at least warn.")
    message = _("A rule notices who guesses: %(when)s.") % {"when": noticed_text(found.flagged, units=found.units)}
    if found.stopped is None:
        then = _("No rule pauses or excludes such a person: a person has to decide.")
    else:
        when = noticed_text(found.stopped, units=found.units)
        then = _("A rule pauses or excludes such a person: %(when)s.") % {"when": when}
    if not found.is_noticed(LEAST_NOTICED):
        then += " " + _("Add gold units or spoken traps, let them come more often, or let rules speak sooner.")
    return message, then


def _reach(campaign: Campaign) -> Reach | None:
    """In an arena nobody knows how many units a voter will answer."""
    if campaign.is_open_ended:
        return None
    if not (rows := control_units(campaign, apart=0)):
        return None
    chances: dict[str, list[float]] = {}
    for it in rows:
        chances.setdefault(it.kind, []).append(it.passes)
    units = campaign.campaign_units.filter(purpose=Purpose.STUDY).count()
    return reach_of(chances, units=units, check_every=campaign.check_every)


def _about_people(campaign: Campaign) -> Iterator[Obstacle]:
    if Invitation.objects.filter(campaign=campaign, revoked_at=None).exists():
        return
    n = campaign.memberships.filter(role=Role.ANNOTATOR, ended_at=None).count()
    if campaign.is_open_ended:
        yield from _about_voters(campaign, n)
    elif n < campaign.answers_per_unit:
        message = ngettext(
            "Each unit is to have %(wanted)s answer; annotators there are: %(n)s.",
            "Each unit is to have %(wanted)s answers by different people; annotators there are: %(n)s.",
            campaign.answers_per_unit,
        )
        yield Obstacle(
            message % {"wanted": campaign.answers_per_unit, "n": n},
            _("Add annotators, or make an invitation link; you can do so after opening, too."),
            reverse("members", args=[campaign.slug]),
            is_warning=True,
        )


def _about_voters(campaign: Campaign, n: int) -> Iterator[Obstacle]:
    """An arena that is not public is only for those who were invited; its terms are the arena's row."""
    arena = getattr(campaign, "arena", None)
    if not n and not (arena and arena.is_public):
        yield Obstacle(
            _("Nobody can vote yet: there are no annotators and no invitation link."),
            _("Add annotators, make an invitation link, or open voting to all who have the address."),
            reverse("members", args=[campaign.slug]),
            is_warning=True,
        )
