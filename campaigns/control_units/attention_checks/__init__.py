"""Spoken traps: units of the campaign in which a voice says which answer to choose (ITU-T P.808 §6.3.8)."""
