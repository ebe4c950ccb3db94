"""A mapping: what each column of a foreign table and its values become. Plain data, kept with the import."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from corpus.imports.mapping import reasons
from infrastructure.wording.reasons import Reason, Reasoned

#: What a row of the file is about: one response; a pair of responses; or the answers of raters, to what is there.
RESPONSES, PAIRS, ANSWERS = SHAPES = ("responses", "pairs", "answers")
OF_ITEM = ("item", "category", "prompt_text", "prompt_audio", "dimension", "capability", "criteria",
           "reference_translation")  # fmt: skip
OF_RESPONSE = ("system", "take", "turn", "response_text", "response_audio")
OF_PAIR = ("pair", "system_a", "system_b", "audio_a", "audio_b")
OF_ANSWER = ("answer", "comment", "annotator", "recorded_at")
#: What a column can become, by the shape of the table.
FIELDS: dict[str, tuple[str, ...]] = {
    RESPONSES: (*OF_ITEM, *OF_RESPONSE, *OF_ANSWER),
    PAIRS: (*OF_ITEM, *OF_PAIR, "answer", "annotator"),
    ANSWERS: ("item", "category", "pair", "system", "take", "response_audio", "system_a", "system_b", "audio_a",
              "audio_b", *OF_ANSWER),
}  # fmt: skip
#: Of these a table can have any number: a column for each system, each question or each rater.
WIDE = ("response_text", "response_audio", "answer", "comment")
#: Columns of sound or words whose system can be named for the whole column.
NAMES_SYSTEM = ("response_text", "response_audio", "audio_a", "audio_b")
#: Columns whose values are mapped one by one.
WITH_VALUES = ("answer", "system", "system_a", "system_b")
#: What a value becomes, beside a word or a number: itself; nothing; the response of the system that it names.
AS_WRITTEN, LEFT_OUT, BY_SYSTEM = "=", "-", "@system"
OVERALL = "overall"
MOST_KEYS = 2
MAX_NAME, MAX_COLUMNS, MAX_VALUES = 200, 500, 2_000


class UnusableMapping(Reasoned, ValueError):
    """A mapping that says nothing that can be done with a table."""


@dataclass(frozen=True)
class Use:
    """What one column becomes.

    `name` is the system of a column of sound or words, or the question of a column of answers; `rater` says whose
    answers the column holds, and `system` about whose response, where the table has a column of them for each system.
    `values` has what its values become, `others` what those that are not named become:
    AS_WRITTEN, LEFT_OUT, or nothing decided.
    """

    becomes: str
    name: str = ""
    rater: str = ""
    values: Mapping[str, str] = field(default_factory=dict)
    others: str = ""
    system: str = ""

    def as_json(self) -> dict[str, Any]:
        told = {"becomes": self.becomes, "name": self.name, "rater": self.rater, "system": self.system,
                "others": self.others}  # fmt: skip
        return {name: value for name, value in told.items() if value} | (
            {"values": dict(self.values)} if self.values else {}
        )


@dataclass(frozen=True)
class TableMapping:
    """`columns` has what is used, by the name of the column in the file; a column that is not there is not used."""

    shape: str
    columns: Mapping[str, Use]

    def of(self, becomes: str) -> list[str]:
        """The columns that become this, as they stand in the mapping."""
        return [name for name, use in self.columns.items() if use.becomes == becomes]

    @property
    def systems(self) -> set[str]:
        """The systems that are named for whole columns."""
        return {use.name for use in self.columns.values() if use.becomes in NAMES_SYSTEM and use.name}

    @property
    def brings_answers(self) -> bool:
        """Whether a table of responses has answers to these, too."""
        return self.shape == RESPONSES and bool(self.of("answer") or self.of("comment"))

    def of_answers(self) -> "TableMapping":
        """The answers of a table of responses, as a table of answers alone."""
        known = FIELDS[ANSWERS]
        return TableMapping(ANSWERS, {name: use for name, use in self.columns.items() if use.becomes in known})

    def as_json(self) -> dict[str, Any]:
        return {"shape": self.shape, "columns": {name: use.as_json() for name, use in self.columns.items()}}

    @classmethod
    def from_json(cls, said: object) -> "TableMapping":
        """Raises UnusableMapping where it is not what `as_json` gives."""
        if not isinstance(said, dict) or said.get("shape") not in SHAPES or not isinstance(said.get("columns"), dict):
            raise UnusableMapping(reasons.MAPPING_SHAPE(shapes=", ".join(SHAPES)))
        if len(said["columns"]) > MAX_COLUMNS:
            raise UnusableMapping(reasons.MAPPING_TOO_LARGE())
        return cls(said["shape"], {str(name): _use(str(name), use) for name, use in said["columns"].items()})

    def faults(self, columns: Collection[str], *, into_dataset: bool = True) -> list[tuple[str, Reason]]:
        """(column, what is wrong) wherever it cannot be followed in a table with these columns.

        `into_dataset` says whether there is a dataset already that answers can be about.
        """
        known = FIELDS[self.shape]
        found = [(name, reasons.NO_COLUMN(column=name)) for name in self.columns if name not in columns]
        found += [(name, reasons.NOT_IN_SHAPE(column=name, becomes=use.becomes, shape=self.shape))
                  for name, use in self.columns.items() if use.becomes not in known]  # fmt: skip
        for becomes in known:
            names = self.of(becomes)
            most = MOST_KEYS if becomes == "item" else len(names) if becomes in WIDE else 1
            if len(names) > most:
                found.append((names[most], reasons.BECOME_THE_SAME(columns=", ".join(names), becomes=becomes)))
        missing = self._missing()
        if not missing and not into_dataset and self.shape == ANSWERS and not self._names_systems:
            missing = [reasons.ANSWERS_NEED_DATASET()]
        return found + self._same_twice() + [("", why) for why in missing]

    @property
    def _names_systems(self) -> bool:
        about = ("system", "system_a", "response_audio", "audio_a", "pair")
        return any(use.becomes in about or use.system for use in self.columns.values())

    def _same_twice(self) -> list[tuple[str, Reason]]:
        seen: dict[tuple[str, str, str, str], str] = {}
        return [
            (name, reasons.BECOME_THE_SAME(columns=f"{seen[same]}, {name}", becomes=use.becomes))
            for name, use in self.columns.items()
            if use.becomes in WIDE
            and seen.setdefault(same := (use.becomes, use.name, use.rater, use.system), name) != name
        ]

    def _without_system(self) -> list[Reason]:
        """Answers in a table with columns for several systems, of which nothing says about which of them they are."""
        if len(self.systems) < 2:
            return []
        answers = [name for name in (*self.of("answer"), *self.of("comment")) if not self.columns[name].system]
        return [reasons.ANSWERS_NEED_SYSTEM(columns=", ".join(answers))] if answers else []

    def _missing(self) -> list[Reason]:
        has = {use.becomes for use in self.columns.values()}
        named = {use.becomes for use in self.columns.values() if use.name}
        sides = all(f"system_{side}" in has or f"audio_{side}" in named for side in "ab")
        if self.shape == RESPONSES:
            of_system = "system" in has or bool(named & {"response_audio", "response_text"})
            needs = ((reasons.RESPONSES_NEED_ITEM(), "item" in has), (reasons.RESPONSES_NEED_SYSTEM(), of_system))
            return [why for why, there in needs if not there] + self._without_system()
        if self.shape == PAIRS:
            return [] if sides else [reasons.PAIRS_NEED()]
        found = bool(has & {"pair", "response_audio", "audio_a", "item"})
        said = bool(has & {"answer", "comment"})
        return [why for why, there in ((reasons.ANSWERS_NEED_UNIT(), found), (reasons.ANSWERS_NEED_ANSWER(), said))
                if not there]  # fmt: skip


def _use(column: str, said: object) -> Use:
    if not isinstance(said, dict) or not {*said} <= {"becomes", "name", "rater", "system", "values", "others"}:
        raise UnusableMapping(reasons.MAPPING_COLUMN(column=column))
    values = said.get("values", {})
    if not isinstance(values, dict) or len(values) > MAX_VALUES:
        raise UnusableMapping(reasons.MAPPING_COLUMN(column=column))
    texts = [str(said.get(name, "")) for name in ("becomes", "name", "rater", "others", "system")]
    cells = {str(value): str(meant) for value, meant in values.items()}
    if any(len(text) > MAX_NAME or "\0" in text for text in (*texts, *cells.values())):
        raise UnusableMapping(reasons.MAPPING_COLUMN(column=column))
    becomes, name, rater, others, system = (text.strip() for text in texts)
    return Use(becomes, name, rater, {value: meant.strip() for value, meant in cells.items()}, others, system)
