"""Functions of tables and results: rankings, frontiers, targets, layers, meta-frontiers, partial
frontiers.
"""
