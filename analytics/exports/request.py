"""The choices of an export."""

from dataclasses import asdict, dataclass
from typing import Any

from analytics.data.inclusion import MORE, Use, read_use

#: Pseudonyms of the campaign, the same in each of its exports; or drawn anew, so that two exports cannot be joined.
PSEUDONYMS = ("campaign", "fresh")


@dataclass(frozen=True)
class Wanted:
    """Answers that are used and `more` beside them; without written texts unless `text`; with `judges`.

    `licence` and `language` are what the dataset card says, in the words of the hub: `cc-by-4.0`, `en`.
    """

    more: tuple[str, ...] = ()
    text: bool = False
    judges: bool = False
    pseudonyms: str = "campaign"
    licence: str = ""
    language: str = ""

    def __post_init__(self) -> None:
        if unknown := set(self.more) - set(MORE):
            raise ValueError(f"{sorted(unknown)[0]!r} is none of {', '.join(MORE)}")
        if self.pseudonyms not in PSEUDONYMS:
            raise ValueError(f"{self.pseudonyms!r} is none of {', '.join(PSEUDONYMS)}")

    @property
    def use(self) -> Use:
        return read_use(list(self.more))

    def document(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def of(cls, document: dict[str, Any]) -> "Wanted":
        return cls(**document | {"more": tuple(document.get("more", ()))})
