"""The arithmetic of agreement, of judges against people, and of ratings: arrays in, frozen dataclasses out.

Nothing here knows Django, a row or a request. Randomness comes in as a `numpy.random.Generator`; what is
undefined comes out as `estimate=None` with the reason. docs/reference/statistics.md lists it all.
"""
