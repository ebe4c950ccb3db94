"""Whether votes can place systems on one scale at all."""

from typing import Literal

import numpy as np
import scipy

from stats.arrays import Bools, Floats, Ints


def islands(scores: Floats) -> list[Ints]:
    """The systems that votes connect, as sorted places; systems of different islands cannot be compared.

    `scores`, shape (systems, systems), has what each took from each other. A system without votes is an island.

    >>> scores = np.zeros((3, 3))
    >>> scores[2, 0] = 1
    >>> [places.tolist() for places in islands(scores)]
    [[0, 2], [1]]
    """
    n, island = _components(scores, "weak")
    return [np.flatnonzero(island == place) for place in range(n)]


def has_maximum(scores: Floats) -> bool:
    """Whether the Bradley–Terry likelihood has a finite maximum: each group of systems took something from the rest.

    That is Ford's condition (1957): the graph of who took something from whom is strongly connected.

    >>> has_maximum(np.array([[0, 1.0], [0, 0]])), has_maximum(np.array([[0, 0.5], [0.5, 0]]))
    (False, True)
    """
    return _components(scores, "strong")[0] == 1


def core(scores: Floats) -> Bools:
    """Which systems belong to the largest group that votes alone can rate: in it, everybody took from everybody.

    Along chains of systems, that is. None where no two such systems are, or two such groups are equally large.

    >>> core(np.array([[0, 2, 0], [1, 0, 0], [1, 0, 0]])), core(np.array([[0, 1], [0, 0]]))
    (array([ True,  True, False]), array([False, False]))
    """
    n, group = _components(scores, "strong")
    sizes = np.bincount(group, minlength=n)
    largest = np.flatnonzero(sizes == sizes.max())
    if len(largest) > 1 or sizes.max() < 2:
        return np.zeros(len(group), dtype=bool)
    return np.asarray(group == largest[0])


def _components(scores: Floats, connection: Literal["weak", "strong"]) -> tuple[int, Ints]:
    taken = scipy.sparse.csr_matrix((scores > 0).astype(np.int8))
    n, component = scipy.sparse.csgraph.connected_components(taken, directed=True, connection=connection)
    return int(n), np.asarray(component, dtype=np.int64)
