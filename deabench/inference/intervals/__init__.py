"""Intervals of metrics by counts, formulas and resampling."""
