"""A small spoken data set with known faults: six systems, five of them with one planted defect each."""
