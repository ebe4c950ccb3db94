"""The kinds of judges, one module each. A new kind is a module and a line here."""

from collections.abc import Mapping

from judges.kinds.attributes_llm import ATTRIBUTES_LLM
from judges.kinds.audio_pairwise import AUDIO_PAIRWISE
from judges.kinds.audio_pointwise import AUDIO_POINTWISE
from judges.kinds.baselines import ALWAYS_FIRST, RANDOM
from judges.kinds.contract import Kind
from judges.kinds.dnsmos import DNSMOS
from judges.kinds.embedding import EMBEDDING_JUDGE
from judges.kinds.ensemble import ENSEMBLE
from judges.kinds.extremes import FASTEST, LONGEST, LOUDEST
from judges.kinds.imported import IMPORTED
from judges.kinds.majority import MAJORITY
from judges.kinds.rubric_llm import RUBRIC_LLM
from judges.kinds.trace import TRACE
from judges.kinds.trace_rules import TRACE_RULES
from judges.kinds.transcript_llm import TRANSCRIPT_LLM

KINDS: Mapping[str, Kind] = {
    kind.name: kind
    for kind in (
        RANDOM,
        ALWAYS_FIRST,
        TRANSCRIPT_LLM,
        TRACE,
        RUBRIC_LLM,
        AUDIO_PAIRWISE,
        AUDIO_POINTWISE,
        ENSEMBLE,
        ATTRIBUTES_LLM,
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
