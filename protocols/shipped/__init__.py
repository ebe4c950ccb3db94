"""Every protocol that ships. A module of this package with a tuple `PROTOCOLS` adds to them."""

from importlib import import_module
from pkgutil import iter_modules

from protocols.protocol import Protocol


def _collect() -> dict[str, Protocol]:
    found: dict[str, Protocol] = {}
    for module in iter_modules(__path__):
        for protocol in import_module(f"{__name__}.{module.name}").PROTOCOLS:
            if protocol.name in found:
                raise ValueError(f"two protocols are called {protocol.name!r}")
            found[protocol.name] = protocol
    return found


#: By the name under which a campaign chooses it.
SHIPPED = _collect()
