"""How answers count where judges stand beside people: choices in which papers differ, each with today's as the first.

Which of them a figure follows is said in its address, so that the same address gives the same figure.
"""

from dataclasses import dataclass, fields

from infrastructure.wording.phrases import Phrase, phrased
from protocols import Aspect, Protocol

LEFT_OUT, HALF = "left_out", "half"
TIE, TWO = "tie", "two"
JUDGED = "judged"
#: No units where people say a tie; none where either side does; none where people say this kind.
OUT, WINNERS, BOTH_GOOD, BOTH_BAD = "out", "winners", "both_good", "both_bad"
TYPED = (BOTH_GOOD, BOTH_BAD)


@dataclass(frozen=True)
class Counting:
    """Choices by their names in addresses; empty is as usual.

    `missing` verdicts are wrong, left out, or half right. Where both orders `differ` there is no answer, a tie, or
    each order is a vote. People's own figures are `over` all pairs or those that a judge was asked about. `ties` are
    in or out. `people_aspect` is what people were asked where it is not what the judge was asked.
    """

    missing: str = ""
    differ: str = ""
    over: str = ""
    ties: str = ""
    people_aspect: str = ""


AS_USUAL = Counting()
NAMES = tuple(field.name for field in fields(Counting))
TITLES = {
    "missing": Phrase("Missing verdicts"),
    "differ": Phrase("Orders that disagree"),
    "over": Phrase("People count"),
    "ties": Phrase("Ties"),
    "people_aspect": Phrase("Aspect of people"),
}
_MISSING = (
    ("", Phrase("count as wrong")),
    (LEFT_OUT, Phrase("are left out")),
    (HALF, Phrase("count half")),
)
_DIFFER = (
    ("", Phrase("are no answer")),
    (TIE, Phrase("are a tie")),
    (TWO, Phrase("each order is a vote")),
)
_OVER = (("", Phrase("over all pairs")), (JUDGED, Phrase("over pairs that were judged")))
_TIES = (
    ("", Phrase("count as answers")),
    (OUT, Phrase("are left out where people say one")),
    (WINNERS, Phrase("are left out where either says one")),
)
_TYPED = ((BOTH_GOOD, Phrase("without both good")), (BOTH_BAD, Phrase("without both bad")))

Values = tuple[tuple[str, str], ...]


def counting_values(protocol: Protocol) -> dict[str, Values]:
    """By name, what can be chosen in a campaign that asks this; what people read beside what addresses say."""
    aspects = list(protocol.counted_aspects)
    found: dict[str, Values] = {"missing": _MISSING}
    if protocol.unit == "pair":
        found |= {"differ": _DIFFER}
    found |= {"over": _OVER}
    if any(set(aspect.scale.kind.values) & {TIE, *TYPED} for aspect in aspects):
        typed = any(set(TYPED) & set(aspect.scale.kind.values) for aspect in aspects)
        found |= {"ties": _TIES + (_TYPED if typed else ())}
    if len(aspects) > 1:
        named = tuple((aspect.name, phrased(aspect.title)) for aspect in aspects)
        found |= {"people_aspect": (("", Phrase("the same as the judge’s")), *named)}
    return found


def asked_of_people(protocol: Protocol, aspect: Aspect, counting: Counting) -> Aspect:
    """What people were asked where the judge was asked `aspect`: the chosen one, where both are answered alike."""
    if not counting.people_aspect or counting.people_aspect == aspect.name:
        return aspect
    other = protocol.aspect(counting.people_aspect)
    alike = other.per_response == aspect.per_response and _answers(other) == _answers(aspect)
    return other if alike else aspect


def _answers(aspect: Aspect) -> set[str]:
    """Which answers there are, all ties alike."""
    values = set(aspect.scale.kind.values)
    return (values - {TIE, *TYPED}) | ({TIE} if values & {TIE, *TYPED} else set())


def notes_of(counting: Counting) -> tuple[str, ...]:
    """What was counted otherwise than usual, in words."""
    said = {
        ("missing", LEFT_OUT): Phrase("Missing verdicts are left out."),
        ("missing", HALF): Phrase(
            "Missing verdicts count as half right; in κ they are a label that agrees with nobody."
        ),
        ("differ", TIE): Phrase("Where both orders disagree, the answer is a tie, which has no type."),
        ("differ", TWO): Phrase("Each order is a vote: units judged in both count twice, and are resampled whole."),
        ("over", JUDGED): Phrase("People and baselines count over units that a judge was asked about."),
        ("ties", OUT): Phrase("Units where people say a tie are left out."),
        ("ties", WINNERS): Phrase("Units where either side says a tie are left out."),
        ("ties", BOTH_GOOD): Phrase("Units where people say that both are good are left out."),
        ("ties", BOTH_BAD): Phrase("Units where people say that both are bad are left out."),
    }
    found = [said[name, value] for name in NAMES if (name, value := getattr(counting, name)) in said]
    if counting.people_aspect:
        found.append(
            Phrase("Judges are compared with what people say of another aspect, where both are answered alike.")
        )
    return tuple(found)
