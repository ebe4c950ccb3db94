"""Figures as JSON, and back: what is kept of a report is all that its pages, files and pictures are made from."""

import math
from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any, cast

import numpy as np

from analytics.reports.output import figures
from analytics.reports.output.figures import Figure, shows_something
from infrastructure.wording.phrases import Phrase
from infrastructure.wording.reasons import Reason
from stats.results import Estimate, Excluded, Interval

Json = Any
_MADE_OF = (
    figures.Bars, figures.Column, figures.Curve, figures.Curves, figures.Dots, figures.Figure, figures.Heatmap,
    figures.Link, figures.Scatter, figures.Table, Estimate, Excluded, Interval,
)  # fmt: skip
_CLASSES: dict[str, type] = {made.__name__: made for made in _MADE_OF}


class NotANumber(ValueError):
    """A figure with a number that is none. JSON has no such numbers, and databases refuse them."""


def encoded_figures(found: list[Figure]) -> list[Json]:
    """Figures as they are kept. Raises NotANumber, with the figure's key."""
    kept = []
    for figure in found:
        try:
            kept.append(encoded(_without_empty_picture(figure)))
        except NotANumber as error:
            raise NotANumber(f"{figure.key}: {error}") from error
    return kept


def _without_empty_picture(figure: Figure) -> Figure:
    return figure if figure.picture is None or shows_something(figure.picture) else replace(figure, picture=None)


def decoded_figures(kept: list[Json]) -> list[Figure]:
    return [cast("Figure", decoded(figure)) for figure in kept]


def encoded(value: object) -> Json:
    """Objects of ours say what they are; a mapping is a list of pairs, so that it keeps its order and its phrases.

    >>> encoded(Phrase("%(n)s units", n=3))
    {'phrase': '%(n)s units', 'parts': {'map': [['n', 3]]}}
    >>> decoded(encoded({"a": (1, None)}))
    {'a': (1, None)}
    """
    if isinstance(value, Phrase):
        return _encoded_phrase(value)
    if isinstance(value, np.generic):
        return encoded(value.item())
    if isinstance(value, float) and not math.isfinite(value):
        raise NotANumber(f"a figure has {value} in it; what is undefined is None, with a reason")
    if isinstance(value, str | bool | int | float) or value is None:
        return value
    if isinstance(value, Mapping):
        return {"map": [[encoded(key), encoded(it)] for key, it in value.items()]}
    if isinstance(value, tuple | list):
        return [encoded(it) for it in value]
    if is_dataclass(value) and type(value).__name__ in _CLASSES:
        parts = {field.name: encoded(getattr(value, field.name)) for field in fields(value)}
        return {"is": type(value).__name__, **parts}
    raise TypeError(f"{type(value).__name__} has no place in a report")


def _encoded_phrase(value: Phrase) -> Json:
    if isinstance(value, Reason):
        return {"reason": value.as_json()}
    return {"phrase": value.template, "parts": encoded(value.parts)}


def decoded(kept: Json) -> Any:
    if isinstance(kept, list):
        return tuple(decoded(it) for it in kept)
    if not isinstance(kept, dict):
        return kept
    if "map" in kept:
        return {decoded(key): decoded(it) for key, it in kept["map"]}
    if "reason" in kept and "is" not in kept:
        return Reason.from_json(kept["reason"])
    if "phrase" in kept:
        template, parts = kept["phrase"], decoded(kept["parts"])
        return Phrase(template, **parts)
    return _CLASSES[kept["is"]](**{name: decoded(it) for name, it in kept.items() if name != "is"})
