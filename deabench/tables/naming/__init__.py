"""Columns by their names: patterns of names, error columns, questions about names."""
