"""The list of models that ships: what a model of this name takes, and what its provider asks for it."""

import ipaddress
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from judges.backends.contract import SoundForm
from judges.backends.parameters import Parameters
from judges.models import PRICES_OF_KINDS

DATA = Path(__file__).parent / "data" / "models.json"
PRICES = ("usd_in", "usd_out", *PRICES_OF_KINDS)
#: Where the listed providers answer; elsewhere the same model may cost something else.
HOSTS = {
    "openai": ("api.openai.com",),
    "gemini": ("generativelanguage.googleapis.com",),
    "dashscope": ("dashscope.aliyuncs.com", "dashscope-intl.aliyuncs.com", "dashscope-us.aliyuncs.com"),
    "mistral": ("api.mistral.ai",),
}
#: A version of a listed model, by its date.
DATED = re.compile(r"-(?:\d{4}-\d{2}-\d{2}|\d{2}-\d{4}|\d{4})$")
#: OpenAI's reasoning models, those that are not listed yet as well; the ones for chat do not reason.
REASONS = re.compile(r"^(?:o\d|gpt-(?:[5-9]|\d\d))")
#: Thinking counts against the limit of a reply; this much is added to it.
ROOM_TO_THINK = 8000
HEARS = re.compile(r"omni|audio|voxtral|ultravox", re.IGNORECASE)
FREE = dict.fromkeys(("usd_in", "usd_out"), Decimal(0))


@dataclass(frozen=True)
class Proposal:
    """What is proposed for a model; `listed` is the entry it comes from, empty where there is none.

    `prices` is empty where none is known. `efforts` are the reasoning efforts that the model knows.
    """

    listed: str = ""
    parameters: Parameters = field(default_factory=Parameters)
    prices: Mapping[str, Decimal] = field(default_factory=dict)
    sound_form: SoundForm = ""
    efforts: tuple[str, ...] = ()
    is_own: bool = False


def proposal_for(model: str, base_url: str = "") -> Proposal:
    """What the list says of a model at an address; without an address, at its provider's own.

    Parameters go by the name alone. Prices are those of the provider's own address, and 0 at one's own.
    """
    name = _bare(model)
    listed = name if name in models() else DATED.sub("", name)
    entry = models().get(listed, {})
    own = _is_own(base_url)
    return Proposal(
        listed=listed if entry else "",
        parameters=_parameters(name, entry, own=own),
        prices=FREE if own else _prices(entry, base_url),
        sound_form=_sound_form(name, entry, own=own),
        efforts=tuple(entry.get("efforts", ())),
        is_own=own,
    )


@cache
def models() -> Mapping[str, Mapping[str, Any]]:
    """By the names under which their providers know them."""
    found: Mapping[str, Mapping[str, Any]] = _file()["models"]
    return found


def about() -> Mapping[str, str]:
    """Source, licence and date of the list."""
    return {name: value for name, value in _file().items() if name != "models"}


@cache
def _file() -> Mapping[str, Any]:
    found: Mapping[str, Any] = json.loads(DATA.read_text(encoding="utf-8"))
    return found


def _bare(model: str) -> str:
    """Gemini calls its models `models/…`, and who passes on to providers names them before a slash."""
    return model.strip().rpartition("/")[2]


def _parameters(name: str, entry: Mapping[str, Any], *, own: bool) -> Parameters:
    if not own and (entry.get("provider") == "openai" or (not entry and REASONS.match(name))):
        reasons = bool(REASONS.match(name)) and "-chat" not in name
        room = ROOM_TO_THINK if reasons else 0
        return Parameters("max_completion_tokens", sends_temperature=not REASONS.match(name), thinking_tokens=room)
    return Parameters(thinking_tokens=ROOM_TO_THINK if entry.get("efforts") and not own else 0)


def _prices(entry: Mapping[str, Any], base_url: str) -> Mapping[str, Decimal]:
    host = urlsplit(base_url).hostname
    if not entry or (host and host not in HOSTS[entry["provider"]]):
        return {}
    return {name: Decimal(str(entry[name])) for name in PRICES if name in entry}


def _sound_form(name: str, entry: Mapping[str, Any], *, own: bool) -> SoundForm:
    if own:
        return "audio_url" if HEARS.search(name) else ""
    return "input_audio" if entry.get("hears") else ""


def _is_own(base_url: str) -> bool:
    """Whether the address is this machine's or one of its network, by how it is written; nothing is looked up."""
    host = urlsplit(base_url).hostname or ""
    try:
        return ipaddress.ip_address(host).is_private
    except ValueError:
        return bool(host) and ("." not in host or host.endswith((".local", ".internal", ".lan", ".localhost")))
