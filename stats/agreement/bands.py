"""Customary words for coefficients of agreement. They are conventions: the interval says more."""

from typing import Literal

LandisKoch = Literal["poor", "slight", "fair", "moderate", "substantial", "almost_perfect"]
Krippendorff = Literal["reliable", "tentative", "unreliable"]

_LANDIS_KOCH: tuple[tuple[float, LandisKoch], ...] = (
    (0.20, "slight"),
    (0.40, "fair"),
    (0.60, "moderate"),
    (0.80, "substantial"),
)


def landis_koch(kappa: float) -> LandisKoch:
    """The word of Landis & Koch (1977) for a κ; each band holds its upper end.

    >>> landis_koch(-0.1), landis_koch(0.5523), landis_koch(0.81)
    ('poor', 'moderate', 'almost_perfect')
    """
    if kappa < 0:
        return "poor"
    return next((word for upper, word in _LANDIS_KOCH if kappa <= upper), "almost_perfect")


def krippendorff(alpha: float) -> Krippendorff:
    """The word of Krippendorff (2004, p. 241) for an α: reliable from .800, tentative conclusions from .667.

    >>> krippendorff(0.8), krippendorff(0.7), krippendorff(0.5503)
    ('reliable', 'tentative', 'unreliable')
    """
    if alpha >= 0.8:
        return "reliable"
    return "tentative" if alpha >= 0.667 else "unreliable"
