"""What is asked of a table of metrics: ranking, frontier, targets, certificates."""
