"""The installation of the table of rights: a campaign with everything in it, and people of every role."""

import pytest

from tests.config.pages.test_access import WITHOUT_LOGIN, addresses
from tests.world import Values, campaign, filled, mail, people, values

__all__ = ["addresses", "campaign", "mail", "people", "values"]


@pytest.fixture
def open_addresses(values: Values) -> dict[str, str]:
    """Of the pages that nobody has to log in for."""
    return {name: address for name, address in filled(values).items() if name in WITHOUT_LOGIN}
