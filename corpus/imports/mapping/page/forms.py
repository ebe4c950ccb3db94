"""The form of a mapping: a line for each column of the file, and a table for each column whose values are mapped."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Any

from django import forms
from django.http import QueryDict
from django.utils.translation import gettext_lazy as _

from corpus.imports.mapping.guessing.guess import with_values
from corpus.imports.mapping.guessing.profile import ColumnProfile, Profile
from corpus.imports.mapping.mapping import (
    ANSWERS,
    AS_WRITTEN,
    BY_SYSTEM,
    FIELDS,
    LEFT_OUT,
    MAX_NAME,
    MISSING,
    NAMES_SYSTEM,
    PAIRS,
    RATERS,
    RESPONSES,
    SCORES,
    SHAPES,
    VERDICTS,
    WITH_VALUES,
    TableMapping,
    Use,
)
from infrastructure.wording.names import require_visible

NOT_USED = ""
GROUPS: list[tuple[Any, list[tuple[str, Any]]]] = [
    (_("Item"), [
        ("item", _("Item: its key")), ("category", _("Category")), ("prompt_text", _("Prompt: text")),
        ("prompt_audio", _("Prompt: audio")), ("dimension", _("Dimension")), ("capability", _("Capability")),
        ("criteria", _("Criteria of the rubric")), ("reference_translation", _("Reference translation")),
    ]),
    (_("One response"), [
        ("system", _("System")), ("response_audio", _("Response: audio")), ("response_text", _("Response: text")),
        ("take", _("Take")), ("turn", _("Turn")),
    ]),
    (_("Two responses"), [
        ("system_a", _("System A")), ("audio_a", _("Audio of A")), ("system_b", _("System B")),
        ("audio_b", _("Audio of B")), ("pair", _("Key of the pair")),
        ("score_a", _("Score of A: the higher one wins")), ("score_b", _("Score of B: the higher one wins")),
    ]),
    (_("Answers"), [
        ("answer", _("Answer: a choice or a rating")), ("annotator", _("Rater")), ("recorded_at", _("Time")),
        ("comment", _("Comment")), ("aspect", _("Question that the row answers")),
    ]),
    (_("Verdicts"), [
        ("judge", _("Judge")), ("order", _("Order: AB or BA")), ("setting", _("Setting that distinguishes judges")),
        ("condition", _("Changed sound")), ("reasoning", _("Reasoning")),
        ("status", _("Status: ok, unparsed, refused, error")), ("sample", _("Sample: 0, 1, …")),
    ]),
]  # fmt: skip
#: What can be said of a whole table, and how it is asked.
WHOLE_TABLE: list[tuple[str, Any]] = [
    ("system", _("System")), ("system_a", _("System A")), ("system_b", _("System B")), ("annotator", _("Rater")),
    ("judge", _("Judge")), ("order", _("Order: AB or BA")), ("condition", _("Changed sound")),
]  # fmt: skip
#: What a cell of a column of verdicts can be: by place, or by the side whose response is better.
PLACES = [("1", _("The one heard first")), ("2", _("The one heard second")), ("a", _("A is better")),
          ("b", _("B is better")), ("tie", _("Tie")), ("both_good", _("Both good")), ("both_bad", _("Both bad")),
          ("yes", _("Yes")), ("no", _("No")), ("same", _("Same")), (MISSING, _("Missing: could not be read")),
          (BY_SYSTEM, _("The response of the system of this name")), (AS_WRITTEN, _("As written"))]  # fmt: skip
SHAPE_CHOICES = [
    (RESPONSES, _("One response, or one for each system side by side, with or without ratings")),
    (PAIRS, _("A pair of responses, with or without labels")),
    (ANSWERS, _("Answers only: about responses or pairs of a dataset")),
]
SIDES = [("a", _("A is better")), ("b", _("B is better")), ("tie", _("Tie")), ("both_good", _("Both good")),
         ("both_bad", _("Both bad")), ("same", _("Same")),
         (BY_SYSTEM, _("The response of the system of this name"))]  # fmt: skip


@dataclass
class ValueLine:
    field: str
    value: str
    n: int
    meant: str
    options: list[tuple[str, Any]]


@dataclass
class ColumnLine:
    """One column of the file: what stands in it, and what it becomes."""

    n: int
    profile: ColumnProfile
    use: Use
    values: list[ValueLine] = field(default_factory=list)
    others: list[tuple[str, Any]] = field(default_factory=list)
    #: each value, with how many rows have it and whether only such rows are read
    only: list[tuple[str, int, bool]] = field(default_factory=list)

    @property
    def n_only(self) -> int:
        return sum(read for _value, _n, read in self.only)


@dataclass
class FixedLine:
    """What holds for the whole table, as it is asked in tables of these shapes."""

    name: str
    label: Any
    value: str
    shapes: str


class RecipeNameForm(forms.Form):
    name = forms.CharField(label=_("Name"), max_length=MAX_NAME, validators=[require_visible])


class RecipeFileForm(forms.Form):
    file = forms.FileField(label=_("Recipe"), help_text=_("A JSON file that was downloaded here."))


def groups_by_shape(shapes: Sequence[str] = SHAPES) -> list[tuple[Any, list[tuple[str, Any, str]]]]:
    """The choices in their groups, each with the classes `in-SHAPE` of the shapes that can use it."""
    return [
        (group, [(becomes, label, " ".join(f"in-{it}" for it in shapes if becomes in FIELDS[it]))
                 for becomes, label in options])
        for group, options in GROUPS
    ]  # fmt: skip


def lines_of(mapping: TableMapping, profile: Profile, systems: Collection[str] | None) -> list[ColumnLine]:
    """`systems` are those of the dataset; None where there is no dataset yet."""
    found = []
    for n, column in enumerate(profile.columns):
        line = ColumnLine(n, column, mapping.columns.get(column.name, Use(NOT_USED)))
        if line.use.becomes in WITH_VALUES:
            options = _options(line.use, mapping.shape, systems)
            line.values = [
                ValueLine(f"value-{n}-{k}", value, count, *_meant(line.use, value, options, systems, mapping.shape))
                for k, (value, count) in enumerate(column.values.items())
            ]
            if not column.few:
                line.others = [("", _("Not decided yet")), (AS_WRITTEN, _("As written")), (LEFT_OUT, _("Leave out"))]
        read = mapping.only.get(column.name, ())
        line.only = [(value, count, value in read) for value, count in column.values.items()]
        found.append(line)
    return found


def fixed_lines(mapping: TableMapping, shapes: Sequence[str] = SHAPES) -> list[FixedLine]:
    """The fields about the whole table, each with the classes `in-SHAPE` of the shapes that can use it."""
    return [
        FixedLine(name, label, mapping.fixed.get(name, ""), of)
        for name, label in WHOLE_TABLE
        if (of := " ".join(f"in-{it}" for it in shapes if name in FIELDS[it]))
    ]


def posted_mapping(
    data: QueryDict, profile: Profile, systems: Collection[str] | None, *, shapes: Sequence[str] = SHAPES
) -> TableMapping:
    """What the form says; values that it did not ask for yet are guessed. What has no place is unused."""
    shape = str(data.get("shape")) if data.get("shape") in shapes else shapes[0]
    named = {value for n, column in enumerate(profile.columns) for value in column.values
             if str(data.get(f"becomes-{n}", "")).startswith("system")}  # fmt: skip
    named |= {str(data.get(f"name-{n}", "")) for n, _column in enumerate(profile.columns)
              if data.get(f"becomes-{n}") in NAMES_SYSTEM}  # fmt: skip
    columns = {}
    for n, column in enumerate(profile.columns):
        becomes = str(data.get(f"becomes-{n}", ""))
        if becomes in FIELDS[shape]:
            use = _posted_use(data, n, column, becomes, shape)
            guesses = f"value-{n}-0" not in data and f"others-{n}" not in data
            columns[column.name] = with_values(use, column, shape, named, systems or ()) if guesses else use
    fixed = {name: text for name, _label in WHOLE_TABLE if name in FIELDS[shape]
             if (text := str(data.get(f"fixed-{name}", "")).strip()[:MAX_NAME])}  # fmt: skip
    raters = str(data.get("raters", ""))
    return TableMapping(shape, columns, _posted_only(data, profile), fixed, raters if raters in RATERS else "")


def _posted_only(data: QueryDict, profile: Profile) -> dict[str, tuple[str, ...]]:
    """By column the values of the rows that are read; nothing where none was chosen, or all that there are."""
    found = {}
    for n, column in enumerate(profile.columns):
        chosen = {*data.getlist(f"only-{n}")}
        read = tuple(value for value in column.values if value in chosen)
        if read and (len(read) < len(column.values) or column.n_empty):
            found[column.name] = read
    return found


def _posted_use(data: QueryDict, n: int, column: ColumnProfile, becomes: str, shape: str) -> Use:
    asked = ("name", "rater", "system", "order", "condition")
    name, rater, system, order, condition = (str(data.get(f"{it}-{n}", "")).strip()[:MAX_NAME] for it in asked)
    is_answer = becomes in ("answer", "comment", *SCORES)
    is_verdict = is_answer and shape == VERDICTS
    posted = {value: str(data.get(f"value-{n}-{k}", "")) for k, value in enumerate(column.values)}
    values = {value: meant for value, meant in posted.items() if meant} if becomes in WITH_VALUES else {}
    return Use(
        becomes,
        name if becomes in (*NAMES_SYSTEM, "condition") or is_answer else "",
        rater if is_answer else "",
        values,
        str(data.get(f"others-{n}", "")) if becomes in WITH_VALUES else "",
        system if is_answer and becomes not in SCORES and shape != PAIRS else "",
        order.upper() if is_verdict else "",
        condition if is_verdict else "",
    )


def _options(use: Use, shape: str, systems: Collection[str] | None) -> list[tuple[str, Any]]:
    first: list[tuple[str, Any]] = [("", _("Not decided yet")), (LEFT_OUT, _("Leave out"))]
    as_written = (AS_WRITTEN, _("As written"))
    if use.becomes == "order":
        return [first[1], ("AB", _("AB: A was heard first")), ("BA", _("BA: B was heard first")), as_written]
    if use.becomes == "answer" and shape == VERDICTS:
        return [first[1], *PLACES]
    if use.becomes == "answer":
        more = [] if shape == PAIRS else [
            ("different", _("Different")), ("yes", _("Yes")), ("no", _("No")), as_written
        ]  # fmt: skip
        return first + SIDES + more
    return [*first, as_written, *((name, name) for name in sorted(systems or ())[:200])]


def _meant(
    use: Use, value: str, options: list[tuple[str, Any]], systems: Collection[str] | None, shape: str
) -> tuple[str, list[tuple[str, Any]]]:
    """What a value becomes now, and the options, with that among them."""
    meant = use.values.get(value, use.others)
    if not meant and (shape == VERDICTS or use.becomes == "order"):
        meant = AS_WRITTEN
    if not meant and use.becomes != "answer" and (systems is None or value in systems):
        meant = AS_WRITTEN
    known = {option for option, _label in options}
    return meant, options if meant in known else [*options, (meant, meant)]
