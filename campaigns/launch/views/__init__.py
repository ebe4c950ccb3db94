"""The steps of launching a campaign, one module for each."""
