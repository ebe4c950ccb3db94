"""Updates of open pages: what is announced, and the consumer that passes it on."""
