"""Which item each row is about: ids that name several prompts, and prompts that stand under several ids."""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, field
from itertools import count

from corpus.imports import reasons
from corpus.imports.manifest.choices import FIRST, MERGE, ONE, SPLIT, Choices
from infrastructure.wording.reasons import Reason

_QUOTES = str.maketrans("“”„‟«»‘’‚‛′`´–—−‐‑", "\"\"\"\"\"\"'''''''-----")


@dataclass(frozen=True)
class Asked:
    """What one row says of its item. Rows with the same `group` are one conversation; `n` counts all rows."""

    n: int
    row: int
    item: str
    turn: int
    text: str
    group: Hashable


@dataclass
class Prompt:
    """A prompt that rows bring: its words by turn, where any are given, and the rows."""

    texts: dict[int, str] = field(default_factory=dict)
    asked: list[Asked] = field(default_factory=list)

    @property
    def rows(self) -> list[int]:
        return [one.row for one in self.asked]

    @property
    def text(self) -> str:
        return "\n".join(self.texts[turn] for turn in sorted(self.texts))

    def fits(self, texts: dict[int, str]) -> bool:
        return all(self.texts.get(turn, text) == text for turn, text in texts.items())


@dataclass(frozen=True)
class Clash:
    """An id that names several prompts, and what was chosen."""

    item: str
    prompts: list[Prompt]
    choice: str

    @property
    def is_of_signs(self) -> bool:
        """Whether they differ only in quotation marks, dashes, spaces or capitals."""
        return len({alike(prompt.text) for prompt in self.prompts}) == 1


@dataclass(frozen=True)
class Repeated:
    """A prompt that stands under several ids, with the rows of each."""

    text: str
    items: dict[str, list[int]]


@dataclass
class Items:
    """`keys` has the item of each row by its `n`; rows that were left out have none."""

    keys: dict[int, str] = field(default_factory=dict)
    prompts: dict[str, Prompt] = field(default_factory=dict)
    clashes: list[Clash] = field(default_factory=list)
    repeated: list[Repeated] = field(default_factory=list)
    left_out: list[int] = field(default_factory=list)

    def text(self, key: str, turn: int) -> str:
        return self.prompts[key].texts.get(turn, "")


def alike(text: str) -> str:
    """The text without what editors and keyboards change.

    >>> alike("Say  “It’s” – now") == alike("say \\"It's\\" - now")
    True
    """
    plain = unicodedata.normalize("NFKC", text).translate(_QUOTES)
    return re.sub(r"\s+", " ", plain).strip().casefold()


def items_of(asked: Iterable[Asked], choices: Choices) -> Items:
    """Put every row to its item, as was chosen; what was not chosen stays under its id, and is named."""
    found, by_item = Items(), defaultdict[str, list[Asked]](list)
    for one in asked:
        by_item[one.item].append(one)
    for item, rows in by_item.items():
        prompts = _prompts(rows)
        choice = choices.of_clash(item) if item else MERGE
        if len(prompts) > 1 and item:
            found.clashes.append(Clash(item, prompts, choice))
        settled = dict(_settled(item, prompts, choice, taken=lambda key: key in by_item or key in found.prompts))
        found.prompts |= settled
        kept = {one.n for prompt in settled.values() for one in prompt.asked}
        found.left_out += [one.row for one in rows if one.n not in kept]
    found.repeated = _repeated(found.prompts)
    if choices.same_prompts == ONE:
        _unite(found)
    found.keys = {one.n: key for key, prompt in found.prompts.items() for one in prompt.asked}
    return found


def _prompts(rows: list[Asked]) -> list[Prompt]:
    """The different prompts of an id, in their order. A cell without words contradicts none."""
    groups = defaultdict[Hashable, list[Asked]](list)
    for one in rows:
        groups[one.group].append(one)
    prompts: list[Prompt] = []
    for group in groups.values():
        texts: dict[int, str] = {}
        for one in group:
            if one.text:
                texts.setdefault(one.turn, one.text)
        prompt = next((there for there in prompts if there.fits(texts)), None)
        if prompt is None:
            prompts.append(prompt := Prompt())
        prompt.texts |= texts
        prompt.asked += group
    return prompts


def _settled(
    item: str, prompts: list[Prompt], choice: str, *, taken: Callable[[str], bool]
) -> Iterable[tuple[str, Prompt]]:
    first, *others = prompts
    if choice == FIRST or not others:
        return [(item, first)]
    if choice == SPLIT:
        free = (key for n in count(2) if not taken(key := f"{item} #{n}"))
        return [(item, first), *zip(free, others, strict=False)]
    return [(item, Prompt(first.texts, [one for prompt in prompts for one in prompt.asked]))]


def _repeated(prompts: dict[str, Prompt]) -> list[Repeated]:
    keys = defaultdict[str, list[str]](list)
    for key, prompt in prompts.items():
        if key and prompt.text.strip():
            keys[alike(prompt.text)].append(key)
    return [
        Repeated(prompts[same[0]].text, {key: prompts[key].rows for key in same})
        for same in keys.values()
        if len(same) > 1
    ]


def _unite(found: Items) -> None:
    for repeated in found.repeated:
        first, *others = repeated.items
        for key in others:
            found.prompts[first].asked += found.prompts.pop(key).asked


def what_becomes_of(clash: Clash, *, words_are_kept: bool) -> Reason:
    """What was chosen about a clash and what it costs, in a sentence."""
    n_others = sum(len(prompt.rows) for prompt in clash.prompts[1:])
    if clash.choice == FIRST:
        return reasons.KEEPS_FIRST_PROMPT(item=clash.item, n=n_others)
    if clash.choice == MERGE:
        kept = reasons.SHOWN_WITH_FIRST_KEPT if words_are_kept else reasons.SHOWN_WITH_FIRST
        return kept(item=clash.item, n=n_others)
    return reasons.BECOMES_ITEMS(item=clash.item, n=len(clash.prompts))
