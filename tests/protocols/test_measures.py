import pytest

from protocols import Scale
from protocols.scales.measures import agreement_metric
from protocols.scales.named import ACR, CCR, TEXT, TYPED_TIE, UNTYPED_TIE


@pytest.mark.parametrize(
    ("scale", "metric"),
    [
        (TYPED_TIE, "krippendorff_alpha_typed_tie"),
        (UNTYPED_TIE, "cohen_kappa"),
        (ACR, "krippendorff_alpha_ordinal"),
        (CCR, "krippendorff_alpha_interval"),
        (TEXT, ""),
    ],
    ids=lambda value: getattr(value, "name", value),
)
def test_agreement_metric_fits_the_measure(scale: Scale, metric: str) -> None:
    assert agreement_metric(scale) == metric
