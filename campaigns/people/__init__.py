"""Who takes part in a campaign: members, invitations, consent."""
