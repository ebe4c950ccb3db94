"""What is loaded once and stays is not looked through for garbage again and again."""

import gc

from django.urls import get_resolver

#: Objects made, less those freed, until the youngest are looked through, and rounds until the older ones are. With
#: Python's 700 there is a round at every third query of a page, which frees next to nothing.
ROUNDS = (10_000, 10, 10)


def let_rest() -> None:
    """Load every page, and take all that is there by now out of the collector's rounds.

    A full round looks at some 300,000 objects, most of them code and settings: about 0.2 s in which every page waits.
    """
    get_resolver().url_patterns  # noqa: B018 - that loads the views
    gc.collect()
    gc.freeze()
    gc.set_threshold(*ROUNDS)
