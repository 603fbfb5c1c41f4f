"""Figures: numbers first, drawn later."""
