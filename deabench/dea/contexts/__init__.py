"""One table, several frontiers: layers, groups and their meta-frontier, two periods (Malmquist)."""
