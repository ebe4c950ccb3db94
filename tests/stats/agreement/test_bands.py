from stats.agreement.bands import krippendorff, landis_koch
from tests.cases import each


@each(
    "kappa, band",
    [
        (-0.01, "poor"),
        (0.0, "slight"),
        (0.20, "slight"),
        (0.2001, "fair"),
        (0.40, "fair"),
        (0.60, "moderate"),
        (0.651, "substantial"),  # TRACE/HCoT §4.1 calls it so
        (0.80, "substantial"),
        (0.81, "almost_perfect"),
        (1.0, "almost_perfect"),
    ],
)
def test_landis_koch_bands_hold_their_upper_ends(kappa, band):
    assert landis_koch(kappa) == band


@each(
    "alpha, band",
    [(1.0, "reliable"), (0.8, "reliable"), (0.7999, "tentative"), (0.667, "tentative"), (0.6669, "unreliable")],
)
def test_krippendorff_bands_hold_their_lower_ends(alpha, band):
    assert krippendorff(alpha) == band
