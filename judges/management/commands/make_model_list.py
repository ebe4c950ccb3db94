"""Makes `judges/data/models.json` from the price list of litellm:

pip download --no-deps litellm==1.109.1
unzip litellm-*.whl litellm/model_prices_and_context_window_backup.json
python manage.py make_model_list litellm/model_prices_and_context_window_backup.json --of 1.109.1 --date 2026-11-23
"""

import json
from decimal import Decimal
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from judges.language_models.model_list import DATA

#: The providers whose lists are taken, with what their names begin with there.
PROVIDERS = {"openai": "", "gemini": "gemini/", "dashscope": "dashscope/", "mistral": "mistral/"}
PRICES = {
    "usd_in": "input_cost_per_token",
    "usd_out": "output_cost_per_token",
    "usd_audio_in": "input_cost_per_audio_token",
    "usd_cached_in": "cache_read_input_token_cost",
    "usd_reasoning_out": "output_cost_per_reasoning_token",
    "usd_audio_out": "output_cost_per_audio_token",
}
EFFORTS = ("none", "minimal", "low", "medium", "high", "xhigh")
USUAL_EFFORTS = ("low", "medium", "high")
CHAT = "/v1/chat/completions"


class Command(BaseCommand):
    help = "Makes the list of models and prices that ships from the one of litellm."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path, help="model_prices_and_context_window_backup.json of litellm")
        parser.add_argument("--of", required=True, help="version of litellm")
        parser.add_argument("--date", required=True, help="when its list was taken, such as 2026-11-23")

    def handle(self, *args: Any, **options: Any) -> None:
        held = json.loads(options["file"].read_text(), parse_float=Decimal)
        models = {name: entry for name, entry in map(_entry, held, held.values()) if entry}
        head = {
            "source": f"model_prices_and_context_window_backup.json of litellm {options['of']} (PyPI)",
            "license": "MIT, Copyright (c) 2023 Berri AI",
            "date": options["date"],
            "unit": "US dollars per million tokens, by the providers' standard rate for prompts of usual length",
            "made_by": "python manage.py make_model_list",
        }
        DATA.write_text(_written(head, models))
        self.stdout.write(f"{len(models)} models in {DATA}")


def _entry(name: str, held: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """The model by the name under which its provider knows it; empty for what does not chat at a flat price."""
    provider = held.get("litellm_provider", "")
    endpoints = held.get("supported_endpoints")
    chats = held.get("mode") in ("chat", "responses") and (CHAT in endpoints if endpoints else held["mode"] == "chat")
    if provider not in PROVIDERS or not chats or name.startswith("ft:") or PRICES["usd_in"] not in held:
        return name, {}
    entry: dict[str, Any] = {"provider": provider}
    entry |= {ours: _per_million(held[theirs]) for ours, theirs in PRICES.items() if theirs in held}
    if held.get("supports_reasoning"):
        entry["efforts"] = [effort for effort in EFFORTS if _takes(held, effort)]
    if held.get("supports_audio_input"):
        entry["hears"] = True
    return name.removeprefix(PROVIDERS[provider]), entry


def _takes(held: dict[str, Any], effort: str) -> bool:
    return effort in USUAL_EFFORTS or bool(held.get(f"supports_{effort}_reasoning_effort"))


def _per_million(usd: Any) -> float:
    return float(Decimal(str(usd)) * 1_000_000)


def _written(head: dict[str, str], models: dict[str, Any]) -> str:
    """One model a line, so that a new list is read as a difference."""
    lines = [f"    {json.dumps(name)}: {json.dumps(entry)}" for name, entry in sorted(models.items())]
    top = json.dumps(head, indent=2)[1:-2]
    return "{" + top + ',\n  "models": {\n' + ",\n".join(lines) + "\n  }\n}\n"
