"""Webhooks notify other servers of events in a campaign: `events` writes them, `sending` delivers them."""
