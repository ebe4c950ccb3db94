"""The kinds of judges, one module each. A new kind is a module and a line here."""

from collections.abc import Mapping

from judges.kinds.baselines import ALWAYS_FIRST, RANDOM
from judges.kinds.contract import Kind
from judges.kinds.dnsmos import DNSMOS
from judges.kinds.embedding import EMBEDDING_JUDGE
from judges.kinds.extremes import FASTEST, LONGEST, LOUDEST
from judges.kinds.imported import IMPORTED
from judges.kinds.majority import MAJORITY
from judges.kinds.trace_rules import TRACE_RULES

KINDS: Mapping[str, Kind] = {
    kind.name: kind
    for kind in (
        RANDOM,
        ALWAYS_FIRST,
        LONGEST,
        LOUDEST,
        FASTEST,
        MAJORITY,
        DNSMOS,
        TRACE_RULES,
        EMBEDDING_JUDGE,
        IMPORTED,
    )
}
"""By name."""
