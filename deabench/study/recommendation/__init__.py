"""Advice on new data: which classifiers of a study are likely to be efficient there."""
