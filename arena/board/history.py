"""How a board came to where it is."""

from arena.models import Standing

#: So many points make a line; between them standings are left out evenly.
MOST_POINTS = 24


def history_of(standing: Standing) -> list[Standing]:
    """Standings of the same board up to this one, evenly over those that are kept, this one last."""
    rows = Standing.objects.filter(
        campaign=standing.campaign_id,
        label_set=standing.label_set_id,
        settings_digest=standing.settings_digest,
        version=standing.version,
        serial__lte=standing.serial,
    ).order_by("serial")
    kept = list(rows.values_list("serial", flat=True))
    return list(rows.filter(serial__in=[kept[step - 1] for step in even_steps(len(kept), MOST_POINTS)]))


def even_steps(last: int, most: int) -> list[int]:
    """At most so many of 1, 2, …, `last`, evenly, the last among them.

    >>> even_steps(3, 24), even_steps(100, 5)
    ([1, 2, 3], [1, 26, 51, 75, 100])
    """
    if last <= most:
        return list(range(1, last + 1))
    return [1 + round(place * (last - 1) / (most - 1)) for place in range(most)]
