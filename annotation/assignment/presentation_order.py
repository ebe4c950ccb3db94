"""In which order a unit's responses are heard: at random, and balanced over the seats of a unit and over a person."""

import random
from collections.abc import Sequence

#: The probability of the order that evens out an annotator's imbalance; less than 1, so that it is not predictable.
BIAS = 2 / 3


def drawn_order(slots: str, *, of_unit: Sequence[str], of_annotator: Sequence[str], rng: random.Random) -> str:
    """Every slot once, as they will be heard. `slots` are the unit's, sorted.

    Of a pair, the order that was heard less often in this unit (`of_unit` has the orders of its other seats); where
    they are even, by a biased coin the one that this annotator had less often (Efron 1971, the biased coin design).
    More than two responses are shuffled.

    >>> drawn_order("ab", of_unit=["ab"], of_annotator=[], rng=random.Random(0))
    'ba'
    """
    if len(slots) != 2:
        return "".join(rng.sample(slots, len(slots)))
    forth, back = slots, slots[::-1]
    lean = of_unit.count(forth) - of_unit.count(back)
    if lean:
        return back if lean > 0 else forth
    lean = of_annotator.count(forth) - of_annotator.count(back)
    rarer, other = (back, forth) if lean > 0 else (forth, back)
    return rarer if rng.random() < (BIAS if lean else 0.5) else other
