"""Pictures: Display objects whose numbers are computed first and drawn by `plot(ax=None)`; one module per topic."""
"""Figures: numbers first, drawn later."""
