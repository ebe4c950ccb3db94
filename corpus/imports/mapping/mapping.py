"""A mapping: what each column of a foreign table and its values become. Plain data, kept with the import."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from corpus.imports.mapping import reasons
from infrastructure.wording.reasons import Reason, Reasoned

#: What a row of the file is about: one response; a pair of responses; or the answers of raters, to what is there.
RESPONSES, PAIRS, ANSWERS = SHAPES = ("responses", "pairs", "answers")
#: What judges said of the units of a campaign: no table of a dataset.
VERDICTS = "verdicts"
OF_ITEM = ("item", "category", "prompt_text", "prompt_audio", "dimension", "capability", "criteria",
           "reference_translation")  # fmt: skip
OF_RESPONSE = ("system", "take", "turn", "response_text", "response_audio")
OF_PAIR = ("pair", "system_a", "system_b", "audio_a", "audio_b")
OF_ANSWER = ("answer", "comment", "annotator", "recorded_at")
#: Two numbers of which the higher one wins: together they are an answer about the pair.
SCORES = ("score_a", "score_b")
#: What a column can become, by the shape of the table.
FIELDS: dict[str, tuple[str, ...]] = {
    RESPONSES: (*OF_ITEM, *OF_RESPONSE, *OF_ANSWER),
    PAIRS: (*OF_ITEM, *OF_PAIR, "answer", "annotator", *SCORES),
    ANSWERS: ("item", "category", "pair", "system", "take", "response_audio", "system_a", "system_b", "audio_a",
              "audio_b", *OF_ANSWER, "aspect", *SCORES),
    VERDICTS: ("item", "pair", "system", "take", "response_audio", "system_a", "system_b", "audio_a", "audio_b",
               "answer", "aspect", *SCORES, "judge", "order", "setting", "condition", "reasoning", "status",
               "sample"),
}  # fmt: skip
#: What can hold for the whole table, where no column says it.
FIXED = ("system", "system_a", "system_b", "annotator", "judge", "order", "condition")
#: Of these a table can have any number: a column for each system, each question or each rater.
WIDE = ("response_text", "response_audio", "answer", "comment", *SCORES, "setting")
#: Columns of sound or words whose system can be named for the whole column.
NAMES_SYSTEM = ("response_text", "response_audio", "audio_a", "audio_b")
#: Columns whose values are mapped one by one.
WITH_VALUES = ("answer", "system", "system_a", "system_b", "order")
#: What a value becomes, beside a word or a number: itself; nothing; the response of the system that it names; of a
#: verdict, one that could not be read.
AS_WRITTEN, LEFT_OUT, BY_SYSTEM, MISSING = "=", "-", "@system", "@missing"
OVERALL = "overall"
MOST_KEYS = 2
#: What can be said of a column.
USE = frozenset({"becomes", "name", "rater", "system", "order", "condition", "values", "others"})
#: How raters come in: under pseudonyms, or as the file names them; the empty word is what is usual for the file.
PSEUDONYMS, SOURCE = "pseudonyms", "source"
RATERS = ("", PSEUDONYMS, SOURCE)
MAX_NAME, MAX_COLUMNS, MAX_VALUES = 200, 500, 2_000


class UnusableMapping(Reasoned, ValueError):
    """A mapping that says nothing that can be done with a table."""


@dataclass(frozen=True)
class Use:
    """What one column becomes.

    `name` is the system of a column of sound or words, or the question of a column of answers; `rater` says whose
    answers the column holds, and `system` about whose response, where the table has a column of them for each system.
    `order` says in which order a pair was heard, and `condition` how the sound was changed, where a table of verdicts
    has a column for each.
    `values` has what its values become, `others` what those that are not named become:
    AS_WRITTEN, LEFT_OUT, or nothing decided.
    """

    becomes: str
    name: str = ""
    rater: str = ""
    values: Mapping[str, str] = field(default_factory=dict)
    others: str = ""
    system: str = ""
    order: str = ""
    condition: str = ""

    def as_json(self) -> dict[str, Any]:
        told = {"becomes": self.becomes, "name": self.name, "rater": self.rater, "system": self.system,
                "order": self.order, "condition": self.condition, "others": self.others}  # fmt: skip
        return {name: value for name, value in told.items() if value} | (
            {"values": dict(self.values)} if self.values else {}
        )


@dataclass(frozen=True)
class TableMapping:
    """`columns` has what is used, by the name of the column in the file; a column that is not there is not used.

    Of the rows, only those are read that have one of the values that `only` names for a column. `fixed` has what
    holds for the whole table. `raters` is one of RATERS.
    """

    shape: str
    columns: Mapping[str, Use]
    only: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    fixed: Mapping[str, str] = field(default_factory=dict)
    raters: str = ""

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
        columns = {name: use for name, use in self.columns.items() if use.becomes in known}
        return replace(self, shape=ANSWERS, columns=columns)

    def scores(self) -> list[tuple[str, str]]:
        """The columns of the scores of A and of B that belong together: of one rater, question and order."""
        found: dict[tuple[str, ...], dict[str, str]] = {}
        for name, use in self.columns.items():
            if use.becomes in SCORES:
                found.setdefault((use.name, use.rater, use.order, use.condition), {})[use.becomes] = name
        return [(of.get("score_a", ""), of.get("score_b", "")) for of in found.values()]

    def as_json(self) -> dict[str, Any]:
        told = {"shape": self.shape, "columns": {name: use.as_json() for name, use in self.columns.items()}}
        only = {name: list(values) for name, values in self.only.items()}
        raters = {"raters": self.raters} if self.raters else {}
        return told | ({"only": only} if only else {}) | ({"fixed": dict(self.fixed)} if self.fixed else {}) | raters

    def with_raters_of(self, usual: "TableMapping | None") -> "TableMapping":
        """With raters as in the file's usual mapping, unless this one says how they come in."""
        return replace(self, raters=usual.raters) if usual and not self.raters else self

    @classmethod
    def from_json(cls, said: object) -> "TableMapping":
        """Raises UnusableMapping where it is not what `as_json` gives."""
        if not isinstance(said, dict) or said.get("shape") not in FIELDS or not isinstance(said.get("columns"), dict):
            raise UnusableMapping(reasons.MAPPING_SHAPE(shapes=", ".join(FIELDS)))
        if len(said["columns"]) > MAX_COLUMNS:
            raise UnusableMapping(reasons.MAPPING_TOO_LARGE())
        if (raters := said.get("raters", "")) not in RATERS:
            raise UnusableMapping(reasons.MAPPING_RATERS(known=", ".join(filter(None, RATERS))))
        columns = {str(name): _use(str(name), use) for name, use in said["columns"].items()}
        return cls(said["shape"], columns, _only(said.get("only") or {}), _fixed(said.get("fixed") or {}), raters)

    def faults(
        self, columns: Collection[str], *, into_dataset: bool = True, into_campaign: bool = False
    ) -> list[tuple[str, Reason]]:
        """(column, what is wrong) wherever it cannot be followed in a table with these columns.

        `into_dataset` says whether there is a dataset already that answers can be about, `into_campaign` whether
        verdicts are imported.
        """
        if into_campaign != (self.shape == VERDICTS):
            of_others = reasons.NOT_OF_VERDICTS(shape=self.shape)
            return [("", of_others if into_campaign else reasons.NOT_OF_DATASET())]
        known = FIELDS[self.shape]
        named = dict.fromkeys([*self.columns, *self.only])
        found = [(name, reasons.NO_COLUMN(column=name)) for name in named if name not in columns]
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
        found += [("", reasons.FIXED_NOT_IN_SHAPE(becomes=name, shape=self.shape))
                  for name in self.fixed if name not in known]  # fmt: skip
        found += [(a or b, reasons.SCORES_NEED_BOTH(column=a or b)) for a, b in self.scores() if not (a and b)]
        return found + self._same_twice() + [("", why) for why in missing]

    @property
    def _names_systems(self) -> bool:
        about = ("system", "system_a", "response_audio", "audio_a", "pair")
        return bool({*about} & self.fixed.keys()) or any(
            use.becomes in about or use.system for use in self.columns.values()
        )

    def _same_twice(self) -> list[tuple[str, Reason]]:
        seen: dict[tuple[str, ...], str] = {}
        return [
            (name, reasons.BECOME_THE_SAME(columns=f"{seen[same]}, {name}", becomes=use.becomes))
            for name, use in self.columns.items()
            if use.becomes in WIDE
            and use.becomes != "setting"
            and seen.setdefault(
                same := (use.becomes, use.name, use.rater, use.system, use.order, use.condition), name
            )
            != name
        ]

    def _without_system(self) -> list[Reason]:
        """Answers in a table with columns for several systems, of which nothing says about which of them they are."""
        if len(self.systems) < 2:
            return []
        answers = [name for name in (*self.of("answer"), *self.of("comment")) if not self.columns[name].system]
        return [reasons.ANSWERS_NEED_SYSTEM(columns=", ".join(answers))] if answers else []

    def _missing(self) -> list[Reason]:
        has = {use.becomes for use in self.columns.values()} | self.fixed.keys()
        named = {use.becomes for use in self.columns.values() if use.name}
        sides = all(f"system_{side}" in has or f"audio_{side}" in named for side in "ab")
        if self.shape == RESPONSES:
            of_system = "system" in has or bool(named & {"response_audio", "response_text"})
            needs = [(reasons.RESPONSES_NEED_ITEM(), "item" in has), (reasons.RESPONSES_NEED_SYSTEM(), of_system)]
            return [why for why, there in needs if not there] + self._without_system()
        if self.shape == PAIRS:
            return [] if sides else [reasons.PAIRS_NEED()]
        found = bool(has & {"pair", "response_audio", "audio_a", "item"})
        said = bool(has & {"answer", "comment", *SCORES})
        needs = [(reasons.ANSWERS_NEED_UNIT(), found), (reasons.ANSWERS_NEED_ANSWER(), said)]
        if self.shape == VERDICTS:
            needs.append((reasons.VERDICTS_NEED_JUDGE(), "judge" in has or all(it.rater for it in self._of_raters())))
        return [why for why, there in needs if not there]

    def _of_raters(self) -> list[Use]:
        """The columns of answers and of scores."""
        return [use for use in self.columns.values() if use.becomes in ("answer", *SCORES)]

    @property
    def says_order(self) -> bool:
        """Whether each verdict on a pair has its order; two scores are of no order."""
        answers = [use for use in self.columns.values() if use.becomes == "answer"]
        return bool(self.of("order")) or "order" in self.fixed or all(use.order for use in answers)


def _only(said: object) -> dict[str, tuple[str, ...]]:
    """Raises UnusableMapping unless it has, by column, values of which rows have one."""
    if not isinstance(said, dict) or len(said) > MAX_COLUMNS:
        raise UnusableMapping(reasons.MAPPING_ONLY())
    for values in said.values():
        if not isinstance(values, list) or not 0 < len(values) <= MAX_VALUES:
            raise UnusableMapping(reasons.MAPPING_ONLY())
    return {str(name): tuple(map(str, values)) for name, values in said.items()}


def _fixed(said: object) -> dict[str, str]:
    """Raises UnusableMapping unless it says what can hold for a whole table."""
    if not isinstance(said, dict) or not {*said} <= {*FIXED}:
        raise UnusableMapping(reasons.MAPPING_FIXED(known=", ".join(FIXED)))
    if any(len(str(value)) > MAX_NAME or "\0" in str(value) for value in said.values()):
        raise UnusableMapping(reasons.MAPPING_FIXED(known=", ".join(FIXED)))
    return {name: text for name, value in said.items() if (text := str(value).strip())}


def _use(column: str, said: object) -> Use:
    if not isinstance(said, dict) or not {*said} <= USE:
        raise UnusableMapping(reasons.MAPPING_COLUMN(column=column))
    values = said.get("values", {})
    if not isinstance(values, dict) or len(values) > MAX_VALUES:
        raise UnusableMapping(reasons.MAPPING_COLUMN(column=column))
    texts = [
        str(said.get(name, "")) for name in ("becomes", "name", "rater", "others", "system", "order", "condition")
    ]
    cells = {str(value): str(meant) for value, meant in values.items()}
    if any(len(text) > MAX_NAME or "\0" in text for text in (*texts, *cells.values())):
        raise UnusableMapping(reasons.MAPPING_COLUMN(column=column))
    becomes, name, rater, others, system, order, condition = (text.strip() for text in texts)
    values = {value: meant.strip() for value, meant in cells.items()}
    return Use(becomes, name, rater, values, others, system, order.upper(), condition)
