"""Data sets of a study: their sources, their encoding, their types and how their rows are split."""
