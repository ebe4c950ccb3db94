"""The signals, one module per small family. A new one is a module in this folder that declares `SIGNALS`."""

import importlib
import pkgutil

from analytics.quality.signals.signal import Measurement, Signal


def _declared() -> dict[str, Signal]:
    modules = (importlib.import_module(f"{__name__}.{found.name}") for found in pkgutil.iter_modules(__path__))
    signals = [one for module in modules for one in getattr(module, "SIGNALS", ())]
    return {one.name: one for one in sorted(signals, key=lambda one: one.place)}


#: Every signal by its name, in the order of the pages.
SIGNALS = _declared()

__all__ = ["SIGNALS", "Measurement", "Signal"]
