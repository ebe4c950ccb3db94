"""Names for the arrays that pass between the modules."""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]


def ratio(above: Floats, below: Floats) -> Floats:
    """`above / below`, NaN where `below` is zero: the mark of what is undefined until a reason is put to it.

    >>> ratio(np.array([1.0, 1.0]), np.array([2.0, 0.0]))
    array([0.5, nan])
    """
    above, below = np.broadcast_arrays(above, below)
    result: Floats = np.divide(above, below, out=np.full(above.shape, np.nan), where=below != 0)
    return result
