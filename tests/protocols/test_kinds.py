from protocols import Scale
from protocols.scales.named import ACR, CCR, QUALITY_100, TEXT, TYPED_TIE, UNTYPED_TIE
from tests.cases import each


@each(
    "scale, metric",
    [
        (TYPED_TIE, "krippendorff_alpha_typed_tie"),
        (UNTYPED_TIE, "cohen_kappa"),
        (ACR, "krippendorff_alpha_ordinal"),
        (CCR, "krippendorff_alpha_interval"),
        (QUALITY_100, "krippendorff_alpha_interval"),
        (TEXT, ""),
    ],
)
def test_agreement_metric_fits_the_measure(scale: Scale, metric: str) -> None:
    assert scale.kind.agreement == metric
