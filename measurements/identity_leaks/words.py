"""Where a transcript names its system: names, and sentences in which it introduces itself. Pure.

A listener who hears "I am ChatGPT" is not blind any more. English and German; what is found is for a person to look
at, since "Gemini" is also a sign of the zodiac.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

Kind = Literal["name", "introduction"]

#: Assistants, models and their makers, as people and models say them.
WELL_KNOWN = (
    "ChatGPT", "GPT", "GPT-4", "GPT-4o", "OpenAI", "Gemini", "Google Assistant", "Google DeepMind", "DeepMind",
    "Bard", "Claude", "Anthropic", "Siri", "Alexa", "Cortana", "Bixby", "Copilot", "Microsoft", "Llama", "Meta AI",
    "Qwen",
    "Tongyi", "Alibaba Cloud", "Alibaba", "Moshi", "Kyutai", "Mistral", "Voxtral", "Le Chat", "DeepSeek", "Grok",
    "xAI", "Ernie Bot", "Baidu", "Doubao", "ByteDance", "Kimi", "Moonshot AI", "ChatGLM", "GLM-4-Voice", "Zhipu",
    "Baichuan",
    "MiniCPM", "MiniMax", "Step-Audio", "StepFun", "LLaMA-Omni", "Mini-Omni", "Freeze-Omni", "Ultravox", "Ichigo",
    "DiVA", "SeamlessM4T", "Phi-4", "Pi AI", "Inflection", "Perplexity", "Character AI",
)  # fmt: skip
#: A shorter name would be found everywhere.
SHORTEST = 3
_MADE = r"(?:developed|trained|created|made|built|designed|programmed)"
_GEMACHT = r"(?:entwickelt|trainiert|erstellt|erschaffen|programmiert|gebaut)"
_MACHINE = (
    r"(?:(?:large |big )?language model|ai(?: language)?(?: model| assistant| chatbot)?|"
    r"artificial intelligence(?: \w+)?|"
    r"(?:virtual|digital|voice|speech|conversational) (?:ai |voice )?(?:assistant|agent|model)|chat ?bot)"
)
_MASCHINE = (
    r"(?:(?:großes |grosses )?sprachmodell|ki(?:-(?:assistent(?:in)?|modell|sprachmodell|system))?|"
    r"künstliche intelligenz|"
    r"(?:virtueller?|digitaler?|sprachlicher?) assistent(?:in)?|sprachassistent(?:in)?|chat-?bot)"
)
_WORD = r"[^\W\d_][\w'-]*"
_ENDS = r"(?=\s*[,.!?;:]|\s+(?:and|your|from|und|dein|deine|ihr|ihre|von)\b|\s*$)"
_INTRODUCTIONS = (
    rf"\bmy name(?: is|'s) {_WORD}",
    rf"\b(?:you (?:can|may) )call me {_WORD}",
    rf"\bi(?: am|'m) (?:called|named) {_WORD}",
    rf"\b(?:i(?: am|'m)|as|being|just|only) an? (?:\w+ )?{_MACHINE}(?:,? (?:that was )?{_MADE} by {_WORD})?\b",
    rf"\bi (?:was|am|have been|'ve been) {_MADE} by {_WORD}",
    rf"\bmein name ist {_WORD}",
    rf"\b(?:ich heiße|ich heisse|du kannst mich|sie können mich) {_WORD}(?: nennen)?",
    rf"\b(?:ich bin|als) (?:nur |bloß )?(?:eine? |ein von \w+ {_GEMACHT}es )?{_MASCHINE}\b"
    rf"(?:,? (?:das|die|der) von {_WORD})?",
    rf"\bich (?:wurde|bin) von {_WORD}(?: \w+)? {_GEMACHT}",
)
#: "I am Max." A name begins with a capital, so these are the only ones that look at the case.
_CAPITALISED = rf"\b(?:I am|I'm|I’m|Ich bin|ich bin) [A-ZÄÖÜ][\w-]+{_ENDS}"
_INTRODUCTION = re.compile("|".join(_INTRODUCTIONS), re.IGNORECASE)
_NAMED = re.compile(_CAPITALISED)


@dataclass(frozen=True)
class Hit:
    """Words of a text, where they begin in it, and what they are."""

    kind: Kind
    matched: str
    start: int

    @property
    def end(self) -> int:
        return self.start + len(self.matched)


def identity_hits(text: str, names: Iterable[str]) -> list[Hit]:
    """Every name and every introduction in the text, in its order; what lies inside another is left out.

    >>> [hit.matched for hit in identity_hits("Hi! I'm chat gpt, an AI made by OpenAI.", ["ChatGPT", "OpenAI"])]
    ['chat gpt', 'OpenAI']
    >>> identity_hits("I am happy to help.", WELL_KNOWN)
    []
    """
    plain = text.replace("’", "'")
    found = [Hit("introduction", text[m.start() : m.end()], m.start()) for m in _INTRODUCTION.finditer(plain)]
    found += [Hit("introduction", text[m.start() : m.end()], m.start()) for m in _NAMED.finditer(plain)]
    if pattern := _pattern(tuple(sorted({name.strip() for name in names if sayable(name)}))):
        found += [Hit("name", text[m.start() : m.end()], m.start()) for m in pattern.finditer(plain)]
    found.sort(key=lambda hit: (hit.start, -hit.end))
    kept: list[Hit] = []
    for hit in found:
        if not kept or hit.end > kept[-1].end:
            kept.append(hit)
    return kept


def sayable(name: str) -> bool:
    """Whether a name is long enough to be looked for.

    >>> sayable("A"), sayable("Pi AI")
    (False, True)
    """
    return len(re.sub(r"[\W_]", "", name)) >= SHORTEST


@lru_cache(maxsize=64)
def _pattern(names: tuple[str, ...]) -> re.Pattern[str] | None:
    """The names as whole words in any case; between their parts any blank, dot, hyphen, or nothing."""
    if not names:
        return None
    longest_first = sorted(names, key=len, reverse=True)
    return re.compile(rf"(?<!\w)(?:{'|'.join(_loose(name) for name in longest_first)})(?!\w)", re.IGNORECASE)


def _loose(name: str) -> str:
    parts = re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_]+", name)
    return r"[\s._-]*".join(re.escape(part) for part in parts)
