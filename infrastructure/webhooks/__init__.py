"""Events for other people's servers: signed, sent, and sent again until they are taken."""
