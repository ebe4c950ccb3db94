"""The words a protocol is made of."""

from dataclasses import dataclass
from typing import Literal

Elicitation = Literal["direct", "guided"]


@dataclass(frozen=True)
class Option:
    """One possible answer. `value` is what is kept; `1` and `2` mean the response heard as first or second."""

    value: str
    label: str


@dataclass(frozen=True)
class Scale:
    name: str
    options: tuple[Option, ...]

    @property
    def values(self) -> tuple[str, ...]:
        return tuple(option.value for option in self.options)


@dataclass(frozen=True)
class Aspect:
    """One thing that is judged. It stays locked until the aspects named in `after` are answered."""

    name: str
    title: str
    question: str
    guidance: str
    scale: Scale
    after: tuple[str, ...] = ()


@dataclass(frozen=True)
class Protocol:
    name: str
    version: str
    title: str
    instructions: str
    aspects: tuple[Aspect, ...]
    elicitation: Elicitation = "direct"

    def __post_init__(self) -> None:
        seen: set[str] = set()
        for aspect in self.aspects:
            if aspect.name in seen:
                raise ValueError(f"aspect {aspect.name!r} stands twice in protocol {self.name!r}")
            if unknown := set(aspect.after) - seen:
                raise ValueError(f"aspect {aspect.name!r} waits for {sorted(unknown)}, which do not come before it")
            seen.add(aspect.name)
