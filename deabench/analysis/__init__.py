"""Functions of tables and results: rankings, frontiers, targets, layers, partial frontiers, ..."""
