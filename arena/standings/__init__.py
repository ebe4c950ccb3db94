"""Where systems stand: what a board may be set to, computed from votes, kept as rows."""
