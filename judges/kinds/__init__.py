"""The kinds of judges, one module each. A new kind is a module and a line here."""

from collections.abc import Mapping

from judges.kinds.audio_models.attributes_llm import ATTRIBUTES_LLM
from judges.kinds.audio_models.audio_pairwise import AUDIO_PAIRWISE
from judges.kinds.audio_models.audio_pointwise import AUDIO_POINTWISE
from judges.kinds.audio_models.ensemble import ENSEMBLE
from judges.kinds.contract import Kind
from judges.kinds.imported import IMPORTED
from judges.kinds.text_models.rubric_llm import RUBRIC_LLM
from judges.kinds.text_models.trace import TRACE
from judges.kinds.text_models.transcript_llm import TRANSCRIPT_LLM
from judges.kinds.without_models.baselines import ALWAYS_FIRST, RANDOM
from judges.kinds.without_models.dnsmos import DNSMOS
from judges.kinds.without_models.embedding import EMBEDDING_JUDGE
from judges.kinds.without_models.extremes import FASTEST, LONGEST, LOUDEST
from judges.kinds.without_models.majority import MAJORITY
from judges.kinds.without_models.trace_rules import TRACE_RULES

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
