"""What the tests of imports and launches share."""

from tests.importing import researcher, sound, zip_of

__all__ = ["researcher", "sound", "zip_of"]
