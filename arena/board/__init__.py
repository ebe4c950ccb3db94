"""Where systems stand: computed, kept, drawn and downloaded."""
