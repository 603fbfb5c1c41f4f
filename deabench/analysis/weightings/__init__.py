"""Every weighting of the metrics at once: rank intervals, dominance, shares, winning regions."""
