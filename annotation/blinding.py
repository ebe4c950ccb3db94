"""The one place where the screen's frame (places 1, 2, …) and the stored frame (slots a, b, …) meet.

The arithmetic is that of `campaigns.protocols.frames`, because tables of answers are checked by it, too.
"""

from campaigns.protocols.frames import in_store, shown_value, slot_at, stored_value
from campaigns.protocols.protocol import Frame

__all__ = ["Frame", "in_store", "shown_value", "slot_at", "stored_value"]
