"""What a column of the table of answers is, and those that say what was asked, about which unit, and the answer.

Columns that describe an annotation are declared by `corpus.tidy.given`. What is a list of columns elsewhere (exports,
the schema of Parquet, the import, the reference) follows from these declarations.
"""

from dataclasses import dataclass
from functools import partial
from typing import Literal

#: Of a written answer; protocols take no longer one.
MAX_TEXT = 2000
Kind = Literal["text", "whole", "number", "truth", "time", "json"]


@dataclass(frozen=True)
class Column:
    """`about` describes it, in the reference and to readers of Parquet; `imported` says what the import does with it.

    At most `longest` characters of a cell are kept, or of each text inside a cell of JSON. `only_people` marks what
    cannot be said of a judge's verdict. `meaning` is for the reference, where it has other words.
    """

    name: str
    about: str
    kind: Kind = "text"
    imported: str = "kept"
    longest: int = 0
    only_people: bool = False
    meaning: str = ""

    @property
    def line(self) -> str:
        """Its row in docs/reference/table-of-answers.md."""
        return f"| `{self.name}` | {self.meaning or self.about} | {self.imported} |"


of_people = partial(Column, only_people=True)
_DIGEST = "SHA-256 of the protocol: equal if and only if the same was asked"
_VALUE = "the answer in the stored frame: a slot, both_good, both_bad, tie, a number, a word or a written text"
ORIGIN = (
    Column("campaign", "short name of the campaign", longest=400),
    Column("protocol", "name and version of what was asked", longest=400),
    Column("protocol_digest", _DIGEST, imported="kept; known ones check the answers", longest=64),
)
_RESPONSES = "JSON: the key of each system's take by slot"
UNIT = (
    Column("unit", "key of what was put before the rater", imported="needed", longest=500),
    Column("kind", "pair, single (one response) or item (all the responses to an item)", imported="needed"),
    Column("item", "key of what the systems were asked", imported="needed", longest=200),
    Column("category", "the item's category", imported="compared", longest=100),
    Column("system_a", "whose response is in slot a", imported="compared"),
    Column("system_b", "whose response is in slot b", imported="compared"),
    Column("systems", "JSON: every system's name by slot", "json", imported="needed", longest=200),
    Column("responses", _RESPONSES, "json", imported="kept; open where a system has one take", longest=500),
)
ANSWER = (
    Column("aspect", "what was judged", imported="needed", longest=60),
    Column("slot", "the response that the answer is about; empty where it is about the unit"),
    Column("system", "whose response that is", imported="compared"),
    Column("value", _VALUE, imported="needed", longest=MAX_TEXT),
    of_people("acceptable_a", "whether a was said to be acceptable, where that was asked", "truth"),
    of_people("acceptable_b", "whether b was said to be acceptable, where that was asked", "truth"),
)
#: What exports add: which judge said it, in which run and which sample, what became of it, and why it said so. Empty
#: in the rows of people.
OF_JUDGES = (
    Column("judge", "the judge's title; empty for people"),
    Column("judge_version", "its kind, and the version of that kind"),
    Column("judge_digest", "SHA-256 of kind, version, settings and model"),
    Column("judge_model", "the model as its server named it"),
    Column("run", "number of the run", "whole"),
    Column("sample", "of several in the same order, counted from 0", "whole"),
    Column("status", "ok, repaired, or why there is no value: unparsed, refused, error"),
    Column("reasoning", "what the judge gave as its reasons"),
)
