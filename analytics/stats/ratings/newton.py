"""Newton's method on likelihoods of logistic form, which are concave but not quadratic."""

import numpy as np

from analytics.stats.arrays import Floats


def damped(step: Floats, *, reach: float) -> Floats:
    """Newton's step, shortened so that the likelihood cannot fall (Bach 2010, §2).

    `reach` is how far the whole step moves a linear predictor at most.

    >>> damped(np.array([4.0]), reach=4.0).round(4), damped(np.array([0.01]), reach=0.01).round(4)
    (array([1.6094]), array([0.01]))
    """
    return step * (np.log1p(reach) / reach) if reach > 0 else step
