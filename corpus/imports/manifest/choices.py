"""What whoever imports a manifest chooses where it can be read in more than one way."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

#: An item whose rows bring different prompts: an item for each; the first prompt and its rows; one item for all.
SPLIT, FIRST, MERGE = CLASHES = ("split", "first", "merge")
#: Items with the same prompt: as they are, or one item.
APART, ONE = SAME_PROMPTS = ("apart", "one")
#: The names under which problems say which choice settles them.
CLASHING_ITEMS, ITEM_COLUMN, LABEL_COLUMN = "clashing_items", "item_column", "label_column"
#: A table that is none of ours is read by a mapping of its columns.
MAPPING = "mapping"


@dataclass(frozen=True)
class Choices:
    """`item_column` holds the items' keys, `label_column` the label of each pair; empty for the usual columns.

    `mapping` has what the columns of a foreign table become, as `corpus.imports.mapping.mapping` reads it.
    `clashing_items` is of all items with different prompts, `by_item` of single ones, by key; empty for none yet.
    """

    item_column: str = ""
    label_column: str = ""
    without_labels: bool = False
    clashing_items: str = ""
    by_item: Mapping[str, str] = field(default_factory=dict)
    same_prompts: str = ""
    mapping: Mapping[str, Any] = field(default_factory=dict)

    def of_clash(self, item: str) -> str:
        return self.by_item.get(item) or self.clashing_items

    def as_json(self) -> dict[str, Any]:
        """What was chosen, without what was not."""
        return {name: value for name, value in asdict(self).items() if value}

    @classmethod
    def from_json(cls, said: Mapping[str, Any]) -> "Choices":
        return cls(**said)


NOTHING_CHOSEN = Choices()
