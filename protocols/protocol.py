"""A protocol: what is declared, once it is known to go together."""

from dataclasses import dataclass
from functools import cached_property

from protocols.consistency import faults
from protocols.declared import Aspect, DeclaredProtocol


@dataclass(frozen=True)
class Protocol(DeclaredProtocol):
    """A whole protocol, which can be asked."""

    def __post_init__(self) -> None:
        """Raises InvalidProtocol."""
        for fault in faults(self):
            raise fault

    @property
    def asks_by_item(self) -> bool:
        """Whether what is asked hangs on what is known of the item."""
        return self.item_criteria or any(aspect.only_for for aspect in self.aspects)

    @cached_property
    def counted_aspects(self) -> tuple[Aspect, ...]:
        """Those whose answers are counted, and not only read."""
        return tuple(aspect for aspect in self.aspects if aspect.scale.kind.is_counted)

    @cached_property
    def main_aspect(self) -> Aspect | None:
        """The one that stands for the whole answer: `overall`, or the last choice about the unit, or a response."""
        choices = self.counted_aspects
        named = [aspect for aspect in choices if aspect.name == "overall"]
        of_unit = [aspect for aspect in choices if not aspect.per_response and not aspect.only_if]
        return next(iter(named or of_unit[::-1] or choices[::-1]), None)

    def aspect(self, name: str) -> Aspect:
        return next(aspect for aspect in self.aspects if aspect.name == name)
