"""Table 1 of Dawid & Skene (1979): five anaesthetists on 45 patients, the first of them three times."""

import numpy as np

from stats.rater_models.dawid_skene import Said

#: Of each patient: three readings of the first observer, then one of each other.
READINGS = (
    "1111111 3334334 1122122 2223121 2223222 2223322 1222111 3333433 2222223 2322223 4444444 "
    "2223343 1111111 2223212 1211111 1112111 1111111 1111111 2222221 2221322 2222222 2222221 "
    "2223222 2212222 1111111 1111111 2322222 1111111 1111111 1121121 1111111 3333233 1111111 "
    "2222222 2223232 4334343 2212232 2323233 3333432 1111111 1111111 1212111 2322222 1211111 "
    "2222222 "
)
OBSERVERS = (0, 0, 0, 1, 2, 3, 4)


def said() -> Said:
    labels = np.array([[int(it) - 1 for it in row] for row in READINGS.split()])
    units, raters = np.repeat(np.arange(45), 7), np.tile(OBSERVERS, 45)
    return Said(units, raters, labels.reshape(-1), n_units=45, n_raters=5, n_categories=4)
