"""What measurements say of systems: tables of metrics, likelihoods, identity leaks."""
