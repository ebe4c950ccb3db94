"""What the columns of a table of verdicts may be, guessed from their names and values."""

import re
from collections.abc import Collection, Mapping

from corpus.imports.mapping.guessing.column_names import plain_name
from corpus.imports.mapping.guessing.guess import TIES
from corpus.imports.mapping.guessing.profile import ColumnProfile, Profile
from corpus.imports.mapping.mapping import MISSING, VERDICTS, TableMapping, Use
from judges.imported.columns import KNOWN_COLUMNS, KNOWN_SETTINGS

#: Columns of the orders of one judge: what is before the order is its name.
OF_ORDER = re.compile(r"(?P<judge>.+?)[_ -](?P<order>AB|BA)", re.IGNORECASE)
BECOMES = {"value": "answer"}
ITEMS = ("instruction_id", "item", "question_id", "prompt_id")
BY_PLACE = dict.fromkeys(("1", "a", "first", "left"), "1") | dict.fromkeys(("2", "b", "second", "right"), "2")
BY_SIDE = {f"{word}_{side}": side for word in ("model", "system", "response") for side in "ab"}


def guess_verdicts(profile: Profile, keys: Collection[str]) -> TableMapping:
    """A first mapping of these columns; `keys` are those of the campaign's units."""
    names = {plain_name(column.name): column for column in profile.columns}
    uses: dict[str, Use] = {}
    for part, known in KNOWN_COLUMNS.items():
        if part in ("unit", "slot"):
            continue
        if column := next((names[name] for name in known if name in names), None):
            uses[column.name] = _with_values(Use(BECOMES.get(part, part)), column)
    uses |= {names[name].name: Use("setting") for name in KNOWN_SETTINGS if name in names}
    for column in profile.columns:
        if column.few and column.name not in uses and (found := OF_ORDER.fullmatch(column.name)):
            use = Use("answer", rater=found["judge"], order=found["order"].upper())
            uses[column.name] = _with_values(use, column)
    if key := _key(profile, keys, taken=uses):
        uses[key] = Use("pair")
    elif item := next((names[name] for name in (*ITEMS, *KNOWN_COLUMNS["unit"]) if name in names), None):
        uses.setdefault(item.name, Use("item"))
    return TableMapping(VERDICTS, uses)


def _key(profile: Profile, keys: Collection[str], *, taken: Mapping[str, Use]) -> str:
    """The column whose first values are keys of units."""
    free = [column for column in profile.columns if column.name not in taken and column.samples]
    return next((column.name for column in free if all(sample in keys for sample in column.samples)), "")


def _with_values(use: Use, column: ColumnProfile) -> Use:
    if use.becomes != "answer":
        return use
    values = {value: meant for value in column.values if (meant := _value(value)) and meant != value}
    return Use(use.becomes, use.name, use.rater, values, use.others, use.system, use.order)


def _value(value: str) -> str:
    """What a cell says by itself: letters are places, and names of columns are sides.

    >>> [_value(it) for it in ("A", "model_b", "C", "D", "4")]
    ['1', 'b', 'tie', '@missing', '']
    """
    plain = value.strip().casefold()
    if plain in ("d", "nan", "none", "null", "n/a", "invalid", "unparsed"):
        return MISSING
    return BY_PLACE.get(plain) or BY_SIDE.get(plain) or TIES.get(plain, "")
