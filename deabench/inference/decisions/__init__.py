"""Decisions on classifiers: verdicts at any time, release gates and their plans."""
