"""Why something is undefined, has no interval or was left out: what analytics.stats says, as sentences to translate.

The statistics know no language, so they give reasons in English; here stands each that a page may show. One with
numbers in it is a template, and becomes a Phrase with those numbers.
"""

import re
from functools import cache

from infrastructure.phrases import Phrase

#: Whole sentences and templates, as analytics.stats and the kinds of reports word them.
REASONS = (
    Phrase("both raters gave one and the same label to every unit"),
    Phrase("no unit has labels from two raters"),
    Phrase("one unit alone says nothing of how others would vary"),
    Phrase("one cluster alone says nothing of how others would vary"),
    Phrase("every label is the same"),
    Phrase("all labels are the same, so there is nothing to tell apart"),
    Phrase("a scale of one category leaves no choice"),
    Phrase("no label has others to be compared with"),
    Phrase("fewer than two labels"),
    Phrase("no label"),
    Phrase("one label, counted for chance only"),
    Phrase("nobody else labelled it"),
    Phrase("the others have no majority"),
    Phrase("a tie, where only winners count"),
    Phrase("nothing to count"),
    Phrase("a label is missing"),
    Phrase("without one of the units it is undefined"),
    Phrase("without one of the clusters it is undefined"),
    Phrase("all units have the same overall label"),
    Phrase("it resolved none"),
    Phrase("no pair is bad on both sides"),
    Phrase("no pair has a winner"),
    Phrase("values that are all the same say nothing of how others would vary"),
    Phrase("a tie on one side"),
    Phrase("clusters that are all alike say nothing of how others would vary"),
    Phrase("scores that all lie on one line say nothing of how others would vary"),
    Phrase("a system against itself"),
    Phrase("a system without a score on one side"),
    Phrase("a tie"),
    Phrase("fewer than two verdicts"),
    Phrase("lengths too close"),
    Phrase("lost, which does not say whether it was acceptable"),
    Phrase("no score on one side"),
    Phrase("no score"),
    Phrase("no value"),
    Phrase("no verdict in one of the orders"),
    Phrase("no verdict"),
    Phrase("two raters whose κ is undefined"),
    Phrase("about this item alone"),
    Phrase("about these two items alone"),
    Phrase("about this rater alone"),
    Phrase("about these two raters alone"),
    Phrase("no unit to compare"),
    Phrase("it gave no answer to any of these units"),
    Phrase("a group is empty"),
    Phrase("fewer than three scores, or all on one turn"),
    Phrase("fewer than three systems, or all rank alike"),
    Phrase("no answer"),
    Phrase("no criterion is left"),
    Phrase("no pair is decided"),
    Phrase("no pair to count"),
    Phrase("no pair was decided in both orders"),
    Phrase("no pair was judged in both orders"),
    Phrase("no pairs"),
    Phrase("no reference label"),
    Phrase("no reference label, or no answer where that is left out"),
    Phrase("no two raters have a κ"),
    Phrase("no two raters said something of the same"),
    Phrase("no vote between responses that differ"),
    Phrase("no votes"),
    Phrase("all votes were ties"),
    Phrase("no winner named"),
    Phrase("nobody rated this system"),
    Phrase("not judged both ways"),
    Phrase("nothing fell to either side"),
    Phrase("one item alone says nothing of how others would vary"),
    Phrase("one side is always the same"),
    Phrase("the reference has ties"),
    Phrase("the two were right and wrong on the same units"),
    Phrase("this was never said"),
    Phrase("without one of the items it is undefined"),
    Phrase("no criterion was checked"),
    Phrase("it is the same for every system"),
    Phrase("the judge has no verdict on a unit without a human label"),
    Phrase("all human labels are the same"),
    Phrase("the judge always says the same"),
    Phrase("more than half of how far systems lie apart may be noise; more items are needed"),
    Phrase("how far systems truly lie apart cannot be told from noise; more items are needed"),
    Phrase("some systems took everything from the others, or nothing, so votes alone set no distance"),
    Phrase("fewer than %(n)s units with all labels", n="…"),
    Phrase("fewer than %(n)s pairs of scores", n="…"),
    Phrase("fewer than %(n)s systems with both scores", n="…"),
    Phrase("an interval needs %(least)s systems, and there are %(n)s", least="…", n="…"),
    Phrase("%(undefined)s of %(n)s resamples were undefined", undefined="…", n="…"),
    Phrase("%(undefined)s of %(n)s resamples rank nobody", undefined="…", n="…"),
    Phrase("it is known of %(n)s systems, and %(needed)s are needed", n="…", needed="…"),
    Phrase("%(n)s items with human labels; at least %(needed)s are needed", n="…", needed="…"),
    Phrase("the judge's verdicts narrow the interval by too little: it saves %(saved)s of the labels", saved="…"),
    Phrase(
        "people and judge differ on %(n)s labelled units only; how often they differ elsewhere cannot be told from "
        "fewer than %(needed)s",
        n="…", needed="…",
    ),
)  # fmt: skip
_HOLE = re.compile(r"%\\\((\w+)\\\)s")


def reason_phrase(said: str) -> str:
    """The reason as a Phrase; one that stands nowhere here stays as it is.

    >>> reason_phrase("3 of 1000 resamples were undefined").parts
    {'undefined': '3', 'n': '1000'}
    >>> reason_phrase("nobody was there")
    'nobody was there'
    """
    if isinstance(said, Phrase):
        return said
    whole, templates = _known()
    if said in whole:
        return whole[said]
    matches = ((template, pattern.fullmatch(said)) for template, pattern in templates)
    return next((Phrase(template, **found.groupdict()) for template, found in matches if found), said)


@cache
def _known() -> tuple[dict[str, Phrase], tuple[tuple[str, re.Pattern[str]], ...]]:
    whole = {reason.template: reason for reason in REASONS if not reason.parts}
    templates = (reason.template for reason in REASONS if reason.parts)
    return whole, tuple((template, _pattern(template)) for template in templates)


def _pattern(template: str) -> re.Pattern[str]:
    """Matches what a template becomes: numbers where it has holes."""
    return re.compile(_HOLE.sub(r"(?P<\1>[\\d.,%]+)", re.escape(template)))
