"""Systems by name in what annotators read, where none may be."""

import re

from corpus.models import Dataset


def systems_named(dataset: Dataset, *texts: str) -> list[list[str]]:
    """For each text, the systems of the dataset that it names as whole words."""
    names = list(dataset.systems.values_list("name", flat=True))
    return [[name for name in names if _names(text, name)] for text in texts]


def _names(text: str, name: str) -> bool:
    letter = r"[^\W_]"
    return re.search(f"(?<!{letter}){re.escape(name)}(?!{letter})", text, re.IGNORECASE) is not None
