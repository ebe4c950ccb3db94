"""The kinds of judges, one module each. A new kind is a module and a line here."""

from collections.abc import Mapping

from judges.kinds.baselines import ALWAYS_FIRST, RANDOM
from judges.kinds.contract import Kind

KINDS: Mapping[str, Kind] = {kind.name: kind for kind in (RANDOM, ALWAYS_FIRST)}
"""By name."""
