"""How the sound was changed that a judge heard elsewhere, as a table of verdicts says it."""

import json
import re

from judges.sounds.perturbations import ELSEWHERE, FLAGS, NAMES, RANGES, Perturbation

#: What tables write where nothing was changed.
UNCHANGED = frozenset({"", "clean", "none", "original", "unchanged", "unperturbed", "no noise", "inf"})
NUMBER = re.compile(r"[+-]?\d+([.,]\d+)?")
MOST = 100


def is_unchanged(cell: str) -> bool:
    return cell.strip().casefold() in UNCHANGED


def condition_of(cell: str) -> Perturbation | None:
    """The change that a cell names, None where there was none. What is not known here keeps its own words.

    >>> condition_of("white noise, 10 dB"), condition_of("clean")
    (Perturbation(name='white_noise', value=10.0, seed=0, label=''), None)
    >>> condition_of("babble at 5 dB").title
    'babble at 5 dB'
    """
    text = cell.strip()
    if is_unchanged(text):
        return None
    if text.startswith("{"):
        try:
            return Perturbation.from_json(json.loads(text))
        except (ValueError, TypeError):
            return Perturbation(ELSEWHERE, label=text[:MOST])
    return _known(text) or Perturbation(ELSEWHERE, label=text[:MOST])


def _known(text: str) -> Perturbation | None:
    """One that Earshot can make, too: its name and one number."""
    plain = re.sub(r"[\s_]+", "_", text.casefold())
    name = next((name for name in NAMES if plain.startswith(name)), None)
    if name is None:
        return None
    if name in FLAGS:
        return Perturbation(name)
    numbers = [found[0].replace(",", ".") for found in NUMBER.finditer(text)]
    _unit, low, high = RANGES[name]
    return Perturbation(name, float(numbers[0])) if len(numbers) == 1 and low <= float(numbers[0]) <= high else None
