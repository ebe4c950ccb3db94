"""How long a resample of Krippendorff's α takes, beside the `krippendorff` package in the same run.

    python -m benchmarks.statistics.agreement

100,000 units and three raters, a tenth of the labels missing. The package is given label counts, its quickest way in;
ours is the value with its interval of 2,000 resamples, counting and drawing included, shared out among them. The last
line is the bootstrap of evalica, which is written in Rust.
"""

import time
from typing import Any

import evalica
import krippendorff
import numpy as np
import pandas as pd

from benchmarks.timing import on_one_thread, seconds, told
from stats.agreement.coefficients import krippendorff_alpha
from stats.agreement.coincidences import Level, typed_tie_distance
from stats.agreement.labels import MISSING, LabelTable
from stats.intervals import Bootstrap

UNITS, RATERS, RESAMPLES, TARGET = 100_000, 3, 2_000, 100
LEVELS: tuple[Level, ...] = ("nominal", "ordinal", "interval", "typed_tie")
TYPED = ("1", "2", "both_good", "both_bad")


def labels() -> LabelTable:
    rng = np.random.default_rng(1)
    true = rng.integers(0, 4, UNITS)
    columns = [np.where(rng.random(UNITS) < 0.7, true, rng.integers(0, 4, UNITS)) for _ in range(RATERS)]
    codes = np.stack(columns, axis=1)
    codes[rng.random(codes.shape) < 0.1] = MISSING
    return LabelTable(codes, TYPED)


def compare(level: Level) -> None:
    table = labels()
    if level == "interval":
        table = LabelTable(table.codes, ("1", "2", "3", "4"))
    counts, rng = table.counts(), np.random.default_rng(2)
    distance = typed_tie_distance(TYPED)
    measure: Any = (lambda _v1, _v2, i1, i2, *_, **__: distance[i1, i2]) if level == "typed_tie" else level
    drawn = counts[rng.integers(UNITS, size=UNITS)]
    package = seconds(lambda: krippendorff.alpha(value_counts=drawn, level_of_measurement=measure))
    bootstrap = Bootstrap(rng, resamples=RESAMPLES)
    ours = seconds(lambda: krippendorff_alpha(table, level=level, bootstrap=bootstrap)) / RESAMPLES
    print(
        f"  {level:<10} package {told(package):>9} a resample, ours {told(ours):>8}: {package / ours:>6,.0f} times"
        f" (target {TARGET}, {'met' if package / ours >= TARGET else 'MISSED'})"
    )


def evalica_bootstrap() -> None:
    codes = labels().codes.T
    ratings = pd.DataFrame(np.where(codes >= 0, codes, np.nan))
    begin = time.process_time()
    evalica.alpha_bootstrap(ratings, distance="nominal", n_resamples=20)
    print(f"  evalica.alpha_bootstrap, nominal: {told((time.process_time() - begin) / 20)} a resample")


def main() -> None:
    on_one_thread("benchmarks.statistics.agreement")
    print(f"Krippendorff's α, {UNITS:,} units × {RATERS} raters, medians of 7 on one thread")
    for level in LEVELS:
        compare(level)
    evalica_bootstrap()


if __name__ == "__main__":
    main()
