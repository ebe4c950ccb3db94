"""What a campaign asks of annotators before they begin."""
