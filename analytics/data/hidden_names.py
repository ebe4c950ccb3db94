"""A campaign's systems under codes while their names are locked: so that nobody stops because of who is ahead."""

from collections.abc import Iterable
from itertools import product
from string import ascii_uppercase

from django.utils.crypto import salted_hmac

from campaigns.access import names_are_hidden
from campaigns.models import Campaign
from corpus.models import System

__all__ = ["codes", "names_are_hidden", "shown_names"]


def codes(systems: Iterable[str], salt: object) -> dict[str, str]:
    """A code for each system, in an order that tells nothing, the same as long as the systems are.

    The order takes the installation's key to compute: whoever reads these lines and knows the names has not got it.

    >>> sorted(codes(["alpha", "beta"], 1).values())
    ['A', 'B']
    """
    letters = ("".join(code) for length in (1, 2, 3) for code in product(ascii_uppercase, repeat=length))
    mixed = sorted(systems, key=lambda name: salted_hmac(f"earshot.hidden-names {salt}", name).digest())
    return dict(zip(mixed, letters, strict=False))


def shown_names(campaign: Campaign, systems: Iterable[str]) -> dict[str, str]:
    """Each system's name as it may be seen at this moment.

    A code is the system's own wherever it stands: were codes given out anew to those that a filter leaves, their
    letters would tell who was left out.
    """
    names = sorted(set(systems))
    if not names_are_hidden(campaign):
        return {name: name for name in names}
    everybody = System.objects.filter(dataset=campaign.dataset_id).values_list("name", flat=True)
    code = codes({*everybody, *names}, campaign.pk)
    return {name: code[name] for name in names}
