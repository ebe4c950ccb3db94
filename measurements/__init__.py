"""Facts about clips and texts: features, metrics, likelihoods, identity leaks."""
