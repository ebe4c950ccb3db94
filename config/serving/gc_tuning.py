"""Objects that are loaded once and stay are excluded from garbage collection."""

import gc

from django.urls import get_resolver

#: Objects created, less those freed, before a collection of the youngest, and collections before one of the older.
#: With Python's 700 there is a collection at every third query of a page, which frees next to nothing.
ROUNDS = (10_000, 10, 10)


def freeze_objects() -> None:
    """Load every page, and exclude all objects that exist now from garbage collection.

    A full collection visits some 300,000 objects, most of them code and settings: about 0.2 s in which every page
    waits.
    """
    get_resolver().url_patterns  # noqa: B018 - that loads the views
    gc.collect()
    gc.freeze()
    gc.set_threshold(*ROUNDS)
